import { minuteMs } from '../../../src/time/units.ts';
import { backoff } from '../../../src/fetch/backoff.ts';

/** How the last readings of the feed went. Times are milliseconds of a monotonic clock. */
export interface FeedHealth {
  /** Readings in a row that failed. */
  readonly failures: number;
  /** When the first of these readings began; null if the last reading succeeded. */
  readonly failedSinceMs: number | null;
}

/** The health of a feed whose last reading succeeded, or that was not read yet. */
export const healthyFeed: FeedHealth = { failures: 0, failedSinceMs: null };

const longestPauseMs = minuteMs;

/** Returns the health of the feed after a reading that failed and that began at `startedMs`. */
export function afterFailure({ failures, failedSinceMs }: FeedHealth, startedMs: number): FeedHealth {
  return { failures: failures + 1, failedSinceMs: failedSinceMs ?? startedMs };
}

/**
 * Returns when to read the feed again after a reading that began at `startedMs` and ended at `atMs`: an
 * interval after it began. If it failed, half an interval after it ended; each further failure doubles that
 * pause, up to a minute, or up to an interval that is longer.
 */
export function nextReadingMs(
  { failures }: FeedHealth,
  startedMs: number,
  atMs: number,
  intervalMs: number,
): number {
  return failures === 0
    ? startedMs + intervalMs
    : atMs + backoff(failures, { firstMs: intervalMs / 2, longestMs: Math.max(longestPauseMs, intervalMs) });
}

/** The follower does not poll the files of a larger universe: one round would take too long. */
const membersMaximum = 1000;
/** The next round begins at least this long after the last one began. */
const roundMs = minuteMs;

/** A round asks once for the submissions file of each entity of a universe. This is its state. */
export interface Round {
  readonly startedMs: number;
  /** The number of files that the round has asked for so far. */
  readonly asked: number;
}

/** Whether the feed has failed for at least `afterMs`. */
export const isFeedAway = ({ failedSinceMs }: FeedHealth, atMs: number, afterMs: number): boolean =>
  failedSinceMs !== null && atMs - failedSinceMs >= afterMs;

/**
 * Whether the follower polls the submissions files of a universe instead of the feed: if the feed has failed
 * for at least `afterMs`, and the universe has few entities.
 */
export function isPolling(
  feed: FeedHealth,
  members: readonly string[] | null,
  atMs: number,
  afterMs: number,
): boolean {
  return (
    isFeedAway(feed, atMs, afterMs) &&
    members !== null &&
    members.length > 0 &&
    members.length <= membersMaximum
  );
}

/**
 * Returns the entity to ask for next, and the state of the round after that request. Null if the round has
 * asked for all files and the next round may not begin yet.
 */
export function nextInRound(
  round: Round | null,
  members: readonly string[],
  atMs: number,
): { readonly cik: string; readonly round: Round } | null {
  const isDone = round === null || round.asked >= members.length;
  if (isDone && round !== null && atMs - round.startedMs < roundMs) return null;
  const current = isDone ? { startedMs: atMs, asked: 0 } : round;
  const cik = members[current.asked];
  return cik === undefined ? null : { cik, round: { ...current, asked: current.asked + 1 } };
}
