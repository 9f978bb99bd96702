import { closeSync, openSync, readSync } from 'node:fs';
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
import { blockOf, entriesOf, rowBytes, type Inflate, type TableRow } from '../../src/table/table.ts';
import type { IndexedBlock, TableHead } from '../../src/table/table-head.ts';
import type { Block } from '../../src/table/block.ts';
import { createHashedFile } from './hashed-file.ts';
import type { RunLine } from './run-line.ts';
import { createTableWriter, type RowFacts, type TableWriter } from './table-writer.ts';

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
 * Creates the two files of a table and returns a writer for it. The files are synced at the end. Throws if one
 * of them exists.
 */
export function createStoredTable(
  direction: Direction,
  paths: TablePaths,
  rowBlockBytes?: number,
): Pick<TableWriter, 'add' | 'addText'> & { finish(): WrittenTable } {
  const rows = createHashedFile(paths.rows);
  const index = createHashedFile(paths.index);
  const writer = createTableWriter(direction, rows.write, index.write, rowBlockBytes);
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
  const [only] = inputs;
  return only !== undefined && inputs.length === 1 ? only : mergedLines(direction, inputs);
}

function* mergedLines<Each extends Line>(
  direction: Direction,
  inputs: readonly Generator<Each>[],
): Generator<Each> {
  const runs: Run<Each>[] = [];
  inputs.forEach((input, age) => {
    const { done, value } = input.next();
    if (done !== true) runs.push({ line: value as Each, age, iterator: input });
  });
  const precedes = (a: Run<Each>, b: Run<Each>) => {
    const order = compareKeys(direction, a.line.keys, b.line.keys);
    return order < 0 || (order === 0 && a.age < b.age);
  };
  // A binary heap: the line of `runs[0]` comes first, and no run precedes its parent.
  for (let at = (runs.length >> 1) - 1; at >= 0; at--) sink(runs, at, precedes);
  let last: Keys | null = null;
  try {
    while (runs.length > 0) {
      const run = runs[0] as Run<Each>;
      const { line } = run;
      if (runs.length === 1) {
        // No input has the same keys twice, so the rest of the last one needs no look at its keys but the
        // first.
        if (last === null || compareKeys(direction, last, line.keys) !== 0) yield line;
        yield* run.iterator;
        return;
      }
      if (last === null || compareKeys(direction, last, line.keys) !== 0) yield line;
      last = line.keys;
      const { done, value } = run.iterator.next();
      if (done !== true) run.line = value as Each;
      else {
        const moved = runs.pop() as Run<Each>;
        if (runs.length === 0 || moved === run) continue;
        runs[0] = moved;
      }
      sink(runs, 0, precedes);
    }
  } finally {
    // A caller may stop early: this closes the files of the inputs.
    for (const { iterator } of runs) iterator.return(undefined);
  }
}

interface Run<Each> {
  line: Each;
  /** 0 for the newest. */
  readonly age: number;
  readonly iterator: Generator<Each>;
}

/** Moves a run down the heap until it precedes its children. */
function sink<Each>(
  runs: Run<Each>[],
  from: number,
  precedes: (a: Run<Each>, b: Run<Each>) => boolean,
): void {
  const run = runs[from] as Run<Each>;
  let at = from;
  for (let child = 2 * at + 1; child < runs.length; child = 2 * at + 1) {
    if (child + 1 < runs.length && precedes(runs[child + 1] as Run<Each>, runs[child] as Run<Each>)) child++;
    if (!precedes(runs[child] as Run<Each>, run)) break;
    runs[at] = runs[child] as Run<Each>;
    at = child;
  }
  runs[at] = run;
}

/** Whether a line hides the row with the same keys in older tables. */
export function hides(line: TableRow | Line): boolean {
  return line.block === undefined ? line.row === null : isHiding(line.block, line.line);
}
