import { sha256Of } from '../../src/files/bytes.ts';
import type { Keys } from '../../src/table/line.ts';
import type { BlockEntry } from '../../src/table/table-head.ts';

/**
 * The blocks that a piece of a table must be cut into: each ends before the line that would make it longer
 * than so many bytes.
 */
export function naiveBlocks<Piece extends { readonly line: string }>(
  rows: readonly Piece[],
  bytesMaximum: number,
): Piece[][] {
  const blocks: Piece[][] = [];
  let room = -1;
  for (const row of rows) {
    const bytes = Buffer.byteLength(row.line);
    if (bytes > room) {
      blocks.push([]);
      room = bytesMaximum;
    }
    blocks.at(-1)?.push(row);
    room -= bytes;
  }
  return blocks;
}

/** What an entry must tell of a block: where it is, its stored bytes, its lines, and their dates and labels. */
export function naiveEntry(
  first: Keys,
  offset: number,
  stored: Buffer,
  rows: number,
  dates: readonly string[],
  labels: readonly string[],
): BlockEntry {
  const filed = dates.filter((date) => date !== '').sort();
  return {
    ...first,
    offset,
    bytes: stored.length,
    rows,
    filedFrom: filed[0] ?? '',
    filedTo: filed.at(-1) ?? '',
    sha256: sha256Of(stored),
    labels: [...new Set(labels)].sort(),
  };
}
