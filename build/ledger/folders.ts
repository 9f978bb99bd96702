import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../src/files/local.ts';

/** A ledger or batch is damaged or inconsistent; the message names the file. */
export class BrokenLedger extends Error {}

/** Batches that a folder has, at most, so that listing one takes less than a millisecond. */
const batchesPerFolder = 1000;

/**
 * The name of a batch that no ledger has: an empty folder, at which the second version of this program stops.
 * That version sees only batches that are directly in `batches`, and would begin them anew beside the others.
 */
const fence = 999_999;

const fenceText =
  'This is no batch. A newer version of the program has added batches that an older version does not see,\n' +
  'so an older version stops here and says that a batch is missing. Use the newer version.\n';

/** Returns the directory that has all batches of a ledger. */
export function batchesDirectory(ledgerDirectory: string): string {
  return join(ledgerDirectory, 'batches');
}

/** Returns the directory into which batch `number` is written. */
export function newBatchDirectory(ledgerDirectory: string, number: number): string {
  const folder = String(Math.floor(number / batchesPerFolder)).padStart(5, '0');
  return join(batchesDirectory(ledgerDirectory), folder, String(number).padStart(8, '0'));
}

/** Returns the directory of batch `number`. Batches of the second version are directly in `batches`. */
export function batchDirectory(ledgerDirectory: string, number: number): string {
  const directory = newBatchDirectory(ledgerDirectory, number);
  if (number >= fence || existsSync(directory)) return directory;
  const flat = join(batchesDirectory(ledgerDirectory), String(number).padStart(6, '0'));
  return existsSync(flat) ? flat : directory;
}

/** Makes sure that the second version appends nothing to a ledger. */
export async function raiseFence(ledgerDirectory: string): Promise<void> {
  const path = join(batchesDirectory(ledgerDirectory), String(fence));
  if (existsSync(path)) return;
  await makeFolder(path);
  await writeFile(join(path, 'README'), fenceText);
}

/**
 * Returns the number of batches of a ledger; 0 if there is no ledger. Batches have no gaps, so the last one is
 * found by a search: with 20 steps for a million, and with two if `atLeast` names a batch shortly before it.
 * Throws `BrokenLedger` if the search ends at a gap.
 */
export async function batchCount(ledgerDirectory: string, atLeast = 0): Promise<number> {
  const exists = (number: number) => existsSync(batchDirectory(ledgerDirectory, number));
  let there = atLeast > 0 && exists(atLeast) ? atLeast : 0;
  let step = 1;
  while (exists(there + step)) {
    there += step;
    step *= 2;
  }
  for (let missing = there + step; missing - there > 1; ) {
    const middle = Math.floor((there + missing) / 2);
    if (exists(middle)) there = middle;
    else missing = middle;
  }
  const missing = await missingNear(ledgerDirectory, there + 1);
  if (missing === null) return there;
  // Another program has appended since the search.
  if (exists(there + 1)) return batchCount(ledgerDirectory, there + 1);
  throw new BrokenLedger(`${batchDirectory(ledgerDirectory, missing)} is missing`);
}

/**
 * Returns the number of a batch that is missing although a later one exists; null if none is. `next` is the
 * number after the last batch that was found. It looks into the folder of that number alone. If that folder
 * does not exist yet, it looks at the names of the folders, and at the batches of the second version.
 */
async function missingNear(ledgerDirectory: string, next: number): Promise<number | null> {
  const folder = dirname(newBatchDirectory(ledgerDirectory, next));
  if (existsSync(folder)) {
    const numbers = (await readdir(folder))
      .filter((name) => /^\d{8,}$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
    const [first] = numbers;
    if (first === undefined) return null;
    if (first > 1 && !existsSync(batchDirectory(ledgerDirectory, first - 1))) return first - 1;
    const late = numbers.find((number, at) => number >= next || number !== first + at);
    return late === undefined ? null : Math.min(next, late - 1);
  }
  const names = await readdir(batchesDirectory(ledgerDirectory)).catch(() => [] as string[]);
  const isLater = (name: string) =>
    /^\d{6}$/.test(name)
      ? Number(name) < fence && Number(name) >= next
      : // The folder of the number itself may have been made a moment ago.
        /^\d{5}$/.test(name) && Number(name) * batchesPerFolder > next;
  return names.some(isLater) ? next : null;
}
