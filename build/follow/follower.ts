import type { LRUCache } from 'lru-cache';
import type { ReconciledDay } from '../../src/contract/records.ts';
import type { Heartbeat } from '../../src/contract/heartbeat.ts';
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
import type { LedgerWork } from './ledger-work.ts';

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
  /** Looks up and appends. If left out, this thread does that itself. `follow` closes it. */
  readonly ledger?: LedgerWork;
  /** Builds a snapshot of the ledger and returns the newest filing date of the snapshot. */
  readonly publish: () => Promise<string | null>;
  /** Makes joins of segments that later publications want. None are made if left out. Calls may overlap. */
  readonly prepare?: () => Promise<unknown>;
  /** Leaves the heartbeat where services find it. None is left if left out. */
  readonly beat?: (heartbeat: Heartbeat) => Promise<void>;
  /** How often it is left, in milliseconds; tests lower it. */
  readonly heartbeatMs?: number;
  /** Removes old snapshots and files that no snapshot needs. */
  readonly prune: () => Promise<void>;
  readonly log: LineLog;
  /** How long the loop of this thread stood still at most, in milliseconds. */
  readonly stoodStillMs?: () => number;
  /** Shows the progress of the first fill of a ledger. */
  readonly progress: Progress;
  /** Shows the status line, many times a minute. `isMinute` is true about once a minute. */
  readonly showStatus: (line: string, isMinute: boolean) => void;
  readonly signal: AbortSignal;
  /** Called with the follower before it sends a request. If it rejects, `follow` rejects. */
  readonly watch?: (follower: Follower) => Promise<void>;
  /** How long the feed has to fail before the submissions files are polled, in milliseconds. */
  readonly pollAfterMs?: number;
  /** How long no request is sent after upstream's throttle page, in milliseconds. */
  readonly coolDownMs?: number;
  /** How long the end may take, in milliseconds; what is not done then is left for the next start. */
  readonly endingMs?: number;
  /** The fewest rows of a complete ticker file; tests lower it. */
  readonly tickerRowsMinimum?: number;
}

/** A result of work that runs beside the loop. */
export type Event =
  | { readonly kind: 'tickers'; readonly rows: readonly TickerRow[]; readonly refused: readonly string[] }
  | { readonly kind: 'reading'; readonly reading: Reading; readonly startedMs: number }
  /** Entries that a reading of the feed has found before its end. */
  | { readonly kind: 'entries'; readonly entries: readonly FeedEntry[]; readonly madeAtMs: number }
  | { readonly kind: 'first-page'; readonly answer: Fetched<FeedPage> }
  | { readonly kind: 'file'; readonly cik: string; readonly answer: Fetched<EntityFile> }
  | { readonly kind: 'header'; readonly accessionNo: string; readonly answer: Fetched<Header> }
  | { readonly kind: 'reconciled'; readonly done: Reconciled }
  /** A reconciliation failed. */
  | { readonly kind: 'unreconciled'; readonly reason: string }
  | {
      readonly kind: 'published';
      readonly batches: number;
      readonly filings: number;
      readonly newestFiledAt: string | null;
    }
  /** A publication failed. */
  | { readonly kind: 'unpublished'; readonly reason: string };

/**
 * A running follower: its parts, and its state, which changes. Numbers in `…Ms` are times by
 * `options.elapsed`. Each `next…Ms` is the time before which that work does not start.
 */
export interface Follower {
  readonly options: FollowOptions;
  readonly connection: Connection;
  readonly work: Work<Event>;
  readonly writer: LedgerWork;
  /** The name of the universe in the records of its runs. */
  readonly target: string;
  state: FollowState;
  /** Null until the ticker files have been fetched. */
  scope: Scope | null;
  /** When to fill the ledger from the bulk archive; `Infinity` once it was filled. */
  nextFillMs: number;
  /** The first day of which the ledger may lack filings; null for a new ledger. Reconciliation begins with it. */
  firstDay: string | null;
  nextTickersMs: number;
  feed: FeedHealth;
  /** When the feed was last read; null if it never was. */
  feedReadMs: number | null;
  /** When to read the first page of the feed again while a reading is running. */
  nextFirstPageMs: number;
  /** The round through the submissions files; null while the feed is read. */
  round: Round | null;
  /** The time that the feed last told; null if it has told none. */
  told: ToldTime | null;
  /** Entities from submissions files that were read since the last batch. The next batch gets them. */
  readonly entities: Map<string, Entity>;
  /**
   * Companies whose symbols the ledger leads elsewhere, by CIK, and when their submissions files may be asked for:
   * a company that files once a quarter would not get a symbol before.
   */
  readonly moved: Map<string, number>;
  /** Whether the file of such a company was read, so that a batch is due without a filing. */
  hasMoved: boolean;
  /** CIKs whose submissions files were searched for new filings since the program began. */
  readonly searched: Set<string>;
  /** Filings of the ledger about which the feed or a file now tells more. The next batch gets them. */
  corrections: FoundFiling[];
  /** The results of reconciled days, oldest first. */
  days: readonly ReconciledDay[];
  nextReconcileMs: number;
  /** Reconciliations in a row that lacked an index or failed. */
  reconcileFailures: number;
  /** When an index of a quarter may be read again after a failure. */
  nextQuarterMs: number;
  newestFiledAt: string | null;
  /** Since when there is something to append; null if there is nothing. */
  readySinceMs: number | null;
  /** When to write again after a failure. */
  nextWriteMs: number;
  writeFailures: number;
  nextPruneMs: number;
  /** How many filings became pending since the program began. */
  listed: number;
  /**
   * Batches and new filings that were appended since the program began. All batches that the ledger had at
   * the start count as one.
   */
  readonly appended: { batches: number; filings: number };
  /** Since when a batch waits to be published; null if all are. */
  unpublishedSinceMs: number | null;
  /** How many of the batches and filings in `appended` are published. */
  publishedBatches: number;
  publishedFilings: number;
  /** When a snapshot was last published; null if none was. */
  publishedMs: number | null;
  publishFailures: number;
  nextPublishMs: number;
  /** The value of `publishedMs` when joins were last prepared. */
  preparedMs: number | null;
  /** The text of the state as it was last saved. */
  savedText: string;
  lastError: { readonly text: string; readonly atMs: number } | null;
  /** How many answers upstream gave, by source and status, such as `feed 200`. */
  readonly answers: Map<string, number>;
  /** How many feed entries and rows the follower refused. */
  refused: number;
  /** The last log lines about refused entries of the feed, so that each is logged once. */
  readonly refusedEntries: LRUCache<string, true>;
  /** Whether it was logged that the clock of this machine is wrong. */
  isWrongClockLogged: boolean;
}

/** Returns the time by this machine's clock, or by upstream's clock if this machine's is wrong. */
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

/** Returns the status line. `requestsPerSecond` is the mean since the line before. */
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
