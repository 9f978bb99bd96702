import { hourMs } from '../../src/contract/time.ts';
import type { LineLog } from '../../src/log/levels.ts';
import type { Requests } from './requests.ts';
import type { FailureKind, FinalOutcome, Outcome } from './outcome.ts';

/**
 * A file that cannot be had now: it or the network failed too often (`unavailable`), this address is blocked
 * for a time (`throttled`), the body is longer than allowed (`too_large`), or upstream does not accept the
 * User-Agent (`refused`). After `refused`, and when the block does not end, the client sends nothing more and
 * every `get` rejects likewise.
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

/** What is tried again needs this. */
export interface RetryOptions {
  readonly requests: Requests;
  readonly pause: (pauseMs: number) => Promise<void>;
  readonly random: () => number;
  readonly maxAttempts: number;
  readonly coolDownMs: number;
  readonly log: LineLog;
}

/** What ends the attempts for a file. */
export type Settled = Extract<FinalOutcome, { kind: 'body' | 'not_modified' | 'absent' }>;

/**
 * Tries until upstream has said something about a file. `madeProgress` says whether an attempt that failed
 * brought something that the next one need not ask for: then the count of failures begins again.
 */
export type Retry = (
  url: string,
  attempt: () => Promise<FinalOutcome>,
  madeProgress?: () => boolean,
) => Promise<Settled>;

const firstPauseMs = 500;
const longestPauseMs = 30_000;
const coolDownsMaximum = 2;
/** When so many requests in a row were throttled to the end, the block does not end. */
const blockedRequestsMaximum = 2;
/** Upstream may ask for a pause this long, no longer. */
const longestWaitMs = hourMs;

/** Makes the policy by which a client tries again. What throttles one file counts for all. */
export function createRetry({ requests, pause, random, maxAttempts, coolDownMs, log }: RetryOptions): Retry {
  let blockedRequests = 0;

  async function rest(
    url: string,
    failures: number,
    { reason, pauseMs }: Extract<Outcome, { kind: 'retry' }>,
  ): Promise<void> {
    const growingMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
    const restMs = Math.max(pauseMs, growingMs * (0.5 + random() / 2));
    requests.counts.retries++;
    log(
      `${new URL(url).pathname}: ${reason}; attempt ${failures + 1} of ${maxAttempts} in ${seconds(restMs)}`,
      'warn',
    );
    await pause(restMs);
  }

  function restAll({ status, reason, pauseMs }: Extract<Outcome, { kind: 'throttled' }>): void {
    // The page names no time and means ten minutes; a 429 that names one means it.
    const restMs = status === 429 && pauseMs > 0 ? pauseMs : Math.max(pauseMs, coolDownMs);
    if (restMs > Math.max(longestWaitMs, coolDownMs))
      requests.halt('throttled', `${reason}, come back in ${seconds(restMs)}`);
    else if (requests.restAll(restMs)) log(`${reason}: nothing is asked for ${seconds(restMs)}`, 'warn');
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
          await rest(url, failures, outcome);
          break;
        case 'throttled':
          restAll(outcome);
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
