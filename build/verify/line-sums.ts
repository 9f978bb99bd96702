import { randomBytes } from 'node:crypto';
import type { Extent } from '../../src/rows/members.ts';
import type { Keys } from '../../src/table/line.ts';

/**
 * Takes the lines that a table should have, one time each, and the lines that it has, minus one time. Both come
 * in any order.
 */
export interface LineSink {
  /** `line` ends with its newline. `sequence` is the entry of the log that gives it, if one does. */
  add(table: string, line: string | Extent, times: 1 | -1, sequence?: number): void;
}

/** Adds up digests of the lines of each table. */
export interface LineSums extends LineSink {
  /**
   * Groups of lines that do not come to nothing, by number; none if a table has the lines that it should have.
   * A line is in one group, by its digest.
   */
  differing(table: string): readonly number[];
}

/** A digest is four words of 32 bits. */
const words = 4;
/** Groups of lines with a sum each, so that a second look holds few lines to find those that differ. */
const groups = 1024;
/** Rounds behind the last word of a line. */
const lastRounds = 4;

const key = new Int32Array(new Uint8Array(randomBytes(4 * words)).buffer);
/** The digest of the last line that was taken, and the bytes of a line that came as text. */
const digest = new Int32Array(words);
let scratch = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Creates sums that hold 16 KB for each table, whatever its length. Words of digests are added modulo 2^32, so a
 * line more, less or twice leaves a difference, and so do two lines whose values were exchanged.
 */
export function createLineSums(): LineSums {
  const tables = new Map<string, Int32Array>();
  return {
    add(table, line, times) {
      let sums = tables.get(table);
      if (!sums) tables.set(table, (sums = new Int32Array(words * groups)));
      const from = words * groupOf(line);
      for (let word = 0; word < words; word++)
        sums[from + word] = (sums[from + word] as number) + times * (digest[word] as number);
    },
    differing(table) {
      const sums = tables.get(table) ?? new Int32Array();
      const differ = new Set<number>();
      sums.forEach((sum, at) => sum !== 0 && differ.add(Math.floor(at / words)));
      return [...differ];
    },
  };
}

/** A line that a table should have and has not, or has and should not have. */
export interface Difference {
  readonly keys: Keys;
  /** Says what is wrong with the line. */
  readonly what: string;
  /** The entry of the log that gives it; undefined if none does. */
  readonly sequence: number | undefined;
}

/** Holds the lines of some groups of a table, to find those that differ. */
export interface LineCollector extends LineSink {
  /** The first line that differs; null if none does. */
  first(): Difference | null;
}

/** Creates a collector for the first ones of the groups that `createLineSums` says differ. */
export function collectLines(wanted: string, differing: readonly number[]): LineCollector {
  const collected = new Set(differing.slice(0, 4));
  const lines = new Map<string, { times: number; sequence: number | undefined }>();
  return {
    add(table, line, times, sequence) {
      if (table !== wanted || !collected.has(groupOf(line))) return;
      const text = typeof line === 'string' ? line : line.bytes.toString('utf8', line.from, line.to);
      const known = lines.get(text) ?? { times: 0, sequence };
      known.times += times;
      known.sequence ??= sequence;
      lines.set(text, known);
    },
    first() {
      const differ = [...lines]
        .filter(([, { times }]) => times !== 0)
        .map(([text, line]) => ({ ...line, keys: JSON.parse(text) as Keys }));
      const line = differ.find(({ times }) => times > 0) ?? differ[0];
      if (!line) return null;
      const isSame = ({ keys: { partition, sort } }: typeof line) =>
        partition === line.keys.partition && sort === line.keys.sort;
      const hasOther = differ.some((other) => isSame(other) && other.times !== line.times);
      const what = hasOther ? 'holds another row' : line.times > 0 ? 'is missing' : 'does not belong there';
      return { ...line, what };
    },
  };
}

/** Makes the digest of a line, and tells its group. */
function groupOf(line: string | Extent): number {
  if (typeof line === 'string') {
    if (3 * line.length > scratch.length) scratch = Buffer.allocUnsafeSlow(3 * line.length);
    digestOf(scratch, 0, scratch.write(line));
  } else digestOf(line.bytes, line.from, line.to);
  return (digest[0] as number) & (groups - 1);
}

/**
 * Makes the digest of bytes: the rounds of HalfSipHash, with a whole state as key and as result. The key is made
 * up by each process: whoever writes a snapshot does not know it, so nobody can choose lines whose sums agree.
 * It takes a fifth of the time of SHA-256 for the lines of lists.
 */
function digestOf(bytes: Uint8Array, from: number, to: number): void {
  for (let word = 0; word < words; word++) digest[word] = key[word] as number;
  const whole = from + ((to - from) & ~3);
  absorb(bytes, from, whole);
  tail.fill(0);
  for (let at = whole; at < to; at++) tail[at - whole] = bytes[at] as number;
  tail[3] = to - from;
  absorb(tail, 0, tail.length);
}

/** The last bytes and the length, and what the last rounds take. */
const tail = Buffer.alloc(words * (1 + lastRounds));

/** Takes whole words of bytes into the digest. The loop has nothing else in it: so it takes a third of the time. */
function absorb(bytes: Uint8Array, from: number, to: number): void {
  let v0 = digest[0] as number;
  let v1 = digest[1] as number;
  let v2 = digest[2] as number;
  let v3 = digest[3] as number;
  for (let at = from; at < to; at += 4) {
    const word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  digest[0] = v0;
  digest[1] = v1;
  digest[2] = v2;
  digest[3] = v3;
}
