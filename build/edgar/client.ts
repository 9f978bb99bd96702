import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { minuteMs } from '../../src/time/units.ts';
import { outsidePauseMs } from '../../src/fetch/backoff.ts';
import type { LineLog } from '../../src/log/levels.ts';
import { madeAtMs, type Cache, type CacheEntry } from './cache.ts';
import { downloadFile, type DownloadOptions, type Downloaded } from './download.ts';
import { createRetry, EdgarUnavailable, longestWaitMs } from './retry.ts';
import { openKeptPause, pauseFile } from './kept-pause.ts';
import { openShare, shareDirectories } from './share.ts';
import { createRequests, type EdgarCounts } from './requests.ts';
import { validateRequestsPerSecond, validateUserAgent, type EdgarSettings } from './edgar-settings.ts';

export { EdgarUnavailable } from './retry.ts';
export type { EdgarCounts } from './requests.ts';
export { submissionsUrl, tickersUrl, validateUserAgent, type EdgarSettings } from './edgar-settings.ts';

/** How EDGAR is asked, by whichever program. Times are in milliseconds. */
export interface AskingEdgar {
  readonly settings: EdgarSettings;
  /** The clock of this machine, in milliseconds since 1970. */
  readonly now: () => number;
  readonly log: LineLog;
  readonly signal?: AbortSignal | undefined;
  /**
   * How long no request is sent after the throttle page. Default 11 minutes: upstream wants 10 minutes of
   * quiet.
   */
  readonly coolDownMs?: number | undefined;
}

/** What `createEdgarClient` needs. Times are in milliseconds. */
export interface EdgarClientOptions extends Omit<AskingEdgar, 'log'> {
  readonly cache: Cache;
  /** Must reject when the signal aborts. */
  readonly sleep?: (pauseMs: number, signal: AbortSignal) => Promise<void>;
  /** A random number from 0 (included) to 1 (excluded). */
  readonly random?: () => number;
  /** The retry limit: how often one request may fail before it is given up. Default 5. */
  readonly maxAttempts?: number;
  /** Time for one complete answer, from connecting to the last byte. Default 2 minutes. */
  readonly timeoutMs?: number;
  /**
   * A cached file that was checked at this instant (as `Date.toISOString` writes it) or later is not
   * requested again.
   */
  readonly freshSince?: string | null;
  readonly log?: LineLog;
  /** Called for each request that was sent, with its status, or null if there was no complete answer. */
  readonly onAnswer?: ((url: URL, status: number | null) => void) | undefined;
}

/** What `EdgarClient.get` returns. */
export type EdgarAnswer<Parsed> =
  /**
   * `changed` is false if the cache had the same body. `asOfMs` is when upstream made it, in milliseconds
   * since 1970: its `Last-Modified`, or when it was last checked if it has none.
   */
  | { readonly kind: 'ok'; readonly parsed: Parsed; readonly changed: boolean; readonly asOfMs: number }
  /** Upstream says that the file does not exist, or not yet. The cache keeps what it has. */
  | { readonly kind: 'absent'; readonly status: number; readonly reason: string };

/** The bound of a body, and what is made of it. */
export interface EdgarGetOptions<Parsed> {
  /** Greatest length in bytes, decompressed. */
  readonly maxBytes: number;
  /**
   * Throws if a body is not what was asked for, e.g. because it was cut off. The message tells the reason. Such a body
   * counts as a failed attempt, so it never replaces a good one.
   */
  readonly parse: (body: Buffer) => Parsed;
}

/**
 * Fetches files from EDGAR within the rate limit and only if they have changed, and stops when EDGAR blocks
 * it.
 */
export interface EdgarClient {
  /**
   * Fetches a file through the cache. Rejects with `EdgarUnavailable`, with an `AbortError` if the client was
   * stopped or closed, or with the error of the cache's file system.
   */
  get<Parsed>(url: string, options: EdgarGetOptions<Parsed>): Promise<EdgarAnswer<Parsed>>;
  /**
   * Fetches a file that is too long for memory and stores it at `path`. If a connection breaks or the program
   * ends, the part that was fetched stays beside it, and the next attempt asks for the rest. If upstream's
   * file has changed meanwhile, it is fetched from its beginning. Only a complete file is stored at `path`.
   * Rejects like `get`.
   */
  download(url: string, path: string, options: DownloadOptions): Promise<Downloaded>;
  readonly counts: Readonly<EdgarCounts>;
  /** Ends running requests, waits for them, and closes all connections. */
  close(): Promise<void>;
}

/**
 * Creates a client. Throws an `Error` if the User-Agent or the rate is not acceptable, so that no request is
 * anonymous or too frequent.
 */
export function createEdgarClient(options: EdgarClientOptions): EdgarClient {
  const {
    cache,
    now,
    random = Math.random,
    maxAttempts = 5,
    coolDownMs = 11 * minuteMs,
    timeoutMs = 120_000,
    freshSince = null,
    log = () => {},
  } = options;
  const {
    sleep = (pauseMs: number, signal: AbortSignal) => delay(outsidePauseMs(pauseMs), undefined, { signal }),
  } = options;
  const userAgent = validateUserAgent(options.settings.userAgent);
  const limit = validateRequestsPerSecond(options.settings.requestsPerSecond);
  const share = openShare(shareDirectories(options.settings), now, log);

  const keptPause = openKeptPause(
    () =>
      [share.directory(), cache.directory].flatMap((each) => (each === null ? [] : [join(each, pauseFile)])),
    Math.max(longestWaitMs, coolDownMs),
    now,
  );
  const leftMs = keptPause.leftMs();
  if (leftMs > 0)
    log(`EDGAR asked this address for a pause: no requests for ${(leftMs / 1000).toFixed(1)} s`, 'warn');

  const stop = new AbortController();
  const pause = (pauseMs: number) => sleep(pauseMs, stop.signal);
  const requests = createRequests({
    userAgent,
    requestsPerSecond: () => limit / share.clients(),
    timeoutMs,
    now,
    sleep: pause,
    keptPause,
    signal: stop.signal,
    onAnswer: options.onAnswer,
  });
  const underway = new Set<Promise<unknown>>();
  const retry = createRetry({ requests, pause, random, maxAttempts, coolDownMs, log });

  async function get<Parsed>(
    url: string,
    { maxBytes, parse }: EdgarGetOptions<Parsed>,
  ): Promise<EdgarAnswer<Parsed>> {
    const known = await readKnown(url, maxBytes, parse);
    if (known && freshSince !== null && known.entry.checkedAt >= freshSince) return answerOf(known, false);
    let parsed: Parsed | undefined;
    const settled = await retry(url, async () => {
      const outcome = await requests.ask(new URL(url), maxBytes, known?.entry);
      if (outcome.kind !== 'body') return outcome;
      try {
        parsed = parse(outcome.answer.body);
        return outcome;
      } catch (error) {
        return { kind: 'retry', reason: (error as Error).message, pauseMs: 0 };
      }
    });
    if (settled.kind === 'absent') return settled;
    const checkedAt = new Date(now()).toISOString();
    if (settled.kind === 'not_modified') {
      await cache.touch(url, checkedAt);
      return answerOf(known as Known<Parsed>, false);
    }
    const { body, etag, lastModified } = settled.answer;
    const entry = { body, etag, lastModified, checkedAt };
    await cache.write(url, entry);
    return answerOf({ entry, parsed: parsed as Parsed }, !known?.entry.body.equals(body));
  }

  /** Reads what the cache has for an address. An entry that cannot be parsed is removed. */
  async function readKnown<Parsed>(
    url: string,
    maxBytes: number,
    parse: (body: Buffer) => Parsed,
  ): Promise<Known<Parsed> | undefined> {
    const entry = await cache.read(url);
    if (!entry || entry.body.length > maxBytes) return undefined;
    try {
      return { entry, parsed: parse(entry.body) };
    } catch {
      await cache.remove(url);
      return undefined;
    }
  }

  const abort = () => {
    stop.abort();
    void requests.close();
  };
  options.signal?.addEventListener('abort', abort, { once: true });
  if (options.signal?.aborted) abort();

  /** Runs work that `close` waits for. */
  async function during<Result>(work: () => Promise<Result>): Promise<Result> {
    stop.signal.throwIfAborted();
    const running = work();
    underway.add(running);
    try {
      return await running;
    } catch (error) {
      // An injected `sleep` may reject with an error of its own.
      throw stop.signal.aborted && !(error instanceof EdgarUnavailable) ? stop.signal.reason : error;
    } finally {
      underway.delete(running);
    }
  }

  return {
    get: (url, wanted) => during(() => get(url, wanted)),
    download: (url, path, wanted) =>
      during(() => downloadFile({ requests, retry, now, log, signal: stop.signal }, url, path, wanted)),
    counts: requests.counts,
    async close() {
      options.signal?.removeEventListener('abort', abort);
      stop.abort();
      await requests.close();
      await Promise.allSettled(underway);
      share.leave();
    },
  };
}

/** What the cache has for an address, and what was made of it. */
interface Known<Parsed> {
  readonly entry: CacheEntry;
  readonly parsed: Parsed;
}

const answerOf = <Parsed>({ entry, parsed }: Known<Parsed>, changed: boolean): EdgarAnswer<Parsed> => ({
  kind: 'ok',
  parsed,
  changed,
  asOfMs: madeAtMs(entry, Date.parse(entry.checkedAt)),
});
