import { createHash } from 'node:crypto';
import { etagFor, etagOf, type Answer } from '../http/http-answer.ts';
import { inPasses } from '../table/passes.ts';
import { envelopePieces, type Page, type Piece, type Rows } from './page.ts';

const comma = 0x2c;

/**
 * Makes a JSON answer of its pieces. Its ETag is computed from its bytes, so an equal answer of a later
 * snapshot has the same ETag.
 */
export function jsonAnswer(pieces: readonly Piece[]): Answer {
  return answerOf(assemble(pieces));
}

function answerOf(bytes: Buffer, etag = etagFor(bytes)): Answer {
  return { contentType: 'application/json', etag, body: () => bytes };
}

/** How many bytes of a page are copied and hashed before others may have a turn: half a millisecond of work. */
const stepBytes = 256 * 1024;

/** Renders a whole page as JSON. It calls `pause` between its steps: a long watchlist has megabytes. */
export async function pageAnswer(page: Page, pause: () => Promise<void> | null): Promise<Answer> {
  const { envelope, end } = await inPasses(() => page.first(page.count));
  await pause();
  const pieces = envelopePieces(envelope, page.json);
  const bytes = bodyFor(pieces);
  const digest = createHash('sha256');
  let [at, hashed] = [0, 0];
  for (const piece of pieces) {
    at = write(bytes, at, piece);
    if (at - hashed < stepBytes) continue;
    digest.update(bytes.subarray(hashed, at));
    hashed = at;
    await pause();
  }
  const made = answerOf(bytes, etagOf(digest.update(bytes.subarray(hashed)).digest('base64url')));
  return end === null ? made : { ...made, end };
}

/** How many bytes pieces have. */
export function bytesOf(pieces: readonly Piece[]): number {
  let size = 0;
  for (const piece of pieces) size += typeof piece === 'string' ? Buffer.byteLength(piece) : sizeOf(piece);
  return size;
}

/** Joins the pieces of an answer. Rows are copied byte for byte. */
export function assemble(pieces: readonly Piece[]): Buffer {
  const body = bodyFor(pieces);
  let at = 0;
  for (const piece of pieces) at = write(body, at, piece);
  return body;
}

/**
 * Room for pieces. It is memory of its own: a buffer from Node's shared pool would keep the whole pool in memory while
 * it is cached.
 */
const bodyFor = (pieces: readonly Piece[]) => Buffer.allocUnsafeSlow(bytesOf(pieces));

/** Writes a piece, and returns where it ends. */
const write = (body: Buffer, at: number, piece: Piece) =>
  typeof piece === 'string' ? at + body.write(piece, at) : writeRows(body, at, piece);

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
