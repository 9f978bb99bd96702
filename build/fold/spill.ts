import type { PartReader } from '../../src/table/table.ts';
import type { BlockCache } from '../../src/table/block-cache.ts';
import { createRuns } from '../segments/runs.ts';
import { rowOf } from '../segments/table-files.ts';

/** Sorts values. It holds a bounded number of them in memory and writes the others into runs on the disk. */
export interface Spill<Value> {
  add(value: Value): void;
  /** Gives every value in the order of its key. Call it once, after the last `add`. */
  sorted(): Iterable<Value>;
}

/** How values of a spill are written and read again, and what sorts them. Their keys have to be distinct. */
export interface SpillCodec<Value> {
  keyOf(value: Value): string;
  /** Writes a value as JSON. */
  encode(value: Value): string;
  decode(text: string): Value;
}

const table = 'spill';

/**
 * Makes a spill. Runs go into `folder`, a path below `directory`; `parts` reads the files of `directory`.
 * `inMemoryMaximum` counts values. They are held as text: as objects, the garbage collector would move each of
 * their members several times.
 */
export function createSpill<Value>(
  parts: PartReader,
  directory: string,
  folder: string,
  cache: BlockCache,
  { keyOf, encode, decode }: SpillCodec<Value>,
  inMemoryMaximum: number,
): Spill<Value> {
  const runs = createRuns(parts, directory, folder, { [table]: 'ascending' }, cache);
  let held = 0;
  return {
    add(value) {
      runs.add(table, '', keyOf(value), runs.keep(encode(value)));
      if (++held < inMemoryMaximum) return;
      runs.flush();
      held = 0;
    },
    *sorted() {
      for (const line of runs.lines(table)) yield decode(rowOf(line) as string);
    },
  };
}
