import { closeSync, openSync, readSync } from 'node:fs';
import type { Direction, FileReference } from '../../src/format/snapshot.ts';
import {
  compareKeys,
  isHiding,
  keysOf,
  linePrefix,
  sortOf,
  isInPartition,
  type Keys,
} from '../../src/table/line.ts';
import { blockOf, entriesOf, type BlockEntry, type Inflate, type TableHead } from '../../src/table/table.ts';
import type { Block } from '../../src/table/block.ts';
import { createHashedFile } from './hashed-file.ts';
import {
  compressLasting,
  compressPassing,
  createTableWriter,
  inflatePassing,
  type TableWriter,
} from './table-writer.ts';

/** The paths of the two files of a table. */
export interface TablePaths {
  readonly rows: string;
  readonly index: string;
}

/** A table on the disk. */
export interface StoredTable extends TablePaths {
  readonly head: TableHead;
  /** Inflates its blocks; left out where blocks are gzip members. */
  readonly inflate?: Inflate;
}

/** A line of a table with its keys. */
export interface Line {
  readonly keys: Keys;
  readonly block: Block;
  readonly line: number;
}

/** A table that was just written, with the digests and lengths of its files. */
export interface WrittenTable extends StoredTable {
  readonly files: { readonly rows: FileReference; readonly index: FileReference };
}

/**
 * Creates the two files of a table and returns a writer for it. A lasting table is one of a segment: its
 * files are synced at the end, and its blocks are gzip members. Others are runs, which the same build
 * removes. Throws if one of the files exists.
 */
export function createStoredTable(
  direction: Direction,
  paths: TablePaths,
  isLasting: boolean,
  rowBlockBytes?: number,
): Pick<TableWriter, 'add'> & { finish(): WrittenTable } {
  const rows = createHashedFile(paths.rows);
  const index = createHashedFile(paths.index);
  const writer = createTableWriter(
    direction,
    rows.write,
    index.write,
    rowBlockBytes,
    isLasting ? compressLasting : compressPassing,
  );
  const reading = isLasting ? {} : { inflate: inflatePassing };
  return {
    add: writer.add,
    finish: () => ({
      ...paths,
      ...reading,
      head: writer.finish(),
      files: { rows: rows.finish(isLasting), index: index.finish(isLasting) },
    }),
  };
}

/** Reads every line of a table in order, and holds one block in memory. Throws `CorruptSnapshot`. */
export function* readLines({ rows, index, head, inflate }: StoredTable): Generator<Line> {
  let partition = '';
  let prefix = linePrefix(partition);
  for (const indexBlock of readBlocks(index, head.root, inflate)) {
    for (const block of readBlocks(rows, entriesOf(indexBlock), inflate)) {
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
  entries: readonly BlockEntry[],
  inflate?: Inflate,
): Generator<Block> {
  const descriptor = openSync(path, 'r');
  try {
    for (const entry of entries) {
      const stored = Buffer.allocUnsafe(entry.bytes);
      const length = readSync(descriptor, stored, 0, entry.bytes, entry.offset);
      yield blockOf(path, entry, stored.subarray(0, length), inflate);
    }
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Merges the lines of several tables, given newest first, in the order of the table. Of lines with the same
 * keys it yields the newest. It also yields lines that hide.
 */
export function* mergeLines(direction: Direction, inputs: readonly Iterable<Line>[]): Generator<Line> {
  const runs: Run[] = [];
  inputs.forEach((input, age) => {
    const iterator = input[Symbol.iterator]();
    const { done, value } = iterator.next();
    if (done !== true) runs.push({ line: value, age, iterator });
  });
  const precedes = (a: Run, b: Run) => {
    const order = compareKeys(direction, a.line.keys, b.line.keys);
    return order < 0 || (order === 0 && a.age < b.age);
  };
  // A binary heap: the line of `runs[0]` comes first, and no run precedes its parent.
  for (let at = (runs.length >> 1) - 1; at >= 0; at--) sink(runs, at, precedes);
  let last: Keys | null = null;
  try {
    while (runs.length > 0) {
      const run = runs[0] as Run;
      const { line } = run;
      if (runs.length === 1) {
        // No input has the same keys twice, so the rest of the last one needs no look at its keys but the
        // first.
        if (last === null || compareKeys(direction, last, line.keys) !== 0) yield line;
        yield* { [Symbol.iterator]: () => run.iterator };
        return;
      }
      if (last === null || compareKeys(direction, last, line.keys) !== 0) yield line;
      last = line.keys;
      const { done, value } = run.iterator.next();
      if (done !== true) run.line = value;
      else {
        const moved = runs.pop() as Run;
        if (runs.length === 0 || moved === run) continue;
        runs[0] = moved;
      }
      sink(runs, 0, precedes);
    }
  } finally {
    // A caller may stop early: this closes the files of the inputs.
    for (const { iterator } of runs) iterator.return?.();
  }
}

interface Run {
  line: Line;
  /** 0 for the newest. */
  readonly age: number;
  readonly iterator: Iterator<Line>;
}

/** Moves a run down the heap until it precedes its children. */
function sink(runs: Run[], from: number, precedes: (a: Run, b: Run) => boolean): void {
  const run = runs[from] as Run;
  let at = from;
  for (let child = 2 * at + 1; child < runs.length; child = 2 * at + 1) {
    if (child + 1 < runs.length && precedes(runs[child + 1] as Run, runs[child] as Run)) child++;
    if (!precedes(runs[child] as Run, run)) break;
    runs[at] = runs[child] as Run;
    at = child;
  }
  runs[at] = run;
}

/** Whether a line hides the row with the same keys in older tables. */
export function hides({ block, line }: Line): boolean {
  return isHiding(block, line);
}
