import { rmSync } from 'node:fs';
import { createRuns } from '../segments/runs.ts';
import { rowOf } from '../segments/table-files.ts';

/** Sorts values. It holds a bounded number of bytes in memory and writes the others into runs on the disk. */
export interface Spill<Value> {
  add(value: Value): void;
  /** Gives every value in the order of its key, and then removes the runs. Call it once, after the last `add`. */
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

/** Makes a spill. Runs go into `folder`, which need not exist. */
export function createSpill<Value>(
  folder: string,
  { keyOf, encode, decode }: SpillCodec<Value>,
  heldMaximum: number,
): Spill<Value> {
  const runs = createRuns(folder, { [table]: { direction: 'ascending' } });
  return {
    add(value) {
      runs.add(table, '', keyOf(value), encode(value));
      if (runs.held() > heldMaximum) runs.flush();
    },
    *sorted() {
      for (const line of runs.lines(table)) yield decode(rowOf(line) as string);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
