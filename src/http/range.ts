import type { Answer } from '../answers/body.ts';
import { commonHeaders, prepare, type Sent } from './send.ts';

/**
 * A part of a public document (RFC 9110, section 14): of its bytes without compression, one range at a time. Null where the
 * whole is to be sent: without a range, with one that is not understood, with several, or when `If-Range` is not the very tag
 * of these bytes.
 */
export function preparePart(range: string | undefined, ifRange: string | undefined, answer: Answer): Sent | null {
  const bounds = /^bytes=(\d*)-(\d*)$/i.exec(range ?? '');
  if (!bounds || (bounds[1] === '' && bounds[2] === '') || (ifRange !== undefined && ifRange !== answer.etag)) return null;
  const body = answer.body();
  const [first, last] = [bounds[1], bounds[2]].map((text) => (text === '' ? undefined : Number(text)));
  const from = first ?? Math.max(0, body.length - (last ?? 0));
  const to = Math.min(first === undefined || last === undefined ? body.length - 1 : last, body.length - 1);
  if (first !== undefined && last !== undefined && last < first) return null;
  // A refusal is about this request: nobody is to keep it for as long as the document.
  if (from > to) return { status: 416, headers: { ...commonHeaders, 'Cache-Control': 'no-store', 'Content-Length': '0', 'Content-Range': `bytes */${body.length}` }, body: null };
  const whole = prepare(undefined, undefined, answer, 'public') as Sent;
  const part = body.subarray(from, to + 1);
  return { status: 206, headers: { ...whole.headers, 'Content-Length': String(part.length), 'Content-Range': `bytes ${from}-${to}/${body.length}` }, body: part };
}
