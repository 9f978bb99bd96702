import { Agent, type Dispatcher } from 'undici';
import { outsidePauseMs } from '../time/outside-pause.ts';

/** The answer of a host: bytes of a file, or that it is unchanged or missing. */
export interface HostAnswer {
  /** `missing`: there is no such file. `unchanged`: the file has the given ETag. */
  readonly kind: 'bytes' | 'unchanged' | 'missing';
  readonly body: Buffer;
  /** An ETag that names exactly these bytes; null if there is none. */
  readonly etag: string | null;
}

/** A request for bytes of a file. */
export interface HostRequest {
  readonly url: URL;
  /** Offset of the first byte, and the number of bytes; fewer come if the file is shorter. */
  readonly from: number;
  readonly length: number;
  /** Whether to ask for the whole file, which has to be no longer than `length`. */
  readonly isWhole: boolean;
  /** Answer `unchanged` if the file still has this ETag. */
  readonly etag?: string | null;
  /** Caches on the way have to ask the host whether their copy is still right. */
  readonly isFresh?: boolean;
}

/** A failed request to a host. */
export class HostFailure extends Error {
  /** Whether another attempt may succeed. */
  readonly mayRetry: boolean;
  /** Whether the connection failed: it was not made, was broken, or took too long. */
  readonly isConnectionFailure: boolean;
  /** How long the host wants clients to wait, in milliseconds; 0 if it does not say. */
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

/** Sends single requests to a host of files, without retries and without a cache. */
export interface Wire {
  /** Rejects with a `HostFailure`. */
  get(request: HostRequest): Promise<HostAnswer>;
  /** Ends the requests under way and closes every connection. */
  close(): Promise<void>;
}

/** How long a host may take, in milliseconds. */
export interface WireTimeouts {
  readonly connectMs: number;
  /** Until the answer begins, and between two pieces of it. */
  readonly silentMs: number;
  /** For a whole answer, in addition to the time that its length allows. */
  readonly wholeMs: number;
}

/** The default timeouts. */
export const usualTimeouts: WireTimeouts = { connectMs: 5000, silentMs: 8000, wholeMs: 10_000 };

/** A host that sends fewer bytes in a second is too slow. */
const slowestBytesPerSecond = 32 * 1024;
const redirectsMaximum = 5;
/** If a host ignores Range, at most this many bytes are read to reach the wanted ones. */
const skippedMaximum = 4 * 1024 * 1024;

/** Makes a wire that opens connections when they are needed, at most `connections` of them. */
export function createWire(connections: number, timeouts: WireTimeouts): Wire {
  let isClosed = false;
  const agent = new Agent({
    connections,
    pipelining: 1,
    connect: { timeout: timeouts.connectMs },
    headersTimeout: timeouts.silentMs,
    bodyTimeout: timeouts.silentMs,
  });

  async function send(
    { url, from, length, isWhole, etag, isFresh }: HostRequest,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const headers = {
      'accept-encoding': 'identity',
      ...(isWhole ? {} : { range: `bytes=${from}-${from + length - 1}` }),
      ...(typeof etag === 'string' ? { 'if-none-match': etag } : {}),
      ...(isFresh ? { 'cache-control': 'no-cache' } : {}),
    };
    let at = url;
    for (let hops = 0; hops <= redirectsMaximum; hops++) {
      const answer = await agent.request({
        origin: at.origin,
        path: at.pathname + at.search,
        method: 'GET',
        headers,
        signal,
      });
      if (![301, 302, 303, 307, 308].includes(answer.statusCode)) return answer;
      answer.body.on('error', () => {}).destroy();
      at = redirectOf(at, headerOf(answer, 'location'));
    }
    throw new HostFailure(`${url.href} leads to another address more than ${redirectsMaximum} times`, false);
  }

  async function receive(request: HostRequest, answer: Dispatcher.ResponseData): Promise<HostAnswer> {
    const { url, from, length, isWhole } = request;
    const status = answer.statusCode;
    const nothing = { body: Buffer.alloc(0), etag: null };
    if (status === 304 && typeof request.etag === 'string') return { kind: 'unchanged', ...nothing };
    if (status === 404 || status === 410) return { kind: 'missing', ...nothing };
    if (status === 416 && !isWhole) return { kind: 'bytes', ...nothing };
    if (status !== 200 && status !== 206) throw statusFailure(url, answer);
    // Some hosts declare a .gz file as content-encoded; its bytes are the same.
    const encoding = headerOf(answer, 'content-encoding') ?? 'identity';
    if (encoding !== 'identity' && !url.pathname.endsWith('.gz'))
      throw new HostFailure(`${url.href} comes in the encoding ${encoding}, which was not asked for`, false);
    if (status === 206) {
      const expected = partOf(url, from, length, headerOf(answer, 'content-range'));
      const body = await bytesOf(answer.body, 0, expected);
      if (body.length !== expected)
        throw new HostFailure(`${url.href} ended after ${body.length} of ${expected} bytes`, true);
      return { kind: 'bytes', body, etag: null };
    }
    // The host ignored Range, if there was one, and sent the file from its beginning.
    if (from + length > skippedMaximum && from > 0)
      throw new HostFailure(
        `${url.href} does not answer requests of a range (status 200): the host of SNAPSHOTS_URL has to`,
        false,
      );
    const body = await bytesOf(answer.body, from, length);
    const stated = Number(headerOf(answer, 'content-length') ?? NaN);
    if (body.length < Math.min(length, stated - from))
      throw new HostFailure(`${url.href} ended after ${from + body.length} of ${stated} bytes`, true);
    return { kind: 'bytes', body, etag: preciseEtag(answer) };
  }

  return {
    async get(request) {
      const attempt = new AbortController();
      const wholeMs =
        timeouts.wholeMs + (Math.min(request.length, skippedMaximum) / slowestBytesPerSecond) * 1000;
      const timer = setTimeout(
        () => attempt.abort(new Error(`no whole answer within ${Math.round(wholeMs)} ms`)),
        wholeMs,
      );
      let body: Dispatcher.ResponseData['body'] | null = null;
      try {
        const answer = await send(request, attempt.signal);
        ({ body } = answer);
        // An error of the stream also ends the loop over its pieces. Without this listener, an error while no
        // loop runs would end the process.
        body.on('error', () => {});
        return await receive(request, answer);
      } catch (error) {
        if (error instanceof HostFailure) throw error;
        const { message, code } = (
          attempt.signal.aborted ? attempt.signal.reason : error
        ) as NodeJS.ErrnoException;
        throw new HostFailure(`${request.url.href}: ${message || (code ?? 'no answer')}`, !isClosed, {
          isConnectionFailure: true,
          cause: error,
        });
      } finally {
        clearTimeout(timer);
        body?.destroy();
      }
    },
    close() {
      isClosed = true;
      return agent.destroy();
    },
  };
}

/** A header of an answer; the first one if it is repeated. */
function headerOf({ headers }: Dispatcher.ResponseData, name: string): string | null {
  return [headers[name]].flat()[0] ?? null;
}

function redirectOf(from: URL, location: string | null): URL {
  const to = URL.canParse(location ?? '', from.href) ? new URL(location ?? '', from) : null;
  if (location === null || to === null) throw new HostFailure(`${from.href} leads to no address`, false);
  // Whoever may write to a host could send this service to addresses that only it reaches.
  if (to.origin !== from.origin)
    throw new HostFailure(`${from.href} leads to ${to.href}, another origin: set its address instead`, false);
  return to;
}

function statusFailure(url: URL, answer: Dispatcher.ResponseData): HostFailure {
  const status = answer.statusCode;
  const retryAfter = headerOf(answer, 'retry-after') ?? '';
  return new HostFailure(`${url.href}: status ${status}`, status >= 500 || [408, 425, 429].includes(status), {
    retryAfterMs: /^\d+$/.test(retryAfter) ? outsidePauseMs(Number(retryAfter) * 1000) : 0,
  });
}

/** The length of the range that a host sends, which has to be the range that was asked for. */
function partOf(url: URL, from: number, length: number, contentRange: string | null): number {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(contentRange ?? '') ?? [];
  const sent = Number(last) - Number(first) + 1;
  const isRight =
    Number(first) === from &&
    sent >= 1 &&
    sent <= length &&
    (sent === length || Number(total) === Number(last) + 1);
  if (!isRight)
    throw new HostFailure(
      `${url.href} sends the range ${JSON.stringify(contentRange)} for bytes ${from} to ${from + length - 1}`,
      true,
    );
  return sent;
}

/** The first buffer for the bytes of a stream, unless fewer are wanted. */
const firstBytes = 64 * 1024;

/**
 * Bytes of a stream, from an offset on; fewer if the stream ends before. Does not wait for the rest of the
 * stream. The bytes are copied into one buffer that grows, so that a host that sends them one at a time, each
 * in a piece of its own, takes no more memory than another.
 */
async function bytesOf(stream: AsyncIterable<Buffer>, from: number, length: number): Promise<Buffer> {
  let bytes = Buffer.allocUnsafeSlow(Math.min(length, firstBytes));
  let [passed, taken] = [0, 0];
  for await (const piece of stream) {
    const start = Math.max(0, from - passed);
    const wanted = piece.subarray(start, start + length - taken);
    passed += piece.length;
    if (taken + wanted.length > bytes.length) {
      const longer = Buffer.allocUnsafeSlow(
        Math.min(length, Math.max(2 * bytes.length, taken + wanted.length)),
      );
      bytes.copy(longer, 0, 0, taken);
      bytes = longer;
    }
    taken += wanted.copy(bytes, taken);
    if (taken === length) break;
  }
  return taken === bytes.length ? bytes : Buffer.from(bytes.subarray(0, taken));
}

/**
 * The ETag, if it names exactly these bytes. Some servers make the ETag from the length and the second of the
 * last change; two pointers written in the same second then have the same ETag. So it counts only if the last
 * change is at least two seconds older than the answer (RFC 9110, section 8.8.2.2).
 */
function preciseEtag(answer: Dispatcher.ResponseData): string | null {
  const [modified, date] = [headerOf(answer, 'last-modified'), headerOf(answer, 'date')].map((text) =>
    Date.parse(text ?? ''),
  );
  const isSettled =
    headerOf(answer, 'last-modified') === null || (date as number) - (modified as number) >= 2000;
  return isSettled ? headerOf(answer, 'etag') : null;
}
