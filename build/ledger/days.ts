import type { ReconciledDay } from '../../src/contract/records.ts';
import { isBusinessDay } from '../edgar/calendar.ts';
import { readDay } from '../edgar/eastern.ts';
import { dayFrom } from '../edgar/time.ts';
import type { BatchHead } from './read.ts';

/** The newest result of each day that batches have, by day. `before` is what older batches say, in any order. */
export function daysOf(heads: readonly BatchHead[], before: readonly ReconciledDay[] = []): ReconciledDay[] {
  const days = new Map(before.map((each) => [each.day, each]));
  for (const { head } of heads) for (const each of head.days ?? []) days.set(each.day, each);
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

/** The days that a ledger has been held against EDGAR's indexes without a gap, up to the newest one. */
export interface Reconciliation {
  /** First and last day; null if there is none. */
  readonly from: string | null;
  readonly through: string | null;
  /** Filings of all days that could not be had or understood. */
  readonly missing: number;
}

const dayNumber = (day: string) => readDay(day);

/** Whether EDGAR takes filings on a day, `YYYY-MM-DD`. */
export function isFilingDay(day: string): boolean {
  return isBusinessDay(dayNumber(day));
}

/** How far days reach without a gap, counted back from the newest: days on which EDGAR is closed have no index and make none. */
export function reconciliationOf(days: readonly ReconciledDay[]): Reconciliation {
  const missing = days.reduce((sum, each) => sum + each.missing, 0);
  const known = new Set(days.map(({ day }) => day));
  const through = days.reduce<string | null>((newest, { day }) => (newest === null || day > newest ? day : newest), null);
  let from = through;
  for (let day = through; day !== null && (known.has(day) || !isFilingDay(day)); day = dayFrom(day, -1)) {
    if (known.has(day)) from = day;
    // Nobody files for more than a few days on end.
    if (from !== null && dayNumber(from) - dayNumber(day) > 7) break;
  }
  return { from, through, missing };
}
