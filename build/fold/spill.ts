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
  /** Writes a value as a text on one line. */
  encode(value: Value): string;
  decode(text: string): Value;
}

const table = 'spill';

/**
 * Makes a spill. Runs go into `folder`, a path below `directory`; `parts` reads the files of `directory`.
 * `inMemoryMaximum` counts values. Values that fit into memory are sorted as they are.
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
  let held: { readonly key: string; readonly value: Value }[] = [];
  let isSpilt = false;

  function flush(): void {
    for (const { key, value } of held) runs.add(table, '', key, encode(value));
    runs.flush();
    held = [];
    isSpilt = true;
  }

  return {
    add(value) {
      held.push({ key: keyOf(value), value });
      if (held.length >= inMemoryMaximum) flush();
    },
    *sorted() {
      if (!isSpilt) {
        held.sort((a, b) => (a.key < b.key ? -1 : 1));
        for (const { value } of held) yield value;
        return;
      }
      flush();
      for (const line of runs.lines(table)) yield decode(rowOf(line) as string);
    },
  };
}
