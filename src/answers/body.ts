import { hash } from 'node:crypto';
import { lineEnd, lineStart } from '../table/chunk.ts';
import type { Slice } from '../table/page.ts';

/** An answer before it is sent: what it is known by, and its bytes when they are wanted. */
export interface Answer {
  readonly contentType: string;
  /** Strong entity tag with its quotes, of the bytes without compression. */
  readonly etag: string;
  body(): Buffer;
  /** Headers beside the usual ones, or instead of them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The same bytes compressed, where they were compressed at build time or for an earlier request. */
  br?(): Promise<Buffer>;
  gzip?(): Promise<Buffer>;
}

/** A stretch of an answer: text of the envelope, or rows with a comma between them. */
export type Part = string | readonly Slice[];

const comma = 0x2c;

/** An ETag for the content that a text stands for. */
export function etagFor(content: string | Buffer): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}

/**
 * A JSON answer made of parts. Its ETag is made of the envelope and of the digests and line numbers of the blocks that
 * the rows lie in: the same content without hashing it again.
 */
export function jsonAnswer(parts: readonly Part[]): Answer {
  return { contentType: 'application/json', etag: etagFor(describe(parts)), body: () => assemble(parts) };
}

function describe(parts: readonly Part[]): string {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else for (const { chunk, from, to } of part) text += `\n${chunk.sha256}:${from}-${to}`;
  }
  return text;
}

/** The bytes of an answer. Rows are copied as they are; the newlines between them become commas. */
export function assemble(parts: readonly Part[]): Buffer {
  let size = 0;
  for (const part of parts) {
    if (typeof part === 'string') size += Buffer.byteLength(part);
    else for (const slice of part) size += lineEnd(slice.chunk, slice.to - 1) - lineStart(slice.chunk, slice.from) + 1;
    if (typeof part !== 'string' && part.length > 0) size--;
  }
  // A body owns its bytes: one that is cut from a larger piece of memory keeps all of it as long as it is kept.
  const body = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const part of parts) at = typeof part === 'string' ? at + body.write(part, at) : writeRows(body, at, part);
  return body;
}

function writeRows(body: Buffer, start: number, slices: readonly Slice[]): number {
  let at = start;
  for (const { chunk, from, to } of slices) {
    if (at > start) body[at++] = comma;
    const first = lineStart(chunk, from);
    chunk.bytes.copy(body, at, first, lineEnd(chunk, to - 1));
    for (let line = from; line < to - 1; line++) body[at + lineEnd(chunk, line) - first] = comma;
    at += lineEnd(chunk, to - 1) - first;
  }
  return at;
}
