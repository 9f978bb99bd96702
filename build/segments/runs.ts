import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Keys } from '../../src/table/line.ts';
import { createHeldRows, type HeldRows } from './held-rows.ts';
import { createHeldTexts } from './held-texts.ts';
import { createRunFinder, readRun, writeRun, type StoredRun } from './run-file.ts';
import { runLine, runText, type RunLine, type RunRow, type RunTable } from './run-line.ts';
import { mergeLines, type Line } from './table-files.ts';

/**
 * Sorts the rows of a segment that is being made. Rows come in any order and are held in memory. When they
 * become too many, the caller calls `flush`, which sorts them and writes them to the disk as a run.
 */
export interface Runs {
  /**
   * Adds a row. Of rows with the same keys the last one counts. `row` and `note` are JSON, or what the caller
   * has for it, without a newline, and `note` without a tab; a row of null hides the row with the same keys in
   * older segments. Throws for a key that no table can have.
   */
  add(table: string, partition: string, sort: string, row: string | null, note?: string): void;
  /** Keeps a row that stands in several places, and returns a number for `addKept` until the next `flush`. */
  keep(sort: string, row: string | null, note?: string): number;
  /** Adds a row that was kept. A table whose rows tell their partition takes its row and note alone. */
  addKept(table: string, partition: string, row: number): void;
  /** Bytes of the rows in memory, about. */
  readonly held: () => number;
  /** Writes the rows in memory as a run. Does nothing if there are none. */
  flush(): void;
  /** The line in memory that was added last to a partition of a table whose rows tell it; null if none was. */
  findHeld(table: string, partition: string): RunLine | null;
  /**
   * Makes a look-up of lines in the runs on the disk, of which the newest that has the keys decides. A caller
   * that asks in the order of the table reads each block once.
   */
  finder(table: string): (keys: Keys) => RunLine | null;
  /** A table in each run on the disk, newest first. */
  stored(table: string): readonly StoredRun[];
  /** The lines of a table in memory and in each run on the disk, each sorted, newest first. */
  inputs(table: string): Generator<Line>[];
  /**
   * Merges the lines of a table in all runs and in memory. Of lines with the same keys it yields the newest. A
   * flush meanwhile changes nothing of what it yields.
   */
  lines(table: string): Generator<Line>;
}

/**
 * Bytes of runs that are written as they are; runs behind them are compressed to a quarter. Compression takes 4 µs for
 * a filing; without it twenty million filings would take 18 GB.
 */
const plainBytesDefault = 2 * 1024 * 1024 * 1024;

/** Makes runs in `folder`, which need not exist. `tables` are those that the runs may have. */
export function createRuns(
  folder: string,
  tables: Readonly<Record<string, RunTable>>,
  plainBytesMaximum = plainBytesDefault,
): Runs {
  const runs: ReadonlyMap<string, StoredRun>[] = [];
  let plainBytes = 0;
  let texts = createHeldTexts();
  let held = new Map<string, HeldRows>();

  return {
    add: (table, partition, sort, row, note) =>
      rowsOf(table).add(partition, texts.keep(runText(sort, row, note))),
    keep: (sort, row, note) => texts.keep(runText(sort, row, note)),
    addKept: (table, partition, row) => rowsOf(table).add(partition, row),
    held() {
      let bytes = texts.bytes();
      for (const rows of held.values()) bytes += rows.bytes();
      return bytes;
    },
    flush() {
      if (held.size === 0) return;
      mkdirSync(folder, { recursive: true });
      const path = join(folder, `run-${runs.length}`);
      const descriptor = openSync(path, 'wx');
      const stored = new Map<string, StoredRun>();
      let offset = 0;
      const write = (bytes: Buffer) => {
        for (let from = 0; from < bytes.length; ) from += writeSync(descriptor, bytes, from);
        offset += bytes.length;
      };
      try {
        for (const [table, rows] of held)
          stored.set(
            table,
            writeRun(
              path,
              rows.sorted(),
              definitionOf(table),
              offset,
              plainBytes >= plainBytesMaximum,
              write,
            ),
          );
      } finally {
        closeSync(descriptor);
      }
      plainBytes += offset;
      runs.push(stored);
      [texts, held] = [createHeldTexts(), new Map()];
    },
    findHeld(table, partition) {
      const text = held.get(table)?.find(partition) ?? null;
      return text === null ? null : runLine(definitionOf(table), { partition, text });
    },
    finder(table) {
      const finders = storedOf(table).map((run) => createRunFinder(run, definitionOf(table)));
      return (keys) => {
        for (const find of finders) {
          const found = find(keys);
          if (found) return found;
        }
        return null;
      };
    },
    stored: storedOf,
    inputs: inputsOf,
    lines: (table) => mergeLines(definitionOf(table).direction, inputsOf(table)),
  };

  function rowsOf(table: string): HeldRows {
    let rows = held.get(table);
    if (!rows) held.set(table, (rows = createHeldRows(definitionOf(table), texts)));
    return rows;
  }

  function storedOf(table: string): StoredRun[] {
    return runs.toReversed().flatMap((run) => run.get(table) ?? []);
  }

  function inputsOf(table: string): Generator<Line>[] {
    const rows = held.get(table);
    return [
      ...(rows ? [linesOf(rows.sorted(), definitionOf(table))] : []),
      ...storedOf(table).map((run) => readRun(run, definitionOf(table))),
    ];
  }

  function definitionOf(table: string): RunTable {
    const definition = tables[table];
    if (!definition) throw new Error(`no table is called ${table}`);
    return definition;
  }
}

function* linesOf(rows: Iterable<RunRow>, definition: RunTable): Generator<Line> {
  for (const row of rows) yield runLine(definition, row);
}
