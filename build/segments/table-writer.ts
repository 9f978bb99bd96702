import { blockBytes, type Direction } from '../../src/format/snapshot.ts';
import { compareKeys, makeLine, type Keys } from '../../src/table/line.ts';
import { lineEnd, lineStart } from '../../src/table/block.ts';
import { blockBytesMaximum, type TableRow } from '../../src/table/table.ts';
import type { BlockEntry, IndexedBlock, TableHead } from '../../src/table/table-head.ts';
import { sha256Of } from '../../src/files/bytes.ts';

/** What the index says about a row, so that a read can skip blocks. */
export interface RowFacts {
  /** Filing date, `YYYY-MM-DD`; empty if the row has none. */
  readonly filedAt: string;
  /**
   * The form and the items of the row, and `issuer` if the company is the issuer. `*` marks a row that hides
   * or replaces an older row, which may have had other labels. Tables that nobody filters have no labels.
   */
  readonly labels: readonly string[];
}

/** Bytes of a block of the index, before compression. A look-up inflates one for one entry, so they are shorter than those of rows. */
export const indexBlockBytes = blockBytes / 2;

/** Stores the next block of a file, which the call may only borrow. Returns its bytes as they are stored. */
export type StoreBlock = (block: Buffer) => Buffer;

/** A table that is being written. */
export interface TableWriter {
  /**
   * Adds a line with its newline, whose bytes may not change any more: lines that follow one another in a
   * buffer are copied together, or not at all if they are a block. Throws if its keys do not follow those of
   * the line before, or if the line is longer than `blockBytesMaximum`.
   */
  add(keys: Keys, row: TableRow, facts: RowFacts): void;
  /** Adds a line, given as text with its newline. Throws likewise. */
  addText(keys: Keys, line: string, facts: RowFacts): void;
  /** Writes the last block and the index, and returns the head of the table. */
  finish(): TableHead;
}

/**
 * Makes a writer that cuts lines into blocks, stores each block on its own, and writes an index with an entry
 * for each block. The index is cut and stored in the same way. `rowBlockBytes` bounds a block of rows before
 * compression. A block ends before the line that would exceed the bound, so the same lines always give the
 * same blocks.
 */
export function createTableWriter(
  direction: Direction,
  rows: StoreBlock,
  index: StoreBlock,
  rowBlockBytes = blockBytes,
): TableWriter {
  const root: IndexedBlock[] = [];
  const entries = createBlockCutter(
    direction,
    indexBlockBytes,
    index,
    (entry) => void root.push(rootEntryOf(entry)),
  );
  const lines = createBlockCutter(direction, rowBlockBytes, rows, ({ partition, sort, ...entry }) => {
    const { filedFrom, filedTo, labels } = entry;
    const line = makeLine({ partition, sort }, JSON.stringify(entry));
    entries.addText({ partition, sort }, line, filedFrom, filedTo, labels);
  });
  let count = 0;
  return {
    add(keys, { block, line }, { filedAt, labels }) {
      const [from, to] = [lineStart(block, line), lineEnd(block, line) + 1];
      lines.add(keys, block.bytes, from, to, filedAt, filedAt, labels);
      count++;
    },
    addText(keys, line, { filedAt, labels }) {
      lines.addText(keys, line, filedAt, filedAt, labels);
      count++;
    },
    finish() {
      lines.finish();
      entries.finish();
      return { direction, rows: count, root };
    },
  };
}

/**
 * The entry of the root for a block of the index. It is a copy, because it stays in memory up to the end of the table:
 * its texts are pieces of the rows, and a piece keeps the whole text that it was cut from, 64 KiB of a run.
 */
function rootEntryOf({ labels: _labels, ...entry }: BlockEntry): IndexedBlock {
  return structuredClone(entry);
}

interface BlockCutter {
  /** Adds the line from `from` up to `to`, its newline included. */
  add(
    keys: Keys,
    source: Buffer,
    from: number,
    to: number,
    filedFrom: string,
    filedTo: string,
    labels: readonly string[],
  ): void;
  /** Adds a line with its newline. */
  addText(keys: Keys, line: string, filedFrom: string, filedTo: string, labels: readonly string[]): void;
  finish(): void;
}

/** The most bytes that UTF-8 takes for a UTF-16 code unit. */
const bytesPerUnit = 3;

function createBlockCutter(
  direction: Direction,
  bytesMaximum: number,
  store: StoreBlock,
  onBlock: (entry: BlockEntry) => void,
): BlockCutter {
  let room = Buffer.allocUnsafeSlow(2 * bytesMaximum);
  let rows = 0;
  let bytes = 0;
  /** Lines at the end of the block that follow one another in another buffer, and are not copied yet. */
  let borrowed: Buffer | null = null;
  let [borrowedFrom, borrowedTo] = [0, 0];
  let offset = 0;
  let first: Keys = { partition: '', sort: '' };
  let last: Keys | null = null;
  let filedFrom = '';
  let filedTo = '';
  const labels = new Set<string>();
  let lastLabels: readonly string[] | null = null;

  /** Copies what was borrowed into the room, so that this has the block up to its end. */
  function copyBorrowed(): void {
    if (borrowed === null) return;
    const copied = bytes - (borrowedTo - borrowedFrom);
    makeRoom(bytes);
    borrowed.copy(room, copied, borrowedFrom, borrowedTo);
    borrowed = null;
  }

  function contentOf(): Buffer {
    if (borrowed !== null && borrowedTo - borrowedFrom === bytes)
      return borrowed.subarray(borrowedFrom, borrowedTo);
    copyBorrowed();
    return room.subarray(0, bytes);
  }

  function endBlock(): void {
    const stored = store(contentOf());
    borrowed = null;
    const entry: BlockEntry = {
      ...first,
      offset,
      bytes: stored.length,
      rows,
      filedFrom,
      filedTo,
      sha256: sha256Of(stored),
      labels: [...labels].sort(),
    };
    offset += stored.length;
    [rows, bytes, filedFrom, filedTo] = [0, 0, '', ''];
    labels.clear();
    lastLabels = null;
    onBlock(entry);
  }

  /** Makes room for a block of so many bytes, those copied before included. */
  function makeRoom(length: number): void {
    if (length <= room.length) return;
    const longer = Buffer.allocUnsafeSlow(length);
    room.copy(longer);
    room = longer;
  }

  /** Ends the block if the next line, of so many bytes, does not fit in. */
  function beginLine(keys: Keys, length: number): void {
    if (last !== null && compareKeys(direction, last, keys) >= 0)
      throw new Error(`(${keys.partition}, ${keys.sort}) may not follow (${last.partition}, ${last.sort})`);
    if (length > blockBytesMaximum)
      throw new Error(`the line of (${keys.partition}, ${keys.sort}) is ${length} bytes long`);
    if (rows > 0 && bytes + length > bytesMaximum) endBlock();
    if (rows === 0) first = keys;
  }

  function endLine(
    keys: Keys,
    length: number,
    from: string,
    to: string,
    lineLabels: readonly string[],
  ): void {
    last = keys;
    rows++;
    bytes += length;
    if (to > filedTo) filedTo = to;
    if (from !== '' && (filedFrom === '' || from < filedFrom)) filedFrom = from;
    // Lines with the same labels mostly share them.
    if (lineLabels === lastLabels) return;
    lastLabels = lineLabels;
    for (const label of lineLabels) labels.add(label);
  }

  return {
    add(keys, source, begin, end, from, to, lineLabels) {
      beginLine(keys, end - begin);
      if (source !== borrowed || begin !== borrowedTo) {
        copyBorrowed();
        [borrowed, borrowedFrom] = [source, begin];
      }
      borrowedTo = end;
      endLine(keys, end - begin, from, to, lineLabels);
    },
    addText(keys, line, from, to, lineLabels) {
      copyBorrowed();
      const behind = bytes;
      makeRoom(behind + line.length * bytesPerUnit);
      const length = room.write(line, behind);
      beginLine(keys, length);
      if (bytes !== behind) room.copyWithin(0, behind, behind + length);
      endLine(keys, length, from, to, lineLabels);
    },
    finish() {
      if (rows > 0) endBlock();
    },
  };
}
