import type { FileReference, TableName } from '../../src/format/snapshot.ts';
import type { Extent } from '../../src/rows/members.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { lineEnd, lineStart, type Block } from '../../src/table/block.ts';
import { checkKey, compareBytes, type Keys } from '../../src/table/line.ts';
import type { TableRow } from '../../src/table/table.ts';
import type { TableHead } from '../../src/table/table-head.ts';
import { rowFactsOf } from '../segments/row-facts.ts';
import type { RowFacts } from '../segments/table-writer.ts';

/** A table of one segment, with the paths of its two files. */
export interface VerifiedTable {
  readonly name: TableName;
  /** The index of its segment in the manifest, from 0. */
  readonly segment: number;
  /** The number of the rules that made the segment. */
  readonly rules: number;
  readonly rows: string;
  readonly index: string;
  readonly head: TableHead & {
    readonly files: { readonly rows: FileReference; readonly index: FileReference };
  };
}

/** Where the keys and the row of a line are in the bytes of its block. */
interface LinePlaces {
  readonly partitionFrom: number;
  readonly partitionTo: number;
  readonly sortFrom: number;
  readonly sortTo: number;
  /** -1 if there is no note. */
  readonly noteFrom: number;
  readonly noteTo: number;
  readonly rowFrom: number;
  readonly rowTo: number;
}

/**
 * A line whose position agrees with the index and the order of its table. Its row was not checked yet. Keys
 * and notes are decoded where they are asked for: most are only compared as bytes.
 */
export class CheckedLine implements TableRow {
  readonly table: VerifiedTable;
  readonly block: Block;
  readonly line: number;
  readonly at: LinePlaces;

  constructor(table: VerifiedTable, block: Block, line: number, at: LinePlaces) {
    this.table = table;
    this.block = block;
    this.line = line;
    this.at = at;
  }

  /** Whether it hides the row with its keys in older segments. */
  get isHiding(): boolean {
    const { rowFrom, rowTo } = this.at;
    return rowTo - rowFrom === hidingRow.length && hasBytesAt(this.block.bytes, rowFrom, hidingRow);
  }

  /** What the index of a filtered table says of it. */
  get facts(): RowFacts {
    return rowFactsOf(rowExtentOf(this), this.hasNote);
  }

  get partition(): string {
    return this.block.bytes.toString('utf8', this.at.partitionFrom, this.at.partitionTo);
  }

  get keys(): Keys {
    const { partition } = this;
    return { partition, sort: this.block.bytes.toString('utf8', this.at.sortFrom, this.at.sortTo) };
  }

  get hasNote(): boolean {
    return this.at.noteFrom !== -1;
  }

  get note(): string | null {
    const { noteFrom, noteTo } = this.at;
    return this.hasNote ? this.block.bytes.toString('utf8', noteFrom, noteTo) : null;
  }
}

const lineOpening = Buffer.from('{"partition":"');
const betweenKeys = Buffer.from('","sort":"');
const rowOpening = Buffer.from('","row":');
const noteOpening = Buffer.from('","note":');
const rowNeedle = Buffer.from(',"row":');
const hidingRow = Buffer.from('null');
const [quote, brace, space, tilde, backslash] = [0x22, 0x7d, 0x20, 0x7e, 0x5c];

/** Throws `CorruptSnapshot` with the file and the keys of a line. */
export function failAt(
  { table, keys }: { readonly table: Pick<VerifiedTable, 'rows'>; readonly keys: Keys },
  what: string,
): never {
  throw new CorruptSnapshot(`${table.rows}: (${keys.partition}, ${keys.sort}) ${what}`);
}

/** Returns the bytes of the row of a line. */
export function rowOf({ block, at }: CheckedLine): Buffer {
  return block.bytes.subarray(at.rowFrom, at.rowTo);
}

/** Where the row of a line is. */
export function rowExtentOf({ block: { bytes }, at }: CheckedLine): Extent {
  return { bytes, from: at.rowFrom, to: at.rowTo };
}

/** Where the partition key of a line is. */
export function partitionExtentOf({ block: { bytes }, at }: CheckedLine): Extent {
  return { bytes, from: at.partitionFrom, to: at.partitionTo };
}

/** Where the sort key of a line is. */
export function sortExtentOf({ block: { bytes }, at }: CheckedLine): Extent {
  return { bytes, from: at.sortFrom, to: at.sortTo };
}

/** Whether two lines are of the same partition. */
export function isSamePartition(a: CheckedLine, b: CheckedLine): boolean {
  return comparePartitions(a, b) === 0;
}

/** Like `compareKeys` with the keys of two lines of tables with the same direction, whose bytes are compared. */
export function compareLines(a: CheckedLine, b: CheckedLine): number {
  const order = comparePartitions(a, b);
  return order === 0 ? compareSorts(a, b) : order;
}

function compareSorts(a: CheckedLine, b: CheckedLine): number {
  const order = compareBytes(
    a.block.bytes,
    a.at.sortFrom,
    a.at.sortTo,
    b.block.bytes,
    b.at.sortFrom,
    b.at.sortTo,
  );
  return a.table.head.direction === 'ascending' ? order : -order;
}

function comparePartitions({ block, at }: CheckedLine, other: CheckedLine): number {
  return compareBytes(
    block.bytes,
    at.partitionFrom,
    at.partitionTo,
    other.block.bytes,
    other.at.partitionFrom,
    other.at.partitionTo,
  );
}

/**
 * Checks that a line is written as one, with keys that a table can have, and that they follow those of the line
 * before. Throws `CorruptSnapshot`.
 */
export function checkLine(
  table: VerifiedTable,
  block: Block,
  line: number,
  before: CheckedLine | null,
): CheckedLine {
  const { bytes } = block;
  const from = lineStart(block, line);
  const to = lineEnd(block, line);
  const partitionFrom = from + lineOpening.length;
  const beginsAlike = before !== null && beginsAs(before, bytes, from);
  const partitionTo = beginsAlike
    ? partitionFrom + before.at.partitionTo - before.at.partitionFrom
    : endOfKey(bytes, partitionFrom, to);
  const sortFrom = partitionTo + betweenKeys.length;
  const sortTo = endOfKey(bytes, sortFrom, to);
  const hasRow = hasBytesAt(bytes, sortTo, rowOpening);
  const rowAt = hasRow ? sortTo + 1 : bytes.indexOf(rowNeedle, sortTo);
  const rowFrom = rowAt + rowNeedle.length;
  const isLine =
    (beginsAlike || (hasBytesAt(bytes, from, lineOpening) && hasBytesAt(bytes, partitionTo, betweenKeys))) &&
    (hasRow || (hasBytesAt(bytes, sortTo, noteOpening) && rowAt !== -1)) &&
    rowFrom < to &&
    bytes[to - 1] === brace;
  if (!isLine)
    throw new CorruptSnapshot(
      `${table.rows}: ${bytes.toString('utf8', from, Math.min(to, from + 100))} is not a line of a table`,
    );
  const checked = new CheckedLine(table, block, line, {
    partitionFrom,
    partitionTo,
    sortFrom,
    sortTo,
    noteFrom: hasRow ? -1 : sortTo + noteOpening.length,
    noteTo: rowAt,
    rowFrom,
    rowTo: to - 1,
  });
  if (before !== null && (beginsAlike ? compareSorts(before, checked) : compareLines(before, checked)) >= 0)
    failAt(checked, `may not follow (${before.keys.partition}, ${before.keys.sort})`);
  return checked;
}

/** Whether a line that begins at an offset has the same bytes as another line up to the sort key. */
function beginsAs(
  { block, at: { partitionFrom, sortFrom } }: CheckedLine,
  bytes: Buffer,
  from: number,
): boolean {
  const first = partitionFrom - lineOpening.length;
  const other = block.bytes;
  for (let offset = sortFrom - first - 1; offset >= 0; offset--)
    if (bytes[from + offset] !== other[first + offset]) return false;
  return true;
}

/** Whether a byte is a character of most keys. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= space && byte <= tilde && byte !== backslash && byte !== quote ? 1 : 0,
);

/** The offset of the quote that ends a key; that of the end of the line if there is no such key. */
function endOfKey(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && isPlain[bytes[at] as number] === 1) at++;
  return at >= to || bytes[at] === quote ? at : endOfOddKey(bytes, from, to);
}

/** The same for a key with other characters than those of most. */
function endOfOddKey(bytes: Buffer, from: number, to: number): number {
  const end = bytes.indexOf(quote, from);
  if (end === -1 || end >= to) return to;
  const key = bytes.toString('utf8', from, end);
  try {
    checkKey(key);
  } catch {
    return to;
  }
  return Buffer.from(key).equals(bytes.subarray(from, end)) ? end : to;
}

function hasBytesAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let offset = 0; offset < expected.length; offset++)
    if (bytes[at + offset] !== expected[offset]) return false;
  return true;
}
