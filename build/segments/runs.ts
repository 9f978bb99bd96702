import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Direction } from '../../src/format/snapshot.ts';
import { openTable, type PartReader, type Table } from '../../src/table/table.ts';
import type { BlockCache } from '../../src/table/block-cache.ts';
import { noFacts } from './row-facts.ts';
import { createHeldLines, type HeldLine, type HeldLines, type HeldRow } from './held-lines.ts';
import { createHeldRecords } from './held-records.ts';
import {
  addLine,
  createStoredTable,
  mergeLines,
  readLines,
  type Line,
  type WrittenTable,
} from './table-files.ts';
import { passingBlockBytes } from './table-writer.ts';

/**
 * Sorts the rows of a segment that is being made. Rows come in any order and are held in memory. When they
 * become too many, the caller calls `flush`, which sorts them and writes them to the disk as a run: a set of
 * tables like those of a segment. The index of a run has no dates and no labels, because nobody filters runs.
 */
export interface Runs {
  /**
   * Adds a row. Of rows with the same keys the last one counts. `row` and `note` are JSON, or the row is the
   * number of a record; a row of null hides the row with the same keys in older segments.
   */
  add(table: string, partition: string, sort: string, row: HeldRow, note?: string): void;
  /** Keeps a text for rows of several tables, which `add` takes by its number until the next `flush`. */
  keep(record: string): number;
  /** Bytes of the rows in memory, about. */
  readonly held: () => number;
  /** Writes the rows in memory as a run. Does nothing if there are none. */
  flush(): void;
  /** The row in memory that was added last to a partition whose rows have no sort key; null if there is none. */
  find(table: string, partition: string): HeldLine | null;
  /** The lines of a table in memory and in each run on the disk, each sorted, newest first. */
  inputs(table: string): Generator<Line>[];
  /**
   * Merges the lines of a table in all runs and in memory. Of lines with the same keys it yields the newest. A
   * flush meanwhile changes nothing of what it yields.
   */
  lines(table: string): Generator<Line>;
  /** One table of each run on the disk, newest first. */
  tables(table: string): readonly Table[];
}

/**
 * Makes runs in `folder`, an empty folder below `directory`, which `parts` reads. `directions` names the
 * tables that runs may have.
 */
export function createRuns(
  parts: PartReader,
  directory: string,
  folder: string,
  directions: Readonly<Record<string, Direction>>,
  cache: BlockCache,
): Runs {
  const runs: {
    readonly stored: ReadonlyMap<string, WrittenTable>;
    readonly open: ReadonlyMap<string, Table>;
  }[] = [];
  const held = new Map<string, HeldLines>();
  let records = createHeldRecords();

  return {
    add(table, partition, sort, row, note) {
      let lines = held.get(table);
      if (!lines) held.set(table, (lines = createHeldLines(directionOf(table))));
      lines.add({ partition, sort }, row, note);
    },
    keep: (record) => records.keep(record),
    held() {
      let bytes = records.bytes();
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
        for (const line of lines.sorted(records)) addLine(writer, line, noFacts);
        lines.clear();
        const written = writer.finish();
        stored.set(table, written);
        open.set(table, openTable(parts, rows, index, written.head, cache, written.inflate));
      }
      records = createHeldRecords();
      runs.push({ stored, open });
    },
    find: (table, partition) => held.get(table)?.find(partition, records) ?? null,
    inputs: inputsOf,
    lines: (table) => mergeLines(directionOf(table), inputsOf(table)),
    tables: (table) => runs.toReversed().flatMap(({ open }) => open.get(table) ?? []),
  };

  function inputsOf(table: string): Generator<Line>[] {
    const lines = held.get(table);
    return [
      ...(lines && lines.bytes() > 0 ? [lines.sorted(records)] : []),
      ...runs.toReversed().flatMap(({ stored }) => {
        const found = stored.get(table);
        return found ? [readLines(found)] : [];
      }),
    ];
  }

  function directionOf(table: string): Direction {
    const direction = directions[table];
    if (!direction) throw new Error(`no table is called ${table}`);
    return direction;
  }
}
