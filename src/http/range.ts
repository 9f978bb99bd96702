import type { Answer } from '../answers/body.ts';
import { heldTag, prepare, type Sent } from './send.ts';

/**
 * A part of a public document (RFC 9110, section 14): of its bytes without compression, one range at a time. Null where the
 * whole is to be sent: without a range, with one that is not understood, with several, or when `If-Range` names other bytes.
 */
export function preparePart(range: string | undefined, ifRange: string | undefined, answer: Answer): Sent | null {
  const bounds = /^bytes=(\d*)-(\d*)$/.exec(range ?? '');
  if (!bounds || (bounds[1] === '' && bounds[2] === '') || (ifRange !== undefined && (ifRange.startsWith('W/') || heldTag(ifRange, answer.etag) !== answer.etag))) return null;
  const body = answer.body();
  const [first, last] = [bounds[1], bounds[2]].map((text) => (text === '' ? undefined : Number(text)));
  const from = first ?? Math.max(0, body.length - (last ?? 0));
  const to = Math.min(first === undefined || last === undefined ? body.length - 1 : last, body.length - 1);
  if (first !== undefined && last !== undefined && last < first) return null;
  const whole = prepare(undefined, undefined, answer, 'public') as Sent;
  if (from > to) return { status: 416, headers: { ...whole.headers, 'Content-Length': '0', 'Content-Range': `bytes */${body.length}` }, body: null };
  const part = body.subarray(from, to + 1);
  return { status: 206, headers: { ...whole.headers, 'Content-Length': String(part.length), 'Content-Range': `bytes ${from}-${to}/${body.length}` }, body: part };
}
