import { backoff } from '../../src/fetch/backoff.ts';
import { hourMs } from '../../src/time/units.ts';
import type { LineLog } from '../../src/log/levels.ts';
import type { Requests } from './requests.ts';
import type { FailureKind, FinalOutcome, Outcome } from './outcome.ts';

/**
 * A file could not be fetched. `unavailable`: upstream refuses the file, or too many attempts failed.
 * `throttled`: upstream has blocked this address for a time. `too_large`: the body is longer than allowed.
 * `user_agent_rejected`: upstream does not accept the User-Agent. After `user_agent_rejected`, and if the
 * block does not end, the client sends no more requests: every later `get` rejects with the same `kind`.
 */
export class EdgarUnavailable extends Error {
  override readonly name = 'EdgarUnavailable';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, url: string, attempts: number, reason: string) {
    super(
      `${new URL(url).pathname}: ${kind} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}: ${reason}`,
    );
    this.kind = kind;
  }
}

/** What `createRetry` needs. Times are in milliseconds; `maxAttempts` is the retry limit. */
export interface RetryOptions {
  readonly requests: Requests;
  readonly pause: (pauseMs: number) => Promise<void>;
  readonly random: () => number;
  readonly maxAttempts: number;
  readonly coolDownMs: number;
  readonly log: LineLog;
}

/** The outcomes that end the attempts for a file without an error. */
export type Settled = Extract<FinalOutcome, { kind: 'body' | 'not_modified' | 'absent' }>;

/**
 * Calls `attempt` until it succeeds, or until upstream says that the file does not exist. `madeProgress`
 * tells whether a failed attempt fetched a part that the next attempt can keep; the count of failures then
 * begins again. Rejects with `EdgarUnavailable`.
 */
export type Retry = (
  url: string,
  attempt: () => Promise<FinalOutcome>,
  madeProgress?: () => boolean,
) => Promise<Settled>;

const pauses = { firstMs: 500, longestMs: 30_000 };
/** How many pauses a request waits out while upstream throttles it. */
const coolDownsMaximum = 2;
/**
 * The client takes a block for permanent after it has given up this many requests in a row because of it.
 */
const blockedRequestsMaximum = 2;
/** If upstream asks for a longer pause than this, in milliseconds, the client gives up instead of waiting. */
export const longestWaitMs = hourMs;

/**
 * Creates the function that repeats failed requests. The pauses before repetitions grow. If upstream
 * throttles one request, all requests pause.
 */
export function createRetry({ requests, pause, random, maxAttempts, coolDownMs, log }: RetryOptions): Retry {
  let blockedRequests = 0;

  async function backOff(
    url: string,
    failures: number,
    { reason, pauseMs }: Extract<Outcome, { kind: 'retry' }>,
  ): Promise<void> {
    const waitMs = backoff(failures, { ...pauses, retryAfterMs: pauseMs, random: random() });
    requests.counts.retries++;
    log(
      `${new URL(url).pathname}: ${reason}; attempt ${failures + 1} of ${maxAttempts} in ${seconds(waitMs)}`,
      'warn',
    );
    await pause(waitMs);
  }

  function pauseAll({ status, reason, pauseMs }: Extract<Outcome, { kind: 'throttled' }>): void {
    // A 429 with `Retry-After` says how long to wait. EDGAR's throttle page asks for ten minutes of quiet
    // without such a header, so the pause is at least `coolDownMs`.
    const waitMs = status === 429 && pauseMs > 0 ? pauseMs : Math.max(pauseMs, coolDownMs);
    const longestMs = Math.max(longestWaitMs, coolDownMs);
    if (waitMs > longestMs) {
      requests.pauseAll(longestMs);
      requests.halt('throttled', `${reason}, retry after ${seconds(waitMs)}`);
    } else if (requests.pauseAll(waitMs)) log(`${reason}: no requests for ${seconds(waitMs)}`, 'warn');
  }

  return async (url, attempt, madeProgress = () => false) => {
    let [attempts, failures, coolDowns] = [0, 0, 0];
    const giveUp = (kind: FailureKind, reason: string) => new EdgarUnavailable(kind, url, attempts, reason);
    for (;;) {
      attempts++;
      const outcome = await attempt();
      if (outcome.kind !== 'throttled') blockedRequests = 0;
      switch (outcome.kind) {
        case 'body':
        case 'not_modified':
        case 'absent':
          return outcome;
        case 'failed':
          throw giveUp(outcome.as, outcome.reason);
        case 'retry':
          if (madeProgress()) failures = 0;
          if (++failures >= maxAttempts || outcome.pauseMs > longestWaitMs)
            throw giveUp('unavailable', outcome.reason);
          await backOff(url, failures, outcome);
          break;
        case 'throttled':
          pauseAll(outcome);
          if (++coolDowns <= coolDownsMaximum) break;
          if (++blockedRequests >= blockedRequestsMaximum) requests.halt('throttled', outcome.reason);
          throw giveUp('throttled', outcome.reason);
      }
    }
  };
}

function seconds(timeMs: number): string {
  return `${(timeMs / 1000).toFixed(1)} s`;
}
