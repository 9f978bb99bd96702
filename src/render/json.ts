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

/** How many bytes of a page are copied and hashed before others may have a turn, of one list of long rows as well. */
const stepBytes = 16 * 1024;

/** Renders a whole page as JSON. It calls `pause` between its steps: a long watchlist has megabytes. */
export async function pageAnswer(page: Page, pause: () => Promise<void> | null): Promise<Answer> {
  const { envelope, end } = await inPasses(() => page.first(page.count));
  await pause();
  const pieces = envelopePieces(envelope, page.json);
  const bytes = bodyFor(pieces);
  const digest = createHash('sha256');
  let [at, hashed] = [0, 0];
  for (const piece of pieces)
    for (let row = 0; row < lengthOf(piece); ) {
      [at, row] = write(bytes, at, piece, row, stepBytes);
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
  for (const piece of pieces) [at] = write(body, at, piece);
  return body;
}

/**
 * Room for pieces. It is memory of its own: a buffer from Node's shared pool would keep the whole pool in memory while
 * it is cached.
 */
const bodyFor = (pieces: readonly Piece[]) => Buffer.allocUnsafeSlow(bytesOf(pieces));

/** The rows of a piece; a text counts as one. */
const lengthOf = (piece: Piece) => (typeof piece === 'string' ? 1 : piece.extents.length);

function sizeOf({ extents, end = '' }: Rows): number {
  return (
    extents.reduce((sum, { from, to }) => sum + to - from, 0) +
    extents.length * end.length +
    Math.max(0, extents.length - 1)
  );
}

/**
 * Writes a piece from a row on, until there are so many bytes of it or all. Returns where they end, and the row that
 * comes next.
 */
function write(
  body: Buffer,
  start: number,
  piece: Piece,
  first = 0,
  bytesMaximum = Infinity,
): [at: number, next: number] {
  if (typeof piece === 'string') return [start + body.write(piece, start), 1];
  const { extents, end = '' } = piece;
  let [at, next] = [start, first];
  for (; next < extents.length && at - start < bytesMaximum; next++) {
    const { bytes, from, to } = extents[next] as Rows['extents'][number];
    if (next > 0) body[at++] = comma;
    at += bytes.copy(body, at, from, to);
    if (end !== '') at += body.write(end, at, 'latin1');
  }
  return [at, next];
}
