import { isReconciled, type ReconciledDay } from '../../src/contract/reconciled-days.ts';
import { quarterOf } from '../sources/master-index.ts';
import { dayAt, dayMs, hourMs } from '../../src/time/units.ts';
import { groupBy } from '../work/groups.ts';

/**
 * EDGAR makes its quarterly indexes again early on Saturday morning, Eastern time. At noon UTC they are
 * there.
 */
const [saturday, rebuiltByHour] = [6, 12];
/** How many days back days are compared again; older ones keep their results. */
export const lookBackDays = 100;

/** Returns when the quarterly indexes were last made again, in milliseconds since 1970. */
export function lastRebuildMs(nowMs: number): number {
  const noonMs = Math.floor((nowMs - rebuiltByHour * hourMs) / dayMs) * dayMs + rebuiltByHour * hourMs;
  return noonMs - ((new Date(noonMs).getUTCDay() - saturday + 7) % 7) * dayMs;
}

/** The first day of which EDGAR has an index of its quarter. */
const firstIndexedDay = '1993-01-01';

/**
 * Returns the quarters whose index is to be read now, each with the days that are due: days of recent months
 * that were not compared with the index since it was last made again, and days, however old, without an index
 * of their own.
 */
export function quartersDue(results: readonly ReconciledDay[], nowMs: number): Map<string, ReconciledDay[]> {
  const rebuiltMs = lastRebuildMs(nowMs);
  const [from, to] = [rebuiltMs - lookBackDays * dayMs, rebuiltMs].map(dayAt) as [string, string];
  const isDue = (result: ReconciledDay) => {
    const { day, quarterReadAt } = result;
    return (
      day < to &&
      day >= (isReconciled(result) ? from : firstIndexedDay) &&
      (quarterReadAt === null || Date.parse(quarterReadAt) < rebuiltMs)
    );
  };
  return groupBy(results.filter(isDue), ({ day }) => quarterOf(day));
}

/** If more than this share of the rows is missing, the quarterly index counts as incomplete. */
const withdrawnShareMaximum = 0.02;
const withdrawnAlways = 20;

/**
 * Throws an `Error` if a quarterly index lacks too many of the rows that daily indexes have to be complete.
 */
export function checkWhole(goneRows: number, rows: number): void {
  if (goneRows > Math.max(withdrawnAlways, rows * withdrawnShareMaximum))
    throw new Error(
      `it lacks ${goneRows} of ${rows} rows that the indexes of its days have, so it is not whole`,
    );
}
