import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compareKeys, type Direction, type Keys } from '../../src/segments/line.ts';
import { toChunk } from '../../src/table/chunk.ts';
import { createStoredTable, mergeLines, readLines, type Line, type StoredTable } from './table-files.ts';

/** Sorts lines that do not fit into memory: runs that do are sorted and written, then read as one. */
export interface Sorter {
  /** Takes a line, its newline included. Of lines with the same keys the last one counts. */
  add(keys: Keys, line: string): void;
  /** Every line in the order of the table. To be called once. */
  sorted(): Iterable<Line>;
  /** Removes the runs. */
  remove(): void;
}

const noFacts = { filedAt: '', labels: [] } as const;

/** Makes a sorter that keeps lines of `bytesMaximum` characters in memory and writes its runs into a folder of its own. */
export function createSorter(direction: Direction, directory: string, bytesMaximum: number): Sorter {
  const runs: StoredTable[] = [];
  let held: { keys: Keys; line: string }[] = [];
  let bytes = 0;

  function* sortHeld(): Generator<{ keys: Keys; line: string }> {
    // The order of additions holds among equals, so that the last one can be told.
    held.sort((a, b) => compareKeys(direction, a.keys, b.keys));
    for (let at = 0; at < held.length; at++) {
      const [one, next] = [held[at] as (typeof held)[number], held[at + 1]];
      if (!next || compareKeys(direction, one.keys, next.keys) !== 0) yield one;
    }
    [held, bytes] = [[], 0];
  }

  function spill(): void {
    mkdirSync(directory, { recursive: true });
    const name = join(directory, `run-${runs.length}`);
    const table = createStoredTable(direction, { rows: `${name}.jsonl.gz`, index: `${name}.index.jsonl.gz` });
    for (const { keys, line } of sortHeld()) table.add(keys, Buffer.from(line), noFacts);
    runs.push(table.finish());
  }

  function* heldLines(): Generator<Line> {
    for (const { keys, line } of sortHeld()) yield { keys, chunk: toChunk(Buffer.from(line), ''), line: 0 };
  }

  return {
    add(keys, line) {
      held.push({ keys, line });
      bytes += line.length;
      if (bytes >= bytesMaximum) spill();
    },
    sorted: () => mergeLines(direction, [heldLines(), ...runs.toReversed().map(readLines)], false),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
