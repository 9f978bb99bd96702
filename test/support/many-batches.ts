import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rulesNumber } from '../../src/domain/rules.ts';
import { encodeBatchFile, type BatchFile } from '../../build/ledger/batch.ts';
import { newBatchDirectory } from '../../build/ledger/folders.ts';
import { encodeRows, filingCodec } from '../../build/ledger/ledger-rows.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { filing } from './made-up.ts';

/** When a batch of `writeManyBatches` was recorded: one a minute. */
export const manyBatchesAt = (number: number) =>
  new Date(Date.UTC(2020, 0, 1) + number * 60_000).toISOString();

/** Of so many batches one has a filing. The others are empty, so that a ledger of many is made and built soon. */
const filingEvery = 10;

/**
 * Writes a ledger of batches of one filing or none, with the bytes that `appendBatch` gives them, but without
 * waiting for the disk. `after` is the end of the ledger that is continued. Returns the new end.
 */
export function writeManyBatches(
  ledger: string,
  count: number,
  after: { readonly number: number; readonly sha256: string | null } = { number: 0, sha256: null },
): { number: number; sha256: string | null } {
  let end = after;
  for (let number = after.number + 1; number <= after.number + count; number++) {
    const directory = newBatchDirectory(ledger, number);
    if (number % 1000 === 0 || number === after.number + 1)
      mkdirSync(dirname(directory), { recursive: true });
    mkdirSync(directory);
    const files: BatchFile['files'] = [];
    if (number % filingEvery === 1) {
      const text = encodeRows(filingCodec, [filing(number)]);
      writeFileSync(join(directory, 'filings-1.csv'), text);
      files.push({ name: 'filings-1.csv', bytes: Buffer.byteLength(text), sha256: sha256Of(text), rows: 1 });
    }
    const head: BatchFile = {
      format: 1,
      number,
      previousSha256: end.sha256,
      run: { target: 'follow: AAA', status: 'success', message: null, createdAt: manyBatchesAt(number) },
      rules: { number: rulesNumber, since: 1 },
      files,
    };
    const bytes = encodeBatchFile(head);
    writeFileSync(join(directory, 'batch.json'), bytes);
    end = { number, sha256: sha256Of(bytes) };
  }
  return end;
}
