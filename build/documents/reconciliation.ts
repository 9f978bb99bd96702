import type { ReconciledDay } from '../../src/contract/records.ts';
import { readDay } from '../edgar/eastern.ts';
import { dayFrom, isFilingDay } from '../edgar/time.ts';
import type { Overview } from './overview.ts';

/** Where the days are published that were held against EDGAR's daily indexes. */
export const reconciliationPath = '/reconciliation.json';

/** How far a snapshot is proven to be complete, as health and statistics say it. */
export interface Completeness {
  readonly reconciledFrom: string | null;
  readonly reconciledThrough: string | null;
  readonly missingFilings: number;
}

/** How far the days of a snapshot reach. */
export function completenessOf({ reconciledDays }: Pick<Overview, 'reconciledDays'>): Completeness {
  const { from, through, missing } = reconciliationOf(reconciledDays);
  return { reconciledFrom: from, reconciledThrough: through, missingFilings: missing };
}

/** The days that a ledger has been held against EDGAR's indexes without a gap, up to the newest one. */
export interface Reconciliation {
  /** First and last day; null if there is none. */
  readonly from: string | null;
  readonly through: string | null;
  /** Filings of all days that could not be had or understood. */
  readonly missing: number;
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
    if (from !== null && readDay(from) - readDay(day) > 7) break;
  }
  return { from, through, missing };
}

/** Every day that was held against EDGAR's index, newest first. */
export function reconciliationDocument(overview: Pick<Overview, 'reconciledDays'>): { readonly data: readonly ReconciledDay[]; readonly meta: object } {
  return { data: overview.reconciledDays, meta: { count: overview.reconciledDays.length, ...completenessOf(overview), notInvestmentAdvice: true } };
}
