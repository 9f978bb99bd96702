import { dayFrom } from '../../src/contract/time.ts';
import type { ReconciledDay } from '../../src/contract/records.ts';
import { readDay } from '../time/eastern.ts';
import { isFilingDay } from '../time/days.ts';
import type { Overview } from './overview.ts';

/** Where the days are published that were held against EDGAR's daily indexes. */
export const reconciliationPath = '/reconciliation.json';

/** How far a snapshot is proven to be complete, as health and statistics say it. */
export interface Completeness {
  readonly reconciledFrom: string | null;
  readonly reconciledThrough: string | null;
  readonly missingFilings: number;
  readonly withdrawnFilings: number;
}

/** How far the days of a snapshot reach. */
export function completenessOf({ reconciledDays }: Pick<Overview, 'reconciledDays'>): Completeness {
  const { from, through, missing } = reconciliationOf(reconciledDays);
  return {
    reconciledFrom: from,
    reconciledThrough: through,
    missingFilings: missing,
    withdrawnFilings: new Set(reconciledDays.flatMap(({ withdrawn }) => withdrawn)).size,
  };
}

/** The days that a ledger has been held against EDGAR's indexes without a gap, up to the newest one. */
export interface Reconciliation {
  /** First and last day; null if there is none. */
  readonly from: string | null;
  readonly through: string | null;
  /** Filings of all days that could not be had or understood. */
  readonly missing: number;
}

/** EDGAR is never closed for so many days on end. */
const closedDaysMaximum = 10;

/**
 * How far days reach without a gap, from one that has an index to the newest that has one. Days on which
 * EDGAR is closed make no gap, nor does a day for which it has no index: it was closed then, too.
 */
export function reconciliationOf(days: readonly ReconciledDay[]): Reconciliation {
  const missing = days.reduce((sum, each) => sum + each.missing, 0);
  const known = new Set(days.map(({ day }) => day));
  const indexed = new Set(days.filter((each) => each.indexed > 0).map(({ day }) => day));
  const through = [...indexed].reduce<string | null>(
    (newest, day) => (newest === null || day > newest ? day : newest),
    null,
  );
  let from = through;
  for (let day = through; day !== null && (known.has(day) || !isFilingDay(day)); day = dayFrom(day, -1)) {
    if (indexed.has(day)) from = day;
    if (from !== null && readDay(from) - readDay(day) > closedDaysMaximum) break;
  }
  return { from, through, missing };
}

/** Every day that was held against EDGAR's index, newest first. */
export function reconciliationDocument(overview: Pick<Overview, 'reconciledDays'>): {
  readonly data: readonly ReconciledDay[];
  readonly meta: object;
} {
  return {
    data: overview.reconciledDays,
    meta: { count: overview.reconciledDays.length, ...completenessOf(overview), notInvestmentAdvice: true },
  };
}
