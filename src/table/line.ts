import type { Direction } from '../format/snapshot.ts';
import { lineEnd, lineStart, type Block } from './block.ts';

/**
 * The two keys of a row. A line of a table is a JSON object: `{"partition":"…","sort":"…","row":{…}}`. The
 * row is served as it is, byte for byte. A row of null hides the row with the same keys in an older segment.
 * Data that only the build reads is written between the keys and the row, as `"note":{…}`.
 */
export interface Keys {
  /** The list that the row belongs to. */
  readonly partition: string;
  /** Sorts the rows of that list. */
  readonly sort: string;
}

const partitionStart = Buffer.byteLength('{"partition":"');
const betweenKeys = Buffer.byteLength('","sort":"');
const sortStart = Buffer.byteLength('"sort":"');
const rowNeedle = Buffer.from(',"row":');
const noteNeedle = Buffer.from(',"note":');
const quote = 0x22;
const [letterR, letterN] = [0x72, 0x6e];
/**
 * Length from the quote that ends the sort key to the next member's first letter: `","row"` or `","note"`.
 */
const behindKeys = '","'.length;

/**
 * Compares two pairs of keys in the order of a table, in which partitions always ascend: negative if `a`
 * comes first, 0 if they are the same.
 */
export function compareKeys(direction: Direction, a: Keys, b: Keys): number {
  if (a.partition !== b.partition) return a.partition < b.partition ? -1 : 1;
  if (a.sort === b.sort) return 0;
  return a.sort < b.sort === (direction === 'ascending') ? -1 : 1;
}

/**
 * Makes a line. `row` and `note` are JSON; a row of null hides. Throws for keys that no table can have.
 */
export function makeLine(keys: Keys, row: string | null, note?: string): string {
  checkKey(keys.partition);
  checkKey(keys.sort);
  return makeCheckedLine(keys, row, note);
}

/** Makes a line of keys that were checked. */
export function makeCheckedLine({ partition, sort }: Keys, row: string | null, note?: string): string {
  return `{"partition":"${partition}",${makeLineRest(sort, row, note)}`;
}

/** Makes what stands in a line behind its partition key, and behind the prefix that `linePrefix` makes. */
export function makeLineRest(sort: string, row: string | null, note?: string): string {
  return note === undefined
    ? `"sort":"${sort}","row":${row ?? 'null'}}\n`
    : `"sort":"${sort}","note":${note},"row":${row ?? 'null'}}\n`;
}

/**
 * Throws for a key that JSON would escape, and for one whose order as a JavaScript string differs from the
 * order of its UTF-8 bytes.
 */
export function checkKey(key: string): void {
  if (!plainKey.test(key) && !keyPattern.test(key))
    throw new Error(`${JSON.stringify(key)} is no key of a table`);
}

/** Most keys. This pattern takes a fifth of the time of the other. */
const plainKey = /^[ !#-[\]-~]*$/;
const keyPattern = /^[^\p{Cc}"\\\ud800-\udfff\uffff\u{10000}-\u{10ffff}]*$/u;

/** The keys of a line. */
export function keysOf(block: Block, line: number): Keys {
  const from = lineStart(block, line) + partitionStart;
  const partitionEnd = block.bytes.indexOf(quote, from);
  const sortStart = partitionEnd + betweenKeys;
  return {
    partition: block.bytes.toString('utf8', from, partitionEnd),
    sort: block.bytes.toString('utf8', sortStart, block.bytes.indexOf(quote, sortStart)),
  };
}

/** The bytes with which the lines of a partition begin. */
export function linePrefix(partition: string): Buffer {
  return Buffer.from(`{"partition":"${partition}",`);
}

/** Whether a line belongs to the partition with this prefix, made by `linePrefix`. */
export function isInPartition(block: Block, line: number, prefix: Buffer): boolean {
  const from = lineStart(block, line);
  return block.bytes.compare(prefix, 0, prefix.length, from, from + prefix.length) === 0;
}

/** Offset of the sort key in a line that begins with this prefix, made by `linePrefix`. */
export const sortOffset = (prefix: Buffer): number => prefix.length + sortStart;

/** Offset of the quote that ends a key, from where that begins. */
export function endOfKey({ bytes }: Block, from: number): number {
  // Keys are short: a loop finds their ends sooner than a call of `indexOf`.
  let at = from;
  while (bytes[at] !== quote) at++;
  return at;
}

/** The sort key of a line that begins with this prefix, made by `linePrefix`. */
export function sortOf(block: Block, line: number, prefix: Buffer): string {
  const from = lineStart(block, line) + sortOffset(prefix);
  return block.bytes.toString('utf8', from, block.bytes.indexOf(quote, from));
}

/** Keys as bytes, for comparisons with many lines. */
export interface KeyBytes {
  readonly partition: Buffer;
  readonly sort: Buffer;
}

/** Encodes keys for `compareLine`. */
export function keyBytes({ partition, sort }: Keys): KeyBytes {
  return { partition: Buffer.from(partition), sort: Buffer.from(sort) };
}

/**
 * Like `compareKeys`, with the keys of a line as the first pair. The keys of the line are not decoded.
 * Negative if the line comes first.
 */
export function compareLine(
  direction: Direction,
  { bytes, ends }: Block,
  line: number,
  { partition, sort }: KeyBytes,
): number {
  const from = (line === 0 ? 0 : (ends[line - 1] as number) + 1) + partitionStart;
  const difference = compareText(bytes, from, partition);
  if (difference !== 0) return difference;
  const inPartition = compareText(bytes, from + partition.length + betweenKeys, sort);
  return direction === 'ascending' ? inPartition : -inPartition;
}

/** Compares the text at `from`, which ends at a quote, with `wanted`. Keys contain no quotes. */
function compareText(bytes: Buffer, from: number, wanted: Buffer): number {
  for (let at = 0; at < wanted.length; at++) {
    const byte = bytes[from + at] as number;
    if (byte === quote) return -1;
    if (byte !== wanted[at]) return byte - (wanted[at] as number);
  }
  return bytes[from + wanted.length] === quote ? 0 : 1;
}

/** Compares two keys by their bytes, each in those of a block. Keys are short: a loop compares them sooner than a call. */
export function compareBytes(
  a: Buffer,
  aFrom: number,
  aTo: number,
  b: Buffer,
  bFrom: number,
  bTo: number,
): number {
  const length = Math.min(aTo - aFrom, bTo - bFrom);
  for (let at = 0; at < length; at++) {
    const difference = (a[aFrom + at] as number) - (b[bFrom + at] as number);
    if (difference !== 0) return difference;
  }
  return aTo - aFrom - (bTo - bFrom);
}

/** Offsets of the row of a line in the bytes of its block; `to` is exclusive. */
export function rowExtent(block: Block, line: number): { readonly from: number; readonly to: number } {
  if (block.isBare === true) return { from: lineStart(block, line), to: lineEnd(block, line) };
  const { bytes } = block;
  const behind = keysEnd(block, line);
  const from =
    bytes[behind + behindKeys] === letterR
      ? behind + 1 + rowNeedle.length
      : bytes.indexOf(rowNeedle, behind) + rowNeedle.length;
  return { from, to: lineEnd(block, line) - 1 };
}

/** Offset of the quote that ends the sort key of a line. */
function keysEnd(block: Block, line: number): number {
  const partitionEnd = endOfKey(block, lineStart(block, line) + partitionStart);
  return endOfKey(block, partitionEnd + betweenKeys);
}

/** The note of a line, as JSON; null if the line has none. */
export function noteOf(block: Block, line: number): string | null {
  const { bytes } = block;
  const behind = keysEnd(block, line);
  if (bytes[behind + behindKeys] === letterR) return null;
  const from = behind + 1 + noteNeedle.length;
  return bytes.toString('utf8', from, bytes.indexOf(rowNeedle, from));
}

/** Offset of the row of a line without a note, from the end of its sort key. */
export const rowBehindKeys = Buffer.byteLength('","row":');

/** As `isHiding`, of a line whose sort key is known to end at `sortTo`. */
export function isHidingBehind(block: Block, line: number, sortTo: number): boolean {
  return block.bytes[sortTo + behindKeys] === letterR
    ? block.bytes[sortTo + rowBehindKeys] === letterN
    : isHiding(block, line);
}

/** Whether a line hides the row with its keys. */
export function isHiding(block: Block, line: number): boolean {
  const { from, to } = rowExtent(block, line);
  return to - from === 4 && block.bytes[from] === letterN;
}
