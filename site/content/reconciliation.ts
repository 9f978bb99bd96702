import { dayFrom } from '../../src/time/units.ts';
import { isReconciled, type ReconciledDay } from '../../src/contract/reconciled-days.ts';
import { isFilingDay } from '../../src/time/calendar.ts';
import { readDay } from '../../src/time/eastern.ts';
import type { Overview } from './overview.ts';

/** The path at which the days that were compared with EDGAR's indexes are published. */
export const reconciliationPath = '/reconciliation.json';

/** For which days a snapshot is proven to be complete, as health and statistics tell it. */
export interface Completeness {
  readonly reconciledFrom: string | null;
  readonly reconciledThrough: string | null;
  readonly missingFilings: number;
  readonly openFilings: number;
  readonly withdrawnFilings: number;
}

/** Summarises the reconciled days of a snapshot. */
export function completenessOf({ reconciledDays }: Pick<Overview, 'reconciledDays'>): Completeness {
  const { from, through, missing } = reconciliationOf(reconciledDays);
  return {
    reconciledFrom: from,
    reconciledThrough: through,
    missingFilings: missing,
    openFilings: reconciledDays.reduce((sum, { open }) => sum + (open ?? 0), 0),
    withdrawnFilings: new Set(reconciledDays.flatMap(({ withdrawn }) => withdrawn)).size,
  };
}

/** The newest days that were compared with EDGAR's daily indexes without a gap. */
export interface Reconciliation {
  /** First and last day; null if there is none. */
  readonly from: string | null;
  readonly through: string | null;
  /** Filings of all days that could not be fetched or understood. */
  readonly missing: number;
}

/** More days in a row than EDGAR is ever closed. */
const closedDaysMaximum = 10;

/**
 * Finds the newest run of reconciled days without a gap. It begins and ends on a day that has an index. Days
 * on which EDGAR is closed are no gap. A day without an index of its own is no gap either, once the rebuilt
 * index of its quarter has shown what was filed on it: nothing, if EDGAR was closed on it, too.
 */
export function reconciliationOf(days: readonly ReconciledDay[]): Reconciliation {
  const missing = days.reduce((sum, each) => sum + each.missing, 0);
  const known = new Set(days.filter(isReconciled).map(({ day }) => day));
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

/**
 * Returns the document that lists every reconciled day, newest first, and beside them the days of which no
 * index could be had.
 */
export function reconciliationDocument(overview: Pick<Overview, 'reconciledDays'>): {
  readonly data: readonly ReconciledDay[];
  readonly withoutIndex: readonly ReconciledDay[];
  readonly meta: object;
} {
  const data = overview.reconciledDays.filter(isReconciled);
  return {
    data,
    withoutIndex: overview.reconciledDays.filter((each) => !isReconciled(each)),
    meta: { count: data.length, ...completenessOf(overview), notInvestmentAdvice: true },
  };
}
