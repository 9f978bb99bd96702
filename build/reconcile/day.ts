import { dayFrom, hourMs } from '../../src/contract/time.ts';
import type { ReconciledDay } from '../../src/contract/records.ts';
import { isFilingDay } from '../time/days.ts';
import {
  filingsOfIndex,
  goneFromIndex,
  type IndexFiling,
  type IndexRow,
  type MasterIndex,
} from '../sources/master-index.ts';

/** Reasons that are kept with a day; all of them are in the refusals of its batch. */
const reasonsShown = 20;

/** The filings of an index that name somebody who is wanted. */
export function wantedOfIndex(
  index: Pick<MasterIndex, 'rows'>,
  isWanted: (cik: string) => boolean,
): IndexFiling[] {
  return filingsOfIndex(index.rows).filter(({ entities }) => entities.some(({ cik }) => isWanted(cik)));
}

/** How many filings an index lists. */
export function countOfIndex(index: MasterIndex): number {
  return new Set(index.rows.map(({ accessionNo }) => accessionNo)).size;
}

/**
 * What is odd about an index; null if nothing is. An index of a day is never made again, so one that lists
 * less than it did is not whole. `rowsBefore` are the rows that it had when it was fetched before,
 * `resultBefore` is what came of it then; null if not known.
 */
export function noteOfIndex(
  index: MasterIndex,
  rowsBefore: readonly IndexRow[] | null,
  resultBefore: ReconciledDay | null,
): string | null {
  const gone = rowsBefore === null ? [] : goneFromIndex(rowsBefore, index.rows);
  const fewer = (resultBefore?.indexed ?? 0) - countOfIndex(index);
  const notes = [
    gone.length > 0
      ? `it no longer lists ${gone.slice(0, 5).join(', ')}${gone.length > 5 ? ` and ${gone.length - 5} more` : ''}`
      : fewer > 0
        ? `it lists ${fewer} fewer than when it was read before`
        : null,
    index.refused.length > 0
      ? `${index.refused.length} of its rows cannot be understood, the first: ${index.refused[0]?.reason}`
      : null,
  ].filter((note) => note !== null);
  return notes.length === 0 ? null : notes.join('; ');
}

/** What came of a day. */
export interface DayOutcome {
  readonly day: string;
  readonly indexed: number;
  readonly listed: number;
  readonly fetched: number;
  readonly missing: readonly { readonly accessionNo: string; readonly reason: string }[];
  readonly note: string | null;
}

/**
 * The result of a day as the ledger keeps it. `before` is what came of it when it was held against its index
 * before; null if it was not.
 */
export function resultOf(
  { day, indexed, listed, fetched, missing, note }: DayOutcome,
  checkedAt: string,
  before: ReconciledDay | null = null,
): ReconciledDay {
  return {
    day,
    indexed,
    listed,
    held: listed - fetched - missing.length,
    fetched,
    missing: missing.length,
    reasons: missing.slice(0, reasonsShown).map(({ accessionNo, reason }) => ({ accessionNo, reason })),
    withdrawn: before?.withdrawn ?? [],
    quarterReadAt: before?.quarterReadAt ?? null,
    note,
    checkedAt,
  };
}

/** The result of a day for which EDGAR has no index though it has one of a later day. */
export function resultWithoutIndex(day: string, checkedAt: string): ReconciledDay {
  return resultOf(
    { day, indexed: 0, listed: 0, fetched: 0, missing: [], note: 'EDGAR has no index of this day' },
    checkedAt,
  );
}

/** What came of a day, in one line. */
export function describeDay({
  day,
  indexed,
  listed,
  held,
  fetched,
  missing,
  reasons,
  note,
}: ReconciledDay): string {
  const why = reasons.map(({ accessionNo, reason }) => `${accessionNo} ${reason}`).join('; ');
  return `${day}: ${listed} of ${indexed} filings are of the universe: ${held} held, ${fetched} fetched, ${missing} missing${why === '' ? '' : ` (${why})`}${note === null ? '' : `; ${note}`}`;
}

/** About this hour of the evening, Eastern time, the index of the day appears. */
const indexHours = 22;

/** The newest day whose index may be there, at a time of the Eastern wall clock. */
export function newestIndexDay({ day, hours }: { readonly day: string; readonly hours: number }): string {
  let newest = hours >= indexHours ? day : dayFrom(day, -1);
  while (!isFilingDay(newest)) newest = dayFrom(newest, -1);
  return newest;
}

/** EDGAR's business days from one day to another, both included. */
export function filingDays(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = dayFrom(day, 1)) if (isFilingDay(day)) days.push(day);
  return days;
}

/** A day between others whose index could not be had is asked for again for so many days. */
const holesAfterDays = 60;
/**
 * For so many days behind, what was missing is looked for again, after so many hours; so is an index that was
 * not there.
 */
const askAgain = { days: 7, afterHours: 12 };

/**
 * The days that are to be held against their indexes now: from the one behind the newest result on, or from
 * `first` where there is none, up to `newest`; and lately those of which filings are missing, or that had no
 * index. `nowMs` is the time.
 */
export function daysDue(
  results: readonly ReconciledDay[],
  first: string,
  newest: string,
  nowMs: number,
): string[] {
  const [oldest, last] = [results[0]?.day ?? first, results.at(-1)?.day];
  const known = new Set(results.map(({ day }) => day));
  const lately = dayFrom(newest, -holesAfterDays);
  const holes = filingDays(oldest > lately ? oldest : lately, newest).filter((day) => !known.has(day));
  const isOld = ({ checkedAt }: ReconciledDay) =>
    nowMs - Date.parse(checkedAt) > askAgain.afterHours * hourMs;
  const open = results
    .filter(
      (each) =>
        (each.missing > 0 || each.indexed === 0) &&
        each.day >= dayFrom(newest, -askAgain.days) &&
        isOld(each),
    )
    .map(({ day }) => day);
  return [
    ...new Set([...open, ...holes, ...filingDays(last === undefined ? first : dayFrom(last, 1), newest)]),
  ].sort();
}
