import type { PartOptions, Shared } from './common/shared.ts';
import type { Work } from './common/work.ts';
import type { Publisher } from './publisher.ts';
import type { Reader } from './reading/reader.ts';
import type { Reconciler } from './reconciler.ts';
import { statusLine, type Status } from './status-line.ts';

/** What `follow` needs. */
export interface FollowOptions extends PartOptions {
  /** Called with the follower before it sends a request. If it rejects, `follow` rejects. */
  readonly watch?: (follower: Follower) => Promise<void>;
}

/** A running follower: its three parts, each with a state that it alone changes, and what they share. */
export interface Follower extends Shared {
  readonly work: Work;
  readonly reader: Reader;
  readonly publisher: Publisher;
  readonly reconciler: Reconciler;
  /** How many answers upstream gave, by source and status, such as `feed 200`. */
  readonly answers: ReadonlyMap<string, number>;
}

/** Returns the status line. `requestsPerSecond` is the mean since the line before. */
export function describeStatus(follower: Follower, requestsPerSecond: number): string {
  return statusLine(statusOf(follower, requestsPerSecond));
}

/** Returns the status of a follower. */
export function statusOf(follower: Follower, requestsPerSecond: number): Status {
  const { options, clock, reader, publisher } = follower;
  const { state, listed, feed, feedReadMs } = reader;
  const atMs = clock.elapsed();
  const error = follower.errors.last();
  return {
    atMs,
    listed,
    published: publisher.published.filings,
    pending: [...state.pending.values()],
    unpublishedSinceMs: publisher.unpublishedSinceMs,
    unreadHistories: reader.unreadHistories(),
    feedReadMs,
    intervalMs: options.intervalMs,
    requestsPerSecond,
    lastError: error && `${error.text} (${Math.round((atMs - error.atMs) / 1000)} s ago)`,
    polled: reader.polled()?.length ?? null,
    feedFailedMs: feed.failedSinceMs === null || feed.failures < 2 ? null : atMs - feed.failedSinceMs,
    clockWrongByMs: clock.now().wrongByMs,
  };
}
