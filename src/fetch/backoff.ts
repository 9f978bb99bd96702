import { setTimeout as delay } from 'node:timers/promises';
import { hourMs } from '../time/units.ts';

/** The pauses after failures in a row, in milliseconds. */
export interface BackoffBounds {
  /** The pause after the first failure; each further one is twice as long. */
  readonly firstMs: number;
  /** No pause of our own is longer. */
  readonly longestMs: number;
  /** How long the other side asks us to wait at least; 0 if it says nothing. */
  readonly retryAfterMs?: number;
  /**
   * From 0 to 1: a part of the pause between its half (0) and all of it (1), so that programs that failed together do
   * not come back together. 1 if left out.
   */
  readonly random?: number;
}

/** Returns how long to wait after `failures` in a row, at least 1, in milliseconds. */
export function backoff(
  failures: number,
  { firstMs, longestMs, retryAfterMs = 0, random = 1 }: BackoffBounds,
): number {
  const ownMs = Math.min(longestMs, firstMs * 2 ** (failures - 1));
  return Math.max(ownMs * (0.5 + random / 2), retryAfterMs);
}

/**
 * What another party or a caller says of a pause in milliseconds, as a pause that a timer takes: 0 to an hour. A timer
 * ends at once if it gets more than 24 days, and whoever says so would be asked without a pause.
 */
export function outsidePauseMs(pauseMs: number): number {
  return pauseMs > 0 ? Math.min(pauseMs, hourMs) : 0;
}

/** Waits, an hour at most, by a clock that never jumps. Resolves early when the signal comes. */
export async function pause(pauseMs: number, signal: AbortSignal): Promise<void> {
  await delay(outsidePauseMs(pauseMs), undefined, { signal }).catch(() => {});
}

/**
 * Reads a `Retry-After` of seconds as a pause in milliseconds, an hour at most; 0 without one. A date is not taken: the
 * clocks of two machines differ.
 */
export function retryAfterMsOf(text: string | null | undefined): number {
  return /^\d+$/.test(text ?? '') ? outsidePauseMs(Number(text) * 1000) : 0;
}
