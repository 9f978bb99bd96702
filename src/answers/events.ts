import { eventStreamType } from '../contract/parameters.ts';
import type { Query } from '../contract/parameters.ts';
import type { Answer } from '../http/http-answer.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { assemble, type Part } from './body.ts';
import { extentOf } from '../rows/parts.ts';
import { requireKnownFilters } from './known-filters.ts';
import { readFeedPage } from './lists.ts';
import { readWatchlistPage } from './watchlist.ts';

/** The plans of the operations that can be streamed. */
export interface StreamPlan {
  readonly kind: 'feed' | 'watchlist';
}

/** A page of a stream: events as they are sent. */
export interface EventPage extends Answer {
  /** The cursor behind the page. */
  readonly next: string;
  /** Whether there are no more changes now. */
  readonly isWhole: boolean;
}

/**
 * Makes the next events of a stream (server-sent events, HTML standard, section 9.2): one for each change,
 * whose `id` is the cursor behind it. The change of a watchlist begins with the entry that it concerns.
 * Throws `ApiError`.
 */
export async function eventsAnswer(snapshot: Snapshot, plan: StreamPlan, query: Query): Promise<EventPage> {
  requireKnownFilters(snapshot, plan, query);
  return plan.kind === 'feed' ? feedEvents(snapshot, query) : watchlistEvents(snapshot, query);
}

async function feedEvents(snapshot: Snapshot, query: Query): Promise<EventPage> {
  const { rows, isWhole, reached, cursorAfter } = await readFeedPage(snapshot, query);
  const parts: Part[] = [];
  for (const row of rows)
    parts.push(head(await cursorAfter(Number(row.sort))), { extents: [extentOf(row)] }, end);
  return page(parts, await cursorAfter(reached), isWhole);
}

async function watchlistEvents(snapshot: Snapshot, query: Query): Promise<EventPage> {
  const { rows, isWhole, unknown, cursorAfter } = await readWatchlistPage(snapshot, query);
  const parts: Part[] =
    query.cursor === undefined ? unknown.map((entry) => `: no company is known as ${entry}\n\n`) : [];
  for (const [at, { row, ticker }] of rows.entries()) {
    const { bytes, from, to } = extentOf(row);
    parts.push(
      `${head(await cursorAfter(at + 1))}{"ticker":${JSON.stringify(ticker)},`,
      { extents: [{ bytes, from: from + 1, to }] },
      end,
    );
  }
  return page(parts, await cursorAfter(rows.length), isWhole);
}

const head = (cursor: string) => `event: change\nid: ${cursor}\ndata: `;
const end = '\n\n';

function page(parts: readonly Part[], next: string, isWhole: boolean): EventPage {
  const bytes = assemble(parts);
  return { contentType: eventStreamType, etag: '', body: () => bytes, next, isWhole };
}
