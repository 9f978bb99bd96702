import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readBytes, type WireAnswer } from '../../src/fetch/wire.ts';

/** One HTTP answer of upstream, whatever its status. */
export interface EdgarReply {
  readonly status: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly location: string | null;
  readonly retryAfter: string | null;
  /** Decompressed. */
  readonly body: Buffer;
  /**
   * False if the body is longer than allowed or its end is missing; `body` then has only a part.
   */
  readonly isWhole: boolean;
}

/** The status and headers of an answer. */
export type ReplyHead = Pick<EdgarReply, 'status' | 'etag' | 'lastModified'> & {
  /** `Content-Range`. */
  readonly range: string | null;
  /** `Content-Length`, in bytes; null without this header. */
  readonly lengthBytes: number | null;
};

/**
 * Consumes the body of an answer (status 200, 206 or 416) piece by piece, instead of collecting it in memory.
 * If it throws, the request fails.
 */
export type TakeBody = (head: ReplyHead, pieces: AsyncIterable<Buffer>) => Promise<void>;

/** At most this many bytes of an error page are read. The title is among them. */
const errorBytesMaximum = 64 * 1024;

/**
 * The statuses after which `take` is called: the answer has the whole file (200), the rest of it (206), or
 * says that there is no rest (416).
 */
const takenStatuses = new Set([200, 206, 416]);

/**
 * Reads an answer. The body of a 200 is cut off after `bytesMaximum` bytes, decompressed, and error pages earlier.
 * With `take` the body goes there, uncompressed as it was asked for, the reply has an empty `body`, and the timeout begins
 * again with each piece. A page of HTML is not taken, because no file that is downloaded is one.
 */
export async function readReply(
  answer: WireAnswer,
  bytesMaximum: number,
  take: TakeBody | undefined,
): Promise<EdgarReply> {
  const { status, header, body: source } = answer;
  const meta = { status, etag: header('etag'), lastModified: header('last-modified') };
  const withoutBody = { ...meta, location: header('location'), retryAfter: header('retry-after') };
  const encoding = header('content-encoding') ?? 'identity';
  const isPage = status === 200 && /^text\/html\b/i.test(header('content-type') ?? '');
  if (take && takenStatuses.has(status) && !isPage) {
    if (!/^identity$/i.test(encoding)) throw notAskedFor(encoding);
    const length = header('content-length');
    const lengthBytes = length === null ? null : Number(length);
    await take({ ...meta, range: header('content-range'), lengthBytes }, prolonging(source, answer));
    return { ...withoutBody, body: Buffer.alloc(0), isWhole: true };
  }
  const isGood = status === 200;
  const atMost = isGood && !take ? bytesMaximum : errorBytesMaximum;
  const { bytes, error } = await readBytes(decoded(source, encoding), 0, atMost + 1);
  // Of an error page a part is enough, and an answer without a body may still name an encoding.
  if (error !== null && (isGood || answer.isLate())) throw error;
  return { ...withoutBody, body: bytes, isWhole: error === null && bytes.length <= atMost };
}

const notAskedFor = (encoding: string) =>
  new Error(`content-encoding ${JSON.stringify(encoding.slice(0, 40))} was not asked for`);

/** Passes the pieces of a body on, and lets the timeout begin again with each. */
async function* prolonging(pieces: AsyncIterable<Buffer>, answer: WireAnswer): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    answer.prolong();
    yield piece;
  }
}

/** Decompresses a body. */
async function* decoded(source: Readable, encoding: string): AsyncGenerator<Buffer> {
  if (/^identity$/i.test(encoding)) return yield* source;
  if (!/^(x-)?gzip$/i.test(encoding)) throw notAskedFor(encoding);
  // An error of the source ends the loop over what is decompressed.
  yield* pipeline(source, createGunzip(), () => {});
}
