import type { ReconciledDay } from '../../src/contract/records.ts';
import { quarterOf, type IndexRow, type MasterIndex } from '../sources/master-index.ts';
import { dayAt, dayMs, hourMs } from '../../src/contract/time.ts';

/**
 * EDGAR makes its quarterly indexes again early on Saturday morning, Eastern time. At noon UTC they are
 * there.
 */
const [saturday, rebuiltByHour] = [6, 12];
/** Withdrawn filings are looked for among the filings of so many past days. */
const lookBackDays = 100;

/** Returns when the quarterly indexes were last made again, in milliseconds since 1970. */
export function lastRebuildMs(nowMs: number): number {
  const noonMs = Math.floor((nowMs - rebuiltByHour * hourMs) / dayMs) * dayMs + rebuiltByHour * hourMs;
  return noonMs - ((new Date(noonMs).getUTCDay() - saturday + 7) % 7) * dayMs;
}

/**
 * Returns the quarters whose index is to be read now, each with its reconciled days: quarters of recent
 * months whose index was made again since it was last read.
 */
export function quartersDue(results: readonly ReconciledDay[], nowMs: number): Map<string, ReconciledDay[]> {
  const rebuiltMs = lastRebuildMs(nowMs);
  const [from, to] = [rebuiltMs - lookBackDays * dayMs, rebuiltMs].map(dayAt) as [string, string];
  const quarters = new Map<string, ReconciledDay[]>();
  for (const result of results) {
    if (result.indexed > 0 && result.day >= from && result.day < to)
      quarters.set(quarterOf(result.day), [...(quarters.get(quarterOf(result.day)) ?? []), result]);
  }
  const isRead = (days: readonly ReconciledDay[]) =>
    days.some(({ quarterReadAt }) => quarterReadAt !== null && Date.parse(quarterReadAt) >= rebuiltMs);
  return new Map([...quarters].filter(([, days]) => !isRead(days)));
}

/** If more than this share of the rows is missing, the quarterly index counts as incomplete. */
const withdrawnShareMaximum = 0.02;
const withdrawnAlways = 20;

/**
 * Returns, by day, the rows that the index of the quarter no longer has. `rowsOfDay` returns the rows of a
 * daily index, or null if they are not known. Throws an `Error` if the quarterly index lacks too many rows to
 * be complete.
 */
export async function goneFromQuarter(
  quarter: Pick<MasterIndex, 'rows' | 'through'>,
  days: readonly ReconciledDay[],
  rowsOfDay: (day: string) => Promise<readonly IndexRow[] | null>,
): Promise<Map<string, IndexRow[]>> {
  const listed = new Set(quarter.rows.map(({ accessionNo }) => accessionNo));
  const gone = new Map<string, IndexRow[]>();
  let [rows, goneRows] = [0, 0];
  for (const { day } of days) {
    if (day > quarter.through) continue;
    const ofDay = await rowsOfDay(day);
    if (ofDay === null) continue;
    const missing = ofDay.filter(({ accessionNo }) => !listed.has(accessionNo));
    gone.set(day, missing);
    rows += ofDay.length;
    goneRows += missing.length;
  }
  if (goneRows > Math.max(withdrawnAlways, rows * withdrawnShareMaximum))
    throw new Error(
      `it lacks ${goneRows} of ${rows} rows that the indexes of its days have, so it is not whole`,
    );
  return gone;
}

/**
 * Returns the results of days after the index of their quarter was read: those that changed, and the newest
 * one, which records when the index was read.
 */
export function resultsAfterQuarter(
  days: readonly ReconciledDay[],
  withdrawn: ReadonlyMap<string, readonly string[]>,
  readAt: string,
): ReconciledDay[] {
  return days.flatMap((result, at) => {
    const now = withdrawn.get(result.day) ?? result.withdrawn;
    const isSame =
      now.length === result.withdrawn.length && now.every((each) => result.withdrawn.includes(each));
    return isSame && at < days.length - 1 ? [] : [{ ...result, withdrawn: [...now], quarterReadAt: readAt }];
  });
}
