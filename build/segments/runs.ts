import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Direction } from '../../src/contract/snapshot.ts';
import { makeLine } from '../../src/table/line.ts';
import { openTable, type PartReader, type Table } from '../../src/table/table.ts';
import type { ChunkCache } from '../../src/table/chunk-cache.ts';
import { noFacts } from './facts.ts';
import { createHeldLines, type HeldLines } from './held-lines.ts';
import { createStoredTable, mergeLines, readLines, type Line, type WrittenTable } from './table-files.ts';
import { passingBlockBytes } from './table-writer.ts';

/**
 * Rows on their way into a segment. They come in any order and are held in memory; where they become too
 * many, `flush` sorts them and writes them as a run, which is a set of tables of the same kind as those of a
 * segment. The index of a run names no dates and no labels: nobody filters it.
 */
export interface Runs {
  /**
   * Adds a row; of rows with the same keys the last one counts. `row` and `note` are JSON; a row of null
   * hides.
   */
  add(table: string, partition: string, sort: string, row: string | null, note?: string): void;
  /** Bytes held in memory, about. */
  readonly held: () => number;
  /** Writes what is held as a run. */
  flush(): void;
  /**
   * The lines of a table in all runs, in its order: of lines with the same keys the newest one. What is held
   * is not among them.
   */
  lines(table: string): Generator<Line>;
  /** A table of all runs, newest first. */
  tables(table: string): readonly Table[];
}

/** Makes runs in an empty folder below `parts`, with the tables that are named, in their directions. */
export function createRuns(
  parts: PartReader,
  directory: string,
  folder: string,
  directions: Readonly<Record<string, Direction>>,
  cache: ChunkCache,
): Runs {
  const runs: {
    readonly stored: ReadonlyMap<string, WrittenTable>;
    readonly open: ReadonlyMap<string, Table>;
  }[] = [];
  const held = new Map<string, HeldLines>();

  return {
    add(table, partition, sort, row, note) {
      let lines = held.get(table);
      if (!lines) held.set(table, (lines = createHeldLines(directionOf(table))));
      const keys = { partition, sort };
      lines.add(keys, makeLine(keys, row, note));
    },
    held() {
      let bytes = 0;
      for (const lines of held.values()) bytes += lines.bytes();
      return bytes;
    },
    flush() {
      if ([...held.values()].every((lines) => lines.bytes() === 0)) return;
      const name = `${folder}/run-${runs.length}`;
      mkdirSync(join(directory, name), { recursive: true });
      const stored = new Map<string, WrittenTable>();
      const open = new Map<string, Table>();
      for (const [table, lines] of held) {
        if (lines.bytes() === 0) continue;
        const [rows, index] = [`${name}/${table}.jsonl.gz`, `${name}/${table}.index.jsonl.gz`];
        const writer = createStoredTable(
          directionOf(table),
          { rows: join(directory, rows), index: join(directory, index) },
          false,
          passingBlockBytes,
        );
        lines.take((keys, line) => writer.add(keys, line, noFacts));
        const written = writer.finish();
        stored.set(table, written);
        open.set(table, openTable(parts, rows, index, written.head, cache, written.inflate));
      }
      runs.push({ stored, open });
    },
    lines: (table) =>
      mergeLines(
        directionOf(table),
        runs
          .toReversed()
          .flatMap(({ stored }) => stored.get(table) ?? [])
          .map(readLines),
      ),
    tables: (table) => runs.toReversed().flatMap(({ open }) => open.get(table) ?? []),
  };

  function directionOf(table: string): Direction {
    const direction = directions[table];
    if (!direction) throw new Error(`no table is called ${table}`);
    return direction;
  }
}
