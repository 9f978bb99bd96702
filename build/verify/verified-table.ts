import {
  blockBytes,
  tableDefinition,
  type FileReference,
  type TableName,
} from '../../src/format/snapshot.ts';
import { compareKeys, keysOf, makeLine, type Keys } from '../../src/table/line.ts';
import {
  entriesOf,
  lineBytes,
  type BlockEntry,
  type TableHead,
  type TableRow,
} from '../../src/table/table.ts';
import { lineEnd, lineStart, type Block } from '../../src/table/block.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { factsOf, noFacts } from '../segments/row-facts.ts';
import { readBlocks } from '../segments/table-files.ts';
import type { RowFacts } from '../segments/table-writer.ts';

/** A table of one segment, with the paths of its two files. */
export interface VerifiedTable {
  readonly name: TableName;
  /** The index of its segment in the manifest, from 0. */
  readonly segment: number;
  readonly rows: string;
  readonly index: string;
  readonly head: TableHead & {
    readonly files: { readonly rows: FileReference; readonly index: FileReference };
  };
}

/** A line whose position agrees with the index and the order of its table. Its row was not checked yet. */
export interface CheckedLine extends TableRow {
  readonly table: VerifiedTable;
  readonly keys: Keys;
  readonly note: string | null;
  /** `rowFrom` to `rowTo` is the range of the row in the bytes of the block. */
  readonly rowFrom: number;
  readonly rowTo: number;
  readonly isHiding: boolean;
  readonly facts: RowFacts;
}

const lineOpening = Buffer.from('{"partition":"');
const betweenKeys = Buffer.from('","sort":"');
const rowOpening = Buffer.from('","row":');
const noteOpening = Buffer.from('","note":');
const rowNeedle = Buffer.from(',"row":');
const hidingRow = Buffer.from('null');
const [quote, brace] = [0x22, 0x7d];

/** Throws `CorruptSnapshot` with the file and the keys of a line. */
export function failAt(
  { table, keys }: { readonly table: Pick<VerifiedTable, 'rows'>; readonly keys: Keys },
  what: string,
): never {
  throw new CorruptSnapshot(`${table.rows}: (${keys.partition}, ${keys.sort}) ${what}`);
}

/** Returns the bytes of the row of a line. */
export function rowOf({ block, rowFrom, rowTo }: CheckedLine): Buffer {
  return block.bytes.subarray(rowFrom, rowTo);
}

/**
 * Yields the lines of a table of one segment, with one block in memory at a time. Checks that the lines are
 * in strict order, that the blocks are cut by the rule and follow one another without a gap, and that the
 * index and its root match the lines. Throws `CorruptSnapshot`.
 */
export function* checkedLines(table: VerifiedTable): Generator<CheckedLine> {
  const { rows, index, head } = table;
  const { direction, isFiltered, blockBytes: rowBlockBytes } = tableDefinition(table.name);
  if (head.direction !== direction)
    throw new CorruptSnapshot(`${rows} is ${head.direction}, not ${direction}`);
  const rowsCut: Cut = { path: rows, blockBytes: rowBlockBytes, offset: 0, before: null };
  const indexCut: Cut = { path: index, blockBytes, offset: 0, before: null };
  const checkLine = createLineCheck(table, isFiltered);
  let count = 0;
  for (const [root, indexBlock] of withEntries(index, head.root)) {
    checkCut(indexCut, root, indexBlock);
    const ofIndexBlock = createFacts();
    let at = 0;
    for (const [entry, block] of withEntries(rows, parsedEntries(index, indexBlock))) {
      checkCut(rowsCut, entry, block);
      const ofBlock = createFacts();
      for (let line = 0; line < block.ends.length; line++) {
        const checked = checkLine(block, line);
        if (isFiltered) ofBlock.add(checked.facts.filedAt, checked.facts.filedAt, checked.facts.labels);
        yield checked;
      }
      count += block.ends.length;
      const expected = toEntry(keysOf(block, 0), entry, block, ofBlock);
      const { partition, sort, ...rest } = expected;
      if (
        lineBytes({ block: indexBlock, line: at++ }).compare(
          Buffer.from(makeLine({ partition, sort }, JSON.stringify(rest))),
        ) !== 0
      ) {
        throw new CorruptSnapshot(
          `${index}: the entry of (${entry.partition}, ${entry.sort}) does not match its block`,
        );
      }
      ofIndexBlock.add(expected.filedFrom, expected.filedTo, expected.labels);
    }
    if (
      JSON.stringify(root) !== JSON.stringify(toEntry(keysOf(indexBlock, 0), root, indexBlock, ofIndexBlock))
    )
      throw new CorruptSnapshot(`${index}: the root describes its block at ${root.offset} wrongly`);
  }
  if (count !== head.rows) throw new CorruptSnapshot(`${rows} has ${count} rows, not ${head.rows}`);
  for (const [{ path, offset }, { bytes }] of [
    [rowsCut, head.files.rows],
    [indexCut, head.files.index],
  ] as const) {
    if (offset !== bytes)
      throw new CorruptSnapshot(`${path} has ${bytes - offset} bytes after its last block`);
  }
}

/** The state of checking where the blocks of a file begin and end. */
interface Cut {
  readonly path: string;
  /** The length at which its blocks are cut, in bytes before compression. */
  readonly blockBytes: number;
  /** The offset at which the next block has to begin. */
  offset: number;
  /** The length of the previous block before compression; null before the first one. */
  before: number | null;
}

function checkCut(cut: Cut, entry: BlockEntry, { bytes, ends }: Block): void {
  if (entry.offset !== cut.offset)
    throw new CorruptSnapshot(
      `${cut.path}: the block at ${entry.offset} does not begin where the one before ends, at ${cut.offset}`,
    );
  const firstLine = (ends[0] as number) + 1;
  if (
    (bytes.length > cut.blockBytes && ends.length > 1) ||
    (cut.before !== null && cut.before + firstLine <= cut.blockBytes)
  ) {
    throw new CorruptSnapshot(`${cut.path}: the block at ${entry.offset} is not cut by the rule`);
  }
  cut.offset += entry.bytes;
  cut.before = bytes.length;
}

/**
 * Yields blocks with their index entries. Any error in reading a block becomes a `CorruptSnapshot` that names
 * the file.
 */
function* withEntries(path: string, entries: readonly BlockEntry[]): Generator<readonly [BlockEntry, Block]> {
  const blocks = readBlocks(path, entries);
  try {
    for (const entry of entries) yield [entry, nextBlock(path, entry, blocks)];
  } finally {
    // Closes the file.
    blocks.return(undefined);
  }
}

function nextBlock(path: string, entry: BlockEntry, blocks: Generator<Block>): Block {
  try {
    return blocks.next().value as Block;
  } catch (error) {
    throw error instanceof CorruptSnapshot
      ? error
      : new CorruptSnapshot(`${path}: the block at ${entry.offset}: ${(error as Error).message}`, {
          cause: error,
        });
  }
}

function parsedEntries(path: string, indexBlock: Block): readonly BlockEntry[] {
  try {
    return entriesOf(indexBlock);
  } catch (error) {
    throw new CorruptSnapshot(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

interface Facts {
  filedFrom: string;
  filedTo: string;
  readonly labels: Set<string>;
  add(filedFrom: string, filedTo: string, labels: readonly string[]): void;
}

function createFacts(): Facts {
  const facts: Facts = {
    filedFrom: '',
    filedTo: '',
    labels: new Set(),
    add(filedFrom, filedTo, labels) {
      if (filedTo > facts.filedTo) facts.filedTo = filedTo;
      if (filedFrom !== '' && (facts.filedFrom === '' || filedFrom < facts.filedFrom))
        facts.filedFrom = filedFrom;
      for (const label of labels) facts.labels.add(label);
    },
  };
  return facts;
}

/**
 * Makes the index entry that a block must have. Its length and digest were compared with its bytes when it
 * was read.
 */
function toEntry(
  first: Keys,
  { offset, bytes, sha256 }: BlockEntry,
  { ends }: Block,
  { filedFrom, filedTo, labels }: Facts,
): BlockEntry {
  return {
    ...first,
    offset,
    bytes,
    rows: ends.length,
    filedFrom,
    filedTo,
    sha256,
    labels: [...labels].sort(),
  };
}

/**
 * Makes a function that checks the lines of a table, one after the other: that each one is written as a line,
 * and that its keys follow those of the line before.
 */
function createLineCheck(
  table: VerifiedTable,
  isFiltered: boolean,
): (block: Block, line: number) => CheckedLine {
  const { direction } = table.head;
  let last: Keys | null = null;
  // The bytes of the last line up to its sort key. Most lines begin as the line before.
  let before: Buffer = Buffer.alloc(0);
  let [beforeFrom, beforeTo] = [0, 0];
  return (block, line) => {
    const { bytes } = block;
    const [from, to] = [lineStart(block, line), lineEnd(block, line)];
    let partition = '';
    let sortFrom = from + beforeTo - beforeFrom;
    if (last !== null && hasSameBytes(bytes, from, before, beforeFrom, beforeTo)) ({ partition } = last);
    else {
      const partitionFrom = from + lineOpening.length;
      const partitionTo = quoteFrom(bytes, partitionFrom, to);
      sortFrom = partitionTo + betweenKeys.length;
      if (!hasBytesAt(bytes, from, lineOpening) || !hasBytesAt(bytes, partitionTo, betweenKeys))
        failAtLine(table, block, line);
      partition = bytes.toString('utf8', partitionFrom, partitionTo);
    }
    [before, beforeFrom, beforeTo] = [bytes, from, sortFrom];
    const sortTo = quoteFrom(bytes, sortFrom, to);
    const hasRow = hasBytesAt(bytes, sortTo, rowOpening);
    if (!hasRow && !hasBytesAt(bytes, sortTo, noteOpening)) failAtLine(table, block, line);
    const rowFrom = (hasRow ? sortTo + 1 : bytes.indexOf(rowNeedle, sortTo)) + rowNeedle.length;
    if (rowFrom >= to || bytes[to - 1] !== brace) failAtLine(table, block, line);
    const rowTo = to - 1;
    const checked = {
      table,
      block,
      line,
      rowFrom,
      rowTo,
      keys: { partition, sort: bytes.toString('utf8', sortFrom, sortTo) },
      note: hasRow ? null : bytes.toString('utf8', sortTo + noteOpening.length, rowFrom - rowNeedle.length),
      isHiding: rowTo - rowFrom === hidingRow.length && hasBytesAt(bytes, rowFrom, hidingRow),
      facts: isFiltered ? factsOf({ block, line }) : noFacts,
    };
    if (last !== null && compareKeys(direction, last, checked.keys) >= 0)
      failAt(checked, `may not follow (${last.partition}, ${last.sort})`);
    last = checked.keys;
    return checked;
  };
}

function failAtLine({ rows }: VerifiedTable, block: Block, line: number): never {
  const [from, to] = [lineStart(block, line), lineEnd(block, line)];
  throw new CorruptSnapshot(
    `${rows}: ${block.bytes.toString('utf8', from, Math.min(to, from + 100))} is not a line of a table`,
  );
}

/** The offset of the first quote from an offset on, or `to`. Keys are short: a loop finds it sooner than a call. */
function quoteFrom(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== quote) at++;
  return at;
}

/** Whether the bytes at an offset are those from `from` to `to` of other bytes. */
function hasSameBytes(bytes: Buffer, at: number, other: Buffer, from: number, to: number): boolean {
  for (let offset = to - from - 1; offset >= 0; offset--)
    if (bytes[at + offset] !== other[from + offset]) return false;
  return true;
}

function hasBytesAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  return hasSameBytes(bytes, at, expected, 0, expected.length);
}
