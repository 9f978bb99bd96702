import { Unavailable } from '../files/bytes.ts';
import { backoff } from './backoff.ts';
import type { Gate } from './gate.ts';

/** A failed attempt. */
export class FailedAttempt extends Error {
  /** Whether another attempt may succeed. */
  readonly mayRetry: boolean;
  /** Whether the connection failed: it was not made, was broken, or took too long. */
  readonly isConnectionFailure: boolean;
  /** How long the other side wants us to wait, in milliseconds; 0 if it does not say. */
  readonly retryAfterMs: number;
  constructor(
    message: string,
    mayRetry: boolean,
    {
      isConnectionFailure = false,
      retryAfterMs = 0,
      cause,
    }: { isConnectionFailure?: boolean; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.mayRetry = mayRetry;
    this.isConnectionFailure = isConnectionFailure;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The retry limit, the backoff and the circuit for a host. Times are in milliseconds. */
export interface RetryPolicy {
  /** At most this many attempts for one request. */
  readonly attempts: number;
  readonly firstMs: number;
  readonly longestMs: number;
  /** No attempt begins later than this after the first one. */
  readonly untilMs: number;
  /** While the circuit is open, one attempt in this time is made, and all others fail at once. */
  readonly probeEveryMs: number;
}

/** Repeats requests to a host. */
export interface Retries {
  /**
   * Runs an attempt in its turn, and repeats it with backoff until it succeeds. An urgent attempt waits for
   * no turn, is made at most twice, and ignores the circuit. Rejects with `Unavailable`, or at once with any
   * error but a `FailedAttempt`.
   */
  run<Result>(attempt: (isFirst: boolean) => Promise<Result>, isUrgent?: boolean): Promise<Result>;
}

/**
 * Makes the retries of a host. Its circuit opens when all attempts failed and the host did not answer the
 * last one, so that requests do not wait for a host that is down. It closes with the first answer, whatever
 * its status.
 */
export function createRetries(policy: RetryPolicy, gate: Gate): Retries {
  let isOpen = false;
  let lastAttemptMs = -Infinity;
  let lastFailure: FailedAttempt | null = null;

  async function tried<Result>(attempt: () => Promise<Result>): Promise<Result> {
    lastAttemptMs = performance.now();
    try {
      const result = await attempt();
      isOpen = false;
      return result;
    } catch (error) {
      if (error instanceof FailedAttempt && !error.isConnectionFailure) isOpen = false;
      throw error;
    }
  }

  /** Checks the circuit when the turn comes: it may have opened meanwhile. */
  const triedInTurn = <Result>(attempt: () => Promise<Result>) =>
    gate.run(() => {
      if (isOpen && performance.now() - lastAttemptMs < policy.probeEveryMs)
        throw new Unavailable(`not asked again yet: ${lastFailure?.message}`, { cause: lastFailure });
      return tried(attempt);
    });

  /** The error to reject with after the last attempt. Opens the circuit if the host did not answer. */
  function finalError(error: unknown): unknown {
    if (!(error instanceof FailedAttempt)) return error;
    if (error.isConnectionFailure) [isOpen, lastFailure] = [true, error];
    return new Unavailable(error.message, { cause: error });
  }

  return {
    async run(attempt, isUrgent = false) {
      const startedMs = performance.now();
      for (let failures = 1; ; failures++) {
        try {
          return await (isUrgent ? tried : triedInTurn)(() => attempt(failures === 1));
        } catch (error) {
          if (!(error instanceof FailedAttempt) || !error.mayRetry) throw finalError(error);
          const attempts = isUrgent ? Math.min(2, policy.attempts) : isOpen ? 1 : policy.attempts;
          const waitMs = backoff(failures, {
            ...policy,
            retryAfterMs: error.retryAfterMs,
            random: Math.random(),
          });
          if (failures >= attempts || performance.now() - startedMs + waitMs > policy.untilMs)
            throw finalError(error);
          await new Promise((resolve) => setTimeout(resolve, waitMs));
        }
      }
    },
  };
}
