import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Agent } from 'undici';

/** One answer of upstream, whatever its status. */
export interface WireAnswer {
  readonly status: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly location: string | null;
  readonly retryAfter: string | null;
  /** Decompressed. */
  readonly body: Buffer;
  /** False if the body goes on beyond what was asked for. */
  readonly isWhole: boolean;
}

/** How an answer begins. */
export type WireHead = Pick<WireAnswer, 'status' | 'etag' | 'lastModified'> & {
  /** `Content-Range`. */
  readonly range: string | null;
  /** `Content-Length`, in bytes; null if the answer does not say it. */
  readonly lengthBytes: number | null;
};

/**
 * Takes the body of an answer (status 200, 206 or 416) piece by piece, instead of memory. What it throws
 * ends the request.
 */
export type TakeBody = (head: WireHead, pieces: AsyncIterable<Buffer>) => Promise<void>;

/** What to ask. */
export interface WireRequest {
  readonly url: URL;
  readonly headers: Record<string, string>;
  /** Decompressed length at which a good body is cut off. Error pages are cut off earlier. */
  readonly bodyBytesMaximum: number;
  /** Called when the answer begins. */
  readonly onAnswer: () => void;
  /** Called with the length of each piece as it came over the wire. */
  readonly onBytes: (sizeBytes: number) => void;
  /**
   * The answer then has an empty body, comes as it is (`identity`), and may take any time, as long as pieces
   * arrive.
   */
  readonly take?: TakeBody;
}

/** Sends single requests: no rate limit, no retries, no redirects, no cache. */
export interface Transport {
  /** Rejects if no whole answer can be had, also when the transport is closed meanwhile. */
  ask(request: WireRequest): Promise<WireAnswer>;
  /** Ends what is underway and closes every connection. */
  close(): Promise<void>;
}

/** Enough of an error page to tell what it says. */
const errorBytesMaximum = 64 * 1024;

const connectionsMaximum = 10;

/**
 * Opens connections as they are needed. `timeoutMs` is for one whole answer, from connecting to its last
 * byte.
 */
export function createTransport(userAgent: string, timeoutMs: number): Transport {
  const agent = new Agent({
    connections: connectionsMaximum,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  });

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
    const rest = { ...meta, location: header('location'), retryAfter: header('retry-after') };
    if (request.take && takenStatuses.has(answer.statusCode)) {
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
      // What breaks the stream also ends the loop over its pieces; where nobody reads them, nobody would
      // catch it.
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
      return { ...rest, body: Buffer.alloc(0), isWhole: true };
    }
    const isGood = answer.statusCode === 200;
    const reading = {
      encoding: header('content-encoding') ?? 'identity',
      bytesMaximum: isGood ? request.bodyBytesMaximum : errorBytesMaximum,
      onBytes: request.onBytes,
    };
    // Of an error page, or of an answer without a body that names an encoding all the same, a part will do.
    const body = await readBody(
      answer.body,
      reading,
      (error) => error instanceof BodyTooLong || (!isGood && !attempt.aborted),
    );
    return { ...rest, ...body };
  }

  return {
    async ask(request) {
      const attempt = new AbortController();
      const timer = setTimeout(
        () => attempt.abort(new Error(`no whole answer within ${timeoutMs} ms`)),
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
    close: () => agent.destroy(),
  };
}

/**
 * Statuses of an answer that may be taken piece by piece: all of the file, the rest of it, or that there is
 * no rest.
 */
const takenStatuses = new Set([200, 206, 416]);

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
  // What breaks the stream comes out of the pipeline; where there is none, nobody would catch it.
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
