/** A block, inflated: its lines, with the offset of each line's end, which is computed once. */
export interface Block {
  readonly bytes: Buffer;
  /** Offset of the newline that ends each line. */
  readonly ends: Int32Array;
  /** SHA-256 of the stored block, which was checked. */
  readonly sha256: string;
  /** Least and greatest filing date of the lines; left out if the index entry was not given. */
  readonly filedFrom?: string;
  readonly filedTo?: string;
  /** Whether each line is a row alone, as in the log; in tables a line has keys before its row. */
  readonly isBare?: boolean;
}

const newline = 0x0a;

/** Makes a block of bytes that end with a newline. */
export function toBlock(bytes: Buffer, sha256: string): Block {
  const ends: number[] = [];
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) ends.push(at);
  return { bytes, ends: new Int32Array(ends), sha256 };
}

/** Offset of the first byte of a line. */
export function lineStart(block: Block, line: number): number {
  return line === 0 ? 0 : (block.ends[line - 1] ?? 0) + 1;
}

/** Offset just behind the last byte of a line, before its newline. */
export function lineEnd(block: Block, line: number): number {
  return block.ends[line] ?? 0;
}

/**
 * The first index below `length` for which `holds` is true; `length` if there is none. `holds` must be false
 * up to some index and true from there on.
 */
export function bisect(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
