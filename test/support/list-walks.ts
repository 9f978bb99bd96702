import { expect } from 'vitest';
import type * as z from 'zod';
import { endpoints, type Endpoint, type EndpointId } from '../../src/contract/endpoints.ts';
import type { WatchlistChangeBucket } from '../../src/contract/envelopes.ts';
import { filters } from '../../src/contract/parameters.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import { newestCikOf } from '../../src/domain/successors.ts';
import {
  changesOf,
  cikOfSymbol,
  eventOf,
  filingsOf,
  insiderFilingsOf,
  type LedgerModel,
  type ModelFilter,
} from './ledger-model.ts';
import type { OpenSegmentsOnly } from './published.ts';
import { unfiltered } from './sample.ts';
import { request, walk, type Texts } from './walk.ts';

/** The operations that list filings or changes by every filter. */
export const filteredLists = (endpoints as readonly (Endpoint & { readonly id: EndpointId })[]).filter(
  ({ parameters }) => filters.every((filter) => parameters.some(({ parameter }) => parameter === filter)),
);

/** A snapshot that answers, and a model of what it holds: arrays, filtered and sorted. */
export interface World {
  readonly open: OpenSegmentsOnly;
  readonly model: LedgerModel;
}

/** What `meta.filters` must say on every page, also where the cursor remembers the bounds. */
function appliedOf(asked: Texts): object {
  const said = (name: string, text: string) => {
    const values = text.split(',').map((value) => value.trim());
    if (name === 'listed') return text === 'true';
    if (name === 'minValue') return Number(text);
    if (name.startsWith('accepted')) return new Date(text).toISOString();
    if (['form', 'sic', 'exchange', 'exhibit', 'transactionCode'].includes(name))
      return values.join(',').toUpperCase();
    return values.join(',');
  };
  const applied = Object.entries(asked).flatMap(([name, text]): [string, unknown][] =>
    text === undefined ? [] : [[name, said(name, text)]],
  );
  return { ...unfiltered, ...Object.fromEntries(applied) };
}

/** What the model is asked for the same. */
const filterOf = ({ ticker: _ticker, tickers: _tickers, ...filter }: Texts): ModelFilter => filter;

/** The changes that name any of the companies, oldest first, each once. */
export function changesOfSeveral(
  model: LedgerModel,
  ciks: readonly string[],
  filter: ModelFilter,
): readonly Change[] {
  const found = ciks.flatMap((company) => changesOf(model, { ...filter, company }));
  return [...new Map(found.map((change) => [change.sequence, change])).values()].sort(
    (a, b) => a.sequence - b.sequence,
  );
}

/** How a list is walked: rows of a page, and whether requests that have a cursor name the bounds again. */
export interface Walking {
  readonly limit?: number;
  readonly isRepeating?: boolean;
}

/** Pages of a walk at most; a limit that would make more of them is raised. */
const pagesMaximum = 25;

/** The requests of a walk through so many rows, and their limit. */
function requestsOf(asked: Texts, rows: number, { limit = 200, isRepeating = true }: Walking) {
  const { since: _, until: __, ...withoutBounds } = asked;
  const most = Math.min(200, Math.max(limit, Math.ceil(rows / pagesMaximum)));
  const first = { ...asked, limit: String(most) };
  return {
    limit: most,
    first,
    next: isRepeating ? first : { ...withoutBounds, limit: String(most) },
  };
}

/** Expects that pages of a watchlist together have for each of its companies what the model has. */
async function expectWatchlist({ open, model }: World, asked: Texts, walking: Walking): Promise<number> {
  const tickers = asked['tickers']?.split(',') ?? [];
  const ciks = tickers.map((ticker) => cikOfSymbol(model, ticker) ?? '');
  // A company has one bucket, whatever CIKs of its chain are asked for.
  const chains = ciks.filter(
    (cik, at) => ciks.findIndex((each) => newestCikOf(each) === newestCikOf(cik)) === at,
  );
  const expected = chains.map((company) => changesOf(model, { ...filterOf(asked), company }));
  const { limit, first, next } = requestsOf(
    asked,
    Math.max(...expected.map(({ length }) => length)),
    walking,
  );
  const pages = await walk<z.infer<typeof WatchlistChangeBucket>, { since: string; filters: object }>(
    open,
    'listWatchlistChanges',
    first,
    next,
    ({ data }) => data.every(({ count }) => count < limit),
  );
  for (const { meta } of pages) {
    expect(meta.since).toBe(asked['since']);
    expect(meta.filters).toEqual(appliedOf(asked));
  }
  for (const [at, changes] of expected.entries()) {
    const buckets = pages.flatMap(({ data }) => data[at] ?? []);
    expect(buckets.flatMap((bucket) => bucket.changes)).toEqual(changes);
    for (const { cik, count, changes: own } of buckets)
      expect([cik, count]).toEqual([chains[at], own.length]);
    // The cursor of a bucket goes on alone, with the same bounds.
    const alone = await request<{ data: Change[] }>(open, 'listChanges', {
      ...next,
      tickers: undefined,
      ticker: chains[at],
      cursor: buckets[0]?.nextCursor ?? '',
    });
    expect(alone.data).toEqual(changes.slice(limit, 2 * limit));
  }
  return expected.flat().length;
}

/** Expects that pages of the change feed, of all companies, one or several, together are what the model has. */
async function expectFeed({ open, model }: World, asked: Texts, walking: Walking): Promise<number> {
  const { ticker, tickers = ticker } = asked;
  const ciks = tickers?.split(',').map((each) => cikOfSymbol(model, each) ?? '');
  const expected = ciks ? changesOfSeveral(model, ciks, filterOf(asked)) : changesOf(model, filterOf(asked));
  const { limit, first, next } = requestsOf(asked, expected.length, walking);
  const pages = await walk<
    Change,
    {
      since: string;
      nextSince: string | null;
      count: number;
      filters: object;
      unknown: string[];
      endedEarly?: true;
    }
  >(open, 'listChanges', first, next, ({ data, meta }) => data.length < limit && meta.endedEarly !== true);
  expect(
    pages.flatMap(({ data }) => data),
    JSON.stringify(asked),
  ).toEqual(expected);
  for (const { data, meta } of pages) {
    const days = data.map(({ filing }) => filing.filedAt).sort();
    expect(meta).toMatchObject({
      count: data.length,
      since: asked['since'],
      nextSince: days.at(-1) ?? null,
      unknown: [],
    });
    expect(meta.filters).toEqual(appliedOf(asked));
  }
  return expected.length;
}

/** What rows or partitions of a history tell, so that no change is looked up that does not match. */
const isTold = ['ticker', 'form', 'eventType', 'items', 'since', 'until'];

/** Expects that pages of a history together are what the model has. */
async function expectHistory(
  { open, model }: World,
  id: EndpointId,
  asked: Texts,
  walking: Walking,
): Promise<number> {
  const { ticker } = asked;
  const company = ticker === undefined ? undefined : (cikOfSymbol(model, ticker) ?? '');
  const expected =
    id === 'listInsiderTrades'
      ? insiderFilingsOf(model, company, filterOf(asked))
      : filingsOf(model, { ...filterOf(asked), company });
  const { limit, first, next } = requestsOf(asked, expected.length, walking);
  const pages = await walk<Filing, { count: number; total: number | null; filters: object }>(
    open,
    id,
    first,
    next,
    () => false,
  );
  expect(
    pages.flatMap(({ data }) => data),
    JSON.stringify([id, asked]),
  ).toEqual(id === 'listCompanyEvents' ? expected.map(eventOf) : expected);
  // Whoever gets a cursor gets rows for it, but where a page ends because it looked at many rows.
  if (Object.keys(asked).every((name) => isTold.includes(name)))
    expect(pages.length).toBe(Math.max(1, Math.ceil(expected.length / limit)));
  for (const { data, meta } of pages) {
    expect(meta.count).toBe(data.length);
    expect([null, expected.length]).toContain(meta.total);
    expect(meta.filters).toEqual(appliedOf(asked));
  }
  return expected.length;
}

/**
 * Walks a list to its end and expects what the model has, page by page. Returns how many rows that are. Filters that
 * never match together are refused, and the model has nothing that matches them; `filter-pairs.test.ts` says which
 * these are. A feed that is asked for no first day begins with the first one that there is.
 */
export async function expectList(
  world: World,
  id: EndpointId,
  texts: Texts,
  walking: Walking = {},
): Promise<number> {
  const isFeed = id === 'listChanges' || id === 'listWatchlistChanges';
  const asked = { ...(isFeed ? { since: '1990-01-01' } : {}), ...texts };
  const walked =
    id === 'listWatchlistChanges'
      ? expectWatchlist(world, asked, walking)
      : id === 'listChanges'
        ? expectFeed(world, asked, walking)
        : expectHistory(world, id, asked, walking);
  return walked.catch((error: Error) => {
    if (!/never match together|must be left out here/.test(error.message)) throw error;
    const [filter, { model }] = [filterOf(asked), world];
    expect(
      id === 'listInsiderTrades' ? insiderFilingsOf(model, undefined, filter) : filingsOf(model, filter),
    ).toEqual([]);
    return 0;
  });
}
