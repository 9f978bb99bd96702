import type { Gate } from '../snapshot/open.ts';
import { CannotBeHad } from '../files/bytes.ts';
import { HostFailure } from './wire.ts';

/** How often a host is asked again, and how it is spared. */
export interface RetryBounds {
  /** Pauses before the second attempt, the third one and so on, in milliseconds. */
  readonly pausesMs: readonly number[];
  /** No attempt begins later than this. */
  readonly untilMs: number;
  /** While the circuit is open, one attempt is made in this time, and all others fail at once. */
  readonly probeEveryMs: number;
}

/** The usual ones: four attempts within three seconds, unless the host takes its time. */
export const usualRetries: RetryBounds = { pausesMs: [100, 400, 1600], untilMs: 15_000, probeEveryMs: 1000 };

/** Asks a host again where that may help. */
export interface Retries {
  /**
   * Runs an attempt in its turn until it succeeds, at growing intervals. What is urgent does not wait for
   * others, is tried twice at most, and whatever the circuit is. Rejects with `CannotBeHad`, or at once with
   * what is no `HostFailure`.
   */
  run<Result>(attempt: (isFirst: boolean) => Promise<Result>, isUrgent?: boolean): Promise<Result>;
}

/**
 * Makes the retries of a host. Its circuit opens when all attempts at something failed and at last the host
 * did not answer at all, and closes with the first answer, whatever it is: nobody waits for a host that is
 * silent.
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
      if (error instanceof HostFailure && !error.isSilence) isOpen = false;
      throw error;
    }
  }

  /** The circuit may have opened while others had their turn. */
  const triedInTurn = <Result>(attempt: () => Promise<Result>) =>
    inTurn(() => {
      if (isOpen && performance.now() - lastAttemptMs < probeEveryMs)
        throw new CannotBeHad(`not asked again yet: ${lastFailure?.message}`, { cause: lastFailure });
      return tried(attempt);
    });

  /** What a failure for good becomes. */
  function ended(error: unknown): unknown {
    if (!(error instanceof HostFailure)) return error;
    if (error.isSilence) [isOpen, lastFailure] = [true, error];
    return new CannotBeHad(error.message, { cause: error });
  }

  return {
    async run(attempt, isUrgent = false) {
      const startedMs = performance.now();
      for (let at = 0; ; at++) {
        try {
          return await (isUrgent ? tried : triedInTurn)(() => attempt(at === 0));
        } catch (error) {
          const pauseMs = (isUrgent ? pausesMs.slice(0, 1) : isOpen ? [] : pausesMs)[at];
          if (!(error instanceof HostFailure) || !error.mayPass || pauseMs === undefined) throw ended(error);
          // Between half and all of it: many that failed together do not come back together.
          const waitMs = Math.max(pauseMs * (0.5 + Math.random() / 2), error.retryAfterMs);
          if (performance.now() - startedMs + waitMs > untilMs) throw ended(error);
          await new Promise((resolve) => setTimeout(resolve, waitMs));
        }
      }
    },
  };
}
