import * as z from 'zod';
import { eachFilter, type FilingFilter, type FilterName, type FilterQuery } from './filing-filters.ts';
import { newestFiledAt, nextCursor, notInvestmentAdvice } from './list-meta.ts';
import { ContentsSource, OwnershipDocument } from './ownership-document.ts';
import {
  Change,
  Company,
  CompanyEntry,
  CompanyProfile,
  Event,
  Filing,
  FilingSummary,
  HealthIngestRun,
  Stats,
} from './records.ts';
import { accessionNo, calendarDate, cik, count, timestamp } from '../domain/scalars.ts';

/** How many rows match, where the build counted them. */
const totalOf = (rows: string) =>
  count
    .nullable()
    .describe(
      `How many ${rows} match, without \`limit\` and \`cursor\`; null where no count was kept for these filters.`,
    );

type Asked = Required<FilterQuery>;
type AppliedShape = {
  readonly [Name in FilterName]: z.ZodNullable<
    Asked[Name] extends number ? z.ZodNumber : Asked[Name] extends boolean ? z.ZodBoolean : z.ZodString
  >;
};

function appliedValue({ takes }: FilingFilter): z.ZodType {
  if (takes === 'amount') return z.number().nullable();
  if (takes === 'truth') return z.boolean().nullable();
  const text = z.string().nullable();
  return takes === undefined ? text.describe('Several with commas between.') : text;
}

function appliedShape(): AppliedShape {
  return Object.fromEntries(eachFilter.map((filter) => [filter.name, appliedValue(filter)])) as AppliedShape;
}

/** The filters of a list, as `meta` says them: those of the request, and what its cursor remembered. */
export const AppliedFilters = z
  .object({
    ticker: z.string().nullable().describe('The company, as it was asked.'),
    tickers: z
      .string()
      .nullable()
      .describe('The entries of a watchlist as they were asked, with commas between.'),
    ...appliedShape(),
    since: calendarDate.nullable().describe('Also if a cursor remembered it, or if it is the default.'),
    until: calendarDate.nullable().describe('Also if a cursor remembered it.'),
    corrections: z
      .string()
      .nullable()
      .describe('Of the change feed and a watchlist: `none`, or causes with commas between. Null: all.'),
  })
  .meta({
    id: 'AppliedFilters',
    description:
      'Every filter that was applied: those of the request, and what its cursor remembered. Null where nothing was.',
  });
export type AppliedFilters = z.infer<typeof AppliedFilters>;

/** Meta of a list that is read back through history. */
const Meta = z
  .object({
    count: count.describe('Rows in this answer.'),
    total: totalOf('filings'),
    nextCursor: nextCursor
      .nullable()
      .describe('Pass it back as `cursor` for the next older rows; null when there are none.'),
    filters: AppliedFilters,
    newestFiledAt,
  })
  .meta({ id: 'Meta', description: 'Facts about a list answer.' });

/** The filters of a list of companies, as `meta` says them. */
export const AppliedCompanyFilters = z
  .object({
    sic: z.string().nullable().describe('Several with commas between.'),
    state: z.string().nullable().describe('Several with commas between.'),
    exchange: z.string().nullable().describe('Several with commas between.'),
    listed: z.boolean().nullable(),
  })
  .meta({
    id: 'AppliedCompanyFilters',
    description: 'Every filter of companies that was applied. Null where nothing was.',
  });
export type AppliedCompanyFilters = z.infer<typeof AppliedCompanyFilters>;

/** Meta of the list of companies. */
const CompanyListMeta = z
  .object({
    count: count.describe('Rows in this answer.'),
    total: totalOf('companies'),
    nextCursor: nextCursor
      .nullable()
      .describe('Pass it back as `cursor` for the next companies; null when there are none.'),
    filters: AppliedCompanyFilters,
    notInvestmentAdvice,
  })
  .meta({ id: 'CompanyListMeta', description: 'Facts about a list of companies.' });

/** Why a search may not give all that fits, and nothing else: the values of `partialBecause`. */
export const partialReasons = ['missing_words', 'few_letters', 'many_names'] as const;
/** One of them. */
export type PartialReason = (typeof partialReasons)[number];

/** Meta of a search. */
const SearchMeta = z
  .object({
    count,
    query: z.string(),
    partial: z
      .boolean()
      .describe(
        'Whether these may not be all companies that match, or are guesses; `partialBecause` says why.',
      ),
    partialBecause: z
      .array(z.enum(partialReasons))
      .describe(
        '`missing_words`: no company was found that matches the whole query; these have at least half of its words. `few_letters`: no word has three letters, so companies without a ticker symbol were only found by whole words. `many_names`: so many names have these words that not all were looked at. Empty where these are all companies that match, or the best of them up to `limit`.',
      ),
    didYouMean: z
      .string()
      .nullable()
      .describe(
        'A query that finds companies and differs by one letter of a word, or by two letters exchanged, where no company matches the whole query; else null.',
      ),
    notInvestmentAdvice,
  })
  .meta({ id: 'SearchMeta', description: 'Facts about a search answer.' });

/** Meta of answers about the snapshot as a whole. */
export const StatsMeta = z
  .object({
    generatedAt: timestamp.describe('When the data of this snapshot was last fetched, UTC.'),
    notInvestmentAdvice,
  })
  .meta({ id: 'StatsMeta', description: 'When the data was made.' });

/** Meta of the statistics: `StatsMeta` with the freshness of the data. */
export const FreshnessMeta = StatsMeta.extend({
  dataFetchedAt: timestamp.nullable().describe('When EDGAR was last read without error, UTC.'),
  staleAfter: timestamp
    .nullable()
    .describe(
      'From this instant on the data counts as stale, UTC. Hours of weekends and of federal holidays, on which EDGAR is closed, do not count towards it.',
    ),
  stale: z.boolean().describe('Whether the data is stale now.'),
  sample: z
    .boolean()
    .describe('Whether the data is a sample made of recordings, for trying out, and not live.'),
  reconciledFrom: calendarDate
    .nullable()
    .describe(
      "The first day of the unbroken range of days whose filings were compared with EDGAR's daily indexes. Null if there is none.",
    ),
  reconciledThrough: calendarDate
    .nullable()
    .describe(
      'The last day of that range. Every filing that EDGAR lists in the range is served, or is one of `missingFilings`; `openFilings` are served without all their facts.',
    ),
  openFilings: count.describe(
    'Filings that are served, but whose documents are not known yet or about which EDGAR has not answered; `/reconciliation.json` says why. They are looked at again.',
  ),
  withdrawnFilings: count.describe(
    'Filings that EDGAR has withdrawn since: they stay as they were served, and `/reconciliation.json` names them.',
  ),
  missingFilings: count.describe(
    'Filings that EDGAR lists and that could not be fetched or understood; `/reconciliation.json` says which and why.',
  ),
}).meta({
  id: 'FreshnessMeta',
  description: 'When the data was made, whether it is stale, and how far it is proven to be complete.',
});

/** Meta of the change feed. */
const ChangeMeta = z
  .object({
    count,
    since: calendarDate.describe('The lower bound that was applied.'),
    nextSince: calendarDate
      .nullable()
      .describe(
        'Filing date of the newest row of this page; null on an empty one. A date alone cannot be lossless: follow `nextCursor`.',
      ),
    nextCursor,
    endedEarly: z
      .literal(true)
      .optional()
      .describe(
        'The page ended before `limit`, because filters that rarely match together left out many rows: it may be empty. There may be more; ask at once with `nextCursor`. Left out of all other pages.',
      ),
    filters: AppliedFilters,
    unknown: z
      .array(z.string())
      .describe(
        'The entries of `tickers` that no company of this service has as its ticker symbol or CIK, in the order asked.',
      ),
    newestFiledAt,
    notInvestmentAdvice,
  })
  .meta({ id: 'ChangeMeta', description: 'Facts about a page of the change feed.' });

/** The changes of one company of a watchlist. */
export const WatchlistChangeBucket = z
  .object({
    ticker: z.string().describe('The entry as it was asked; the first one, if several name the company.'),
    entries: z
      .array(z.string())
      .min(1)
      .describe('All entries of the request that name the company, in the order asked.'),
    cik: cik.nullable().describe('Null if the entry is unknown.'),
    companyName: z.string().nullable().describe('Null if the entry is unknown.'),
    status: z.enum(['ok', 'unknown_company']),
    count,
    nextSince: calendarDate.nullable(),
    nextCursor: nextCursor
      .nullable()
      .describe('Goes on after this bucket, here or at `/v1/sec/changes`; null if the entry is unknown.'),
    changes: z.array(Change),
  })
  .meta({
    id: 'WatchlistChangeBucket',
    description: 'The changes of one company of a watchlist, or of an entry that names none.',
  });

/** Meta of the watchlist. */
const WatchlistMeta = z
  .object({
    count: count.describe('All changes of all buckets.'),
    tickerCount: count.describe('How many buckets there are: distinct companies, and unknown entries.'),
    since: calendarDate,
    nextSince: calendarDate.nullable(),
    nextCursor: nextCursor.describe('Goes on after this answer for every entry at once.'),
    filters: AppliedFilters,
    newestFiledAt,
    notInvestmentAdvice,
  })
  .meta({ id: 'WatchlistMeta', description: 'Facts about a watchlist answer.' });

/** Filings with their meta. */
export const FilingListResponse = z
  .object({ data: z.array(Filing), meta: Meta })
  .meta({ id: 'FilingListResponse', description: 'Filings, newest first.' });
/** Events with their meta. */
export const EventListResponse = z
  .object({ data: z.array(Event), meta: Meta })
  .meta({ id: 'EventListResponse', description: 'Events, newest first.' });
/** Changes with their meta. */
export const ChangeListResponse = z
  .object({ data: z.array(Change), meta: ChangeMeta })
  .meta({ id: 'ChangeListResponse', description: 'Changes, oldest first.' });
/** Buckets with their meta. */
export const WatchlistChangesResponse = z
  .object({ data: z.array(WatchlistChangeBucket), meta: WatchlistMeta })
  .meta({ id: 'WatchlistChangesResponse', description: 'Changes grouped by company.' });
/** Companies with their meta. */
export const CompanySearchResponse = z
  .object({ data: z.array(Company), meta: SearchMeta })
  .meta({ id: 'CompanySearchResponse', description: 'Companies that match a search, best first.' });
/** The list of companies with its meta. */
export const CompanyListResponse = z
  .object({ data: z.array(CompanyEntry), meta: CompanyListMeta })
  .meta({ id: 'CompanyListResponse', description: 'Companies by CIK.' });
/** A profile with its meta. */
export const CompanyProfileResponse = z
  .object({ data: CompanyProfile, meta: StatsMeta })
  .meta({ id: 'CompanyProfileResponse', description: 'One company.' });
/** A summary. */
export const FilingSummaryResponse = z
  .object({ data: FilingSummary })
  .meta({ id: 'FilingSummaryResponse', description: 'One filing with its summary.' });
/** What the document of a filing says about ownership. */
export const FilingOwnershipResponse = z
  .object({
    data: OwnershipDocument,
    meta: z
      .object({
        accessionNo,
        source: ContentsSource.describe(
          '`document`: its own XML. `data_set`: a quarterly Insider Transactions Data Set of the SEC, which leaves out some of it.',
        ),
        notInvestmentAdvice,
      })
      .meta({ id: 'FilingOwnershipMeta', description: 'Facts about what a filing says about ownership.' }),
  })
  .meta({ id: 'FilingOwnershipResponse', description: 'The document of one filing about ownership.' });
/** Several filings by their accession numbers. */
export const FilingsResponse = z
  .object({
    data: z.array(FilingSummary),
    meta: z
      .object({
        count: count.describe('Filings in this answer.'),
        unknown: z
          .array(accessionNo)
          .describe('The accession numbers that this service has no filing for, in the order asked.'),
        newestFiledAt,
        notInvestmentAdvice,
      })
      .meta({ id: 'FilingsMeta', description: 'Facts about an answer to accession numbers.' }),
  })
  .meta({ id: 'FilingsResponse', description: 'Filings with their summaries, in the order asked.' });
/** Statistics with their meta. */
export const StatsResponse = z
  .object({ data: Stats, meta: FreshnessMeta })
  .meta({ id: 'StatsResponse', description: 'Counts over the snapshot.' });

/** The answer of `GET /demo`. */
export const DemoResponse = z
  .object({
    data: z.object({
      latestFilings: z.array(Filing),
      latestInsiderTrades: z.array(Filing),
      sampleQueries: z.array(
        z.object({ description: z.string(), endpoint: z.string(), requiresSubscription: z.boolean() }),
      ),
      stats: z.object({
        companyCount: count,
        filingCount: count,
        latestIngestRun: HealthIngestRun.nullable(),
      }),
    }),
    meta: z.object({
      docsUrl: z.string(),
      generatedAt: timestamp,
      subscribeUrl: z.string(),
      notInvestmentAdvice,
      sampleOnly: z.literal(true),
    }),
  })
  .meta({ id: 'DemoResponse', description: 'A public sample of what the keyed operations return.' });

/** The answer of `GET /`. */
export const RootResponse = z
  .object({
    name: z.string(),
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    status: z.string().describe('Path of the health check.'),
    docs: z.string().describe('Path of the schema document.'),
    demo: z.string(),
    markets: z.string(),
    stats: z.string(),
    changes: z.string(),
    companySearch: z.string(),
    watchlistChanges: z.string(),
    reference: z.string().describe('Path of the lists of all values.'),
    openapiSamples: z.string().describe('Path of the schema document of the sample-only paths.'),
    tools: z.string().describe('Path of the Model Context Protocol endpoint.'),
    agent: z.string().describe('Path of the A2A endpoint.'),
    operations: z
      .array(
        z.object({
          id: z.string().describe('Name of the operation in the schema document.'),
          method: z.enum(['GET', 'POST']),
          path: z.string().describe('Parameters stand in braces.'),
          example: z.string().describe('A path and query that work here.'),
          access: z
            .enum(['public', 'keyed'])
            .describe('Whether it needs a key. Of the tools, only some need one.'),
          summary: z.string(),
        }),
      )
      .describe('Every operation of the interface.'),
    notInvestmentAdvice,
  })
  .meta({ id: 'RootResponse', description: 'Where everything is.' });
