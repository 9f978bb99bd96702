import { createRateLimiter } from './rate-limiter.ts';
import { createTransport, type TakeBody } from './transport.ts';
import { outcomeOf, type FailureKind, type FinalOutcome, type Outcome } from './outcome.ts';

/** What a client has done so far. */
export interface EdgarCounts {
  /** Every one that was sent, also those that were tried again. */
  requests: number;
  notModified: number;
  /** Failed attempts after which another one was made. */
  retries: number;
  /** Answers that said that there were too many requests. */
  throttled: number;
  /** Bodies as they came over the wire. */
  receivedBytes: number;
}

/** What requests are made with. Times are in milliseconds. */
export interface RequestsOptions {
  readonly userAgent: string;
  /** The limit now; it may change. */
  readonly requestsPerSecond: () => number;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly sleep: (pauseMs: number) => Promise<void>;
  /** Told of each request that was sent: its status, null if there was no whole answer. */
  readonly onAnswer?: (url: URL, status: number | null) => void;
  /** Whoever aborts it must also call `close`. */
  readonly signal: AbortSignal;
}

/** Which body is known already. */
export interface Known {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** A body that goes elsewhere than into memory. */
export interface Download {
  /** `Range` and `If-Range`, if a part is there already. */
  readonly headers: Readonly<Record<string, string>>;
  readonly take: TakeBody;
}

/** Single requests within the limit, and what their answers mean. No retries and no cache. */
export interface Requests {
  /**
   * One request, and a second one if the first was redirected within its host. Rejects only if the signal
   * aborted.
   */
  ask(url: URL, bytesMaximum: number, known: Known | undefined, download?: Download): Promise<FinalOutcome>;
  /** Lets no request start for a time. True if none was resting already. */
  restAll(pauseMs: number): boolean;
  /**
   * Lets no request start any more, also none that is waiting for its turn: each fails like
   * this.
   */
  halt(as: FailureKind, reason: string): void;
  readonly counts: EdgarCounts;
  /** Ends what is underway and closes every connection. */
  close(): Promise<void>;
}

/** Opens connections only when the first request needs them. */
export function createRequests({
  userAgent,
  requestsPerSecond,
  timeoutMs,
  now,
  sleep,
  signal,
  onAnswer,
}: RequestsOptions): Requests {
  const limiter = createRateLimiter({ requestsPerSecond, now, sleep });
  const transport = createTransport(userAgent, timeoutMs);
  const counts: EdgarCounts = { requests: 0, notModified: 0, retries: 0, throttled: 0, receivedBytes: 0 };
  let halted: Outcome | null = null;

  async function once(
    url: URL,
    bodyBytesMaximum: number,
    known: Known | undefined,
    download?: Download,
  ): Promise<Outcome> {
    const wasCounted = await limiter.start();
    try {
      signal.throwIfAborted();
      if (halted) return halted;
      counts.requests++;
      const conditional = conditions(known);
      const headers = { ...conditional, ...download?.headers };
      const onBytes = (sizeBytes: number) => void (counts.receivedBytes += sizeBytes);
      const answer = await transport.ask({
        url,
        headers,
        bodyBytesMaximum,
        onAnswer: wasCounted,
        onBytes,
        ...(download && { take: download.take }),
      });
      onAnswer?.(url, answer.status);
      return note(outcomeOf(answer, Object.keys(conditional).length > 0, now(), download !== undefined));
    } catch (error) {
      signal.throwIfAborted();
      onAnswer?.(url, null);
      return { kind: 'retry', reason: describe(error), pauseMs: 0 };
    } finally {
      wasCounted();
    }
  }

  function note(outcome: Outcome): Outcome {
    if (outcome.kind === 'not_modified') counts.notModified++;
    if (outcome.kind === 'throttled') counts.throttled++;
    if (outcome.kind === 'failed' && outcome.as === 'refused') halt(outcome.as, outcome.reason);
    return outcome;
  }

  function halt(as: FailureKind, reason: string): void {
    halted ??= { kind: 'failed', as, reason: `nothing more is asked since ${reason}` };
  }

  return {
    async ask(url, bytesMaximum, known, download) {
      const first = await once(url, bytesMaximum, known, download);
      if (first.kind !== 'moved') return first;
      const target = URL.canParse(first.location, url.href) ? new URL(first.location, url) : null;
      const elsewhere = {
        kind: 'failed',
        as: 'unavailable',
        reason: `HTTP ${first.status} to ${JSON.stringify(first.location.slice(0, 200))}`,
      } as const;
      if (target?.origin !== url.origin) return elsewhere;
      const second = await once(target, bytesMaximum, known, download);
      return second.kind === 'moved' ? elsewhere : second;
    },
    restAll: (pauseMs) => limiter.pauseAll(pauseMs),
    halt,
    counts,
    close: () => transport.close(),
  };
}

/**
 * RFC 9110, section 13.1.3: the date only counts where there is no ETag, and some servers take either for a
 * match.
 */
function conditions(known: Known | undefined): Record<string, string> {
  if (known?.etag) return { 'if-none-match': known.etag };
  return known?.lastModified ? { 'if-modified-since': known.lastModified } : {};
}

/** A failed connection to several addresses has a code and no message. */
function describe(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}
