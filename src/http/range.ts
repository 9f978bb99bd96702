import type { Answer } from './http-answer.ts';
import { ApiError } from '../contract/errors.ts';
import { headerOf, type Exchange, type Reply } from './exchange.ts';
import { prepare, type Caching } from './send.ts';

/**
 * Prepares one range of a document (RFC 9110, section 14), counted in bytes without compression. Returns null
 * where the whole document is to be sent: for a request without a range, with a range that is not understood,
 * with several ranges, or with an `If-Range` that is not the ETag of these bytes. `If-None-Match` goes before
 * a range (section 13.2.2), so a request that has both gets null, too. Throws `range_not_satisfiable` for a
 * range that begins behind the end of the document.
 *
 * Written here because `range-parser` refuses the last 100 bytes of a document that has fewer; here they are
 * all of it, as the RFC has it.
 */
export function preparePart(
  exchange: Pick<Exchange, 'method' | 'headers'>,
  answer: Answer,
  caching: Caching,
): Reply | null {
  if (exchange.method !== 'GET' || headerOf(exchange, 'if-none-match') !== undefined) return null;
  const [range, ifRange] = [headerOf(exchange, 'range'), headerOf(exchange, 'if-range')];
  const bounds = /^bytes=(\d*)-(\d*)$/i.exec(range ?? '');
  if (!bounds || (bounds[1] === '' && bounds[2] === '') || (ifRange !== undefined && ifRange !== answer.etag))
    return null;
  const body = answer.body();
  const [first, last] = [bounds[1], bounds[2]].map((text) => (text === '' ? undefined : Number(text)));
  const from = first ?? Math.max(0, body.length - (last ?? 0));
  const to = Math.min(first === undefined || last === undefined ? body.length - 1 : last, body.length - 1);
  if (first !== undefined && last !== undefined && last < first) return null;
  if (from > to)
    throw new ApiError(
      'range_not_satisfiable',
      `Range: must begin before byte ${body.length}, where the document ends`,
      { 'Content-Range': `bytes */${body.length}` },
    );
  // Without `Accept-Encoding` the reply is there at once, with the bytes as they are.
  const whole = prepare({ headers: {} }, answer, caching) as Reply;
  const part = body.subarray(from, to + 1);
  return {
    status: 206,
    headers: {
      ...whole.headers,
      'Content-Length': String(part.length),
      'Content-Range': `bytes ${from}-${to}/${body.length}`,
    },
    body: part,
  };
}
