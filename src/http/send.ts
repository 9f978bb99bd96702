import type { Answer } from '../answers/body.ts';
import { errorStatus, type ApiError } from '../contract/errors.ts';
import { chooseEncoding } from './negotiate.ts';

/** Who may keep an answer, and for how long. */
export type Caching = 'public' | 'negotiated' | 'keyed' | 'fresh';

const publicControl = 'public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400';
const cacheControl: Record<Caching, string> = { public: publicControl, negotiated: publicControl, keyed: 'private, no-cache', fresh: 'no-store' };
const vary: Record<Caching, string> = {
  public: 'Accept-Encoding',
  negotiated: 'Accept, Accept-Encoding',
  keyed: 'Accept-Encoding, Authorization, x-api-key, x-marketplace-host, x-marketplace-key',
  fresh: 'Accept-Encoding',
};

/** Headers that every answer has: reads are open to scripts of any origin, and nothing is sniffed. */
export const commonHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Link, Retry-After, WWW-Authenticate, Content-Range, Accept-Ranges, Content-Disposition, Repr-Digest',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** What goes to the client. */
export interface Sent {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
}

/** Prepares an answer: 304 if the client has it already, else its bytes, compressed if the client accepts that. */
export function prepare(ifNoneMatch: string | undefined, acceptEncoding: string | undefined, answer: Answer, caching: Caching): Sent | Promise<Sent> {
  const held = ifNoneMatch === undefined ? null : heldTag(ifNoneMatch, answer.etag);
  if (held !== null) return { status: 304, headers: toHeaders(caching, held, answer), body: null };
  const encoding = chooseEncoding(acceptEncoding, answer);
  if (encoding === 'identity') return withBody(answer, caching, answer.etag, answer.body());
  return (answer[encoding] as () => Promise<Buffer>)().then((encoded) => {
    const sent = withBody(answer, caching, `${answer.etag.slice(0, -1)}-${encoding}"`, encoded);
    sent.headers['Content-Encoding'] = encoding;
    // A digest is of the bytes that are sent (RFC 9530), and the one that is known is of those without compression.
    delete sent.headers['Repr-Digest'];
    return sent;
  });
}

function withBody(answer: Answer, caching: Caching, etag: string, body: Buffer): Sent {
  const headers = toHeaders(caching, etag, answer);
  headers['Content-Type'] = answer.contentType;
  headers['Content-Length'] = String(body.length);
  return { status: 200, headers, body };
}

/** One literal with every header in its place: an object that is put together member by member costs more than the page. */
function toHeaders(caching: Caching, etag: string, answer: Answer): Record<string, string> {
  const headers: Record<string, string> = {
    'Access-Control-Allow-Origin': commonHeaders['Access-Control-Allow-Origin'],
    'Access-Control-Expose-Headers': commonHeaders['Access-Control-Expose-Headers'],
    'X-Content-Type-Options': commonHeaders['X-Content-Type-Options'],
    'Cache-Control': cacheControl[caching],
    Vary: vary[caching],
    ETag: etag,
  };
  return answer.headers ? Object.assign(headers, answer.headers) : headers;
}

/** Sends an error. */
export function sendError(error: ApiError, extra?: Record<string, string>): Response {
  const headers = { ...commonHeaders, 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...extra };
  return new Response(JSON.stringify({ error: { code: error.code, message: error.message } }), { status: errorStatus[error.code], headers });
}

/**
 * The tag under which a client already has the content, in whichever encoding; null if it has it not. Comparison is weak
 * (RFC 9110, section 13.1.2).
 */
export function heldTag(ifNoneMatch: string, etag: string): string | null {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return etag;
  const plain = etag.slice(1, -1);
  const held = [...ifNoneMatch.matchAll(/"([^"]*)"/g)].find(([, tag = '']) => tag.replace(/-(br|gzip)$/, '') === plain);
  return held ? held[0] : null;
}
