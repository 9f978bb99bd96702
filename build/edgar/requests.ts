import { createWire, reasonOf, redirectTarget } from '../../src/fetch/wire.ts';
import { createRateLimiter } from './rate-limiter.ts';
import type { KeptPause } from './kept-pause.ts';
import { readReply, type TakeBody } from './reply.ts';
import { outcomeOf, type FailureKind, type FinalOutcome, type Outcome } from './outcome.ts';

/** Counts of what a client has done so far. */
export interface EdgarCounts {
  /** All requests that were sent, retries included. */
  requests: number;
  /** Answers 304: the body that the cache has is still upstream's. */
  notModified: number;
  /** Failed attempts that were followed by a retry. */
  retries: number;
  /** Answers that said that this address sends too many requests. */
  throttled: number;
}

/** What `createRequests` needs. Times are in milliseconds. */
export interface RequestsOptions {
  readonly userAgent: string;
  /** The current limit; it may change. */
  readonly requestsPerSecond: () => number;
  /** Time for one complete answer, from connecting to the last byte. */
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly sleep: (pauseMs: number) => Promise<void>;
  /** The pause that upstream asked this address for, as all programs keep it. */
  readonly keptPause: KeptPause;
  /** Called for each request that was sent, with its status, or null if there was no complete answer. */
  readonly onAnswer: ((url: URL, status: number | null) => void) | undefined;
  /**
   * After an abort, requests that wait for their turn reject. `close` ends those that are running, so the
   * code that aborts must call it, too.
   */
  readonly signal: AbortSignal;
}

/** Names the version of a body that the caller has. Upstream answers 304 if it still has the same version. */
export interface Known {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** How to fetch a body without holding it in memory: `take` gets it piece by piece. */
export interface Download {
  /** `Range` and `If-Range`, if a part has been fetched before. */
  readonly headers: Readonly<Record<string, string>>;
  readonly take: TakeBody;
}

/** Sends single requests within the limit and tells what their answers mean. Has no retries and no cache. */
export interface Requests {
  /**
   * Sends one request. Follows one redirect, if it stays on the same host. Rejects only if the signal was
   * aborted.
   */
  ask(url: URL, bytesMaximum: number, known: Known | undefined, download?: Download): Promise<FinalOutcome>;
  /** Starts no request for this time. Returns false if a pause was already running. */
  pauseAll(pauseMs: number): boolean;
  /**
   * Sends no more requests. Each one that waits for its turn, and each later one, gets the outcome `failed`.
   */
  halt(as: FailureKind, reason: string): void;
  readonly counts: EdgarCounts;
  /** Ends running requests and closes all connections. */
  close(): Promise<void>;
}

const connectionsMaximum = 10;

/** Creates the requests of a client. Connections are opened when the first request needs them. */
export function createRequests({
  userAgent,
  requestsPerSecond,
  timeoutMs,
  now,
  sleep,
  keptPause,
  signal,
  onAnswer,
}: RequestsOptions): Requests {
  const limiter = createRateLimiter({ requestsPerSecond, now, sleep, pausedMs: keptPause.leftMs });
  const wire = createWire({ connections: connectionsMaximum });
  const counts: EdgarCounts = { requests: 0, notModified: 0, retries: 0, throttled: 0 };
  const lateReason = `no complete answer within ${timeoutMs} ms`;
  let halted: Outcome | null = null;

  async function once(
    url: URL,
    bytesMaximum: number,
    known: Known | undefined,
    download?: Download,
  ): Promise<Outcome> {
    const markCounted = await limiter.start();
    try {
      signal.throwIfAborted();
      if (halted) return halted;
      counts.requests++;
      const conditional = conditions(known);
      const headers = {
        'user-agent': userAgent,
        'accept-encoding': download ? 'identity' : 'gzip',
        ...conditional,
        ...download?.headers,
      };
      const answer = await wire.send({ url, headers, wholeMs: timeoutMs, lateReason }, (begun) => {
        markCounted();
        return readReply(begun, bytesMaximum, download?.take);
      });
      onAnswer?.(url, answer.status);
      return count(outcomeOf(answer, Object.keys(conditional).length > 0, now(), download !== undefined));
    } catch (error) {
      signal.throwIfAborted();
      onAnswer?.(url, null);
      return { kind: 'retry', reason: reasonOf(error), pauseMs: 0 };
    } finally {
      markCounted();
    }
  }

  function count(outcome: Outcome): Outcome {
    if (outcome.kind === 'not_modified') counts.notModified++;
    if (outcome.kind === 'throttled') counts.throttled++;
    else keptPause.forget();
    if (outcome.kind === 'failed' && outcome.as === 'user_agent_rejected') halt(outcome.as, outcome.reason);
    return outcome;
  }

  function halt(as: FailureKind, reason: string): void {
    halted ??= { kind: 'failed', as, reason: `no more requests are sent since ${reason}` };
  }

  return {
    async ask(url, bytesMaximum, known, download) {
      const first = await once(url, bytesMaximum, known, download);
      if (first.kind !== 'moved') return first;
      const target = redirectTarget(url, first.location);
      const notFollowed = {
        kind: 'failed',
        as: 'unavailable',
        reason: `HTTP ${first.status} to ${JSON.stringify(first.location.slice(0, 200))}`,
      } as const;
      if (target?.origin !== url.origin) return notFollowed;
      const second = await once(target, bytesMaximum, known, download);
      return second.kind === 'moved' ? notFollowed : second;
    },
    pauseAll(pauseMs) {
      keptPause.keep(pauseMs);
      return limiter.pauseAll(pauseMs);
    },
    halt,
    counts,
    close: wire.close,
  };
}

/**
 * Returns the header of a conditional request: the ETag, or the date if there is no ETag. By RFC 9110,
 * section 13.1.3, a server ignores the date beside an ETag. Some servers answer 304 if either matches, so
 * only one is sent.
 */
function conditions(known: Known | undefined): Record<string, string> {
  if (known?.etag) return { 'if-none-match': known.etag };
  return known?.lastModified ? { 'if-modified-since': known.lastModified } : {};
}
