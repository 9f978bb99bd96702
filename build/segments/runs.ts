import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Direction } from '../../src/contract/snapshot.ts';
import { makeLine } from '../../src/table/line.ts';
import { openTable, type PartReader, type Table } from '../../src/table/table.ts';
import type { ChunkCache } from '../../src/table/chunk-cache.ts';
import { factsOfHiding, noFacts } from './facts.ts';
import { createStoredTable, mergeLines, readLines, type Line, type WrittenTable } from './table-files.ts';
import type { RowFacts } from './table-writer.ts';

/** How a table lies. */
export interface TableLayout {
  readonly direction: Direction;
  /** Whether its index names dates, forms and items. */
  readonly isFiltered: boolean;
}

/**
 * Rows on their way into a segment. They come in any order and are held in memory; where they become too
 * many, `flush` sorts them and writes them as a run, which is a set of tables of the same kind as those of a
 * segment.
 */
export interface Runs {
  /**
   * Adds a row; of rows with the same keys the last one counts. `row` and `note` are JSON; a row of null
   * hides. `facts` is what the index tells of it, left out in tables that are not filtered and for rows that
   * hide.
   */
  add(
    table: string,
    partition: string,
    sort: string,
    row: string | null,
    facts?: RowFacts,
    note?: string,
  ): void;
  /** Characters held in memory, about. */
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

interface HeldRow {
  readonly sort: string;
  readonly row: string | null;
  readonly facts: RowFacts | undefined;
  readonly note: string | undefined;
}

/** What an entry takes beside the text of its row, which several tables may share. */
const entryCharacters = 120;

/** Makes runs in an empty folder below `parts`, with the tables that are named. */
export function createRuns(
  parts: PartReader,
  directory: string,
  folder: string,
  layouts: Readonly<Record<string, TableLayout>>,
  cache: ChunkCache,
): Runs {
  const runs: {
    readonly stored: ReadonlyMap<string, WrittenTable>;
    readonly open: ReadonlyMap<string, Table>;
  }[] = [];
  let held = new Map<string, Map<string, HeldRow[]>>();
  let characters = 0;
  let lastRow: string | null = null;

  return {
    add(table, partition, sort, row, facts, note) {
      let partitions = held.get(table);
      if (!partitions) held.set(table, (partitions = new Map()));
      const rows = partitions.get(partition);
      if (rows) rows.push({ sort, row, facts, note });
      else partitions.set(partition, [{ sort, row, facts, note }]);
      // The same text stands in several tables, one after the other.
      characters += entryCharacters + (row === lastRow || row === null ? 0 : row.length);
      lastRow = row;
    },
    held: () => characters,
    flush() {
      if (held.size === 0) return;
      const name = `${folder}/run-${runs.length}`;
      mkdirSync(join(directory, name), { recursive: true });
      const stored = new Map<string, WrittenTable>();
      const open = new Map<string, Table>();
      for (const [table, partitions] of held) {
        const layout = layouts[table];
        if (!layout) throw new Error(`no table is called ${table}`);
        const [rows, index] = [`${name}/${table}.jsonl.gz`, `${name}/${table}.index.jsonl.gz`];
        const written = writeHeld(layout, partitions, {
          rows: join(directory, rows),
          index: join(directory, index),
        });
        stored.set(table, written);
        open.set(table, openTable(parts, rows, index, written.head, cache));
      }
      runs.push({ stored, open });
      [held, characters, lastRow] = [new Map(), 0, null];
    },
    lines: (table) =>
      mergeLines(
        layouts[table]?.direction ?? 'ascending',
        runs
          .toReversed()
          .flatMap(({ stored }) => stored.get(table) ?? [])
          .map(readLines),
      ),
    tables: (table) => runs.toReversed().flatMap(({ open }) => open.get(table) ?? []),
  };
}

function writeHeld(
  layout: TableLayout,
  partitions: ReadonlyMap<string, HeldRow[]>,
  paths: { rows: string; index: string },
): WrittenTable {
  const { direction, isFiltered } = layout;
  const table = createStoredTable(direction, paths, false);
  const compare = direction === 'ascending' ? ascending : descending;
  let room = Buffer.allocUnsafeSlow(64 * 1024);
  for (const partition of [...partitions.keys()].sort()) {
    // The order of additions holds among equals, so that the last one can be told.
    const rows = (partitions.get(partition) ?? []).sort(compare);
    for (let at = 0; at < rows.length; at++) {
      const { sort, row, facts, note } = rows[at] as HeldRow;
      if (rows[at + 1]?.sort === sort) continue;
      const keys = { partition, sort };
      const text = makeLine(keys, row, note);
      if (room.length < 3 * text.length) room = Buffer.allocUnsafeSlow(3 * text.length);
      const line = room.subarray(0, room.write(text));
      table.add(keys, line, facts ?? (isFiltered ? factsOfHiding : noFacts));
    }
  }
  return table.finish();
}

const ascending = (a: HeldRow, b: HeldRow) => (a.sort < b.sort ? -1 : a.sort > b.sort ? 1 : 0);
const descending = (a: HeldRow, b: HeldRow) => -ascending(a, b);
