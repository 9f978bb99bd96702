import { outsidePauseMs } from '../../src/time/outside-pause.ts';

/** A change whose attempts failed for so long is given up, in milliseconds: three days. */
export const givenUpAfterMs = 3 * 86_400_000;

const firstPauseMs = 3000;

/**
 * How long to wait after `attempts` in a row that failed: at most 3 seconds after the first one, twice
 * as long after each further one, at most an hour; at least as long as the receiver asks for, but not more
 * than an hour. The random part keeps endpoints apart that failed at the same moment. `random` is from 0 to
 * 1.
 */
export function pauseMsAfter(attempts: number, retryAfterMs: number, random: number): number {
  const longest = outsidePauseMs(firstPauseMs * 2 ** (attempts - 1));
  return Math.max(longest * (0.5 + random / 2), outsidePauseMs(retryAfterMs));
}
