import { dayFrom } from '../time/units.ts';
import { limitBounds, type Query, type ShortenedQuery } from '../contract/parameters.ts';
import type { Manifest } from '../format/snapshot.ts';
import {
  encodeFeedCursor,
  parseFeedCursor,
  type FeedBounds,
  type FeedCursor,
  type FeedLog,
} from '../query/cursor.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { Answer } from '../http/http-answer.ts';
import { jsonAnswer, type Part } from './body.ts';
import { findCompany, listNameOf, type FoundCompany } from './company-answers.ts';
import { newestFiledAt } from '../rows/parts.ts';
import { appliedFilters, filterOf, nextSequence, pageOf, rowsPart, unlessRefused } from './lists.ts';
import type { RowFilter } from './row-filter.ts';
import { beginFeed, feedLogOf, readFeed, type FeedRequest, type ListRow } from './read-list.ts';

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
  return dayFrom(until !== undefined && until < newest ? until : newest, -defaultWindowDays);
}

/** The entries of a request that name one company, or one entry that names none. */
interface Asked {
  readonly entries: [string, ...string[]];
  /** The company with the newest CIK of its chain, which names its list; null if there is none. */
  readonly company: (FoundCompany & { readonly chain: string }) | null;
}

interface Bucket {
  readonly head: string;
  readonly rows: readonly ListRow[];
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
 * symbols, its CIK, and the CIKs of its chain. `begin` is told each CIK before its profile is read.
 */
async function companiesAsked(
  snapshot: Snapshot,
  entries: readonly string[],
  begin: (cik: string) => void,
): Promise<Asked[]> {
  const found = await Promise.all(entries.map((entry) => findCompany(snapshot, entry, begin)));
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
function requestOf(snapshot: Snapshot, query: ShortenedQuery, limit: number): Promise<WatchlistRequest> {
  const log = feedLogOf(snapshot);
  const seen = query.cursor === undefined ? undefined : parseFeedCursor(query.cursor, log);
  return unlessRefused(seen, log, async () => {
    const since = query.since ?? seen?.since ?? defaultSince(snapshot.manifest, query.until);
    const filter = { ...filterOf({ ...query, since }, seen), since };
    const begin = (cik: string) =>
      beginFeed(snapshot, changesOf({ filter, seen }, listNameOf(snapshot, cik), limit));
    return { log, seen, filter, asked: await companiesAsked(snapshot, query.tickers ?? [], begin) };
  });
}

/** A change of a watchlist, with the entry and the newest CIK of the company that it concerns. */
export interface WatchedRow {
  readonly row: ListRow;
  readonly ticker: string;
  readonly chain: string;
}

/** A page of the changes of a watchlist, in the order of their sequences. */
export interface WatchlistPage {
  /** A change that concerns several of the companies is there for each of them, in the order asked. */
  readonly rows: readonly WatchedRow[];
  /** Whether there are no more rows now. */
  readonly isWhole: boolean;
  /** Entries that name no company. */
  readonly unknown: readonly string[];
  /** The cursor that goes on behind the first `count` rows, or behind the whole page. */
  cursorAfter(count: number): Promise<string>;
}

/**
 * Reads the changes of several companies in the order of their sequences, up to where the first of them has
 * more than a page. Throws `ApiError`.
 */
export async function readWatchlistPage(snapshot: Snapshot, query: Query): Promise<WatchlistPage> {
  const request = await requestOf(snapshot, query, limitBounds.default);
  const { seen, asked } = request;
  const known = asked.flatMap(({ entries: [ticker], company }) => (company ? [{ ticker, company }] : []));
  const found = await Promise.all(
    known.map(({ company }) => readChanges(snapshot, request, company, limitBounds.default)),
  );
  const pages = found.map((changes) => pageOf(changes, limitBounds.default));
  const cut = pages.filter(({ isWhole }) => !isWhole).map(({ rows }) => sequenceOf(rows.at(-1) as ListRow));
  const end = Math.min(...cut, snapshot.manifest.lastSequence);
  const rows = known
    .flatMap(({ ticker, company: { chain } }, at) =>
      (pages[at]?.rows ?? []).map((row): WatchedRow => ({ row, ticker, chain })),
    )
    .filter(({ row }) => sequenceOf(row) <= end)
    // Sorting is stable: rows of the same sequence stay in the order asked.
    .sort((a, b) => sequenceOf(a.row) - sequenceOf(b.row));
  return {
    rows,
    isWhole: cut.length === 0,
    unknown: asked.flatMap(({ entries, company }) => (company ? [] : entries)),
    cursorAfter(count) {
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
    },
  };
}

const sequenceOf = ({ sort }: ListRow) => Number(sort);

/** Changes of several companies: one bucket for each distinct company, in the order asked. */
export async function watchlistAnswer(snapshot: Snapshot, query: ShortenedQuery): Promise<Answer> {
  const { manifest } = snapshot;
  const limit = query.limit ?? limitBounds.default;
  const limitRead = Math.min(limit, query.rows ?? limit);
  const request = await requestOf(snapshot, query, limitRead);
  const { filter, asked } = request;
  const found = await Promise.all(
    asked.map(({ company }) => readChanges(snapshot, request, company, limitRead)),
  );
  const shares = sharesOf(
    found.map((changes) => Math.min(changes.length, limit)),
    query.rows ?? Number.POSITIVE_INFINITY,
  );
  const buckets = await Promise.all(
    asked.map((each, at) => {
      const [changes, share] = [found[at] as ListRow[], shares[at] as number];
      // A bucket that is not cut has room left: its cursor goes on behind all that there is now.
      return bucketOf(snapshot, request, each, changes, changes.length > share ? share : limit);
    }),
  );
  // In the order asked, not in the order in which the reads ended: the same request gets the same bytes.
  const reached = new Map(buckets.flatMap((each) => (each.reached ? [each.reached] : [])));

  const parts: Part[] = ['{"data":['];
  buckets.forEach(({ head, rows }, at) =>
    parts.push(`${at > 0 ? ',' : ''}${head.slice(0, -1)},"changes":[`, rowsPart(rows, 'changes'), ']}'),
  );
  const newest = buckets.reduce<string | null>(
    (greatest, each) =>
      each.newest !== null && (greatest === null || each.newest > greatest) ? each.newest : greatest,
    null,
  );
  const cut = new Set(buckets.flatMap(({ isCut }, at) => (isCut ? [at] : [])));
  const meta = {
    count: buckets.reduce((sum, { rows }) => sum + rows.length, 0),
    tickerCount: buckets.length,
    since: filter.since,
    nextSince: newest,
    nextCursor: await nextCursor(request, reached),
    filters: appliedFilters(query, filter),
    newestFiledAt: manifest.newestFiledAt,
    notInvestmentAdvice: true,
  };
  return {
    ...jsonAnswer([...parts, `],"meta":${JSON.stringify(meta)}}`]),
    // A watchlist that names no company has nothing to wait for.
    isEmpty: meta.count === 0 && reached.size > 0,
    ...(cut.size === 0 ? {} : { next: meta.nextCursor, cut }),
  };
}

/** Divides rows among buckets: one for each that needs more, in turn, until there are none left. */
function sharesOf(needs: readonly number[], rows: number): number[] {
  const shares = needs.map(() => 0);
  let left = Math.min(
    rows,
    needs.reduce((sum, need) => sum + need, 0),
  );
  for (let at = 0; left > 0; at = (at + 1) % needs.length) {
    if ((shares[at] as number) >= (needs[at] as number)) continue;
    shares[at] = (shares[at] as number) + 1;
    left--;
  }
  return shares;
}

/**
 * Makes one cursor for the whole watchlist. A company that is added to the list later is read from where the
 * walk began, so that none of its changes since then is missed. The cursor remembers companies that are no
 * longer asked for, if it has room. The company that was not asked for longest is forgotten first; if it is
 * asked for again, it is read like a new one.
 */
function nextCursor(
  { log, filter, seen }: WatchlistRequest,
  reached: ReadonlyMap<string, number>,
): Promise<string> {
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
async function readChanges(
  snapshot: Snapshot,
  request: WatchlistRequest,
  company: Asked['company'],
  limit: number,
): Promise<ListRow[]> {
  if (!company) return [];
  const { chain, profile } = company;
  return readFeed(snapshot, { ...changesOf(request, chain, limit), withoutProfile: profile.age });
}

/** The bucket of a company with at most `limit` of its changes. */
async function bucketOf(
  snapshot: Snapshot,
  { log, filter, seen }: WatchlistRequest,
  { entries, company }: Asked,
  changes: readonly ListRow[],
  limit: number,
): Promise<Bucket> {
  const [ticker] = entries;
  if (!company) {
    const head = JSON.stringify({
      ticker,
      entries,
      cik: null,
      companyName: null,
      status: 'unknown_company',
      count: 0,
      nextSince: null,
      nextCursor: null,
    });
    return { head, rows: [], newest: null, isCut: false, reached: null };
  }
  const { chain } = company;
  const { rows, isWhole } = pageOf(changes, limit);
  const sequence = nextSequence(rows, limit, readUpTo(chain, seen), snapshot.manifest.lastSequence);
  const newest = newestFiledAt(rows);
  const head = JSON.stringify({
    ticker,
    entries,
    cik: company.cik,
    companyName: company.name,
    status: 'ok',
    count: rows.length,
    nextSince: newest,
    nextCursor: await encodeFeedCursor(log, filter, sequence, undefined, seen),
  });
  return { head, rows, newest, isCut: !isWhole, reached: [chain, sequence] };
}
