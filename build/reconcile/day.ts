import { dayFrom, dayMs, hourMs } from '../../src/time/units.ts';
import { isReconciled, type ReconciledDay } from '../../src/contract/reconciled-days.ts';
import { isFilingDay } from '../../src/time/calendar.ts';
import { easternTime } from '../time/eastern-time.ts';
import { goneFromIndex, type IndexRow, type MasterIndex } from '../sources/master-index.ts';
import type { Look, Unsettled } from './look.ts';
import { lookBackDays } from './withdrawn.ts';

/** The most reasons that are kept with a day; the refusals of its batch have all. */
const reasonsShown = 20;

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

/** The outcome of comparing a day with an index. */
export interface DayOutcome {
  readonly day: string;
  /** When it was compared, in UTC, and with which index. */
  readonly at: string;
  readonly index: ReconciledDay['looks'][number]['index'];
  readonly indexed: number;
  readonly note: string | null;
  readonly look: Pick<Look, 'listed' | 'fetched' | 'corrected' | 'unsettled'>;
  /** Filings of the day that were not looked at, because the index lacks them, and that the ledger has. */
  readonly heldBesides: number;
  /** What the index of the quarter told; null keeps what it told before. */
  readonly quarter: { readonly added: number; readonly withdrawn: readonly string[] } | null;
}

/** Makes the result of a day as the ledger keeps it. `before` is the day's earlier result, or null. */
export function resultOf(
  { day, at, index, indexed, note, look, heldBesides, quarter }: DayOutcome,
  before: ReconciledDay | null = null,
): ReconciledDay {
  const count = (kind: Unsettled['kind']) => look.unsettled.filter((each) => each.kind === kind).length;
  const listed = look.listed + heldBesides;
  const found = listed - look.unsettled.length;
  const looked = { at, index, fetched: look.fetched.length, corrected: look.corrected.length };
  return {
    day,
    indexed,
    listed,
    held: listed - look.fetched.length - count('missing'),
    fetched: look.fetched.length,
    missing: count('missing'),
    found,
    corrected: look.corrected.length,
    different: count('different'),
    open: count('open'),
    added: quarter?.added ?? before?.added ?? 0,
    reasons: look.unsettled
      .toSorted((a, b) => urgency[a.kind] - urgency[b.kind])
      .slice(0, reasonsShown)
      .map(({ accessionNo, reason }) => ({ accessionNo, reason })),
    withdrawn: [...(quarter?.withdrawn ?? before?.withdrawn ?? [])],
    quarterReadAt: index === 'quarterly' ? at : (before?.quarterReadAt ?? null),
    note,
    checkedAt: at,
    looks: looksAfter(before?.looks ?? [], looked),
  };
}

/** If there are more reasons than are kept, the more urgent ones are kept. */
const urgency: Readonly<Record<Unsettled['kind'], number>> = { missing: 0, open: 1, different: 2 };

/** The most looks that are kept with a day. */
const looksKept = 10;

/** Returns the first look, and those later ones that changed something, the newest ones if they are many. */
function looksAfter(before: ReconciledDay['looks'], look: ReconciledDay['looks'][number]) {
  const [first, ...later] = before;
  if (first === undefined) return [look];
  const isNews = look.fetched + look.corrected > 0;
  return [first, ...[...later, ...(isNews ? [look] : [])].slice(1 - looksKept)];
}

const noteWithoutIndex = 'no daily index of this day could be had';
/**
 * What older releases said. They asked for indexes before April 1998 by names that these do not have, so each
 * such day is looked at once more.
 */
const olderNoteWithoutIndex = 'EDGAR has no index of this day';

/**
 * Makes the result of a day of which no index could be had, although there is one of a later day. It says that
 * the day was asked for, and nothing about its filings. What the rebuilt index of its quarter has told stays.
 */
export function resultWithoutIndex(
  day: string,
  at: string,
  before: ReconciledDay | null = null,
): ReconciledDay {
  if (before !== null && isReconciled(before)) return { ...before, checkedAt: at };
  const result = resultOf({
    day,
    at,
    index: 'daily',
    indexed: 0,
    note: noteWithoutIndex,
    look: { listed: 0, fetched: [], corrected: [], unsettled: [] },
    heldBesides: 0,
    quarter: null,
  });
  return { ...result, looks: [] };
}

/** Describes the result of a day in one line. */
export function describeDay({
  day,
  indexed,
  listed,
  held,
  fetched,
  missing,
  corrected,
  different,
  open,
  reasons,
  note,
}: ReconciledDay): string {
  const counts: readonly (readonly [number | null, string])[] = [
    [corrected, 'corrected'],
    [open, 'open'],
    [different, 'different'],
  ];
  const shown = counts.filter(([count]) => count !== null && count > 0);
  const why = reasons.map(({ accessionNo, reason }) => `${accessionNo} ${reason}`).join('; ');
  return `${day}: ${listed} of ${indexed} filings are of the universe: ${held} held, ${fetched} fetched, ${missing} missing${shown.map(([count, name]) => `, ${count} ${name}`).join('')}${why === '' ? '' : ` (${why})`}${note === null ? '' : `; ${note}`}`;
}

/** Returns the differences that earlier looks left, as `LookOptions.settled` wants them. */
export function settledOf(result: ReconciledDay | null): ReadonlySet<string> {
  return new Set(result?.reasons.map(({ accessionNo, reason }) => `${accessionNo} ${reason}`) ?? []);
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

/**
 * When a day with missing or open filings, or without an index, is tried again: for `days`, each time after
 * `afterHours`. An old day, which was first looked at after a long gap, is tried for `days` from then on, if filings are
 * missing. Later a day without an index is tried every `laterAfterDays`: it does not count as reconciled.
 */
const retry = { days: 7, afterHours: 12, laterAfterDays: 30 };

/**
 * Returns the days to compare with their daily indexes now, ascending: all days from `since` to `newest` that
 * have no result; days of the look-back that were not compared again on a later business day, because late
 * rows come; recent days with missing or open filings; and days without an index. `nowMs` is the time in
 * milliseconds since 1970.
 */
export function daysDue(
  results: readonly ReconciledDay[],
  since: string,
  newest: string,
  nowMs: number,
): string[] {
  const known = new Set(results.map(({ day }) => day));
  const isNew = (day: string) => !known.has(day);
  const isDueAgain = (result: ReconciledDay) =>
    result.day <= newest && (isOnceMoreDue(result, newest) || isRetried(result, newest, nowMs));
  const again = results.filter(isDueAgain).map(({ day }) => day);
  return [...filingDays(since, newest).filter(isNew), ...again].sort();
}

/** Whether a day was compared on one business day only, and a later one has its index. */
function isOnceMoreDue({ day, indexed, looks, checkedAt }: ReconciledDay, newest: string): boolean {
  if (day < dayFrom(newest, -lookBackDays) || indexed === 0) return false;
  const businessDay = (at: string) => newestIndexDay(easternTime(Date.parse(at)));
  // Older releases compared accession numbers alone, and recorded no looks.
  if (looks[0] === undefined) return true;
  const first = businessDay(looks[0].at);
  return newest > first && businessDay(checkedAt) <= first;
}

function isRetried(result: ReconciledDay, newest: string, nowMs: number): boolean {
  const { day, missing, open, note, checkedAt, looks } = result;
  const from = dayFrom(newest, -retry.days);
  const isRecent = day >= from;
  const passedMs = nowMs - Date.parse(checkedAt);
  if (isReconciled(result)) {
    const isTriedAgain = isRecent ? missing + (open ?? 0) > 0 : missing > 0 && (looks[0]?.at ?? '') >= from;
    return isTriedAgain && passedMs > retry.afterHours * hourMs;
  }
  return (
    note === olderNoteWithoutIndex ||
    passedMs > (isRecent ? retry.afterHours * hourMs : retry.laterAfterDays * dayMs)
  );
}
