import { minuteMs } from '../../src/contract/time.ts';

/** The feed as it was had lately. Times are milliseconds of a clock that never goes back. */
export interface FeedHealth {
  /** Readings in a row that failed. */
  readonly failures: number;
  /** When the first of these readings began; null if the last reading succeeded. */
  readonly failedSinceMs: number | null;
  readonly nextAtMs: number;
}

/** A feed that was not read yet and is read at once. */
export const untriedFeed: FeedHealth = { failures: 0, failedSinceMs: null, nextAtMs: 0 };

const longestPauseMs = minuteMs;

/**
 * Returns the health of the feed after a reading that began at `startedMs`. The pauses after failures grow,
 * beginning with half an interval.
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

/** A universe of more entities is not polled file by file: that would take too long to be useful. */
const membersMaximum = 1000;
/** A round through the entities takes at least this long. */
const roundMs = minuteMs;

/** The state of a round through the submissions files of a universe. */
export interface Round {
  readonly startedMs: number;
  /** The number of entities whose file was asked for in this round. */
  readonly asked: number;
}

/**
 * Whether a universe is followed by polling its submissions files: the feed has failed for at least
 * `afterMs`, and the universe has few entities.
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
 * Returns the entity whose file is asked for next, and the round after that; null if the round is done and
 * the next one has to wait.
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
