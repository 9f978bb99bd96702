import { minuteMs } from '../../src/contract/time.ts';

/** The feed as it was had lately. Times are milliseconds of a clock that never goes back. */
export interface FeedHealth {
  /** Readings in a row that brought nothing. */
  readonly failures: number;
  /** When the first of them began; null if the last reading went well. */
  readonly failedSinceMs: number | null;
  readonly nextAtMs: number;
}

/** A feed that is to be read at once. */
export const untriedFeed: FeedHealth = { failures: 0, failedSinceMs: null, nextAtMs: 0 };

const longestPauseMs = minuteMs;

/**
 * What is known of the feed after a reading that began at an instant: the pauses after failures grow, from
 * half an interval.
 */
export function afterAttempt(
  health: FeedHealth,
  isGood: boolean,
  startedMs: number,
  atMs: number,
  intervalMs: number,
): FeedHealth {
  if (isGood) return { failures: 0, failedSinceMs: null, nextAtMs: startedMs + intervalMs };
  const failures = health.failures + 1;
  return {
    failures,
    failedSinceMs: health.failedSinceMs ?? startedMs,
    nextAtMs: atMs + Math.min(Math.max(longestPauseMs, intervalMs), intervalMs * 2 ** (failures - 2)),
  };
}

/** A universe of more entities is not asked for file by file: that would take too long to be of use. */
const membersMaximum = 1000;
/** No turn takes less time: what changes is asked for again soon enough. */
const turnMs = minuteMs;

/** Where a turn through the entities of a universe has come to. */
export interface Turn {
  readonly startedMs: number;
  /** How many were asked for. */
  readonly asked: number;
}

/**
 * Whether a universe is followed by its submissions files: where the feed has failed for long, and its
 * entities are few.
 */
export function isPolling(
  { failedSinceMs }: FeedHealth,
  members: readonly string[] | null,
  atMs: number,
  afterMs: number,
): boolean {
  return (
    failedSinceMs !== null &&
    atMs - failedSinceMs >= afterMs &&
    members !== null &&
    members.length > 0 &&
    members.length <= membersMaximum
  );
}

/**
 * The next entity to ask for, and the turn behind it; null if the turn is done and the next one has to wait.
 */
export function nextInTurn(
  turn: Turn | null,
  members: readonly string[],
  atMs: number,
): { readonly cik: string; readonly turn: Turn } | null {
  const isDone = turn === null || turn.asked >= members.length;
  if (isDone && turn !== null && atMs - turn.startedMs < turnMs) return null;
  const current = isDone ? { startedMs: atMs, asked: 0 } : turn;
  const cik = members[current.asked];
  return cik === undefined ? null : { cik, turn: { ...current, asked: current.asked + 1 } };
}
