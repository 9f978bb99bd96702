import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { batchDirectory } from '../../build/ledger/batch.ts';
import { sha256Of } from '../../src/files/bytes.ts';

/**
 * Changes a file of the newest batch of a ledger as a program with other rules would have written it: every
 * digest is right.
 */
export function rewrite(
  ledger: string,
  number: number,
  name: string,
  change: (text: string) => string,
): void {
  const [head, file] = [
    join(batchDirectory(ledger, number), 'batch.json'),
    join(batchDirectory(ledger, number), name),
  ];
  const text = change(readFileSync(file, 'utf8'));
  writeFileSync(file, text);
  const batch = JSON.parse(readFileSync(head, 'utf8')) as { files: { name: string }[] };
  writeFileSync(
    head,
    JSON.stringify({
      ...batch,
      files: batch.files.map((each) =>
        each.name === name ? { ...each, bytes: Buffer.byteLength(text), sha256: sha256Of(text) } : each,
      ),
    }),
  );
}
