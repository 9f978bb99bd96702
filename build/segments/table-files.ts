import { closeSync, openSync, readSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Direction, FileReference } from '../../src/format/snapshot.ts';
import {
  compareKeys,
  isHiding,
  isInPartition,
  keysOf,
  linePrefix,
  makeCheckedLine,
  noteOf,
  sortOf,
  type Keys,
} from '../../src/table/line.ts';
import { blockOf, rowBytes, type Inflate, type TableRow } from '../../src/table/table.ts';
import { entriesOf } from '../../src/table/index-entry.ts';
import type { IndexedBlock, TableHead } from '../../src/table/table-head.ts';
import type { Block } from '../../src/table/block.ts';
import { mergeSorted } from '../work/merge-sorted.ts';
import { createHashedFile, type HashedFile } from './hashed-file.ts';
import type { RunLine } from './run-line.ts';
import { createTableWriter, type RowFacts, type StoreBlock, type TableWriter } from './table-writer.ts';

/** The paths of the two files of a table. */
export interface TablePaths {
  readonly rows: string;
  readonly index: string;
}

/** A table on the disk. */
export interface StoredTable extends TablePaths {
  readonly head: TableHead;
}

/** A line of a table on the disk, with its keys. */
export interface StoredLine extends TableRow {
  readonly keys: Keys;
}

/** A line of a table that is being made, in memory or on the disk. */
export type Line = StoredLine | (RunLine & { readonly block?: undefined; readonly facts?: RowFacts });

/** The row of a line as JSON; null if it hides. */
export function rowOf(line: Line): string | null {
  if (line.block === undefined) return line.row;
  return isHiding(line.block, line.line) ? null : rowBytes(line).toString();
}

/** The note of a line as JSON, which only the build reads; undefined if it has none. */
export function noteIn(line: Line): string | undefined {
  return line.block === undefined ? line.note : (noteOf(line.block, line.line) ?? undefined);
}

/** A table that was just written, with the digests and lengths of its files. */
export interface WrittenTable extends StoredTable {
  readonly files: { readonly rows: FileReference; readonly index: FileReference };
}

/**
 * How much work compression is, from 1 to 9. Level 4 makes a block 5 % smaller and takes 40 % longer, 3 µs for each
 * filing; level 2 takes as long as 3.
 */
const usualLevel = 3;
/** The same for tables of documents, which are mostly running text: it makes them 13 % smaller. */
export const documentLevel = 6;
/**
 * The same for changes of which some tell what a document says about ownership. They are long and repeat themselves: level
 * 5 makes them 11 % smaller and takes 60 % longer, a hundredth of a build; level 6 takes another 2 % for as much.
 */
const contentsLevel = 5;
/** With what begins in a change what a document says. A text as short as this is found without a table of skips. */
const contentsMark = Buffer.from('{"kind"');

/** Makes a gzip member of rows. */
export function compress(rows: Buffer, level = usualLevel): Buffer {
  return gzipSync(rows, { level: Math.max(level, rows.includes(contentsMark) ? contentsLevel : 0) });
}

/** Stores blocks in a file, each compressed as a gzip member. */
export const compressingInto =
  ({ write }: Pick<HashedFile, 'write'>, level?: number): StoreBlock =>
  (block) => {
    const stored = compress(block, level);
    write(stored);
    return stored;
  };

/**
 * Creates the two files of a table and returns a writer for it. The files are synced at the end. Throws if one
 * of them exists.
 */
export function createStoredTable(
  direction: Direction,
  paths: TablePaths,
  rowBlockBytes?: number,
  level?: number,
): Pick<TableWriter, 'add' | 'addText'> & { finish(): WrittenTable } {
  const rows = createHashedFile(paths.rows);
  const index = createHashedFile(paths.index);
  const writer = createTableWriter(
    direction,
    compressingInto(rows, level),
    compressingInto(index),
    rowBlockBytes,
  );
  return {
    add: writer.add,
    addText: writer.addText,
    finish: () => ({
      ...paths,
      head: writer.finish(),
      files: { rows: rows.finish(), index: index.finish() },
    }),
  };
}

/** Reads every line of a table in order, and holds one block in memory. Throws `CorruptSnapshot`. */
export function* readLines({ rows, index, head }: StoredTable): Generator<StoredLine> {
  let partition = '';
  let prefix = linePrefix(partition);
  for (const indexBlock of readBlocks(index, head.root)) {
    for (const block of readBlocks(rows, entriesOf(indexBlock))) {
      for (let line = 0; line < block.ends.length; line++) {
        // Most lines have the partition key of the line before: comparing bytes is cheaper than decoding.
        if (!isInPartition(block, line, prefix)) {
          partition = keysOf(block, line).partition;
          prefix = linePrefix(partition);
        }
        yield { keys: { partition, sort: sortOf(block, line, prefix) }, block, line };
      }
    }
  }
}

/**
 * Reads the blocks of a file in the order of their entries, and holds one in memory. Throws
 * `CorruptSnapshot`.
 */
export function* readBlocks(
  path: string,
  entries: readonly IndexedBlock[],
  inflate?: Inflate,
): Generator<Block> {
  // Blocks are read into the same memory: a buffer for each would leave the heap of the process in pieces.
  const stored = Buffer.allocUnsafeSlow(entries.reduce((most, { bytes }) => Math.max(most, bytes), 0));
  const descriptor = openSync(path, 'r');
  try {
    for (const entry of entries) {
      const length = readSync(descriptor, stored, 0, entry.bytes, entry.offset);
      yield blockOf(path, entry, stored.subarray(0, length), inflate);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a line as it is. */
export function addLine(writer: Pick<TableWriter, 'add' | 'addText'>, line: Line, facts: RowFacts): void {
  if (line.block === undefined)
    writer.addText(line.keys, makeCheckedLine(line.keys, line.row, line.note), facts);
  else writer.add(line.keys, line, facts);
}

/**
 * Merges the lines of several tables, given newest first, in the order of the table. Of lines with the same
 * keys it yields the newest. It also yields lines that hide.
 */
export function mergeLines<Each extends Line>(
  direction: Direction,
  inputs: readonly Generator<Each>[],
): Generator<Each> {
  return mergeSorted(inputs, (a, b) => compareKeys(direction, a.keys, b.keys));
}

/** Whether a line hides the row with the same keys in older tables. */
export function hides(line: TableRow | Line): boolean {
  return line.block === undefined ? line.row === null : isHiding(line.block, line.line);
}
