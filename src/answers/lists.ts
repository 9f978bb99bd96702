import type { AnswerPlan } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import { ownershipFamilies } from '../contract/event-types.ts';
import { limitBounds, type Query } from '../contract/parameters.ts';
import { feedOrder } from '../contract/snapshot.ts';
import { newestCikOf } from '../contract/successors.ts';
import {
  decodeFeedCursor,
  decodeHistoryCursor,
  encodeFeedCursor,
  encodeHistoryCursor,
  type DateBounds,
} from '../query/cursor.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { Answer } from '../http/answer.ts';
import { jsonAnswer, type Rows } from './body.ts';
import { requireCompany } from './companies.ts';
import { eventExtentOf, extentOf, filingExtentOf, newestFiledAt } from './extents.ts';
import type { RowFilter } from './row-filter.ts';
import { feedLogOf, readFeed, readHistory, type ListRow } from './rows.ts';

type HistoryPlan = Extract<AnswerPlan, { readonly kind: 'history' }>;

/** Rows as a part of an answer. */
export function rowsPart(rows: readonly ListRow[], kind: 'events' | 'filings' | 'changes'): Rows {
  if (kind === 'events') return { extents: rows.map(eventExtentOf), end: '}' };
  return { extents: rows.map(kind === 'filings' ? filingExtentOf : extentOf) };
}

/**
 * The list of a company that a request names, by the newest CIK of its chain; null for that of all companies.
 * Throws `company_not_found`.
 */
async function companyAsked(snapshot: Snapshot, query: Query): Promise<string | null> {
  return query.ticker === undefined ? null : newestCikOf((await requireCompany(snapshot, query.ticker)).cik);
}

/**
 * The filters of a request. `seen` has the bounds of the walk that it goes on with. Throws
 * `invalid_parameter` if the bounds exclude each other.
 */
export function filterOf({ form, eventType, items, ...query }: Query, seen?: DateBounds): RowFilter {
  const since = query.since ?? seen?.since;
  const until = query.until ?? seen?.until;
  if (since !== undefined && until !== undefined && until < since)
    throw new ApiError('invalid_parameter', `until: must not be before since, ${since}, and is ${until}`);
  return { forms: form, eventTypes: eventType === undefined ? undefined : [eventType], items, since, until };
}

/** A page of a history, newest first. One row more is looked for, to know whether there are older ones. */
export async function historyAnswer(snapshot: Snapshot, plan: HistoryPlan, query: Query): Promise<Answer> {
  const { manifest } = snapshot;
  const limit = query.limit ?? limitBounds.default;
  const seen = query.cursor === undefined ? undefined : decodeHistoryCursor(query.cursor, manifest.ledger.id);
  const filter = filterOf(query, seen);
  const company = await companyAsked(snapshot, query);
  const insiders: RowFilter =
    plan.insiders === true
      ? { eventTypes: filter.eventTypes ?? [...ownershipFamilies], isIssuer: company !== null }
      : {};
  const more = await readHistory(snapshot, {
    ...filter,
    ...insiders,
    company,
    after: seen?.order,
    limit: limit + 1,
  });
  const rows = more.slice(0, limit);
  const last = more.length > limit ? rows.at(-1) : undefined;
  const meta = {
    count: rows.length,
    nextCursor: last ? encodeHistoryCursor(manifest.ledger.id, last.sort, filter) : null,
    newestFiledAt: manifest.newestFiledAt,
  };
  return jsonAnswer([
    '{"data":[',
    rowsPart(rows, plan.rows ?? 'filings'),
    `],"meta":${JSON.stringify(meta)}}`,
  ]);
}

/** A page of the change feed, oldest first, with the cursor that goes on after it. */
export async function feedAnswer(snapshot: Snapshot, query: Query): Promise<Answer> {
  const { manifest } = snapshot;
  const log = feedLogOf(snapshot);
  const seen = query.cursor === undefined ? undefined : await decodeFeedCursor(query.cursor, log);
  const filter = filterOf(query, seen);
  const { since } = filter;
  if (since === undefined)
    throw new ApiError('invalid_parameter', 'since: a date YYYY-MM-DD is required, unless cursor is given');
  const company = await companyAsked(snapshot, query);
  const from = seen ? ((company === null ? undefined : seen.sequences.get(company)) ?? seen.sequence) : 0;
  const limit = query.limit ?? limitBounds.default;
  const rows = await readFeed(snapshot, { ...filter, company, after: feedOrder(from), limit });
  const meta = {
    count: rows.length,
    since,
    nextSince: newestFiledAt(rows),
    nextCursor: await encodeFeedCursor(
      log,
      { ...filter, since },
      nextSequence(rows, limit, from, manifest.lastSequence),
      undefined,
      seen,
    ),
    filters: {
      ticker: query.ticker ?? null,
      form: query.form?.join(',') ?? null,
      eventType: query.eventType ?? null,
      items: query.items?.join(',') ?? null,
      until: filter.until ?? null,
    },
    newestFiledAt: manifest.newestFiledAt,
    notInvestmentAdvice: true,
  };
  return {
    ...jsonAnswer(['{"data":[', rowsPart(rows, 'changes'), `],"meta":${JSON.stringify(meta)}}`]),
    isEmpty: rows.length === 0,
  };
}

/**
 * Where a walk goes on: after the last row of a full page, else after everything that there is. It never goes
 * back.
 */
export function nextSequence(
  rows: readonly ListRow[],
  limit: number,
  from: number,
  lastSequence: number,
): number {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return last ? Number(last.sort) : Math.max(from, lastSequence);
}
