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

/** The most reasons that are kept with a day; the refusals of its batch have all. */
const reasonsShown = 20;

/** Returns the filings of an index that name an entity of the universe. */
export function wantedOfIndex(
  index: Pick<MasterIndex, 'rows'>,
  isWanted: (cik: string) => boolean,
): IndexFiling[] {
  return filingsOfIndex(index.rows).filter(({ entities }) => entities.some(({ cik }) => isWanted(cik)));
}

/** Returns the number of filings that an index lists. */
export function countOfIndex(index: MasterIndex): number {
  return new Set(index.rows.map(({ accessionNo }) => accessionNo)).size;
}

/**
 * Describes what is odd about a daily index; null if nothing is. A daily index is never made again, so one
 * that lists less than before is not complete. `rowsBefore` are its rows when it was fetched before, and
 * `resultBefore` is the result of that time; null if not known.
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

/** The outcome of reconciling a day. */
export interface DayOutcome {
  readonly day: string;
  readonly indexed: number;
  readonly listed: number;
  readonly fetched: number;
  readonly missing: readonly { readonly accessionNo: string; readonly reason: string }[];
  readonly note: string | null;
}

/** Makes the result of a day as the ledger keeps it. `before` is the day's earlier result, or null. */
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

/** Makes the result of a day for which EDGAR has no index, although it has one of a later day. */
export function resultWithoutIndex(day: string, checkedAt: string): ReconciledDay {
  return resultOf(
    { day, indexed: 0, listed: 0, fetched: 0, missing: [], note: 'EDGAR has no index of this day' },
    checkedAt,
  );
}

/** Describes the result of a day in one line. */
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

/** The hour, Eastern time, at which the index of the day appears, roughly. */
const indexHours = 22;

/** Returns the newest day whose index may be published, at an Eastern wall-clock time. */
export function newestIndexDay({ day, hours }: { readonly day: string; readonly hours: number }): string {
  let newest = hours >= indexHours ? day : dayFrom(day, -1);
  while (!isFilingDay(newest)) newest = dayFrom(newest, -1);
  return newest;
}

/** Returns EDGAR's business days from one day to another, both included. */
export function filingDays(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = dayFrom(day, 1)) if (isFilingDay(day)) days.push(day);
  return days;
}

/** A missing day between reconciled days is tried again for so many days. */
const holesForDays = 60;
/**
 * A day with missing filings, or without an index, is tried again for so many days, each time after so many
 * hours.
 */
const retry = { days: 7, afterHours: 12 };

/**
 * Returns the days to reconcile now: those after the newest result, or from `first` on if there is no result,
 * up to `newest`; missing days between results; and recent days that lack filings or had no index. `nowMs` is
 * the time in milliseconds since 1970.
 */
export function daysDue(
  results: readonly ReconciledDay[],
  first: string,
  newest: string,
  nowMs: number,
): string[] {
  const [oldest, last] = [results[0]?.day ?? first, results.at(-1)?.day];
  const known = new Set(results.map(({ day }) => day));
  const lately = dayFrom(newest, -holesForDays);
  const holes = filingDays(oldest > lately ? oldest : lately, newest).filter((day) => !known.has(day));
  const isOld = ({ checkedAt }: ReconciledDay) => nowMs - Date.parse(checkedAt) > retry.afterHours * hourMs;
  const open = results
    .filter(
      (each) =>
        (each.missing > 0 || each.indexed === 0) && each.day >= dayFrom(newest, -retry.days) && isOld(each),
    )
    .map(({ day }) => day);
  return [
    ...new Set([...open, ...holes, ...filingDays(last === undefined ? first : dayFrom(last, 1), newest)]),
  ].sort();
}
