import type { Direction } from '../../src/contract/snapshot.ts';
import type { Keys } from '../../src/table/line.ts';

/** Lines of one table, held in memory as the bytes that they will have in its file, in any order. */
export interface HeldLines {
  /** Adds a line, its newline included. */
  add(keys: Keys, line: string): void;
  /** Bytes that they take, what sorts them included; 0 if there are none. */
  bytes(): number;
  /**
   * Calls for each line in the order of the table, of lines with the same keys for the one that was added
   * last, and forgets them all. The bytes are good until the call returns.
   */
  take(onLine: (keys: Keys, line: Buffer) => void): void;
}

/** Room is taken in pieces, each twice as long as the one before up to a bound, and used again. */
const [pieceBytesMinimum, pieceBytesMaximum] = [64 * 1024, 8 * 1024 * 1024];
/** A line takes this beside its bytes: its keys, and where it lies. */
const lineOverhead = 64;
/** UTF-8 takes at most so many bytes for each UTF-16 code unit. */
const bytesPerUnit = 3;

/**
 * Holds lines outside of the heap: what is held as texts and objects is moved several times by the garbage
 * collector, which took more time than to sort and write it.
 */
export function createHeldLines(direction: Direction): HeldLines {
  const pieces: Buffer[] = [];
  /** Where the next line goes: a piece, and an offset in it. */
  let [piece, offset] = [0, 0];
  let bytes = 0;
  /** Partitions in the order in which they came, by name and by number. */
  let numbers = new Map<string, number>();
  // Of each line the number of its partition, its sort key, where it begins (as if all pieces had the
  // greatest length), and its length.
  let [partitions, sorts, starts, lengths]: [number[], string[], number[], number[]] = [[], [], [], []];

  /** A piece in which the text fits behind what is there. Throws if it fits in none. */
  function roomFor(text: string): Buffer {
    const most = text.length * bytesPerUnit;
    if (most > pieceBytesMaximum) throw new Error(`a line has ${text.length} characters`);
    while ((pieces[piece]?.length ?? Infinity) - offset < most) [piece, offset] = [piece + 1, 0];
    return (pieces[piece] ??= Buffer.allocUnsafeSlow(
      Math.max(most, Math.min(pieceBytesMaximum, pieceBytesMinimum * 2 ** piece)),
    ));
  }

  /** Numbers of lines by partition, each in the order of addition. */
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
  };
}
