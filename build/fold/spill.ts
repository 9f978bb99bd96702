import { compareText } from '../../src/contract/scalars.ts';
import type { PartReader } from '../../src/table/table.ts';
import { rowBytes } from '../../src/table/table.ts';
import type { ChunkCache } from '../../src/table/chunk-cache.ts';
import { createRuns, type Runs } from '../segments/runs.ts';

/** Sorts values. It holds a bounded number of them in memory and writes the others into runs on the disk. */
export interface Spill<Value> {
  add(value: Value): void;
  /** Gives every value in the order of its key. Call it once, after the last `add`. */
  sorted(): Iterable<Value>;
}

const table = 'spill';

/**
 * Makes a spill. Values have to survive JSON, and their keys have to be distinct. Runs go into `folder`, a
 * path below `directory`; `parts` reads the files of `directory`. `inMemoryMaximum` counts values.
 */
export function createSpill<Value>(
  parts: PartReader,
  directory: string,
  folder: string,
  cache: ChunkCache,
  keyOf: (value: Value) => string,
  inMemoryMaximum: number,
): Spill<Value> {
  let held: Value[] = [];
  let runs: Runs | null = null;

  function spill(): void {
    runs ??= createRuns(parts, directory, folder, { [table]: 'ascending' }, cache);
    hand(runs);
    runs.flush();
  }

  function hand(to: Runs): void {
    for (const value of held) to.add(table, '', keyOf(value), JSON.stringify(value));
    held = [];
  }

  return {
    add(value) {
      held.push(value);
      if (held.length >= inMemoryMaximum) spill();
    },
    *sorted() {
      if (!runs) {
        const keyed = held.map((value) => ({ key: keyOf(value), value }));
        for (const { value } of keyed.sort((a, b) => compareText(a.key, b.key))) yield value;
        return;
      }
      hand(runs);
      for (const line of runs.lines(table)) yield JSON.parse(rowBytes(line).toString()) as Value;
    },
  };
}
