import { hash } from 'node:crypto';
import {
  type Change,
  type ChangeFilter,
  changeKey,
  type Client,
  FilingEventsError,
  type Position,
} from '../../clients/typescript/src/index.ts';
import { backoff, outsidePauseMs, pause } from '../../src/fetch/backoff.ts';
import { createGate } from '../../src/fetch/gate.ts';
import type { LineLog } from '../../src/log/levels.ts';

/** Changes behind a cursor. */
export interface FeedPage {
  readonly changes: readonly Change[];
  /** The cursor behind them. */
  readonly cursor: string;
  /** Whether there are no more at the moment. */
  readonly isLast: boolean;
  /** Whether it ended before its limit, and may have no changes although there are more. */
  readonly endedEarly: boolean;
  /** Companies of the filter that nobody knows, beside others that are known. */
  readonly unknown: readonly string[];
}

/** The change feed of the service. Its functions reject as the client does, and ask only once. */
export interface Feed {
  /** Reads the next changes that match. */
  page(filter: ChangeFilter, cursor: string, signal?: AbortSignal): Promise<FeedPage>;
  /** The cursor behind the last change of all. */
  end(signal?: AbortSignal): Promise<string>;
  /** Resolves when something was published behind a cursor, or after a minute. */
  news(cursor: string, signal: AbortSignal): Promise<boolean>;
}

/**
 * Whether the feed refuses a filter or a cursor: nothing can be delivered by it until somebody changes it. Other errors,
 * such as that of a wrong key, concern all endpoints, and tell nothing of one.
 */
export const isRefusal = (error: unknown): error is FilingEventsError =>
  error instanceof FilingEventsError && refusals.has(error.code);
const refusals: ReadonlySet<FilingEventsError['code']> = new Set([
  'invalid_parameter',
  'invalid_cursor',
  'company_not_found',
]);

/** Says that nobody knows companies of a filter. */
export const unknownText = (companies: string) =>
  `no company is known as ${companies}: nothing of it is delivered`;

/** A page is small: each endpoint that is busy keeps one in memory. */
const pageRows = 25;
/** At most this many endpoints ask for pages at the same time. */
const pagesAtOnce = 8;
const waitSeconds = 60;

/** Reads the feed through a client. */
export function feedOf(client: Pick<Client, 'listChanges' | 'listBulkFiles'>): Feed {
  const gate = createGate(pagesAtOnce);
  return {
    async page(filter, cursor, signal) {
      const { data, meta } = await gate.run(
        () => client.listChanges({ ...filter, cursor, limit: pageRows }, { signal, retries: 0 }),
        signal,
      );
      const endedEarly = meta.endedEarly === true;
      const isLast = data.length < pageRows && !endedEarly;
      // A service that is not updated yet does not name them.
      const { unknown = [] } = meta as Partial<typeof meta>;
      return { changes: data, cursor: meta.nextCursor, isLast, endedEarly, unknown };
    },
    end: async (signal) => (await client.listBulkFiles({}, { signal, retries: 0 })).meta.nextCursor,
    async news(cursor, signal) {
      const { data } = await client.listChanges(
        { cursor, limit: 1, wait: waitSeconds },
        { signal, retries: 0 },
      );
      return data.length > 0;
    },
  };
}

/**
 * Tells all endpoints that something was published. One request waits for the whole feed, instead of one for
 * each endpoint: then each endpoint asks with its own filter and cursor, and the service alone decides what
 * matches.
 */
export interface News {
  /** How often something was published. Read it before the feed is asked. */
  readonly count: () => number;
  /** The end of the feed after the last publication; null before the feed was asked. */
  readonly end: () => string | null;
  /** Resolves when there is a publication after the given one, or after a time. */
  until(count: number, waitMs: number, signal: AbortSignal): Promise<void>;
  /** Waits for publications until the signal. */
  run(signal: AbortSignal): Promise<void>;
  /** How many questions failed in a row. */
  readonly failures: () => number;
}

/** Makes the news of a feed. */
export function createNews(feed: Feed, log: LineLog): News {
  const waiting = new Set<() => void>();
  let published = 0;
  let failures = 0;
  let end: string | null = null;

  async function ask(signal: AbortSignal): Promise<void> {
    if (end !== null && !(await feed.news(end, signal))) return;
    // The end is read before anybody is told: whoever asks then sees everything up to it.
    end = await feed.end(signal);
    published++;
    for (const wake of waiting) wake();
  }

  return {
    count: () => published,
    end: () => end,
    failures: () => failures,
    async until(count, waitMs, signal) {
      if (published > count || signal.aborted) return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, waitMs);
        waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    },
    async run(signal) {
      while (!signal.aborted) {
        try {
          await ask(signal);
          if (failures > 0) log('the feed answers again');
          failures = 0;
        } catch (error) {
          if (signal.aborted) return;
          const isInvalid = error instanceof FilingEventsError && error.code === 'invalid_cursor';
          // The ledger of the service was restored from a backup: its end is elsewhere now.
          if (isInvalid) end = null;
          if (failures++ === 0) log(`the feed cannot be read: ${(error as Error).message}`, 'error');
          await pause(feedPauseMs(failures, error), signal);
        }
      }
    },
  };
}

/** How long to wait after questions to the feed that failed in a row, the last one with this error, in milliseconds. */
export function feedPauseMs(failures: number, error: unknown): number {
  const retryAfterSeconds = error instanceof FilingEventsError ? error.retryAfterSeconds : 0;
  return backoff(failures, {
    firstMs: 1000,
    longestMs: 30_000,
    retryAfterMs: outsidePauseMs(retryAfterSeconds * 1000),
    random: Math.random(),
  });
}

/**
 * How far an endpoint is in the page behind its cursor. A sequence alone is no position: after the ledger was
 * restored from a backup, it may be that of another change.
 */
export interface Handled extends Pick<Position, 'sequence' | 'change'> {
  /** What `filterKey` says of the filter that showed the change; not set if nobody knows. */
  readonly filter?: string | undefined;
}

/** Nothing of the page was handled. */
export const nothingHandled = {
  sequence: 0,
  change: undefined,
  filter: undefined,
} as const satisfies Handled;

/** A text that differs for filters that differ. */
export const filterKey = (filter: ChangeFilter) => hash('sha256', JSON.stringify(filter)).slice(0, 12);

/** The position behind a change. */
export const handledUpTo = (change: Change, filter: ChangeFilter): Handled => ({
  sequence: change.sequence,
  change: changeKey(change),
  filter: filterKey(filter),
});

/**
 * The changes of a page that were not handled yet. `ahead` if the page ends before the change that was handled
 * last: the service went back to an older snapshot, or one of its replicas is late. `lost` if the log has
 * another change in its place, so that nothing tells what of the page was handled.
 *
 * A filter that was changed meanwhile may not show the change. Then those were handled that have no greater
 * sequence and were not recorded later: what a restored ledger has in their place was recorded later.
 */
export function leftOf(
  { changes, isLast, endedEarly }: FeedPage,
  { sequence, change, filter }: Handled,
  filterNow: ChangeFilter,
): readonly Change[] | 'ahead' | 'lost' {
  // Nothing was handled, or a state of before has the number alone, which proves nothing.
  if (change === undefined) return changes;
  const place = changes.find((each) => each.sequence >= sequence);
  if (place?.sequence === sequence)
    return changeKey(place) === change ? changes.filter((each) => each.sequence > sequence) : 'lost';
  // The change may be behind a page that ended early.
  if (place === undefined && endedEarly) return [];
  if (filter === filterKey(filterNow)) return place === undefined && isLast ? 'ahead' : 'lost';
  const recordedMs = Date.parse(change.split('@')[1] ?? '');
  return changes.filter(
    (each) => each.sequence > sequence || !(Date.parse(each.observedAt ?? '') <= recordedMs),
  );
}
