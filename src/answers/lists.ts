import type { AnswerPlan } from '../contract/endpoints.ts';
import { AppliedFilters } from '../contract/envelopes.ts';
import { ApiError } from '../contract/errors.ts';
import { ownershipFamilies } from '../domain/event-types.ts';
import { causesWanted, correctionsText } from '../contract/corrections.ts';
import { valuesAsked } from '../contract/filing-filters.ts';
import { limitBounds, type Query } from '../contract/parameters.ts';
import {
  checkFeedCursor,
  decodeHistoryCursor,
  encodeFeedCursor,
  encodeHistoryCursor,
  parseFeedCursor,
  type DateBounds,
  type FeedBounds,
  type FeedCursor,
  type FeedLog,
} from '../query/cursor.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { ChangePage } from '../render/events.ts';
import { firstRows, listBody, pageOfRows, type Body, type Page } from '../render/page.ts';
import { applied } from './applied.ts';
import { nameCompanies, type NamedCompanies } from './company-answers.ts';
import { both, foresee } from '../table/passes.ts';
import { eventExtentOf, extentOf, filingExtentOf, newestFiledAt } from '../rows/parts.ts';
import type { RowFilter } from './row-filter.ts';
import { totalOf } from './kept-counts.ts';
import { leastAfter, readFeed } from './read-feed.ts';
import { readHistory } from './read-history.ts';
import { feedLogOf, rowsLeftOut, type ListRow } from './read-list.ts';

type HistoryPlan = Extract<AnswerPlan, { readonly kind: 'history' }>;

/** The companies that a request names; null if it names none. Throws `company_not_found` if there is none of them. */
function companiesAsked(snapshot: Snapshot, { ticker, tickers = [] }: Query): NamedCompanies | null {
  if (ticker !== undefined) return nameCompanies(snapshot, 'ticker', [ticker]);
  return tickers.length === 0 ? null : nameCompanies(snapshot, 'tickers', tickers);
}

/**
 * The filters of a request. `seen` has the bounds of the request's cursor. Throws `invalid_parameter` if
 * `until` is before `since`, or `acceptedUntil` before `acceptedSince`.
 */
export function filterOf(query: Query, seen?: DateBounds): RowFilter {
  const since = query.since ?? seen?.since;
  const until = query.until ?? seen?.until;
  if (since !== undefined && until !== undefined && until < since)
    throw new ApiError('invalid_parameter', `until: must not be before since, ${since}, and is ${until}`);
  const { acceptedSince, acceptedUntil } = query;
  if (acceptedSince !== undefined && acceptedUntil !== undefined && acceptedUntil < acceptedSince)
    throw new ApiError(
      'invalid_parameter',
      `acceptedUntil: must not be before acceptedSince, ${acceptedSince}, and is ${acceptedUntil}`,
    );
  return { ...valuesAsked(query), since, until, corrections: causesWanted(query.corrections) };
}

/** The filters of a request as `meta` says them; `bounds` are those that were applied. */
export const appliedFilters = (query: Query, { since, until }: DateBounds): AppliedFilters =>
  applied(AppliedFilters, query, { since, until, corrections: correctionsText(query.corrections) });

/** The rows of a page, of one more than `limit` that were read to know whether there are more. */
export function pageOf<Row>(more: readonly Row[], limit: number): { rows: readonly Row[]; isWhole: boolean } {
  return { rows: more.slice(0, limit), isWhole: more.length <= limit };
}

/** Finds a page of a history, newest first. Throws `ApiError`. */
export function historyPage(snapshot: Snapshot, query: Query, plan: HistoryPlan): Page {
  const { manifest } = snapshot;
  const limit = query.limit ?? limitBounds.default;
  const seen = query.cursor === undefined ? undefined : decodeHistoryCursor(query.cursor, manifest.ledger.id);
  const filter = filterOf(query, seen);
  const companies = companiesAsked(snapshot, query);
  const company = companies?.chains[0] ?? null;
  const insiders: RowFilter =
    plan.insiders === true
      ? { eventType: filter.eventType ?? [...ownershipFamilies], isIssuer: company !== null }
      : {};
  const read = () =>
    readHistory(
      snapshot,
      { ...filter, ...insiders, company, after: seen?.order, limit: limit + 1 },
      rowsLeftOut,
    );
  const [, [{ rows: more, goesOnAfter }, total]] = both(
    () => companies?.unknown(),
    () => both(read, () => totalOf(snapshot, { ...filter, ...insiders }, company)),
  );
  const { rows, isWhole } = pageOf(more, limit);
  const first = (count: number): Body => {
    const isLast = isWhole && count === rows.length;
    const last = isLast ? goesOnAfter : (rows[count - 1]?.sort ?? null);
    const cursor = last === null ? null : encodeHistoryCursor(manifest.ledger.id, last, filter);
    const meta = {
      count,
      total,
      nextCursor: cursor,
      filters: appliedFilters(query, filter),
      newestFiledAt: manifest.newestFiledAt,
    };
    return listBody(count, meta, cursor);
  };
  return plan.rows === 'events'
    ? pageOfRows(
        rows.map((row) => [eventExtentOf(row)]),
        first,
        '}',
      )
    : pageOfRows(
        rows.map((row) => [filingExtentOf(row)]),
        first,
      );
}

/** A page of the change feed, with the filters that were applied. */
export interface FeedPage extends ChangePage {
  readonly unknown: readonly string[];
  readonly filter: RowFilter & FeedBounds;
  /** Whether it ended before its limit, because it left out many rows: there may be more behind it. */
  readonly endedEarly: boolean;
}

/**
 * Reads a page of the change feed, of all companies or of those that the request names, oldest first. Throws
 * `ApiError`.
 */
export function readFeedPage(snapshot: Snapshot, query: Query): FeedPage {
  const log = feedLogOf(snapshot);
  const seen = query.cursor === undefined ? undefined : parseFeedCursor(query.cursor, log);
  return unlessRefused(seen, log, () => feedPageBehind(snapshot, query, log, seen));
}

/**
 * Reads in the rounds in which the cursor is checked. If the cursor is refused, that is what the client is told. Throws
 * `ApiError`.
 */
export function unlessRefused<Result>(
  seen: FeedCursor | undefined,
  log: FeedLog,
  read: () => Result,
): Result {
  const [, result] = both(() => seen && checkFeedCursor(seen, log), read);
  return result;
}

function feedPageBehind(
  snapshot: Snapshot,
  query: Query,
  log: FeedLog,
  seen: FeedCursor | undefined,
): FeedPage {
  const { manifest } = snapshot;
  const filter = filterOf(query, seen);
  const { since } = filter;
  if (since === undefined)
    throw new ApiError('invalid_parameter', 'since: a date YYYY-MM-DD is required, unless cursor is given');
  const named = companiesAsked(snapshot, query);
  const companies =
    named && new Map(named.chains.map((each) => [each, seen?.sequences.get(each) ?? seen?.sequence ?? 0]));
  const after = seen?.sequence ?? 0;
  const limit = query.limit ?? limitBounds.default;
  /** A full page ends with a row whose batch the cursor names. */
  const found = (sequences: readonly number[]) => {
    if (sequences.length > limit) foresee(() => log.batchOf(sequences[limit - 1] as number));
  };
  const request = { ...filter, companies, after, limit: limit + 1, found };
  const [unknown, { rows: more, goesOnAfter }] = both(
    () => named?.unknown() ?? [],
    () => readFeed(snapshot, request, rowsLeftOut),
  );
  const { rows, isWhole } = pageOf(more, limit);
  const endedEarly = goesOnAfter !== null;
  const reached = endedEarly
    ? Number(goesOnAfter)
    : nextSequence(rows, limit, leastAfter({ companies, after }), manifest.lastSequence);
  const behind = (sequence: number) => {
    // A cursor of a watchlist may have read some of the companies further than this page goes.
    const further = new Map([...(companies ?? [])].filter(([, each]) => each > sequence));
    return encodeFeedCursor(log, { ...filter, since }, sequence, further, seen);
  };
  return {
    rows,
    unknown,
    filter: { ...filter, since },
    endedEarly,
    isWhole: isWhole && !endedEarly,
    cursorAfter: (count) => behind(sequenceOf(rows[count - 1] as ListRow)),
    cursor: () => behind(reached),
  };
}

/** Finds a page of the change feed, with one cursor for the next page. Throws `ApiError`. */
export function feedPage(snapshot: Snapshot, query: Query): Page {
  const found = readFeedPage(snapshot, query);
  const { rows, unknown, filter, isWhole } = found;
  const first = (count: number): Body => {
    const isAll = count === rows.length;
    const cursor = isAll ? found.cursor() : found.cursorAfter(count);
    const endedEarly = isAll && found.endedEarly;
    const meta = {
      count,
      since: filter.since,
      nextSince: newestFiledAt(rows.slice(0, count)),
      nextCursor: cursor,
      ...(endedEarly ? { endedEarly } : {}),
      filters: appliedFilters(query, filter),
      unknown,
      newestFiledAt: snapshot.manifest.newestFiledAt,
      notInvestmentAdvice: true,
    };
    return {
      envelope: { data: firstRows(count), meta },
      end: { isEmpty: count === 0 && !endedEarly, isWhole: isWhole && isAll, cursor },
    };
  };
  return {
    ...pageOfRows(
      rows.map((row) => [extentOf(row)]),
      first,
    ),
    unknown,
  };
}

/** The sequence of a change. */
export const sequenceOf = ({ sort }: ListRow): number => Number(sort);

/**
 * The sequence after which the next page begins: that of the last row if the page is full, or `from` if it has
 * no room for rows; else the last sequence of the snapshot. Never less than `from`.
 */
export function nextSequence(
  rows: readonly ListRow[],
  limit: number,
  from: number,
  lastSequence: number,
): number {
  if (rows.length < limit) return Math.max(from, lastSequence);
  const last = rows.at(-1);
  return last ? sequenceOf(last) : from;
}
