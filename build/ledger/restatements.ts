import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../../src/files/bytes.ts';
import { readBatchFile, type BatchFile } from './batch.ts';
import { batchDirectory, BrokenLedger } from './folders.ts';
import { formerCodec, formerFile, type FormerRow } from './former.ts';
import { decodeRows } from './ledger-rows.ts';

/** Reads the former values that a restatement keeps, one file at a time. Throws `BrokenLedger`. */
export function* readFormer(ledgerDirectory: string, { number, files }: BatchFile): Generator<FormerRow> {
  for (const file of files.filter(({ name }) => formerFile.test(name))) {
    const path = join(batchDirectory(ledgerDirectory, number), file.name);
    try {
      const bytes = readFileSync(path);
      if (bytes.length !== file.bytes || sha256Of(bytes) !== file.sha256)
        throw new Error('its bytes are not those that batch.json names');
      const { rows, misfits } = decodeRows(formerCodec, bytes.toString());
      // Without one of them the log would get other bytes.
      if (misfits[0]) throw new Error(`row ${misfits[0].row}: ${misfits[0].reason}`);
      yield* rows;
    } catch (error) {
      throw new BrokenLedger(`${path}: ${(error as Error).message}`);
    }
  }
}

/**
 * Returns the heads of the restatements of a ledger up to a batch, oldest first. Each head names the newest
 * restatement before it, so that no other head is read. Throws `BrokenLedger`.
 */
export async function restatementsUpTo(ledgerDirectory: string, last: BatchFile): Promise<BatchFile[]> {
  const found: BatchFile[] = [];
  let since = last.rules?.since ?? null;
  // Batch 1 restates nothing: a ledger follows its first rules from there on.
  while (since !== null && since > 1) {
    const head = since === last.number ? last : (await readBatchFile(ledgerDirectory, since)).head;
    if (head.restates === undefined) break;
    found.unshift(head);
    since = head.restates.since;
  }
  return found;
}
