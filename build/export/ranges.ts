import type { DataFile, Range } from './data-files.ts';

/**
 * Changes of a closed range. All of them are in memory while a file is written: twice as many took a gigabyte
 * in a run over a million filings.
 */
export const defaultRangeRows = 65_536;

/** How the sequences of a table are divided into ranges, and which ranges have to be written. */
export interface Division {
  /** The files that stay. */
  readonly kept: readonly DataFile[];
  readonly stale: readonly Range[];
}

/** Says how many records the table has of a range, by the log. */
export type CountRecords = (range: Range) => number;

/** Which ranges of a table may stay. */
export interface Staying {
  /** Only ranges stay that an export of everything at once would have made. */
  readonly isCompact: boolean;
  /** Whether the log continues what the table was exported from. If not, no range stays as it is. */
  readonly continues: boolean;
}

/**
 * Compares the files of a table with the log. If the log continues what the table was exported from, a range
 * stays as long as the table has all its records: an observation never comes into a closed range again, so an
 * equal number means the same records. Sequences without a file form new ranges, which end at multiples of
 * `rangeRows`.
 */
export function divide(
  files: readonly DataFile[],
  lastSequence: number,
  rangeRows: number,
  count: CountRecords,
  { isCompact, continues }: Staying,
): Division {
  const held = new Map<number, { readonly range: Range; readonly files: DataFile[] }>();
  for (const file of files) {
    if (isCompact && !isFull(file.range, lastSequence, rangeRows)) continue;
    const known = held.get(file.range.first);
    if (known) known.files.push(file);
    else held.set(file.range.first, { range: file.range, files: [file] });
  }
  const kept: DataFile[] = [];
  const stale: Range[] = [];
  let next = 1;
  const fill = (end: number) => {
    while (next <= end) {
      const range = { first: next, last: Math.min(end, Math.ceil(next / rangeRows) * rangeRows) };
      if (count(range) > 0) stale.push(range);
      next = range.last + 1;
    }
  };
  for (const { range, files: own } of [...held.values()].sort((a, b) => a.range.first - b.range.first)) {
    fill(range.first - 1);
    const isWhole = own.reduce((sum, { records }) => sum + records, 0) === count(range);
    if (continues && isWhole) kept.push(...own);
    else stale.push(range);
    next = range.last + 1;
  }
  fill(lastSequence);
  return { kept, stale };
}

function isFull({ first, last }: Range, lastSequence: number, rangeRows: number): boolean {
  return first % rangeRows === 1 % rangeRows && last === Math.min(first + rangeRows - 1, lastSequence);
}
