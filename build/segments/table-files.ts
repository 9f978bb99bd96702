import { closeSync, openSync, readSync } from 'node:fs';
import type { Direction, FileReference } from '../../src/contract/snapshot.ts';
import { compareKeys, isHiding, keysOf, type Keys } from '../../src/segments/line.ts';
import { checkStored, entriesOf, inflateBlock, toLines, type BlockEntry, type TableHead } from '../../src/segments/table.ts';
import type { Chunk } from '../../src/table/chunk.ts';
import { createHashedFile } from './hashed-file.ts';
import { createTableWriter, type TableWriter } from './table-writer.ts';

/** Where a table lies on the disk. */
export interface TablePaths {
  readonly rows: string;
  readonly index: string;
}

/** A table on the disk. */
export interface StoredTable extends TablePaths {
  readonly head: TableHead;
}

/** A line of a table with its keys. */
export interface Line {
  readonly keys: Keys;
  readonly chunk: Chunk;
  readonly line: number;
}

/** A table that was just written, with the digests of its files. */
export interface WrittenTable extends StoredTable {
  readonly files: { readonly rows: FileReference; readonly index: FileReference };
}

/** Writes a table into two new files, which are hashed on the way, and synced in the end if they are to last. */
export function createStoredTable(direction: Direction, paths: TablePaths, isLasting: boolean): Pick<TableWriter, 'add'> & { finish(): WrittenTable } {
  const rows = createHashedFile(paths.rows);
  const index = createHashedFile(paths.index);
  const writer = createTableWriter(direction, rows.write, index.write);
  return {
    add: writer.add,
    finish: () => ({ ...paths, head: writer.finish(), files: { rows: rows.finish(isLasting), index: index.finish(isLasting) } }),
  };
}

/** Every line of a table in its order, a block in memory at a time. Throws `CorruptSnapshot`. */
export function* readLines({ rows, index, head }: StoredTable): Generator<Line> {
  for (const page of readBlocks(index, head.root)) {
    for (const chunk of readBlocks(rows, entriesOf(page))) for (let line = 0; line < chunk.ends.length; line++) yield { keys: keysOf(chunk, line), chunk, line };
  }
}

function* readBlocks(path: string, entries: readonly BlockEntry[]): Generator<Chunk> {
  const descriptor = openSync(path, 'r');
  try {
    for (const entry of entries) {
      const stored = Buffer.allocUnsafe(entry.bytes);
      checkStored(path, entry, stored.subarray(0, readSync(descriptor, stored, 0, entry.bytes, entry.offset)));
      yield toLines(path, entry, inflateBlock(path, entry, stored));
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The lines of several tables as one, which are given newest first: of lines with the same keys the newest one counts. Lines that hide are kept. */
export function* mergeLines(direction: Direction, inputs: readonly Iterable<Line>[]): Generator<Line> {
  const runs: { line: Line; iterator: Iterator<Line> }[] = [];
  for (const input of inputs) {
    const iterator = input[Symbol.iterator]();
    const { done, value } = iterator.next();
    if (done !== true) runs.push({ line: value, iterator });
  }
  while (runs.length > 0) {
    let best = runs[0] as (typeof runs)[number];
    for (let at = 1; at < runs.length; at++) {
      const run = runs[at] as (typeof runs)[number];
      if (compareKeys(direction, run.line.keys, best.line.keys) < 0) best = run;
    }
    const { line } = best;
    yield line;
    for (let at = runs.length - 1; at >= 0; at--) {
      const run = runs[at] as (typeof runs)[number];
      if (run !== best && compareKeys(direction, run.line.keys, line.keys) !== 0) continue;
      const { done, value } = run.iterator.next();
      if (done === true) runs.splice(at, 1);
      else run.line = value;
    }
  }
}

/** Whether a line hides what stands under its keys in older tables. */
export function hides({ chunk, line }: Line): boolean {
  return isHiding(chunk, line);
}
