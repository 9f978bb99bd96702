import type { LRUCache } from 'lru-cache';
import type { ReconciledDay } from '../../src/contract/records.ts';
import type { LineLog } from '../../src/log/levels.ts';
import type { EdgarSettings } from '../edgar/client.ts';
import { timeOf, type Time, type ToldTime } from '../time/told-time.ts';
import type { FoundFiling } from '../ingest/append.ts';
import type { LedgerFolders } from '../ingest/known.ts';
import type { Fetched } from '../ingest/fetch.ts';
import type { Universe } from '../ingest/universe.ts';
import type { EntityFile } from '../ingest/upstream.ts';
import type { Progress } from '../work/progress.ts';
import type { Reconciled } from '../reconcile/reconcile.ts';
import type { FeedEntry, FeedPage } from '../sources/current-feed.ts';
import type { Header } from '../sources/header.ts';
import type { Entity } from '../sources/roles.ts';
import type { TickerRow } from '../sources/tickers.ts';
import type { Connection } from './connection.ts';
import { isPolling, type FeedHealth, type Round } from './poll.ts';
import type { Reading } from './reading.ts';
import type { Scope } from './scope.ts';
import type { FollowState } from './state.ts';
import { statusLine, type Status } from './status.ts';
import type { Work } from './work.ts';
import type { Writer } from './writer.ts';

/** What `follow` needs. */
export interface FollowOptions {
  readonly universe: Universe;
  /** Time from the beginning of one reading of the feed to the beginning of the next, in milliseconds. */
  readonly intervalMs: number;
  readonly folders: LedgerFolders;
  readonly settings: EdgarSettings;
  /** The clock of this machine, in milliseconds since 1970. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** Builds a snapshot of the ledger and returns the newest filing date of the snapshot. */
  readonly publish: () => Promise<string | null>;
  /** Removes old snapshots and files that no snapshot needs. */
  readonly prune: () => Promise<void>;
  readonly log: LineLog;
  /** Shows the progress of the first fill of a ledger. */
  readonly progress: Progress;
  /** Shows the status line. `isMinute` says that a minute has passed since the last line with `isMinute`. */
  readonly showStatus: (line: string, isMinute: boolean) => void;
  readonly signal: AbortSignal;
  /** Called with the follower before it sends a request. If it rejects, `follow` rejects. */
  readonly watch?: (follower: Follower) => Promise<void>;
  /** How long the feed has to fail before the submissions files are polled, in milliseconds. */
  readonly pollAfterMs?: number;
  /** How long no request is sent after upstream's throttle page, in milliseconds. */
  readonly coolDownMs?: number;
  /** The fewest rows of a complete ticker file; tests lower it. */
  readonly tickerRowsMinimum?: number;
}

/** A result of work that runs beside the loop. */
export type Event =
  | { readonly kind: 'tickers'; readonly rows: readonly TickerRow[]; readonly refused: readonly string[] }
  | { readonly kind: 'reading'; readonly reading: Reading; readonly startedMs: number }
  /** What a reading that is still running has read so far. */
  | { readonly kind: 'entries'; readonly entries: readonly FeedEntry[]; readonly madeAtMs: number }
  | { readonly kind: 'first-page'; readonly answer: Fetched<FeedPage> }
  | { readonly kind: 'file'; readonly cik: string; readonly answer: Fetched<EntityFile> }
  | { readonly kind: 'header'; readonly accessionNo: string; readonly answer: Fetched<Header> }
  | { readonly kind: 'reconciled'; readonly done: Reconciled }
  | { readonly kind: 'unreconciled'; readonly reason: string }
  | {
      readonly kind: 'published';
      readonly batches: number;
      readonly filings: number;
      readonly newestFiledAt: string | null;
    }
  | { readonly kind: 'unpublished'; readonly reason: string };

/** A running follower: its parts, and its state, which changes. Times are those of `elapsed`. */
export interface Follower {
  readonly options: FollowOptions;
  readonly connection: Connection;
  readonly work: Work<Event>;
  readonly writer: Writer;
  /** The name of the universe in the records of its runs. */
  readonly target: string;
  state: FollowState;
  /** Null until the ticker files have been fetched. */
  scope: Scope | null;
  /** When the ledger is to be filled from the bulk archive; `Infinity` if it was. */
  nextFillMs: number;
  /** The first day to reconcile; null for the day on which following begins. */
  firstDay: string | null;
  nextTickersMs: number;
  feed: FeedHealth;
  feedReadMs: number | null;
  /** When to read the first page of the feed again while a reading is running. */
  nextFirstPageMs: number;
  round: Round | null;
  told: ToldTime | null;
  /** Entities whose files were read and that are not in the ledger yet. */
  readonly entities: Map<string, Entity>;
  /** Entities whose files were searched for filings that are not known yet. */
  readonly searched: Set<string>;
  corrections: FoundFiling[];
  days: readonly ReconciledDay[];
  nextReconcileMs: number;
  newestFiledAt: string | null;
  /** Since when there is something to append; null if there is nothing. */
  readySinceMs: number | null;
  /** When to write again after a failure. */
  nextWriteMs: number;
  writeFailures: number;
  nextPruneMs: number;
  listed: number;
  /**
   * Batches and new filings that were appended since the program began. All batches that the ledger had at
   * the start count as one.
   */
  readonly appended: { batches: number; filings: number };
  /** How many of these are published. */
  publishedBatches: number;
  publishedFilings: number;
  /** When a snapshot was last published; null if none was. */
  publishedMs: number | null;
  publishFailures: number;
  nextPublishMs: number;
  /** The state that was last saved. */
  savedText: string;
  lastError: { readonly text: string; readonly atMs: number } | null;
  /** Numbers of answers of upstream, by source and status. */
  readonly answers: Map<string, number>;
  /** Number of feed entries and rows that were refused. */
  refused: number;
  /** The last lines that were said about entries of the feed. */
  readonly refusedEntries: LRUCache<string, true>;
  /** Whether it was logged that the clock of this machine is wrong. */
  isWrongClockLogged: boolean;
}

/** Returns the time by the clock of this machine or, if that is wrong, by upstream's. */
export function timeNow({ options, told }: Follower): Time {
  return timeOf(told, options.now(), options.elapsed());
}

/** Returns the time as records write it: ISO 8601 in UTC. */
export function instantNow(follower: Follower): string {
  return new Date(timeNow(follower).nowMs).toISOString();
}

/** Keeps an error for the status line, and logs it unless it is the same as the last one. */
export function noteError(follower: Follower, text: string): void {
  if (follower.lastError?.text !== text) follower.options.log(text, 'warn');
  follower.lastError = { text, atMs: follower.options.elapsed() };
}

/** How long the feed has to fail before the submissions files are polled. */
const pollAfterDefaultMs = 120_000;

/** Returns the entities whose files are polled now; null if the feed is read. */
export function polledMembers({ options, feed, scope }: Follower): readonly string[] | null {
  const members = scope?.members ?? null;
  return isPolling(feed, members, options.elapsed(), options.pollAfterMs ?? pollAfterDefaultMs)
    ? members
    : null;
}

/** Writes the status line. `requestsPerSecond` is the mean since the line before. */
export function describeStatus(follower: Follower, requestsPerSecond: number): string {
  return statusLine(statusOf(follower, requestsPerSecond));
}

/** Returns the status of a follower. */
export function statusOf(follower: Follower, requestsPerSecond: number): Status {
  const { options, state, listed, feed, feedReadMs, lastError } = follower;
  const atMs = options.elapsed();
  return {
    atMs,
    listed,
    published: follower.publishedFilings,
    pending: [...state.pending.values()],
    feedReadMs,
    intervalMs: options.intervalMs,
    requestsPerSecond,
    lastError:
      lastError === null ? null : `${lastError.text} (${Math.round((atMs - lastError.atMs) / 1000)} s ago)`,
    polled: polledMembers(follower)?.length ?? null,
    feedFailedMs: feed.failedSinceMs === null || feed.failures < 2 ? null : atMs - feed.failedSinceMs,
    clockWrongByMs: timeNow(follower).wrongByMs,
  };
}
