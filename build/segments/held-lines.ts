import type { Direction } from '../../src/format/snapshot.ts';
import { checkKey, type Keys } from '../../src/table/line.ts';
import { groupBy } from '../work/groups.ts';
import type { HeldRecords } from './held-records.ts';

/** A row in memory with its keys, as text. A row of null hides. */
export interface HeldLine {
  readonly keys: Keys;
  readonly row: string | null;
  readonly note: string | undefined;
}

/** A row of one table, or the number of a record that is its row; null hides. */
export type HeldRow = string | number | null;

/** Rows of one table in memory, in any order. */
export interface HeldLines {
  /** Adds a row. Throws for a key that no table can have. */
  add(keys: Keys, row: HeldRow, note?: string): void;
  /** Bytes that the rows and their keys take, about; 0 if there are none. */
  bytes(): number;
  /** The row that was added last to a partition that has one row without a sort key; null if there is none. */
  find(partition: string, records: HeldRecords): HeldLine | null;
  /**
   * Yields the lines in the order of the table; of rows with the same keys the one that was added last. A
   * `clear` meanwhile changes nothing of what it yields.
   */
  sorted(records: HeldRecords): Generator<HeldLine>;
  /** Forgets all rows. */
  clear(): void;
}

/** Bytes that a row takes for its keys and its place in the arrays, about. */
const rowOverhead = 64;

/** The rows that were added since the last `clear`. */
interface Rows {
  readonly texts: HeldRow[];
  readonly notes: Map<number, string>;
  /** The sort key of each row; of a row without one, its partition. */
  readonly sorts: string[];
  /** Each partition with sort keys, and its rows, in the order of their arrival. */
  readonly partitions: Map<string, number[]>;
  /** Rows without a sort key, each in a partition of its own: a map of them would be as long as the table. */
  readonly alone: number[];
  /** The row that was added last to each of these partitions, once somebody asked for one. */
  places: Map<string, number> | null;
}

const noRows = (): Rows => ({
  texts: [],
  notes: new Map(),
  sorts: [],
  partitions: new Map(),
  alone: [],
  places: null,
});

/** Holds rows of a table. */
export function createHeldLines(direction: Direction): HeldLines {
  let rows = noRows();
  let bytes = 0;

  return {
    add({ partition, sort }, row, note) {
      const at = rows.texts.length;
      if (sort === '') {
        checkKey(partition);
        rows.alone.push(at);
        rows.sorts.push(partition);
        rows.places?.set(partition, at);
      } else {
        const found = rows.partitions.get(partition);
        if (found) found.push(at);
        else {
          checkKey(partition);
          rows.partitions.set(partition, [at]);
        }
        checkKey(sort);
        rows.sorts.push(sort);
      }
      rows.texts.push(row);
      if (note !== undefined) rows.notes.set(at, note);
      bytes += rowOverhead + (typeof row === 'string' ? row.length : 0);
    },
    bytes: () => bytes,
    find(partition, records) {
      rows.places ??= new Map(rows.alone.map((at) => [rows.sorts[at] as string, at]));
      const at = rows.places.get(partition);
      return at === undefined ? null : lineOf(rows, { partition, sort: '' }, at, records);
    },
    sorted: (records) => sortedLines(rows, direction, records),
    clear() {
      rows = noRows();
      bytes = 0;
    },
  };
}

function lineOf({ texts, notes }: Rows, keys: Keys, at: number, records: HeldRecords): HeldLine {
  const row = texts[at] as HeldRow;
  return {
    keys,
    row: typeof row === 'number' ? records.of(row) : row,
    note: notes.size === 0 ? undefined : notes.get(at),
  };
}

function* sortedLines(rows: Rows, direction: Direction, records: HeldRecords): Generator<HeldLine> {
  const { sorts, partitions } = rows;
  const alone = sortedAlone(rows);
  let next = 0;
  const lineAlone = () => {
    const at = alone[next++] as number;
    return lineOf(rows, { partition: sorts[at] as string, sort: '' }, at, records);
  };
  for (const partition of [...partitions.keys()].sort()) {
    // In an ascending table the row without a sort key is the first one of its partition.
    for (; next < alone.length; ) {
      const other = sorts[alone[next] as number] as string;
      if (other > partition || (other === partition && direction === 'descending')) break;
      yield lineAlone();
    }
    for (const at of sortedRows(sorts, partitions.get(partition) as number[], direction))
      yield lineOf(rows, { partition, sort: sorts[at] as string }, at, records);
  }
  while (next < alone.length) yield lineAlone();
}

/**
 * The rows without a sort key in the order of their partitions. They are sorted by their beginnings first:
 * accession numbers with the same login mostly come in their order, and sorting what is sorted takes a tenth
 * of the time.
 */
function sortedAlone({ sorts, alone }: Rows): readonly number[] {
  const groups = groupBy(alone, (at) => (sorts[at] as string).slice(0, beginning));
  return [...groups.keys()]
    .sort()
    .flatMap((begin) => sortedRows(sorts, groups.get(begin) as number[], 'ascending'));
}

/** Digits of the login in an accession number, and of a CIK. */
const beginning = 10;

/** Rows by their sort keys; of rows with the same one the one that was added last. */
function sortedRows(
  sorts: readonly string[],
  rows: readonly number[],
  direction: Direction,
): readonly number[] {
  // Rows of a feed come in their order, and those of a list mostly in the order opposite to it.
  if (isAscending(sorts, rows)) return direction === 'ascending' ? rows : rows.toReversed();
  const sign = direction === 'ascending' ? 1 : -1;
  const sorted = rows.toSorted((a, b) => {
    const [first, second] = [sorts[a] as string, sorts[b] as string];
    if (first === second) return a - b;
    return first < second ? -sign : sign;
  });
  return sorted.filter((at, index) => sorts[sorted[index + 1] ?? -1] !== sorts[at]);
}

/** Whether the sort keys of rows ascend, none twice. */
function isAscending(sorts: readonly string[], rows: readonly number[]): boolean {
  for (let index = 1; index < rows.length; index++)
    if ((sorts[rows[index - 1] as number] as string) >= (sorts[rows[index] as number] as string))
      return false;
  return true;
}
