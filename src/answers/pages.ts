import type { AnswerPlan } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import { eventTypeOfForm } from '../contract/event-types.ts';
import { limitBounds, type Query } from '../contract/parameters.ts';
import { allKey, feedOrder, type ListTable, type SymbolRow } from '../contract/snapshot.ts';
import { newestCikOf } from '../contract/successors.ts';
import { decodeFeedCursor, decodeHistoryCursor, encodeFeedCursor, encodeHistoryCursor } from '../cursor.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { newestFiledAt, readPage, toPage, withoutLastRow, type Page, type PageRequest } from '../table/page.ts';
import type { Table } from '../table/table.ts';
import { jsonAnswer, type Answer } from './body.ts';
import { requireCompany } from './companies.ts';

type ListPlan = Extract<AnswerPlan, { readonly all?: ListTable }>;

/** A page without rows. */
export const emptyPage = toPage('feed', [], 0);

/** The table and key of a list: all rows, or those of the company that the request names. */
async function listOf(snapshot: Snapshot, plan: ListPlan, query: Query): Promise<{ table: Table; key: string; company: SymbolRow | null }> {
  const company = query.ticker === undefined ? null : await requireCompany(snapshot, query.ticker);
  const name = company ? plan.company : plan.all;
  if (!name) throw new ApiError('invalid_parameter', 'ticker: a ticker symbol or a 10-digit CIK is required');
  return { table: snapshot.tables[name], key: company?.listCik ?? allKey, company };
}

/** A page, or none where form and event family exclude each other. */
export function filteredPage(table: Table, request: PageRequest): Promise<Page> {
  const { form, eventType } = request;
  const excluded = form !== undefined && eventType !== undefined && eventTypeOfForm(form) !== eventType;
  return excluded ? Promise.resolve(emptyPage) : readPage(table, request);
}

/** A page of a history, newest first. One row more is looked for, to know whether there are older ones. */
export async function historyAnswer(snapshot: Snapshot, plan: ListPlan, query: Query): Promise<Answer> {
  const { manifest } = snapshot;
  const limit = query.limit ?? limitBounds.default;
  const after = query.cursor === undefined ? undefined : decodeHistoryCursor(query.cursor, manifest);
  const { table, key } = await listOf(snapshot, plan, query);
  const more = await filteredPage(table, { key, after, limit: limit + 1, form: query.form, eventType: query.eventType });
  const page = more.rows > limit ? withoutLastRow(more) : more;
  const nextCursor = page !== more && page.last() !== null ? encodeHistoryCursor(manifest, page.last() as string) : null;
  return jsonAnswer(['{"data":[', page.slices, `],"meta":${JSON.stringify({ count: page.rows, nextCursor, newestFiledAt: manifest.newestFiledAt })}}`]);
}

/** A page of the change feed, oldest first, with the cursor that goes on after it. */
export async function feedAnswer(snapshot: Snapshot, plan: ListPlan, query: Query): Promise<Answer> {
  const { manifest } = snapshot;
  const seen = query.cursor === undefined ? undefined : decodeFeedCursor(query.cursor, manifest);
  const since = query.since ?? seen?.since;
  if (since === undefined) throw new ApiError('invalid_parameter', 'since: a date YYYY-MM-DD is required, unless cursor is given');
  const { table, key, company } = await listOf(snapshot, plan, query);
  const from = seen ? (seen.sequences.get(newestCikOf(key)) ?? seen.sequence) : 0;
  const limit = query.limit ?? limitBounds.default;
  const page = await filteredPage(table, { key, after: feedOrder(from), limit, since, form: query.form, eventType: query.eventType });
  const meta = {
    count: page.rows,
    since,
    nextSince: newestFiledAt(page),
    nextCursor: encodeFeedCursor(manifest, since, nextSequence(page, limit, from, manifest.lastSequence), undefined, seen),
    filters: { ticker: company ? (query.ticker ?? null) : null, form: query.form ?? null, eventType: query.eventType ?? null },
    newestFiledAt: manifest.newestFiledAt,
    notInvestmentAdvice: true,
  };
  return jsonAnswer(['{"data":[', page.slices, `],"meta":${JSON.stringify(meta)}}`]);
}

/** Where a walk goes on: after the last row of a full page, else after everything that there is. It never goes back. */
export function nextSequence(page: Page, limit: number, from: number, lastSequence: number): number {
  return page.rows === limit && page.last() !== null ? Number(page.last()) : Math.max(from, lastSequence);
}
