import { setTimeout as delay } from 'node:timers/promises';
import { asOfMs, type Cache, type CacheEntry } from './cache.ts';
import { createRequests, type EdgarCounts } from './requests.ts';
import { validateRequestsPerSecond, validateUserAgent, type EdgarSettings } from './settings.ts';
import type { WireAnswer } from './transport.ts';
import type { FailureKind, Judged, Verdict } from './verdict.ts';

export type { EdgarCounts } from './requests.ts';
export { submissionsUrl, tickersUrl, validateUserAgent, type EdgarSettings } from './settings.ts';

/** What a client is made of. Times are in milliseconds. */
export interface EdgarClientOptions {
  readonly settings: EdgarSettings;
  readonly cache: Cache;
  readonly now: () => number;
  /** Must reject when the signal aborts. */
  readonly sleep?: (pauseMs: number, signal: AbortSignal) => Promise<void>;
  /** From 0 up to, not including, 1. */
  readonly random?: () => number;
  /** How long nothing is asked after the throttle page. 11 minutes unless given: upstream wants quiet for 10. */
  readonly coolDownMs?: number;
  /** How often one request may fail before it is given up; 5 unless given. */
  readonly maxAttempts?: number;
  /** For one whole answer, from connecting to the last byte; 2 minutes unless given. */
  readonly timeoutMs?: number;
  /** What was checked at this instant (as `Date.toISOString` writes it) or later is not asked for again. */
  readonly freshSince?: string | null;
  readonly log?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** What `EdgarClient.get` gives. */
export type EdgarAnswer =
  /**
   * `changed` is false if the body is the one that the cache had. `asOfMs` is when upstream made it, in milliseconds since
   * 1970: its `Last-Modified`, or when it was last checked if it has none.
   */
  | { readonly kind: 'ok'; readonly body: Buffer; readonly changed: boolean; readonly asOfMs: number }
  /** Upstream says that there is no such file, or not yet. The cache keeps what it has. */
  | { readonly kind: 'absent'; readonly status: number; readonly reason: string };

/** What is wanted of a body. */
export interface EdgarGetOptions {
  /** Greatest length, decompressed. */
  readonly maxBytes: number;
  /** Throws if a body is not what was asked for, such as one that was cut off; its message says why. */
  readonly check?: (body: Buffer) => void;
}

/** Asks EDGAR politely: at a limited rate, for what has changed, and not when told to stop. */
export interface EdgarClient {
  /**
   * Gets a file. Rejects with `EdgarUnavailable`, with an `AbortError` if the client was stopped or closed, or with the
   * error of a file system that fails under the cache.
   */
  get(url: string, options: EdgarGetOptions): Promise<EdgarAnswer>;
  readonly counts: Readonly<EdgarCounts>;
  /** Ends what is underway, waits for it, and closes every connection. */
  close(): Promise<void>;
}

/**
 * A file that cannot be had now: it or the network failed too often (`unavailable`), this address is blocked for a time
 * (`throttled`), the body is longer than allowed (`too_large`), or upstream does not accept the User-Agent (`refused`).
 * After `refused`, and when the block does not end, the client sends nothing more and every `get` rejects likewise.
 */
export class EdgarUnavailable extends Error {
  override readonly name = 'EdgarUnavailable';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, url: string, attempts: number, reason: string) {
    super(`${new URL(url).pathname}: ${kind} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}: ${reason}`);
    this.kind = kind;
  }
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;
const coolDownsMaximum = 2;
/** When so many requests in a row were throttled to the end, the block does not end. */
const blockedRequestsMaximum = 2;
/** Upstream may ask for a pause this long, no longer. */
const longestWaitMs = 3_600_000;

/** Makes a client. Throws an `Error` if the User-Agent or the rate is not acceptable: it never asks anonymously or too often. */
export function createEdgarClient(options: EdgarClientOptions): EdgarClient {
  const { cache, now, random = Math.random, maxAttempts = 5, coolDownMs = 11 * 60_000, timeoutMs = 120_000, freshSince = null, log = () => {} } = options;
  const { sleep = (pauseMs: number, signal: AbortSignal) => delay(pauseMs, undefined, { signal }) } = options;
  const userAgent = validateUserAgent(options.settings.userAgent);
  const requestsPerSecond = validateRequestsPerSecond(options.settings.requestsPerSecond);

  const stop = new AbortController();
  const pause = (pauseMs: number) => sleep(pauseMs, stop.signal);
  const requests = createRequests({ userAgent, requestsPerSecond, timeoutMs, now, sleep: pause, signal: stop.signal });
  const underway = new Set<Promise<unknown>>();
  let blockedRequests = 0;

  async function get(url: string, wanted: EdgarGetOptions): Promise<EdgarAnswer> {
    const known = await readKnown(url, wanted);
    if (known && freshSince !== null && known.checkedAt >= freshSince) return { kind: 'ok', body: known.body, changed: false, asOfMs: asOfMs(known) };
    let [attempts, failures, coolDowns] = [0, 0, 0];
    const giveUp = (kind: FailureKind, reason: string) => new EdgarUnavailable(kind, url, attempts, reason);
    for (;;) {
      attempts++;
      const verdict = checkBody(await requests.ask(new URL(url), wanted.maxBytes, known), wanted.check);
      if (verdict.kind !== 'throttled') blockedRequests = 0;
      switch (verdict.kind) {
        case 'body':
          return accept(url, verdict.answer, known);
        case 'not_modified':
          return confirm(url, known as CacheEntry);
        case 'absent':
          return verdict;
        case 'failed':
          throw giveUp(verdict.as, verdict.reason);
        case 'retry':
          if (++failures >= maxAttempts || verdict.pauseMs > longestWaitMs) throw giveUp('unavailable', verdict.reason);
          await rest(url, failures, verdict);
          break;
        case 'throttled':
          restAll(verdict);
          if (++coolDowns <= coolDownsMaximum) break;
          if (++blockedRequests >= blockedRequestsMaximum) requests.halt('throttled', verdict.reason);
          throw giveUp('throttled', verdict.reason);
      }
    }
  }

  /** What the cache has that passes the check. What does not pass is of no use to anybody. */
  async function readKnown(url: string, { maxBytes, check }: EdgarGetOptions): Promise<CacheEntry | undefined> {
    const known = await cache.read(url);
    if (!known || known.body.length > maxBytes) return undefined;
    if (fault(known.body, check) === null) return known;
    await cache.remove(url);
    return undefined;
  }

  async function accept(url: string, { body, etag, lastModified }: WireAnswer, known: CacheEntry | undefined): Promise<EdgarAnswer> {
    const entry = { body, etag, lastModified, checkedAt: instant(now()) };
    await cache.write(url, entry);
    return { kind: 'ok', body, changed: !known?.body.equals(body), asOfMs: asOfMs(entry) };
  }

  async function confirm(url: string, known: CacheEntry): Promise<EdgarAnswer> {
    await cache.touch(url, instant(now()));
    return { kind: 'ok', body: known.body, changed: false, asOfMs: asOfMs(known) };
  }

  async function rest(url: string, failures: number, { reason, pauseMs }: Extract<Verdict, { kind: 'retry' }>): Promise<void> {
    const growingMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
    const restMs = Math.max(pauseMs, growingMs * (0.5 + random() / 2));
    requests.counts.retries++;
    log(`${new URL(url).pathname}: ${reason}; attempt ${failures + 1} of ${maxAttempts} in ${seconds(restMs)}`);
    await pause(restMs);
  }

  function restAll({ status, reason, pauseMs }: Extract<Verdict, { kind: 'throttled' }>): void {
    // The page names no time and means ten minutes; a 429 that names one means it.
    const restMs = status === 429 && pauseMs > 0 ? pauseMs : Math.max(pauseMs, coolDownMs);
    if (restMs > Math.max(longestWaitMs, coolDownMs)) requests.halt('throttled', `${reason}, come back in ${seconds(restMs)}`);
    else if (requests.restAll(restMs)) log(`${reason}: nothing is asked for ${seconds(restMs)}`);
  }

  const abort = () => {
    stop.abort();
    void requests.close();
  };
  options.signal?.addEventListener('abort', abort, { once: true });
  if (options.signal?.aborted) abort();

  return {
    async get(url, wanted) {
      stop.signal.throwIfAborted();
      const work = get(url, wanted);
      underway.add(work);
      try {
        return await work;
      } catch (error) {
        // A sleep may reject with an error of its own.
        throw stop.signal.aborted && !(error instanceof EdgarUnavailable) ? stop.signal.reason : error;
      } finally {
        underway.delete(work);
      }
    },
    counts: requests.counts,
    async close() {
      options.signal?.removeEventListener('abort', abort);
      stop.abort();
      await requests.close();
      await Promise.allSettled(underway);
    },
  };
}

/** A body that does not pass is a failed attempt, so that it never replaces a good one. */
function checkBody(verdict: Judged, check: EdgarGetOptions['check']): Judged {
  const reason = verdict.kind === 'body' ? fault(verdict.answer.body, check) : null;
  return reason === null ? verdict : { kind: 'retry', reason, pauseMs: 0 };
}

function fault(body: Buffer, check: EdgarGetOptions['check']): string | null {
  try {
    check?.(body);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function instant(nowMs: number): string {
  return new Date(nowMs).toISOString();
}

function seconds(timeMs: number): string {
  return `${(timeMs / 1000).toFixed(1)} s`;
}
