import type {
  Company,
  CompanyProfile,
  CountByEventType,
  CountByForm,
  Filing,
  IngestRun,
  ReconciledDay,
} from '../../src/contract/records.ts';
import { dayFrom } from '../../src/contract/time.ts';

/** How much of each an overview has at most. Documents and pages show no more than this. */
export const overviewLimits = {
  /** Of the newest filings, of the newest insider filings, and of the listed companies. */
  rows: 100,
  /** Newest current reports, and the newest filings among which they are looked for. */
  reports: 9,
  lookedAt: 3000,
  /** Days that are counted, the newest one included: as many as the longest chart shows. */
  days: 365,
  /** Companies of the explorer, and the newest filings of each. */
  shownCompanies: 12,
  shownFilings: 400,
  exampleCompanies: 2,
  batches: 12,
  refusals: 12,
} as const;

/** How many filings of one event family have one filing date. */
export interface DayCount {
  readonly filedAt: string;
  readonly eventType: string;
  readonly count: number;
}

/** A company whose newest filings everybody may see. */
export interface ShownCompany {
  /**
   * Its first symbol that leads to it, or its CIK if none does: the last part of its addresses, which no
   * other company has.
   */
  readonly symbol: string;
  readonly company: CompanyProfile;
  /** The newest ones, newest first; `company.filingCount` are behind a key. */
  readonly filings: readonly Filing[];
}

/** A batch of the ledger, as people are told of it. */
export interface ShownBatch {
  readonly number: number;
  readonly sha256: string;
  readonly createdAt: string;
  /** Entries that it added to the change feed. */
  readonly changes: number;
}

/**
 * Everything that documents and pages are made of, beside the settings. No member grows with the number of
 * filings or companies: what is counted is bounded by the forms, families and days that there are, what is
 * listed by `overviewLimits`.
 */
export interface Overview {
  /** Whether all batches of the ledger come from recordings. */
  readonly isSample: boolean;
  /** The run of the newest batch. Its `createdAt` is when the snapshot counts as generated. */
  readonly latestRun: IngestRun;
  /** Filing dates of the newest and the oldest filing; null where there is no filing. */
  readonly newestFiledAt: string | null;
  readonly oldestFiledAt: string | null;
  readonly companyCount: number;
  readonly filingCount: number;
  /** The last sequence of the change feed; 0 where it is empty. */
  readonly lastSequence: number;
  /** Filings by form, most frequent first, then by form. */
  readonly forms: readonly CountByForm[];
  /** Filings by event family, most frequent first, then by family. */
  readonly eventTypes: readonly CountByEventType[];
  /**
   * Filings of the last days up to `newestFiledAt`, by filing date, then by family. Days and families without
   * a filing are left out.
   */
  readonly days: readonly DayCount[];
  /** Newest first. */
  readonly newestFilings: readonly Filing[];
  /** Of Forms 3, 4 and 5, newest first. */
  readonly newestInsiderFilings: readonly Filing[];
  /** Current reports that name items, newest first. */
  readonly newestReports: readonly Filing[];
  /** Companies that have a symbol, by rank: those with most filings first, then by name and CIK. */
  readonly listedCompanies: readonly Company[];
  /** The companies of the explorer: well-known ones, then the best-ranked. */
  readonly shownCompanies: readonly ShownCompany[];
  /** The companies that examples name: those of the contract, or the best-ranked in their stead. */
  readonly exampleCompanies: readonly Company[];
  /**
   * The accession number that examples name: that of the contract, or of the first entry of the change feed
   * in its stead; null where there is no filing.
   */
  readonly exampleAccession: string | null;
  /** Days that were held against EDGAR's daily indexes, newest first. */
  readonly reconciledDays: readonly ReconciledDay[];
  /** Newest first. */
  readonly batches: readonly ShownBatch[];
  /** Rows of the ledger that do not fit: how many, and the first ones, in one line each. */
  readonly refusals: { readonly count: number; readonly first: readonly string[] };
}

/** The first of the days that `days` counts. */
export function firstDayOf(newestFiledAt: string): string {
  return dayFrom(newestFiledAt, 1 - overviewLimits.days);
}

/** The newest day of the data: of the newest filing, or of the run where there is none. */
export function newestDayOf({
  newestFiledAt,
  latestRun,
}: Pick<Overview, 'newestFiledAt' | 'latestRun'>): string {
  return newestFiledAt ?? latestRun.createdAt.slice(0, 10);
}
