import type { ReconciledDay } from '../../src/contract/records.ts';
import { quarterOf, type IndexRow, type MasterIndex } from '../sources/master-index.ts';
import { dayAt, dayMs, hourMs } from '../../src/contract/time.ts';

/**
 * On Saturdays EDGAR makes its quarterly indexes again, early in the morning, Eastern time: at noon UTC they
 * are there.
 */
const [saturday, rebuiltByHour] = [6, 12];
/** What was withdrawn is looked for among the days of so many days. */
const lookBackDays = 100;

/** When the quarterly indexes were made again for the last time, in milliseconds since 1970. */
export function lastRebuildMs(nowMs: number): number {
  const noonMs = Math.floor((nowMs - rebuiltByHour * hourMs) / dayMs) * dayMs + rebuiltByHour * hourMs;
  return noonMs - ((new Date(noonMs).getUTCDay() - saturday + 7) % 7) * dayMs;
}

/**
 * The quarters whose index is to be read now, each with its days that were held against their own indexes:
 * those of the last months that have been made again since they were looked at.
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

/** More than this of what the days of a quarter list is not withdrawn: then its index is not whole. */
const withdrawnShareMaximum = 0.02;
const withdrawnAlways = 20;

/**
 * The rows of days that the index of their quarter no longer has, by day. `rowsOfDay` gives what the index of
 * a day lists, null if that is not known. Throws an `Error` that says why for an index that lacks too much to
 * be whole.
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
 * The results of days behind a look at the index of their quarter: those that changed, and the newest one,
 * which tells when that was.
 */
export function resultsAfterLook(
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
