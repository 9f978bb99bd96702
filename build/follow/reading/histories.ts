import { backoff } from '../../../src/fetch/backoff.ts';
import { hourMs, minuteMs } from '../../../src/time/units.ts';
import type { Entity } from '../../sources/roles.ts';
import type { ExtraPage } from '../../sources/submissions.ts';

/**
 * The history of a member of a list: what EDGAR's submissions files say of it. It is to be read until the ledger has
 * all of it. Times are milliseconds of a monotonic clock.
 */
export interface History {
  /** What its main file said; null until that was read. */
  readonly main: MainFile | null;
  /** How often the next file was asked for. */
  readonly attempts: number;
  /** When it may be asked for again. */
  readonly nextAtMs: number;
}

/** What the main file of a member said. */
export interface MainFile {
  readonly entity: Entity;
  /** Filings from this day on are completed like new ones; older ones are taken as the files have them. */
  readonly from: string;
  /** The pages with older filings that were not read yet. */
  readonly pages: readonly ExtraPage[];
}

/** A file of a history to ask for: the main submissions file of a member, or a page with its older filings. */
export type HistoryRequest =
  | { readonly kind: 'file'; readonly cik: string }
  | { readonly kind: 'page'; readonly entity: Entity; readonly name: string };

/** Histories that are to be read, by CIK. */
export type Histories = ReadonlyMap<string, History>;

/** A request without success is repeated after a minute, then after pauses that are doubled up to an hour. */
const pauses = { firstMs: minuteMs, longestMs: hourMs };

/** A history of which nothing was read. */
export const unreadHistory = (atMs: number): History => ({ main: null, attempts: 0, nextAtMs: atMs });

/** Returns a history after a file of it was asked for. If the answer is not to be had, it waits before the next attempt. */
export function afterAsking(history: History, atMs: number): History {
  const attempts = history.attempts + 1;
  return { ...history, attempts, nextAtMs: atMs + backoff(attempts, pauses) };
}

/** Whether all files of a history were read. */
export const isRead = ({ main }: History): boolean => main?.pages.length === 0;

/** Returns the requests that are due, by CIK: the newest filings of all members come before the older ones of any. */
export function* dueHistories(
  histories: Histories,
  atMs: number,
): Generator<readonly [string, HistoryRequest]> {
  for (const [cik, { main, nextAtMs }] of histories)
    if (main === null && nextAtMs <= atMs) yield [cik, { kind: 'file', cik }];
  for (const [cik, { main, nextAtMs }] of histories) {
    const page = main?.pages[0];
    if (main && page && nextAtMs <= atMs) yield [cik, { kind: 'page', entity: main.entity, name: page.name }];
  }
}
