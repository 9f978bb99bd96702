import type { Direction } from '../../src/contract/snapshot.ts';
import type { Keys } from '../../src/table/line.ts';

/** Lines of one table in memory, in any order, as the bytes that a file will have. */
export interface HeldLines {
  /** Adds a line with its newline. Throws if it has more than 2.6 million characters. */
  add(keys: Keys, line: string): void;
  /** Bytes that the lines and their keys take; 0 if there are none. */
  bytes(): number;
  /**
   * Calls `onLine` for each line in the order of the table, then forgets all lines. Of lines with the same
   * keys it takes the one that was added last. The bytes are valid until `onLine` returns.
   */
  take(onLine: (keys: Keys, line: Buffer) => void): void;
  /** Gives up the memory that `take` keeps for further lines. */
  release(): void;
}

/**
 * Memory is taken in pieces, which are kept and used again. Each is twice as long as the one before, up to a
 * bound.
 */
const [pieceBytesMinimum, pieceBytesMaximum] = [64 * 1024, 8 * 1024 * 1024];
/** Bytes that a line takes for its keys and its position, about. */
const lineOverhead = 64;
/** The most bytes that UTF-8 takes for a UTF-16 code unit. */
const bytesPerUnit = 3;

/**
 * Holds lines in buffers outside of the JavaScript heap. On the heap, the garbage collector moved each line
 * several times, which took longer than to sort and write it.
 */
export function createHeldLines(direction: Direction): HeldLines {
  const pieces: Buffer[] = [];
  /** The next line is written into this piece, at this offset. */
  let [piece, offset] = [0, 0];
  let bytes = 0;
  /** Each partition key, with a number in the order of arrival. */
  let numbers = new Map<string, number>();
  // For each line: the number of its partition key, its sort key, its position, its length. A position counts
  // every piece as one of the greatest length.
  let [partitions, sorts, starts, lengths]: [number[], string[], number[], number[]] = [[], [], [], []];

  /** Finds a piece with room for the text and returns it. Throws if no piece can be as long. */
  function roomFor(text: string): Buffer {
    const most = text.length * bytesPerUnit;
    if (most > pieceBytesMaximum) throw new Error(`a line has ${text.length} characters`);
    while ((pieces[piece]?.length ?? Infinity) - offset < most) [piece, offset] = [piece + 1, 0];
    return (pieces[piece] ??= Buffer.allocUnsafeSlow(
      Math.max(most, Math.min(pieceBytesMaximum, pieceBytesMinimum * 2 ** piece)),
    ));
  }

  /** The lines of each partition, by the number of the partition, in the order of addition. */
  function byPartition(): number[][] {
    const groups: number[][] = Array.from({ length: numbers.size }, () => []);
    for (let line = 0; line < partitions.length; line++)
      (groups[partitions[line] as number] as number[]).push(line);
    return groups;
  }

  return {
    add({ partition, sort }, line) {
      let number = numbers.get(partition);
      if (number === undefined) numbers.set(partition, (number = numbers.size));
      const length = roomFor(line).write(line, offset);
      partitions.push(number);
      sorts.push(sort);
      starts.push(piece * pieceBytesMaximum + offset);
      lengths.push(length);
      offset += length;
      bytes += length + lineOverhead;
    },
    bytes: () => bytes,
    take(onLine) {
      const groups = byPartition();
      const compare = (a: number, b: number) => {
        const [first, second] = [sorts[a] as string, sorts[b] as string];
        if (first === second) return a - b;
        return first < second === (direction === 'ascending') ? -1 : 1;
      };
      for (const partition of [...numbers.keys()].sort()) {
        const lines = (groups[numbers.get(partition) as number] as number[]).sort(compare);
        for (let at = 0; at < lines.length; at++) {
          const line = lines[at] as number;
          const sort = sorts[line] as string;
          if (at + 1 < lines.length && sorts[lines[at + 1] as number] === sort) continue;
          const start = starts[line] as number;
          const from = start % pieceBytesMaximum;
          const room = pieces[Math.floor(start / pieceBytesMaximum)] as Buffer;
          onLine({ partition, sort }, room.subarray(from, from + (lengths[line] as number)));
        }
      }
      [piece, offset, bytes] = [0, 0, 0];
      numbers = new Map();
      [partitions, sorts, starts, lengths] = [[], [], [], []];
    },
    release: () => void (pieces.length = 0),
  };
}
