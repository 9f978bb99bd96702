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
import { isPolling, type FeedHealth, type Turn } from './poll.ts';
import type { Reading } from './reading.ts';
import type { Scope } from './scope.ts';
import type { FollowState } from './state.ts';
import { statusLine, type Status } from './status.ts';
import type { Work } from './work.ts';
import type { Writer } from './writer.ts';

/** What is to be followed, and with what. */
export interface FollowOptions {
  readonly universe: Universe;
  /** From the beginning of one reading of the feed to that of the next one, in milliseconds. */
  readonly intervalMs: number;
  readonly folders: LedgerFolders;
  readonly settings: EdgarSettings;
  /** The clock of this machine, in milliseconds since 1970. */
  readonly now: () => number;
  /** A clock that never goes back, in milliseconds. */
  readonly elapsed: () => number;
  /** Brings the snapshots up to the ledger. Gives the newest filing date of the snapshot. */
  readonly publish: () => Promise<string | null>;
  /** Removes what no snapshot needs any more. */
  readonly prune: () => Promise<void>;
  readonly log: LineLog;
  /** Shows how far the first filling of a ledger has come. */
  readonly progress: Progress;
  /** Shows a line of status; it is told whether a minute has passed since the one before. */
  readonly showStatus: (line: string, isMinute: boolean) => void;
  readonly signal: AbortSignal;
  /** Told of the follower before it asks for anything. What it rejects with ends everything. */
  readonly watch?: (follower: Follower) => Promise<void>;
  /** For how long the feed fails before the submissions files are asked for in turn, in milliseconds. */
  readonly pollAfterMs?: number;
  /** How long nothing is asked after upstream's throttle page, in milliseconds. */
  readonly coolDownMs?: number;
  /** Fewest rows of a whole ticker file; tests lower it. */
  readonly tickerRowsMinimum?: number;
}

/** What comes in from work that goes on beside the loop. */
export type Event =
  | { readonly kind: 'tickers'; readonly rows: readonly TickerRow[]; readonly refused: readonly string[] }
  | { readonly kind: 'reading'; readonly reading: Reading; readonly startedMs: number }
  /** What a reading that goes on has read so far. */
  | { readonly kind: 'entries'; readonly entries: readonly FeedEntry[]; readonly madeAtMs: number }
  | { readonly kind: 'head'; readonly answer: Fetched<FeedPage> }
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

/**
 * A follower at work: what it is made of, and what changes while it goes on. Times are those of `elapsed`.
 */
export interface Follower {
  readonly options: FollowOptions;
  readonly connection: Connection;
  readonly work: Work<Event>;
  readonly writer: Writer;
  /** How the records of its runs name the universe. */
  readonly target: string;
  state: FollowState;
  /** Null before the ticker files are there. */
  scope: Scope | null;
  /** When the ledger is to be filled with what was filed before; never if it was. */
  nextFillMs: number;
  /**
   * The day from which on the ledger is held against the indexes; null for the day on which following begins.
   */
  firstDay: string | null;
  nextTickersMs: number;
  feed: FeedHealth;
  feedReadMs: number | null;
  /** When the first page is to be read while a reading goes on. */
  nextHeadMs: number;
  turn: Turn | null;
  told: ToldTime | null;
  /** Entities whose files were read and are not in the ledger yet. */
  readonly entities: Map<string, Entity>;
  /** Entities whose files were looked through for filings that nobody knows. */
  readonly lookedThrough: Set<string>;
  corrections: FoundFiling[];
  days: readonly ReconciledDay[];
  nextReconcileMs: number;
  newestFiledAt: string | null;
  /** When something that could be appended came first; null if nothing can. */
  ripeSinceMs: number | null;
  /** When it may try to write again after that failed. */
  nextWriteMs: number;
  writeFailures: number;
  nextPruneMs: number;
  listed: number;
  /**
   * Batches and new filings that were appended since the program began; batches that the snapshot lacked at
   * its start are one.
   */
  readonly appended: { batches: number; filings: number };
  /** How many of them are served. */
  publishedBatches: number;
  publishedFilings: number;
  /** When a snapshot was published last; null if none was. */
  publishedMs: number | null;
  publishFailures: number;
  nextPublishMs: number;
  /** What was kept last of what is pending. */
  savedText: string;
  lastError: { readonly text: string; readonly atMs: number } | null;
  /** Answers of upstream by source and status. */
  readonly answers: Map<string, number>;
  /** Entries of the feed and rows that were refused. */
  refused: number;
  /** The last lines that were said about entries of the feed. */
  readonly refusedEntries: LRUCache<string, true>;
  /** What was said about the clock of the machine. */
  isClockSaidWrong: boolean;
}

/** The time, by the clock of the machine or, where that is wrong, by upstream's. */
export function timeNow({ options, told }: Follower): Time {
  return timeOf(told, options.now(), options.elapsed());
}

/** The time as records have it. */
export function instantNow(follower: Follower): string {
  return new Date(timeNow(follower).nowMs).toISOString();
}

/** Keeps what went wrong for the status line, and says it if it is not what was said last. */
export function noteError(follower: Follower, text: string): void {
  if (follower.lastError?.text !== text) follower.options.log(text, 'warn');
  follower.lastError = { text, atMs: follower.options.elapsed() };
}

/** For so long the feed fails before the submissions files are asked for in turn. */
const pollAfterDefaultMs = 120_000;

/** The entities that are asked for in turn now; null if the feed is read. */
export function polledMembers({ options, feed, scope }: Follower): readonly string[] | null {
  const members = scope?.members ?? null;
  return isPolling(feed, members, options.elapsed(), options.pollAfterMs ?? pollAfterDefaultMs)
    ? members
    : null;
}

/** The line of status. `requestsPerSecond` is the mean since the line before. */
export function describeStatus(follower: Follower, requestsPerSecond: number): string {
  return statusLine(statusOf(follower, requestsPerSecond));
}

/** What can be told of a follower now. */
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
