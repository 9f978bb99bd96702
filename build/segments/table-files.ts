import { closeSync, openSync, readSync } from 'node:fs';
import { compareKeys, isHiding, keysOf, type Direction, type Keys } from '../../src/segments/line.ts';
import { checkStored, entriesOf, inflateBlock, lineBytes, toLines, type BlockEntry, type TableHead } from '../../src/segments/table.ts';
import type { Chunk } from '../../src/table/chunk.ts';
import { createHashedFile, type HashedFile } from '../snapshot/table-writer.ts';
import { createTableWriter, type RowFacts, type TableWriter } from './table-writer.ts';

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

/** The length of a file and the SHA-256 of its bytes. */
export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** A table that was just written, with the digests of its files. */
export interface WrittenTable extends StoredTable {
  readonly files: { readonly rows: FileDigest; readonly index: FileDigest };
}

/** Writes a table into two new files, which are hashed on the way, and synced when it is finished. */
export function createStoredTable(direction: Direction, paths: TablePaths, rowBlockBytes?: number): Omit<TableWriter, 'finish'> & { finish(): WrittenTable } {
  const rows = createHashedFile(paths.rows);
  const index = createHashedFile(paths.index);
  const digestOf = (file: HashedFile, path: string): FileDigest => {
    const { bytes, sha256 } = file.finish(path, null);
    return { bytes, sha256 };
  };
  const writer = createTableWriter(direction, rows.write, index.write, rowBlockBytes);
  return {
    add: writer.add,
    finish: () => ({ ...paths, head: writer.finish(), files: { rows: digestOf(rows, paths.rows), index: digestOf(index, paths.index) } }),
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
      yield toLines(path, entry, inflateBlock(stored));
    }
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The lines of several tables as one, which are given newest first: of lines with the same keys the newest one counts. Lines
 * that hide are kept, because they may hide something in still older tables, unless the oldest of all takes part.
 */
export function* mergeLines(direction: Direction, inputs: readonly Iterable<Line>[], withOldest: boolean): Generator<Line> {
  const runs: { line: Line; iterator: Iterator<Line> }[] = [];
  for (const input of inputs) {
    const iterator = input[Symbol.iterator]();
    const { done, value } = iterator.next();
    if (done !== true) runs.push({ line: value, iterator });
  }
  while (runs.length > 0) {
    let best = runs[0] as (typeof runs)[number];
    for (const run of runs) if (compareKeys(direction, run.line.keys, best.line.keys) < 0) best = run;
    const { line } = best;
    if (!withOldest || !isHiding(line.chunk, line.line)) yield line;
    for (let at = runs.length - 1; at >= 0; at--) {
      const run = runs[at] as (typeof runs)[number];
      if (compareKeys(direction, run.line.keys, line.keys) !== 0) continue;
      const { done, value } = run.iterator.next();
      if (done === true) runs.splice(at, 1);
      else run.line = value;
    }
  }
}

/** Writes lines, which come in the order of the table, into two new files. `factsOf` says what the index tells of a row. */
export function writeTable(direction: Direction, lines: Iterable<Line>, factsOf: (line: Line) => RowFacts, paths: TablePaths, rowBlockBytes?: number): WrittenTable {
  const table = createStoredTable(direction, paths, rowBlockBytes);
  for (const line of lines) table.add(line.keys, lineBytes(line), factsOf(line));
  return table.finish();
}
