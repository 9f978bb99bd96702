import type { PartReader } from '../../src/table/table.ts';
import { rowBytes } from '../../src/table/table.ts';
import type { ChunkCache } from '../../src/table/chunk-cache.ts';
import { createRuns, type Runs } from '../segments/runs.ts';

/** Values on their way to be sorted. As many as are given stay in memory; the others are written aside. */
export interface Spill<Value> {
  add(value: Value): void;
  /** Every value in the order of its key. To be called once. */
  sorted(): Iterable<Value>;
}

const table = 'spill';

/** Makes a spill of JSON values in a folder below `directory`, which is `parts`. Keys are distinct. */
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
    for (const value of held) runs.add(table, '', keyOf(value), JSON.stringify(value));
    runs.flush();
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
        for (const { value } of keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)))
          yield value;
        return;
      }
      spill();
      for (const line of runs.lines(table)) yield JSON.parse(rowBytes(line).toString()) as Value;
    },
  };
}
