import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { calendarDate } from '../../src/contract/scalars.ts';
import { dayFrom } from '../../src/contract/time.ts';
import { replaceFile } from '../disk/files.ts';
import { daysOf } from '../ledger/days.ts';
import type { BatchHead } from '../ledger/read.ts';
import { easternTime } from '../time/days.ts';

/** The file that names the day from which on a ledger is reconciled. It is in the folder of the ledger. */
export const sinceFile = '.reconcile.json';

const Since = z.object({ since: calendarDate });

/**
 * Returns the first day of a ledger that is to be reconciled, `YYYY-MM-DD`; null for an empty ledger. It is decided
 * once and kept in a file, because later batches would hide the gap before them. If the file is lost, it is the
 * oldest day with a result.
 */
export async function reconciledSince(
  ledgerDirectory: string,
  heads: readonly BatchHead[],
): Promise<string | null> {
  const path = join(ledgerDirectory, sinceFile);
  const kept = await readSince(path);
  if (kept !== null) return kept;
  const since = daysOf(heads)[0]?.day ?? dayBeforeNewest(heads);
  if (since !== null)
    await replaceFile(path, `${JSON.stringify({ since } satisfies z.infer<typeof Since>)}\n`);
  return since;
}

async function readSince(path: string): Promise<string | null> {
  try {
    return Since.parse(JSON.parse(await readFile(path, 'utf8'))).since;
  } catch {
    return null;
  }
}

/** Returns the day before the newest batch: from this day on a ledger that was never reconciled may lack filings. */
function dayBeforeNewest(heads: readonly BatchHead[]): string | null {
  const newest = heads.at(-1);
  return newest === undefined ? null : dayFrom(easternTime(Date.parse(newest.head.run.createdAt)).day, -1);
}
