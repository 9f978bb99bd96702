import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { eventTypeOfForm, ownershipFamilies } from '../../src/domain/event-types.ts';
import type { EndpointId } from '../../src/contract/endpoints.ts';
import type { WatchlistChangeBucket } from '../../src/contract/envelopes.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import type { z } from 'zod';
import { newestCikOf } from '../../src/domain/successors.ts';
import { useDirectories } from '../support/directories.ts';
import { createRandom, generateLedger } from '../support/generate.ts';
import { unevenHistories } from '../support/histories.ts';
import {
  changesOf,
  eventOf,
  filingsOf,
  foldBatches,
  insiderFilingsOf,
  readBatches,
  type LedgerModel,
  type ModelFilter,
} from '../support/ledger-model.ts';
import { openPublished, publishSegments, writeHistory, type OpenSegmentsOnly } from '../support/published.ts';
import { request, walk, type Texts } from '../support/walk.ts';

const fresh = useDirectories('filters');

/** A service without documents, and a model of what it serves: arrays, filtered and sorted. */
interface World {
  readonly open: OpenSegmentsOnly;
  readonly model: LedgerModel;
}

/** What is asked of a list, whichever it is. */
interface Asked {
  /** Numbers of companies of the model, in their order. */
  readonly companies: readonly number[];
  readonly form: readonly string[] | undefined;
  readonly eventType: string | undefined;
  readonly items: readonly string[] | undefined;
  /** Shares of the days of the model. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly limit: number;
  /** Whether requests that have a cursor name the bounds again. */
  readonly isRepeating: boolean;
}

/** The lists, and which forms and families they are asked for. */
const lists = [
  'listLatestFilings',
  'listCompanyFilings',
  'listCompanyEvents',
  'listInsiderTrades',
  'listChanges',
  'listWatchlistChanges',
] as const satisfies readonly EndpointId[];
const insiderForms = ['3', '4', '4/A', '5'];
const anyForms = ['8-K', '8-K/A', '10-K', '10-K/A', 'DEF 14A', '424B2', 'SB-2', ...insiderForms];
const families = [
  'current_report',
  'annual_report',
  'prospectus',
  'beneficial_ownership_active',
  'crowdfunding',
  'other_filing',
];
const orNone = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });

const askedOf = (isOfInsiders: boolean): fc.Arbitrary<Asked> =>
  fc.record({
    companies: fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 4 }),
    form: orNone(fc.subarray(isOfInsiders ? insiderForms : anyForms, { minLength: 1, maxLength: 4 })),
    eventType: orNone(
      fc.constantFrom(...(isOfInsiders ? ownershipFamilies : [...families, ...ownershipFamilies])),
    ),
    items: orNone(fc.subarray(['1.01', '2.02', '8.01', '9.01', '5.02'], { minLength: 1 })),
    since: orNone(fc.double({ min: 0, max: 1, noNaN: true })),
    until: orNone(fc.double({ min: 0, max: 1, noNaN: true })),
    limit: fc.integer({ min: 1, max: 200 }),
    isRepeating: fc.boolean(),
  });
const anyAsked = fc
  .constantFrom(...lists)
  .chain((list) => fc.tuple(fc.constant(list), askedOf(list === 'listInsiderTrades'), fc.boolean()));

/** Whether a list holds filings of this one's form. */
const isListed = (list: (typeof lists)[number]) => (filing: Filing) =>
  list !== 'listInsiderTrades' || ownershipFamilies.has(filing.eventType);

/** Pages of a walk at most; a limit that would make more of them is raised. */
const pagesMaximum = 25;

/** A request of one list: what the model is asked for, and the texts that ask the service for the same. */
interface Walked {
  readonly filter: ModelFilter;
  readonly company: string | undefined;
  /** Companies of the watchlist. */
  readonly ciks: readonly string[];
  /** The texts of the first request and of those that have a cursor, without `limit`. */
  readonly first: Texts;
  readonly next: Texts;
  /** The limit for so many rows. */
  readonly limitFor: (rows: number) => string;
}

/**
 * Makes the request. `isOfCompany`: where a company may be left out, one is named. Feeds begin at the first
 * day if nothing else is asked.
 */
function walkedOf(
  { model }: World,
  list: (typeof lists)[number],
  asked: Asked,
  isOfCompany: boolean,
): Walked {
  const { form: forms, eventType, items } = asked;
  const days = [...new Set(model.observations.map(({ filing }) => filing.filedAt ?? ''))].sort();
  const dayAt = (share: number | undefined) =>
    share === undefined ? undefined : days[Math.min(days.length - 1, Math.floor(share * days.length))];
  const [from, until] =
    asked.since !== undefined && asked.until !== undefined
      ? [asked.since, asked.until].sort((a, b) => a - b).map(dayAt)
      : [dayAt(asked.since), dayAt(asked.until)];
  const isFeed = list === 'listChanges' || list === 'listWatchlistChanges';
  const since = from ?? (isFeed ? (days[0] ?? '1990-01-01') : undefined);
  const all = [...model.companies.keys()];
  // Companies of one chain share a bucket, as `watchlist.test.ts` tests.
  const ciks = [
    ...new Map(
      asked.companies.map((at) => all[at % all.length] as string).map((cik) => [newestCikOf(cik), cik]),
    ).values(),
  ];
  const takesCompany =
    list === 'listCompanyFilings' ||
    list === 'listCompanyEvents' ||
    (isOfCompany && (list === 'listChanges' || list === 'listInsiderTrades'));
  const company = takesCompany ? ciks[0] : undefined;
  const own: Texts = {
    form: forms?.join(', ').toLowerCase(),
    eventType,
    items: items?.join(','),
    ticker: company,
    tickers: list === 'listWatchlistChanges' ? ciks.join(',') : undefined,
  };
  const isGiven = ([, value]: [string, unknown]) => value !== undefined;
  return {
    filter: Object.fromEntries(
      Object.entries({
        form: forms,
        eventType: eventType === undefined ? undefined : [eventType],
        items,
        since,
        until,
        company,
      }).filter(isGiven),
    ) as ModelFilter,
    company,
    ciks,
    first: { ...own, since, until },
    next: asked.isRepeating ? { ...own, since, until } : own,
    limitFor: (rows) => String(Math.min(200, Math.max(asked.limit, Math.ceil(rows / pagesMaximum)))),
  };
}

/** What `meta.filters` must say on every page, also where the cursor remembers the bounds. */
const appliedOf = (filter: ModelFilter, tickers: string | null = null) => ({
  ticker: filter.company ?? null,
  tickers,
  form: filter.form?.join(',') ?? null,
  eventType: filter.eventType?.[0] ?? null,
  items: filter.items?.join(',') ?? null,
  transactionCode: null,
  minValue: null,
  sic: null,
  exchange: null,
  listed: null,
  acceptedSince: null,
  acceptedUntil: null,
  exhibit: null,
  corrections: null,
  since: filter.since ?? null,
  until: filter.until ?? null,
});

async function expectWatchlist(
  { open, model }: World,
  { filter, ciks, first, next, limitFor }: Walked,
): Promise<number> {
  const expected = ciks.map((cik) => changesOf(model, { ...filter, company: cik }));
  const limit = limitFor(Math.max(...expected.map((changes) => changes.length)));
  const pages = await walk<z.infer<typeof WatchlistChangeBucket>, { since: string; filters: object }>(
    open,
    'listWatchlistChanges',
    { ...first, limit },
    { ...next, limit },
    ({ data }) => data.every(({ count }) => count < Number(limit)),
  );
  for (const { meta } of pages)
    expect([meta.since, meta.filters]).toEqual([filter.since, appliedOf(filter, ciks.join(','))]);
  for (const [at, changes] of expected.entries()) {
    const buckets = pages.flatMap(({ data }) => data[at] ?? []);
    expect(buckets.flatMap((bucket) => bucket.changes)).toEqual(changes);
    for (const { ticker, count, changes: own } of buckets)
      expect([ticker, count]).toEqual([ciks[at], own.length]);
    // The cursor of a bucket goes on alone, with the same bounds.
    const cursor = buckets[0]?.nextCursor ?? '';
    const alone = await request<{ data: Change[] }>(open, 'listChanges', {
      ...next,
      tickers: undefined,
      ticker: ciks[at],
      cursor,
      limit,
    });
    expect(alone.data).toEqual(changes.slice(Number(limit), 2 * Number(limit)));
  }
  return expected.flat().length;
}

async function expectFeed(
  { open, model }: World,
  { filter, first, next, limitFor }: Walked,
): Promise<number> {
  const expected = changesOf(model, filter);
  const limit = limitFor(expected.length);
  const pages = await walk<
    Change,
    { since: string; nextSince: string | null; count: number; filters: object }
  >(open, 'listChanges', { ...first, limit }, { ...next, limit }, ({ data }) => data.length < Number(limit));
  expect(pages.flatMap(({ data }) => data)).toEqual(expected);
  for (const { data, meta } of pages) {
    expect(meta).toMatchObject({
      count: data.length,
      since: filter.since,
      nextSince:
        data
          .map(({ filing }) => filing.filedAt)
          .sort()
          .at(-1) ?? null,
    });
    expect(meta.filters).toEqual(appliedOf(filter));
  }
  return expected.length;
}

async function expectHistory(
  { open, model }: World,
  list: (typeof lists)[number],
  { filter, company, first, next, limitFor }: Walked,
): Promise<number> {
  const insiders = list === 'listInsiderTrades' ? new Set(insiderFilingsOf(model, company)) : null;
  const expected = filingsOf(model, filter).filter((filing) => !insiders || insiders.has(filing));
  const limit = limitFor(expected.length);
  const pages = await walk<Filing, { count: number; filters: object }>(
    open,
    list,
    { ...first, limit },
    { ...next, limit },
    () => false,
  );
  expect(pages.flatMap(({ data }) => data)).toEqual(
    list === 'listCompanyEvents' ? expected.map(eventOf) : expected,
  );
  // Whoever gets a cursor gets rows for it.
  expect(pages.length).toBe(Math.max(1, Math.ceil(expected.length / Number(limit))));
  for (const { data, meta } of pages)
    expect([meta.count, meta.filters]).toEqual([data.length, appliedOf(filter)]);
  return expected.length;
}

/**
 * Walks a list to its end and expects what the model has. Returns how many rows that are. Filters that never
 * match together are refused, and the model has nothing that matches them; `filter-pairs.test.ts` says which
 * these are.
 */
async function expectWalk(
  world: World,
  list: (typeof lists)[number],
  asked: Asked,
  isOfCompany: boolean,
): Promise<number> {
  const walked = walkedOf(world, list, asked, isOfCompany);
  const neverMatch = await request(world.open, list, { ...walked.first, limit: '1' }).then(
    () => false,
    ({ message }: Error) => /never match together|must be left out here/.test(message),
  );
  if (neverMatch) {
    expect(filingsOf(world.model, walked.filter).filter(isListed(list))).toEqual([]);
    return 0;
  }
  if (list === 'listWatchlistChanges') return expectWatchlist(world, walked);
  return list === 'listChanges' ? expectFeed(world, walked) : expectHistory(world, list, walked);
}

/**
 * A ledger of some thousand filings of few companies in several segments, whose newer batches correct every
 * kind of member.
 */
async function manyFilings(): Promise<World & { readonly segments: number }> {
  const [ledger, directory] = [fresh(), fresh()];
  await generateLedger(ledger, { filings: 1500, companies: 5, batches: 2, seed: 11 });
  const rows = (await readBatches(ledger)).flatMap(({ filings }) => filings);
  const random = createRandom(5);
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const corrected = (row: LedgerFiling): LedgerFiling => {
    const form = random() < 0.4 ? pick(anyForms) : row.form;
    const isMoved = random() < 0.3;
    const other = pick(rows);
    return {
      ...row,
      form,
      items:
        eventTypeOfForm(form) === 'current_report'
          ? pick([['1.01', '9.01'], ['2.02', '9.01'], ['8.01'], []])
          : [],
      sizeBytes: Math.floor(random() * 1e6),
      ...(isMoved ? { filedAt: other.filedAt, acceptedEastern: null } : {}),
      ...(random() < 0.3 ? { subjectCik: other.subjectCik, filerCiks: other.filerCiks } : {}),
    };
  };
  for (const [at, count] of [300, 70, 16, 4].entries()) {
    const filings = new Map(
      Array.from({ length: count }, () => corrected(pick(rows))).map((row) => [row.accessionNo, row]),
    );
    await appendBatch(ledger, {
      run: {
        target: 'corrections',
        status: 'success',
        message: null,
        createdAt: new Date(Date.UTC(2026, 4, at + 1)).toISOString(),
      },
      filings: [...filings.values()],
      companies: [],
      refusals: [],
    });
  }
  const batches = await readBatches(ledger);
  const entries = await publishSegments(ledger, directory, [], batches.length);
  return {
    open: await openPublished(ledger, directory, entries),
    model: foldBatches(batches),
    segments: entries.length,
  };
}

describe('every list, by every filter', () => {
  let many: Awaited<ReturnType<typeof manyFilings>>;
  beforeAll(async () => void (many = await manyFilings()));
  afterAll(() => many.open.close());

  const check = (numRuns: number) =>
    fc.assert(
      fc.asyncProperty(
        anyAsked,
        async ([list, asked, isOfCompany]) => void (await expectWalk(many, list, asked, isOfCompany)),
      ),
      { numRuns, interruptAfterTimeLimit: 240_000 },
    );
  it('every filtered list is a filtered and sorted array, in pages of any length', { tags: ['slow'] }, () =>
    check(150),
  );
  it(
    'every filtered list is a filtered and sorted array for many requests',
    { tags: ['slow', 'nightly'], timeout: 900_000 },
    () => check(6000),
  );

  it('every filtered list is right for each combination of filters', async () => {
    expect(many.segments).toBeGreaterThan(3);
    const choices = { form: ['8-K', '8-K/A'], items: ['2.02', '9.01'], since: 0.2, until: 0.9 };
    for (const list of lists) {
      let found = 0;
      for (let chosen = 0; chosen < 32; chosen++) {
        const isOfInsiders = list === 'listInsiderTrades';
        const has = (bit: number) => ((chosen >> bit) & 1) === 1;
        const asked: Asked = {
          companies: [0, 1, 2],
          form: has(0) ? (isOfInsiders ? ['4', '3'] : choices.form) : undefined,
          eventType: has(1) ? (isOfInsiders ? 'insider_transaction' : 'current_report') : undefined,
          items: has(2) ? choices.items : undefined,
          since: has(3) ? choices.since : undefined,
          until: has(4) ? choices.until : undefined,
          limit: 50,
          isRepeating: has(0),
        };
        const rows = await expectWalk(many, list, asked, chosen % 3 === 0);
        // Insider filings have no items.
        expect(rows > 0, `${list} ${JSON.stringify(asked)}`).toBe(!(isOfInsiders && has(2)));
        found += rows;
      }
      expect(found).toBeGreaterThan(500);
    }
  });
});

describe('every list of any ledger, by every filter', () => {
  const check = (numRuns: number) =>
    fc.assert(
      fc.asyncProperty(
        unevenHistories,
        fc.array(anyAsked, { minLength: 20, maxLength: 20 }),
        async (history, requests) => {
          const [ledger, directory] = [fresh(), fresh()];
          await writeHistory(ledger, history);
          const batches = await readBatches(ledger);
          const model = foldBatches(batches);
          if (model.companies.size === 0) return;
          const open = await openPublished(
            ledger,
            directory,
            await publishSegments(ledger, directory, [], batches.length),
          );
          try {
            for (const [list, asked, isOfCompany] of requests)
              await expectWalk({ open, model }, list, asked, isOfCompany);
          } finally {
            await open.close();
          }
        },
      ),
      { numRuns, interruptAfterTimeLimit: 240_000 },
    );
  it('every filtered list of any ledger is a filtered and sorted array', { tags: ['slow'] }, () => check(20));
  it(
    'every filtered list of many ledgers is a filtered and sorted array',
    { tags: ['slow', 'nightly'], timeout: 900_000 },
    () => check(400),
  );
});
