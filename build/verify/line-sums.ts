import { randomBytes } from 'node:crypto';
import { remembered } from '../../src/domain/remembered.ts';
import type { Extent } from '../../src/rows/members.ts';
import type { Keys } from '../../src/table/line.ts';

/**
 * What stands in a line behind its partition key, its newline included, with a digest of four words. Lines of
 * several lists share it.
 */
export interface LineRest {
  readonly source: string | Extent;
  readonly digest: Digest;
}

type Digest = readonly [number, number, number, number];

/**
 * Takes the lines that a table should have, one time each, and the lines that it has, minus one time. Both come
 * in any order.
 */
export interface LineSink {
  readonly digests: LineDigests;
  /** `sequence` is the entry of the log that gives the line, if one does. */
  add(table: string, partition: string, rest: LineRest, times: 1 | -1, sequence?: number): void;
}

/** Adds up digests of the lines of each table. */
export interface LineSums extends LineSink {
  /** The sums of each table, by group. */
  readonly tables: ReadonlyMap<string, Int32Array>;
  /** Adds sums that were made with the same key. */
  addAll(tables: ReadonlyMap<string, Int32Array>): void;
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
/** Partitions whose digests are kept: those of lists come again and again. */
const partitionsKept = 10_000;

/** Makes digests of lines with a key that whoever writes a snapshot does not know. */
export interface LineDigests {
  /** Four words that no other process has. */
  readonly key: Int32Array;
  restOf(source: string | Extent): LineRest;
  /** Makes the digest of a line from those of its parts. It holds until the next call. */
  digestOf(partition: string, rest: LineRest): Int32Array;
}

/** A key that nobody knows. */
export const newKey = (): Int32Array => new Int32Array(new Uint8Array(randomBytes(4 * words)).buffer);

/**
 * Makes digests by the rounds of HalfSipHash, with a whole state as key and as result. Nobody who does not know
 * the key can choose lines whose sums agree. It takes a fifth of the time of SHA-256 for the lines of lists.
 */
export function createLineDigests(key: Int32Array): LineDigests {
  /** The digest that was made last, and the bytes of what came as text. */
  const digest = new Int32Array(words);
  let scratch = Buffer.allocUnsafeSlow(64 * 1024);
  /** The digests of the two parts of a line. */
  const parts = new DataView(new ArrayBuffer(2 * 4 * words));
  /** The last bytes and the length, and what the last rounds take. */
  const tail = new DataView(new ArrayBuffer(4 * (1 + lastRounds)));
  let scratchView = viewOf(scratch);
  /** The bytes that were digested last, and a view of them: lines of a block follow one another. */
  let viewed: Buffer = scratch;
  let view = scratchView;

  function digestBytes(bytes: DataView, from: number, to: number): void {
    digest.set(key);
    const whole = from + ((to - from) & ~3);
    absorb(digest, bytes, from, whole);
    tail.setInt32(0, 0);
    for (let at = whole; at < to; at++) tail.setUint8(at - whole, bytes.getUint8(at));
    tail.setUint8(3, to - from);
    absorb(digest, tail, 0, tail.byteLength);
  }

  function ofView(bytes: DataView, from: number, to: number): Digest {
    digestBytes(bytes, from, to);
    return [digest[0] as number, digest[1] as number, digest[2] as number, digest[3] as number];
  }

  function ofBytes({ bytes, from, to }: Extent): Digest {
    if (bytes !== viewed) [viewed, view] = [bytes, viewOf(bytes)];
    return ofView(view, from, to);
  }

  function ofText(text: string): Digest {
    if (3 * text.length > scratch.length) {
      scratch = Buffer.allocUnsafeSlow(3 * text.length);
      scratchView = viewOf(scratch);
    }
    return ofView(scratchView, 0, scratch.write(text));
  }

  const ofPartition = remembered(partitionsKept, ofText);
  return {
    key,
    restOf: (source) => ({ source, digest: typeof source === 'string' ? ofText(source) : ofBytes(source) }),
    digestOf(partition, rest) {
      const begin = ofPartition(partition);
      for (let word = 0; word < words; word++) {
        parts.setInt32(4 * word, begin[word] as number, true);
        parts.setInt32(4 * (words + word), rest.digest[word] as number, true);
      }
      digestBytes(parts, 0, parts.byteLength);
      return digest;
    },
  };
}

const viewOf = (bytes: Buffer) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/**
 * Creates sums that hold 16 KB for each table, whatever its length. Words of digests are added modulo 2^32, so a
 * line more, less or twice leaves a difference, and so do two lines whose values were exchanged.
 */
export function createLineSums(digests: LineDigests): LineSums {
  const tables = new Map<string, Int32Array>();
  function sumsOf(table: string): Int32Array {
    let sums = tables.get(table);
    if (!sums) tables.set(table, (sums = new Int32Array(words * groups)));
    return sums;
  }
  return {
    digests,
    tables,
    addAll(others) {
      for (const [table, other] of others) {
        const sums = sumsOf(table);
        other.forEach((sum, at) => (sums[at] = (sums[at] as number) + sum));
      }
    },
    add(table, partition, rest, times) {
      const sums = sumsOf(table);
      const digest = digests.digestOf(partition, rest);
      const from = words * groupOf(digest);
      for (let word = 0; word < words; word++)
        sums[from + word] = (sums[from + word] as number) + times * (digest[word] as number);
    },
    differing(table) {
      const differ = new Set<number>();
      tables.get(table)?.forEach((sum, at) => sum !== 0 && differ.add(Math.floor(at / words)));
      return [...differ];
    },
  };
}

const groupOf = (digest: Int32Array) => (digest[0] as number) & (groups - 1);

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

/** Creates a collector for the first ones of the groups that sums of the same digests say differ. */
export function collectLines(
  digests: LineDigests,
  wanted: string,
  differing: readonly number[],
): LineCollector {
  const collected = new Set(differing.slice(0, 4));
  const lines = new Map<string, { times: number; sequence: number | undefined }>();
  return {
    digests,
    add(table, partition, rest, times, sequence) {
      if (table !== wanted || !collected.has(groupOf(digests.digestOf(partition, rest)))) return;
      const { source } = rest;
      const behind =
        typeof source === 'string' ? source : source.bytes.toString('utf8', source.from, source.to);
      const text = `{"partition":"${partition}",${behind}`;
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

/** Takes whole words of bytes into the digest. The loop has nothing else in it: so it takes a third of the time. */
function absorb(digest: Int32Array, bytes: DataView, from: number, to: number): void {
  let v0 = digest[0] as number;
  let v1 = digest[1] as number;
  let v2 = digest[2] as number;
  let v3 = digest[3] as number;
  for (let at = from; at < to; at += 4) {
    const word = bytes.getInt32(at, true);
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
