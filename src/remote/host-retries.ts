import type { Gate } from '../files/gate.ts';
import { Unavailable } from '../files/bytes.ts';
import { HostFailure } from './wire.ts';

/** The retry limit, the backoff and the circuit for a host. */
export interface RetryBounds {
  /** Pauses before the second attempt, the third attempt and so on, in milliseconds. */
  readonly pausesMs: readonly number[];
  /** No attempt begins later than this after the first one, in milliseconds. */
  readonly untilMs: number;
  /**
   * While the circuit is open, one attempt in this time is made, and all others fail at once, in
   * milliseconds.
   */
  readonly probeEveryMs: number;
}

/** The defaults: four attempts within three seconds, unless the host answers slowly. */
export const usualRetries: RetryBounds = { pausesMs: [100, 400, 1600], untilMs: 15_000, probeEveryMs: 1000 };

/** Repeats requests to a host. */
export interface Retries {
  /**
   * Runs an attempt in its turn, and repeats it with backoff until it succeeds. An urgent attempt waits for
   * no turn, is made at most twice, and ignores the circuit. Rejects with `Unavailable`, or at once with any
   * error but a `HostFailure`.
   */
  run<Result>(attempt: (isFirst: boolean) => Promise<Result>, isUrgent?: boolean): Promise<Result>;
}

/**
 * Makes the retries of a host. Its circuit opens when all attempts failed and the host did not answer the
 * last one, so that requests do not wait for a host that is down. It closes with the first answer, whatever
 * its status.
 */
export function createRetries({ pausesMs, untilMs, probeEveryMs }: RetryBounds, inTurn: Gate): Retries {
  let isOpen = false;
  let lastAttemptMs = -Infinity;
  let lastFailure: HostFailure | null = null;

  async function tried<Result>(attempt: () => Promise<Result>): Promise<Result> {
    lastAttemptMs = performance.now();
    try {
      const result = await attempt();
      isOpen = false;
      return result;
    } catch (error) {
      if (error instanceof HostFailure && !error.isConnectionFailure) isOpen = false;
      throw error;
    }
  }

  /** Checks the circuit when the turn comes: it may have opened meanwhile. */
  const triedInTurn = <Result>(attempt: () => Promise<Result>) =>
    inTurn(() => {
      if (isOpen && performance.now() - lastAttemptMs < probeEveryMs)
        throw new Unavailable(`not asked again yet: ${lastFailure?.message}`, { cause: lastFailure });
      return tried(attempt);
    });

  /** The error to reject with after the last attempt. Opens the circuit if the host did not answer. */
  function finalError(error: unknown): unknown {
    if (!(error instanceof HostFailure)) return error;
    if (error.isConnectionFailure) [isOpen, lastFailure] = [true, error];
    return new Unavailable(error.message, { cause: error });
  }

  return {
    async run(attempt, isUrgent = false) {
      const startedMs = performance.now();
      for (let at = 0; ; at++) {
        try {
          return await (isUrgent ? tried : triedInTurn)(() => attempt(at === 0));
        } catch (error) {
          const pauseMs = (isUrgent ? pausesMs.slice(0, 1) : isOpen ? [] : pausesMs)[at];
          if (!(error instanceof HostFailure) || !error.mayRetry || pauseMs === undefined)
            throw finalError(error);
          // Between half of the pause and all of it, so that requests that failed together are not repeated
          // together.
          const waitMs = Math.max(pauseMs * (0.5 + Math.random() / 2), error.retryAfterMs);
          if (performance.now() - startedMs + waitMs > untilMs) throw finalError(error);
          await new Promise((resolve) => setTimeout(resolve, waitMs));
        }
      }
    },
  };
}
