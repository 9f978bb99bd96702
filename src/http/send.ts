import type { Answer } from './http-answer.ts';
import { headerOf, type Exchange, type Reply } from './exchange.ts';
import { chooseEncoding } from './negotiate.ts';

/** How caches treat an answer. */
export interface Caching {
  readonly 'Cache-Control': string;
  readonly Vary: string;
  /** Present if clients may ask for a range of the answer; see `preparePart`. */
  readonly 'Accept-Ranges'?: 'bytes';
}

/** Everyone may keep the answer. */
export const publicCaching: Caching = {
  'Cache-Control': 'public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400',
  Vary: 'Accept-Encoding',
  'Accept-Ranges': 'bytes',
};
/** The same, for an answer that also depends on `Accept`. */
export const negotiatedCaching: Caching = { ...publicCaching, Vary: 'Accept, Accept-Encoding' };
/** Nobody keeps the answer: it is about this process and this moment. */
export const freshCaching: Caching = { 'Cache-Control': 'no-store', Vary: 'Accept-Encoding' };

/** The answer belongs to one key, which came in one of the headers in `keyHeaders`. `Accept` may ask for a stream. */
export function keyedCaching(keyHeaders: string): Caching {
  return { 'Cache-Control': 'private, no-cache', Vary: `Accept, Accept-Encoding, ${keyHeaders}` };
}

/**
 * Headers of every answer: scripts of any origin may read it and all its headers, and browsers must not guess
 * its type.
 */
export const commonHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': '*',
  'X-Content-Type-Options': 'nosniff',
} as const;

/**
 * Prepares an answer: 304 if the client has it already, else its bytes, compressed if the client accepts
 * that.
 */
export function prepare(
  exchange: Pick<Exchange, 'headers'>,
  answer: Answer,
  caching: Caching,
): Reply | Promise<Reply> {
  const ifNoneMatch = headerOf(exchange, 'if-none-match');
  const held = ifNoneMatch === undefined ? null : heldEtag(ifNoneMatch, answer.etag);
  if (held !== null) return { status: 304, headers: toHeaders(caching, held, answer), body: null };
  const encoding = chooseEncoding(headerOf(exchange, 'accept-encoding'), answer);
  const variant = encoding === 'identity' ? null : (answer[encoding]?.() ?? null);
  if (variant === null) return withBody(answer, caching, answer.etag, answer.body());
  return variant.then((encoded) => {
    const reply = withBody(answer, caching, `${answer.etag.slice(0, -1)}-${encoding}"`, encoded);
    reply.headers['Content-Encoding'] = encoding;
    // `Repr-Digest` is of the bytes that are sent (RFC 9530), and only the digest of the uncompressed bytes
    // is known.
    delete reply.headers['Repr-Digest'];
    return reply;
  });
}

function withBody(answer: Answer, caching: Caching, etag: string, body: Buffer): Reply {
  const headers = toHeaders(caching, etag, answer);
  headers['X-Content-Type-Options'] = commonHeaders['X-Content-Type-Options'];
  headers['Content-Type'] = answer.contentType;
  headers['Content-Length'] = String(body.length);
  return { status: 200, headers, body };
}

/** Headers with and without a body, in one literal: adding them one by one costs more than copying the body. */
function toHeaders(caching: Caching, etag: string, answer: Answer): Record<string, string> {
  const headers: Record<string, string> = {
    'Access-Control-Allow-Origin': commonHeaders['Access-Control-Allow-Origin'],
    'Access-Control-Expose-Headers': commonHeaders['Access-Control-Expose-Headers'],
    'Cache-Control': caching['Cache-Control'],
    Vary: caching.Vary,
    ETag: etag,
  };
  if (caching['Accept-Ranges']) headers['Accept-Ranges'] = caching['Accept-Ranges'];
  return answer.headers ? Object.assign(headers, answer.headers) : headers;
}

/** A reply with a JSON body. */
export function jsonReply(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body = Buffer.from(JSON.stringify(value));
  return {
    status,
    headers: {
      ...commonHeaders,
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
      'Cache-Control': 'no-store',
      ...headers,
    },
    body,
  };
}

/** Headers of every reply with a JSON-RPC message. */
export const messageHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** A reply with a JSON-RPC message as its body. */
export function messageReply(
  status: number,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
      ...messageHeaders,
      ...headers,
    },
    body,
  };
}

/**
 * The ETag under which a client already has the content, in any encoding; null if the client does not have
 * it. The comparison is weak (RFC 9110, section 13.1.2).
 */
export function heldEtag(ifNoneMatch: string, etag: string): string | null {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return etag;
  const plain = etag.slice(1, -1);
  const held = [...ifNoneMatch.matchAll(/"([^"]*)"/g)].find(
    ([, listed = '']) => listed.replace(/-(br|gzip)$/, '') === plain,
  );
  return held ? held[0] : null;
}
