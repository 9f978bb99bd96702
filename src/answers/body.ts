import { etagFor, type Answer } from '../http/http-answer.ts';
import type { Extent } from '../rows/members.ts';

/**
 * Rows of an answer, with commas between them. `end` is written after each row whose last bytes were cut off.
 */
export interface Rows {
  readonly extents: readonly Extent[];
  readonly end?: string;
}

/** A part of an answer: text of the envelope, or rows. */
export type Part = string | Rows;

const comma = 0x2c;

/**
 * Makes a JSON answer of parts. Its ETag is computed from its bytes, so an equal answer of a later snapshot
 * has the same ETag.
 */
export function jsonAnswer(parts: readonly Part[]): Answer {
  const bytes = assemble(parts);
  return { contentType: 'application/json', etag: etagFor(bytes), body: () => bytes };
}

/** Joins the parts of an answer. Rows are copied byte for byte. */
export function assemble(parts: readonly Part[]): Buffer {
  let size = 0;
  for (const part of parts) size += typeof part === 'string' ? Buffer.byteLength(part) : sizeOf(part);
  // The body gets memory of its own: a buffer from Node's shared pool would keep the whole pool in memory
  // while it is cached.
  const body = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const part of parts)
    at = typeof part === 'string' ? at + body.write(part, at) : writeRows(body, at, part);
  return body;
}

function sizeOf({ extents, end = '' }: Rows): number {
  return (
    extents.reduce((sum, { from, to }) => sum + to - from, 0) +
    extents.length * end.length +
    Math.max(0, extents.length - 1)
  );
}

function writeRows(body: Buffer, start: number, { extents, end = '' }: Rows): number {
  let at = start;
  for (const { bytes, from, to } of extents) {
    if (at > start) body[at++] = comma;
    at += bytes.copy(body, at, from, to);
    if (end !== '') at += body.write(end, at, 'latin1');
  }
  return at;
}
