import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { calendarDate } from '../../src/domain/scalars.ts';
import { dayFrom } from '../../src/time/units.ts';
import { changeFile } from '../disk/change-file.ts';
import type { BatchHead } from '../ledger/read.ts';
import type { Survey } from '../ledger/survey.ts';
import { easternTime } from '../time/eastern-time.ts';

/** The file that names the day from which on a ledger is reconciled. It is in the folder of the ledger. */
export const sinceFile = '.reconcile.json';

const Since = z.object({ since: calendarDate });

/**
 * Returns the first day of a ledger that is to be reconciled, `YYYY-MM-DD`; null for an empty ledger. It is
 * decided once and kept in a file, because later batches would hide the gap before them. If the file is lost,
 * it is the oldest day with a result.
 */
export async function reconciledSince(
  ledgerDirectory: string,
  survey: Pick<Survey, 'days' | 'newest'> | null,
): Promise<string | null> {
  const path = join(ledgerDirectory, sinceFile);
  const kept = parseSince(await readFile(path, 'utf8').catch(() => null));
  if (kept !== null) return kept;
  const since = survey && (survey.days[0]?.day ?? dayBefore(survey.newest));
  if (since === null) return null;
  // Another program may decide at the same time: who came first has seen the ledger without later batches.
  return changeFile(path, (text) => {
    const decided = parseSince(text);
    return decided === null
      ? { text: `${JSON.stringify({ since } satisfies z.infer<typeof Since>)}\n`, result: since }
      : { text: null, result: decided };
  });
}

/** The day in the text of the file; null if there is none, or if it cannot be understood. */
function parseSince(text: string | null): string | null {
  try {
    return text === null ? null : Since.parse(JSON.parse(text)).since;
  } catch {
    return null;
  }
}

/** The day before the newest batch: from this day on a ledger that was never reconciled may lack filings. */
function dayBefore({ head }: BatchHead): string {
  return dayFrom(easternTime(Date.parse(head.run.createdAt)).day, -1);
}
