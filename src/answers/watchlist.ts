import { firstCalendarDate } from '../domain/scalars.ts';
import { dayFrom } from '../time/units.ts';
import { limitBounds, type Query } from '../contract/parameters.ts';
import type { Manifest } from '../format/snapshot.ts';
import {
  encodeFeedCursor,
  parseFeedCursor,
  type FeedBounds,
  type FeedCursor,
  type FeedLog,
} from '../query/cursor.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { ChangePage } from '../render/events.ts';
import { firstOf, numbersInTurn, pageOfRows, type Body, type Page } from '../render/page.ts';
import { findCompany, listNameOf, type FoundCompany } from './company-answers.ts';
import { extentOf, newestFiledAt } from '../rows/parts.ts';
import { appliedFilters, filterOf, nextSequence, pageOf, sequenceOf, unlessRefused } from './lists.ts';
import type { RowFilter } from './row-filter.ts';
import { noteFeed, readFeed, type FeedRequest } from './read-feed.ts';
import { once, together } from '../table/passes.ts';
import { feedLogOf, type ListRow } from './read-list.ts';

const defaultWindowDays = 30;

/**
 * A filing date later than this after the data was recorded, in days, is wrong: one such filing in an older
 * ledger must not move the window of everybody into the future.
 */
const laterDaysMaximum = 31;

/**
 * The `since` of a watchlist request without `since` and cursor: 30 days before the newest filing, or before
 * `until` if that is earlier.
 */
function defaultSince({ newestFiledAt, generatedAt }: Manifest, until?: string): string {
  const recorded = generatedAt.slice(0, 10);
  const filed = newestFiledAt ?? recorded;
  const newest = filed > dayFrom(recorded, laterDaysMaximum) ? recorded : filed;
  const since = dayFrom(until !== undefined && until < newest ? until : newest, -defaultWindowDays);
  return since < firstCalendarDate ? firstCalendarDate : since;
}

/** The entries of a request that name one company, or one entry that names none. */
interface Asked {
  readonly entries: [string, ...string[]];
  /** The company with the newest CIK of its chain, which names its list; null if there is none. */
  readonly company: (FoundCompany & { readonly chain: string }) | null;
}

interface Bucket {
  /** What the bucket says beside its changes. */
  readonly facts: object;
  /** The filing date of its newest change; null if it has none. */
  readonly newest: string | null;
  /** Whether there are more changes now. */
  readonly isCut: boolean;
  /**
   * The newest CIK of the company's chain, and the sequence up to which its changes were read; null for an
   * unknown company.
   */
  readonly reached: readonly [string, number] | null;
}

type BucketFilter = RowFilter & FeedBounds;

/**
 * Finds the companies that entries name, in the order asked. Entries of one company are put together: its
 * symbols, its CIK, and the CIKs of its chain. `next` is told each CIK whose profile has to be fetched.
 */
function companiesAsked(
  snapshot: Snapshot,
  entries: readonly string[],
  next: (cik: string) => void,
): Asked[] {
  const found = together(entries, (entry, at) =>
    once(`company ${at}`, () => findCompany(snapshot, entry, next)),
  );
  const asked: Asked[] = [];
  entries.forEach((entry, at) => {
    const company = found[at] ?? null;
    const chain = company && listNameOf(snapshot, company.cik);
    const known = chain === null ? undefined : asked.find((each) => each.company?.chain === chain);
    if (known) known.entries.push(entry);
    else asked.push({ entries: [entry], company: company && chain !== null ? { ...company, chain } : null });
  });
  return asked;
}

/** What a request for a watchlist asks for. */
interface WatchlistRequest {
  readonly log: FeedLog;
  /** The cursor of the request. */
  readonly seen: FeedCursor | undefined;
  readonly filter: BucketFilter;
  readonly asked: readonly Asked[];
}

/** Reads what a request asks for, of each company at most `limit` changes. Throws `ApiError`. */
function requestOf(snapshot: Snapshot, query: Query, limit: number): WatchlistRequest {
  const log = feedLogOf(snapshot);
  const seen = query.cursor === undefined ? undefined : parseFeedCursor(query.cursor, log);
  return unlessRefused(seen, log, () => {
    const since = query.since ?? seen?.since ?? defaultSince(snapshot.manifest, query.until);
    const filter = { ...filterOf({ ...query, since }, seen), since };
    const next = (cik: string) =>
      noteFeed(snapshot, changesOf({ filter, seen }, listNameOf(snapshot, cik), limit));
    return { log, seen, filter, asked: companiesAsked(snapshot, query.tickers ?? [], next) };
  });
}

/**
 * Reads the changes of several companies in the order of their sequences, up to where the first of them has
 * more than a page. A change that concerns several of the companies is there for each of them. Throws `ApiError`.
 */
export function readWatchlistPage(snapshot: Snapshot, query: Query): ChangePage {
  const request = requestOf(snapshot, query, limitBounds.default);
  const { seen, asked } = request;
  const known = asked.flatMap(({ entries: [ticker], company }) => (company ? [{ ticker, company }] : []));
  const found = together(known, ({ company }, at) =>
    once(`changes ${at}`, () => readChanges(snapshot, request, company, limitBounds.default)),
  );
  const pages = found.map((changes) => pageOf(changes, limitBounds.default));
  const cut = pages.filter(({ isWhole }) => !isWhole).map(({ rows }) => sequenceOf(rows.at(-1) as ListRow));
  const end = Math.min(...cut, snapshot.manifest.lastSequence);
  const rows = known
    .flatMap(({ ticker, company: { chain } }, at) =>
      (pages[at]?.rows ?? []).map((row) => ({ row, ticker, chain })),
    )
    .filter(({ row }) => sequenceOf(row) <= end)
    // Sorting is stable: rows of the same sequence stay in the order asked.
    .sort((a, b) => sequenceOf(a.row) - sequenceOf(b.row));
  const cursorAfter = (count: number) => {
    const last = rows[count - 1];
    const reached = count === rows.length || !last ? end : sequenceOf(last.row);
    // Of the companies that the last change concerns, those behind it in the list have not been told of it.
    const untold = new Set(
      rows.slice(count).flatMap(({ row, chain }) => (sequenceOf(row) === reached ? [chain] : [])),
    );
    const reachedBy = known.map(({ company: { chain } }): [string, number] => [
      chain,
      Math.max(readUpTo(chain, seen), untold.has(chain) ? reached - 1 : reached),
    ]);
    return nextCursor(request, new Map(reachedBy));
  };
  return {
    rows: rows.map(({ row }) => row),
    tickers: rows.map(({ ticker }) => ticker),
    isWhole: cut.length === 0,
    unknown: asked.flatMap(({ entries, company }) => (company ? [] : entries)),
    cursorAfter,
    cursor: () => cursorAfter(rows.length),
  };
}

/**
 * Finds changes of several companies: one bucket for each distinct company, in the order asked. An answer that
 * is too long for all of them keeps the first change of each bucket, then the second of each, and so on. Throws
 * `ApiError`.
 */
export function watchlistPage(snapshot: Snapshot, query: Query): Page {
  const limit = query.limit ?? limitBounds.default;
  const request = requestOf(snapshot, query, limit);
  const { filter, asked } = request;
  const found = together(asked, ({ company }, at) =>
    once(`changes ${at}`, () => readChanges(snapshot, request, company, limit)),
  );
  const numbers = numbersInTurn(found.map((changes) => Math.min(changes.length, limit)));
  const rows = Array.from<ListRow>({ length: numbers.reduce((sum, own) => sum + own.length, 0) });
  for (const [at, own] of numbers.entries())
    for (const [index, number] of own.entries()) rows[number] = found[at]?.[index] as ListRow;
  const first = (count: number, isShortened = false): Body => {
    const lists = numbers.map((own) => firstOf(own, count));
    const buckets = together(asked, (each, at) => {
      const [changes, share] = [found[at] as ListRow[], lists[at]?.numbers.length ?? 0];
      // A bucket that is not cut has room left: its cursor goes on behind all that there is now.
      return bucketOf(snapshot, request, each, changes, changes.length > share ? share : limit);
    });
    const reached = new Map(buckets.flatMap((each) => (each.reached ? [each.reached] : [])));
    const isCut = (at: number) => buckets[at]?.isCut === true;
    const isLeftOut = (at: number) =>
      isShortened && buckets[at]?.reached !== null && lists[at]?.numbers.length === 0;
    const [left, given]: [number[], number[]] = [[], []];
    for (const at of buckets.keys()) (isLeftOut(at) ? left : given).push(at);
    const newest = buckets.flatMap((each) => each.newest ?? []).sort();
    const cursor = nextCursor(request, reached);
    const meta = {
      count,
      tickerCount: buckets.length,
      since: filter.since,
      nextSince: newest.at(-1) ?? null,
      nextCursor: cursor,
      filters: appliedFilters(query, filter),
      newestFiledAt: snapshot.manifest.newestFiledAt,
      notInvestmentAdvice: true,
    };
    return {
      envelope: { data: given.map((at) => ({ ...buckets[at]?.facts, changes: lists[at] })), meta },
      // A watchlist that names no company has nothing to wait for.
      end: { isEmpty: count === 0 && reached.size > 0, isWhole: !buckets.some((each) => each.isCut), cursor },
      cut: new Set(given.flatMap((at, position) => (isCut(at) ? [position] : []))),
      leftOut: { buckets: left.length, withMore: left.filter(isCut).length },
    };
  };
  return {
    ...pageOfRows(
      rows.map((row) => [extentOf(row)]),
      first,
    ),
    unknown: asked.flatMap(({ entries: [ticker], company }) => (company ? [] : [ticker])),
  };
}

/**
 * Makes one cursor for the whole watchlist. A company that is added to the list later is read from where the
 * walk began, so that none of its changes since then is missed. The cursor remembers companies that are no
 * longer asked for, if it has room. The company that was not asked for longest is forgotten first; if it is
 * asked for again, it is read like a new one.
 */
function nextCursor({ log, filter, seen }: WatchlistRequest, reached: ReadonlyMap<string, number>): string {
  const sequences = new Map(seen?.sequences);
  // Sorted by sequence: neighbours with the same sequence take less room in the cursor.
  for (const [key, sequence] of [...reached].sort(([, a], [, b]) => a - b)) {
    sequences.delete(key);
    sequences.set(key, sequence);
  }
  return encodeFeedCursor(log, filter, seen?.sequence ?? 0, sequences, seen);
}

/** The sequence up to which a company's changes were read before. */
const readUpTo = (chain: string, seen: FeedCursor | undefined) =>
  seen ? (seen.sequences.get(chain) ?? seen.sequence) : 0;

/** What is read of a company: one change more than `limit`, to know whether there are more. */
function changesOf(
  { filter, seen }: Pick<WatchlistRequest, 'filter' | 'seen'>,
  chain: string,
  limit: number,
): FeedRequest {
  const after = readUpTo(chain, seen);
  return { ...filter, companies: new Map([[chain, after]]), after, limit: limit + 1 };
}

/** Reads the changes of a company; none of an unknown one. */
function readChanges(
  snapshot: Snapshot,
  request: WatchlistRequest,
  company: Asked['company'],
  limit: number,
): readonly ListRow[] {
  if (!company) return [];
  const { chain, profile } = company;
  return readFeed(snapshot, { ...changesOf(request, chain, limit), withoutProfile: profile.age }).rows;
}

/** The bucket of a company with at most `limit` of its changes, without the changes themselves. */
function bucketOf(
  snapshot: Snapshot,
  { log, filter, seen }: WatchlistRequest,
  { entries, company }: Asked,
  changes: readonly ListRow[],
  limit: number,
): Bucket {
  const [ticker] = entries;
  if (!company) {
    const facts = {
      ticker,
      entries,
      cik: null,
      companyName: null,
      status: 'unknown_company',
      count: 0,
      nextSince: null,
      nextCursor: null,
    };
    return { facts, newest: null, isCut: false, reached: null };
  }
  const { chain } = company;
  const { rows, isWhole } = pageOf(changes, limit);
  const sequence = nextSequence(rows, limit, readUpTo(chain, seen), snapshot.manifest.lastSequence);
  const newest = newestFiledAt(rows);
  const facts = {
    ticker,
    entries,
    cik: company.cik,
    companyName: company.name,
    status: 'ok',
    count: rows.length,
    nextSince: newest,
    nextCursor: encodeFeedCursor(log, filter, sequence, undefined, seen),
  };
  return { facts, newest, isCut: !isWhole, reached: [chain, sequence] };
}
