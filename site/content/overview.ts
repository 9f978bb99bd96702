import type {
  Company,
  CompanyEntry,
  CountByEventType,
  CountByForm,
  Filing,
  IngestRun,
} from '../../src/contract/records.ts';
import type { ReconciledDay } from '../../src/contract/reconciled-days.ts';
import { dayFrom } from '../../src/time/units.ts';

/** How much of each list an overview holds at most. Documents and pages show no more than this. */
export const overviewLimits = {
  /** Length of each of these lists: newest filings, newest insider filings, listed companies. */
  rows: 100,
  /** Newest current reports that name items. */
  reports: 9,

  /** Days whose filings are counted, up to the newest day. The longest chart shows as many. */
  days: 365,
  /** Companies of the explorer, and the newest filings of each. */
  shownCompanies: 12,
  shownFilings: 400,
  exampleCompanies: 2,
  batches: 12,
  refusals: 12,
} as const;

/** The number of filings of one event family on one filing date. */
export interface DayCount {
  readonly filedAt: string;
  readonly eventType: string;
  readonly count: number;
}

/** A company whose newest filings are shown without a key. */
export interface ShownCompany {
  /**
   * The last part of its addresses: its first ticker symbol that `findCompany` resolves to it, or its CIK if
   * there is none. No other company has it.
   */
  readonly symbol: string;
  readonly company: CompanyEntry;
  /** The newest filings, newest first. All `company.filingCount` filings need a key. */
  readonly filings: readonly Filing[];
}

/** A batch of the ledger, as pages show it. */
export interface ShownBatch {
  readonly number: number;
  readonly sha256: string;
  readonly createdAt: string;
  /** Entries that it added to the change feed. */
  readonly changes: number;
}

/**
 * Everything from which documents and pages are made, except the settings. Its size does not grow with the
 * number of filings or companies: counts are bounded by the number of forms, event families and days, and
 * lists by `overviewLimits`.
 */
export interface Overview {
  /** Whether all batches of the ledger come from recordings. */
  readonly isSample: boolean;
  /** The run of the newest batch. Its `createdAt` is the time at which the snapshot counts as generated. */
  readonly latestRun: IngestRun;
  /** Filing dates of the newest and the oldest filing; null if there is no filing. */
  readonly newestFiledAt: string | null;
  readonly oldestFiledAt: string | null;
  readonly companyCount: number;
  readonly filingCount: number;
  /** The last sequence number of the change feed; 0 if the feed is empty. */
  readonly lastSequence: number;
  /** Filings by form, most frequent first, then by form. */
  readonly forms: readonly CountByForm[];
  /** Filings by event family, most frequent first, then by family. */
  readonly eventTypes: readonly CountByEventType[];
  /**
   * Filings of the last `overviewLimits.days` days up to `newestFiledAt`, sorted by filing date, then by
   * family. Days and families without a filing are left out.
   */
  readonly days: readonly DayCount[];
  /** Newest first. */
  readonly newestFilings: readonly Filing[];
  /** Of Forms 3, 4 and 5, newest first. */
  readonly newestInsiderFilings: readonly Filing[];
  /** The newest filing in which an insider bought or sold; null if none was read. */
  readonly newestTrade: Filing | null;
  /** Current reports that name items, newest first. */
  readonly newestReports: readonly Filing[];
  /** Companies that have a symbol, by rank: those with most filings first, then by name and CIK. */
  readonly listedCompanies: readonly Company[];
  /** The companies of the explorer: well-known ones first, then those with the best rank. */
  readonly shownCompanies: readonly ShownCompany[];
  /**
   * The companies that examples name: those of the contract. Each missing one is replaced by the company with
   * the best rank that is not chosen yet.
   */
  readonly exampleCompanies: readonly Company[];
  /**
   * The accession number that examples name: that of the contract, or of the first entry of the change feed
   * if the snapshot lacks the contract's filing. Null if there is no filing.
   */
  readonly exampleAccession: string | null;
  /** Days that were compared with EDGAR's daily indexes, newest first. */
  readonly reconciledDays: readonly ReconciledDay[];
  /** Newest first. */
  readonly batches: readonly ShownBatch[];
  /** Refusals of the ledger: their number, and the first ones, one line each. */
  readonly refusals: { readonly count: number; readonly first: readonly string[] };
}

/** Returns the first day that `Overview.days` counts, given the newest (`YYYY-MM-DD`). */
export function firstDayOf(newestFiledAt: string): string {
  return dayFrom(newestFiledAt, 1 - overviewLimits.days);
}

/**
 * Returns the newest day of the data: the date of the newest filing, or of the newest run if there is no
 * filing.
 */
export function newestDayOf({
  newestFiledAt,
  latestRun,
}: Pick<Overview, 'newestFiledAt' | 'latestRun'>): string {
  return newestFiledAt ?? latestRun.createdAt.slice(0, 10);
}
