import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { batchDirectory, BrokenLedger, type BatchFile } from '../ledger/batch.ts';
import { checkFiles, readCompanies, readFilings, readHeads, readRefusals } from '../ledger/read.ts';
import type { Progress } from '../work/progress.ts';

/**
 * Checks every batch of a ledger: its head and that of the batch before, each file that the head names by its
 * length and SHA-256, each file of a known kind by its rows, and that its folder has no other files. Returns
 * the number of batches. Throws `BrokenLedger`, which names the file.
 */
export async function verifyBatches(ledgerDirectory: string, progress: Progress): Promise<number> {
  progress.begin('checking batches', 'batches');
  let batches = 0;
  for await (const { head } of readHeads(ledgerDirectory)) {
    await checkFiles(ledgerDirectory, head);
    for await (const _ of readFilings(ledgerDirectory, head));
    for await (const _ of readCompanies(ledgerDirectory, head));
    await readRefusals(ledgerDirectory, head);
    await checkNoOthers(ledgerDirectory, head);
    batches++;
    progress.step();
  }
  progress.stop();
  return batches;
}

async function checkNoOthers(ledgerDirectory: string, { number, files }: BatchFile): Promise<void> {
  const directory = batchDirectory(ledgerDirectory, number);
  const named = new Set(['batch.json', ...files.map(({ name }) => name)]);
  for (const name of await readdir(directory))
    if (!named.has(name)) throw new BrokenLedger(`${join(directory, name)}: no head names this file`);
}
