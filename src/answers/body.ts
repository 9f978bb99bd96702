import { etagFor, type Answer } from '../http/answer.ts';

/** Bytes of a block: from an offset up to, not including, another one. */
export interface Extent {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Rows of an answer, with a comma between them. `end` closes each of them where its bytes were cut. */
export interface Rows {
  readonly extents: readonly Extent[];
  readonly end?: string;
}

/** A stretch of an answer: text of the envelope, or rows. */
export type Part = string | Rows;

const comma = 0x2c;

/**
 * A JSON answer made of parts. Its ETag is that of its bytes: the same answer of a later snapshot is known by
 * it, too.
 */
export function jsonAnswer(parts: readonly Part[]): Answer {
  const bytes = assemble(parts);
  return { contentType: 'application/json', etag: etagFor(bytes), body: () => bytes };
}

/** The bytes of an answer. Rows are copied as they are. */
export function assemble(parts: readonly Part[]): Buffer {
  let size = 0;
  for (const part of parts) size += typeof part === 'string' ? Buffer.byteLength(part) : sizeOf(part);
  // A body owns its bytes: one that is cut from a larger piece of memory keeps all of it as long as it is
  // kept.
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
