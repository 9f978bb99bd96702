import { compareKeys, compareLine, isHiding, keyBytes, keysOf, type Keys } from './line.ts';
import { noting, together } from './passes.ts';
import { firstLineFrom, type Table, type TableRow } from './table.ts';
import type { Block } from './block.ts';

/** A row that was looked up in several tables. */
export interface FoundRow extends TableRow {
  /** The position of the table that has it; 0 for the newest. */
  readonly age: number;
}

/** Looks up a row by its keys. Throws `CorruptSnapshot`. */
export type Find = (partition: string, sort?: string) => FoundRow | null;

/**
 * The row with these keys, from the newest table that has them; the tables are given newest first. Null if no table has
 * them, or if that table hides the row. Throws `CorruptSnapshot`.
 */
export const findRow = (tables: readonly Table[], partition: string, sort = ''): FoundRow | null =>
  createFinder(tables)(partition, sort);

/**
 * Makes a lookup of rows by their keys, which finds what `findRow` finds. A caller that asks in the order of the tables
 * reads each block at most once; in any other order the results are the same.
 */
export function createFinder(tables: readonly Table[]): Find {
  const find = createLineFinder(tables);
  return (partition, sort) => {
    const found = find(partition, sort);
    return found && isHiding(found.block, found.line) ? null : found;
  };
}

/** Like `createFinder`, but also returns lines that hide a row. */
export function createLineFinder(tables: readonly Table[]): Find {
  const lookups = tables.map(createLookup);
  const lookUp = (age: number, keys: Keys) => (lookups[age] as Lookup)(keys);
  return (partition, sort = '') => {
    const keys = { partition, sort };
    for (let age = 0; age < lookups.length; age++) {
      // When a block of a host is lacking, those of the older tables are read with it.
      const found = noting(
        () => lookUp(age, keys),
        () => together(lookups.slice(age + 1), (older) => older(keys)),
      );
      if (found) return { ...found, age };
    }
    return null;
  };
}

/** Looks up a row in one table; also returns a line that hides a row. */
type Lookup = (keys: Keys) => TableRow | null;

function createLookup(table: Table): Lookup {
  const { direction } = table.head;
  /**
   * The block of the last lookup, with its first and last keys: a caller that asks in order mostly asks for
   * the same block again.
   */
  let last: { readonly block: Block; readonly from: Keys; readonly to: Keys } | null = null;

  function within(block: Block, keys: Keys): TableRow | null {
    const line = firstLineFrom(direction, block, keys);
    return line < block.ends.length && compareLine(direction, block, line, keyBytes(keys)) === 0
      ? { block, line }
      : null;
  }

  return (keys) => {
    if (table.head.rows === 0) return null;
    if (last && compareKeys(direction, last.from, keys) <= 0 && compareKeys(direction, last.to, keys) >= 0)
      return within(last.block, keys);
    const entry = table.blockOf(keys);
    if (!entry) return null;
    const block = table.read(entry);
    last = { block, from: keysOf(block, 0), to: keysOf(block, block.ends.length - 1) };
    return within(block, keys);
  };
}
