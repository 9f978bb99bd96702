import { retryAfterMsOf } from '../fetch/backoff.ts';
import { FailedAttempt } from '../fetch/retries.ts';
import {
  createWire,
  readBytes,
  reasonOf,
  redirectTarget,
  type WireAnswer,
  type WireRequest,
} from '../fetch/wire.ts';

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

/** Sends single requests to a host of files, without retries and without a cache. */
export interface HostWire {
  /** Rejects with a `FailedAttempt`. */
  get(request: HostRequest): Promise<HostAnswer>;
  /** Ends the requests under way and closes every connection. */
  close(): Promise<void>;
}

/** How long a host may take, in milliseconds. */
export interface HostTimeouts {
  readonly connectMs: number;
  /** Until the answer begins, and between two pieces of it. */
  readonly silentMs: number;
  /** For a whole answer, in addition to the time that its length allows. */
  readonly wholeMs: number;
}

/** The default timeouts. */
export const usualTimeouts: HostTimeouts = { connectMs: 5000, silentMs: 8000, wholeMs: 10_000 };

/** A host that sends fewer bytes in a second is too slow. */
const slowestBytesPerSecond = 32 * 1024;
const redirectsMaximum = 5;
/** If a host ignores Range, at most this many bytes are read to reach the wanted ones. */
const skippedMaximum = 4 * 1024 * 1024;

/** Makes a wire to a host of files, with at most `connections` connections. */
export function createHostWire(connections: number, timeouts: HostTimeouts): HostWire {
  let isClosed = false;
  const wire = createWire({ connections, connectMs: timeouts.connectMs, silentMs: timeouts.silentMs });
  return {
    async get(request) {
      const { url, from, length, isWhole, etag, isFresh } = request;
      const wholeMs = timeouts.wholeMs + (Math.min(length, skippedMaximum) / slowestBytesPerSecond) * 1000;
      const headers = {
        'accept-encoding': 'identity',
        ...(isWhole ? {} : { range: `bytes=${from}-${from + length - 1}` }),
        ...(typeof etag === 'string' ? { 'if-none-match': etag } : {}),
        ...(isFresh ? { 'cache-control': 'no-cache' } : {}),
      };
      const lateReason = `no whole answer within ${Math.round(wholeMs)} ms`;
      try {
        return await wire.send({ url, headers, wholeMs, lateReason, redirect: redirectOf(url) }, (answer) =>
          receive(request, answer),
        );
      } catch (error) {
        if (error instanceof FailedAttempt) throw error;
        throw new FailedAttempt(`${url.href}: ${reasonOf(error)}`, !isClosed, {
          isConnectionFailure: true,
          cause: error,
        });
      }
    },
    close() {
      isClosed = true;
      return wire.close();
    },
  };
}

/** Follows the answers to a request for `url` within its origin. */
const redirectOf =
  (url: URL): NonNullable<WireRequest['redirect']> =>
  (from, location, hops) => {
    const refuse = (reason: string) => new FailedAttempt(reason, false);
    if (hops === redirectsMaximum)
      throw refuse(`${url.href} leads to another address more than ${redirectsMaximum} times`);
    const to = redirectTarget(from, location);
    if (to === null) throw refuse(`${from.href} leads to no address`);
    // Whoever may write to a host could send this service to addresses that only it reaches.
    if (to.origin !== from.origin)
      throw refuse(`${from.href} leads to ${to.href}, another origin: set its address instead`);
    return to;
  };

async function receive(request: HostRequest, answer: WireAnswer): Promise<HostAnswer> {
  const { url, from, length, isWhole } = request;
  const { status, header } = answer;
  const nothing = { body: Buffer.alloc(0), etag: null };
  if (status === 304 && typeof request.etag === 'string') return { kind: 'unchanged', ...nothing };
  if (status === 404 || status === 410) return { kind: 'missing', ...nothing };
  if (status === 416 && !isWhole) return { kind: 'bytes', ...nothing };
  if (status !== 200 && status !== 206)
    throw new FailedAttempt(
      `${url.href}: status ${status}`,
      status >= 500 || [408, 425, 429].includes(status),
      {
        retryAfterMs: retryAfterMsOf(header('retry-after')),
      },
    );
  // Some hosts declare a .gz file as content-encoded; its bytes are the same.
  const encoding = header('content-encoding') ?? 'identity';
  if (encoding !== 'identity' && !url.pathname.endsWith('.gz'))
    throw new FailedAttempt(`${url.href} comes in the encoding ${encoding}, which was not asked for`, false);
  if (status === 206) {
    const expected = partOf(url, from, length, header('content-range'));
    const body = await bytesOf(answer, 0, expected);
    if (body.length !== expected)
      throw new FailedAttempt(`${url.href} ended after ${body.length} of ${expected} bytes`, true);
    return { kind: 'bytes', body, etag: null };
  }
  // The host ignored Range, if there was one, and sent the file from its beginning.
  if (from + length > skippedMaximum && from > 0)
    throw new FailedAttempt(
      `${url.href} does not answer requests of a range (status 200): the host of SNAPSHOTS_URL has to`,
      false,
    );
  const body = await bytesOf(answer, from, length);
  const stated = Number(header('content-length') ?? NaN);
  if (body.length < Math.min(length, stated - from))
    throw new FailedAttempt(`${url.href} ended after ${from + body.length} of ${stated} bytes`, true);
  return { kind: 'bytes', body, etag: preciseEtag(answer) };
}

async function bytesOf({ body }: WireAnswer, from: number, length: number): Promise<Buffer> {
  const { bytes, error } = await readBytes(body, from, length);
  if (error !== null) throw error;
  return bytes;
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
    throw new FailedAttempt(
      `${url.href} sends the range ${JSON.stringify(contentRange)} for bytes ${from} to ${from + length - 1}`,
      true,
    );
  return sent;
}

/**
 * The ETag, if it names exactly these bytes. Some servers make the ETag from the length and the second of the
 * last change; two pointers written in the same second then have the same ETag. So it counts only if the last
 * change is at least two seconds older than the answer (RFC 9110, section 8.8.2.2).
 */
function preciseEtag({ header }: WireAnswer): string | null {
  const modified = header('last-modified');
  const isSettled = modified === null || Date.parse(header('date') ?? '') - Date.parse(modified) >= 2000;
  return isSettled ? header('etag') : null;
}
