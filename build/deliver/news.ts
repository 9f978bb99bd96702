import { FilingEventsError } from '../../clients/typescript/src/index.ts';
import { backoff, outsidePauseMs, pause } from '../../src/fetch/backoff.ts';
import type { LineLog } from '../../src/log/levels.ts';
import type { Feed } from './feed.ts';

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
