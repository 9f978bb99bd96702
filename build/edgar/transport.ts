import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** One HTTP answer of upstream, whatever its status. */
export interface WireAnswer {
  readonly status: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly location: string | null;
  readonly retryAfter: string | null;
  /** Decompressed. */
  readonly body: Buffer;
  /**
   * False if the body is longer than `bodyBytesMaximum` or its end is missing; `body` then has only a part.
   */
  readonly isWhole: boolean;
}

/** The status and headers of an answer. */
export type WireHead = Pick<WireAnswer, 'status' | 'etag' | 'lastModified'> & {
  /** `Content-Range`. */
  readonly range: string | null;
  /** `Content-Length`, in bytes; null without this header. */
  readonly lengthBytes: number | null;
};

/**
 * Consumes the body of an answer (status 200, 206 or 416) piece by piece, instead of collecting it in memory.
 * If it throws, the request fails.
 */
export type TakeBody = (head: WireHead, pieces: AsyncIterable<Buffer>) => Promise<void>;

/** One request. */
export interface WireRequest {
  readonly url: URL;
  readonly headers: Record<string, string>;
  /** The body of a 200 is cut off after this many bytes, decompressed. Error pages are cut off earlier. */
  readonly bodyBytesMaximum: number;
  /** Called when the answer begins. */
  readonly onAnswer: () => void;
  /** Called with the length of each piece as received, before decompression. */
  readonly onBytes: (sizeBytes: number) => void;
  /**
   * Consumes the body. With it, the request asks for no compression (`identity`), the answer has an empty
   * `body`, and the timeout begins again with each piece. A page of HTML is not consumed, because no file that
   * is downloaded is one.
   */
  readonly take?: TakeBody;
}

/** Sends single requests: no rate limit, no retries, no redirects, no cache. */
export interface Transport {
  /** Rejects if no complete answer comes, for example because the transport is closed meanwhile. */
  ask(request: WireRequest): Promise<WireAnswer>;
  /** Ends running requests and closes all connections. */
  close(): Promise<void>;
}

/** At most this many bytes of an error page are read. The title is among them. */
const errorBytesMaximum = 64 * 1024;

const connectionsMaximum = 10;

/**
 * Creates a transport that opens connections when they are needed. `timeoutMs` is the time for one complete
 * answer, from connecting to the last byte.
 */
export function createTransport(userAgent: string, timeoutMs: number): Transport {
  // Loaded here, because commands that never ask EDGAR would start a tenth of a second later.
  const opened = import('undici').then(
    ({ Agent }) =>
      new Agent({ connections: connectionsMaximum, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 }),
  );

  async function ask(
    request: WireRequest,
    attempt: AbortSignal,
    stillAlive: () => void,
  ): Promise<WireAnswer> {
    const { origin, pathname, search } = request.url;
    const headers = {
      'user-agent': userAgent,
      'accept-encoding': request.take ? 'identity' : 'gzip',
      ...request.headers,
    };
    const agent = await opened;
    const answer = await agent.request({
      origin,
      path: pathname + search,
      method: 'GET',
      headers,
      signal: attempt,
    });
    request.onAnswer();
    const header = (name: string) => [answer.headers[name]].flat()[0] ?? null;
    const meta = { status: answer.statusCode, etag: header('etag'), lastModified: header('last-modified') };
    const withoutBody = { ...meta, location: header('location'), retryAfter: header('retry-after') };
    const isPage = answer.statusCode === 200 && /^text\/html\b/i.test(header('content-type') ?? '');
    if (request.take && takenStatuses.has(answer.statusCode) && !isPage) {
      const length = header('content-length');
      const head = {
        ...meta,
        range: header('content-range'),
        lengthBytes: length === null ? null : Number(length),
      };
      const count = (sizeBytes: number) => {
        stillAlive();
        request.onBytes(sizeBytes);
      };
      // An error that nobody listens for would end the process. A loop that reads the stream gets the error,
      // but perhaps none does.
      answer.body.on('error', () => {});
      try {
        if (!/^identity$/i.test(header('content-encoding') ?? 'identity'))
          throw new Error(
            `content-encoding ${JSON.stringify(header('content-encoding')?.slice(0, 40))} was not asked for`,
          );
        await request.take(head, counted(answer.body, count));
      } finally {
        answer.body.destroy();
      }
      return { ...withoutBody, body: Buffer.alloc(0), isWhole: true };
    }
    const isGood = answer.statusCode === 200;
    const reading = {
      encoding: header('content-encoding') ?? 'identity',
      bytesMaximum: isGood && !request.take ? request.bodyBytesMaximum : errorBytesMaximum,
      onBytes: request.onBytes,
    };
    // A body that is too long is cut off. If reading fails for another reason, only a 200 fails: of an error
    // page a part is enough, and an answer without a body may still name an encoding.
    const body = await readBody(
      answer.body,
      reading,
      (error) => error instanceof BodyTooLong || (!isGood && !attempt.aborted),
    );
    return { ...withoutBody, ...body };
  }

  return {
    async ask(request) {
      const attempt = new AbortController();
      const timer = setTimeout(
        () => attempt.abort(new Error(`no complete answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
      try {
        return await ask(request, attempt.signal, () => void timer.refresh());
      } catch (error) {
        throw attempt.signal.aborted ? attempt.signal.reason : error;
      } finally {
        clearTimeout(timer);
      }
    },
    close: async () => (await opened).destroy(),
  };
}

/**
 * The statuses after which `take` is called: the answer has the whole file (200), the rest of it (206), or
 * says that there is no rest (416).
 */
const takenStatuses = new Set([200, 206, 416]);

/** Passes a stream on and calls `onBytes` with the length of each piece. */
async function* counted(
  stream: AsyncIterable<Buffer>,
  onBytes: (sizeBytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of stream) {
    onBytes(piece.length);
    yield piece;
  }
}

class BodyTooLong extends Error {}

interface Reading {
  readonly encoding: string;
  readonly bytesMaximum: number;
  readonly onBytes: (sizeBytes: number) => void;
}

/**
 * Reads and decompresses a body. If reading fails with an error for which `mayBePart` is true, returns the
 * part so far; otherwise throws the error.
 */
async function readBody(
  source: Readable,
  reading: Reading,
  mayBePart: (error: unknown) => boolean,
): Promise<Pick<WireAnswer, 'body' | 'isWhole'>> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  const count = (stream: AsyncIterable<Buffer>) => counted(stream, reading.onBytes);
  async function collect(stream: AsyncIterable<Buffer>): Promise<void> {
    for await (const piece of stream) {
      sizeBytes += piece.length;
      if (sizeBytes > reading.bytesMaximum) throw new BodyTooLong();
      pieces.push(piece);
    }
  }
  // An error that nobody listens for would end the process. `pipeline` listens and throws the error, but for an
  // unknown encoding it is never called.
  source.on('error', () => {});
  try {
    if (/^(x-)?gzip$/i.test(reading.encoding)) await pipeline(source, count, createGunzip(), collect);
    else if (/^identity$/i.test(reading.encoding)) await pipeline(source, count, collect);
    else
      throw new Error(`content-encoding ${JSON.stringify(reading.encoding.slice(0, 40))} was not asked for`);
    return { body: Buffer.concat(pieces), isWhole: true };
  } catch (error) {
    source.destroy();
    if (mayBePart(error)) return { body: Buffer.concat(pieces), isWhole: false };
    throw error;
  }
}
