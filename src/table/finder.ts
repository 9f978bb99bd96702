import { compareKeys, compareLine, isHiding, keyBytes, keysOf, type Keys } from './line.ts';
import { firstLineFrom, type Table, type TableRow } from './table.ts';
import type { BlockEntry } from './table-head.ts';
import type { Block } from './block.ts';

/** Looks up a row by its keys. Returns a promise if a block has to be read. */
export type Find = (partition: string, sort?: string) => Promise<TableRow | null> | TableRow | null;

/**
 * Makes a lookup of rows by their keys in tables that are given newest first. The newest table that has the
 * keys decides. The result is null if no table has them, or if that table hides the row. A caller that asks
 * in the order of the tables reads each block at most once; in any other order the results are the same.
 */
export function createFinder(tables: readonly Table[]): Find {
  const find = createLineFinder(tables);
  return (partition, sort) => {
    const found = find(partition, sort);
    return found instanceof Promise ? found.then(unlessHidden) : unlessHidden(found);
  };
}

/** Like `createFinder`, but also returns lines that hide a row. */
export function createLineFinder(tables: readonly Table[]): Find {
  const lookups = tables.map(createLookup);
  return (partition, sort = '') => findFrom(0, partition, sort);

  function findFrom(
    first: number,
    partition: string,
    sort: string,
  ): Promise<TableRow | null> | TableRow | null {
    for (let at = first; at < lookups.length; at++) {
      const found = lookups[at]?.(partition, sort) ?? null;
      if (found instanceof Promise) return found.then((row) => row ?? findFrom(at + 1, partition, sort));
      if (found) return found;
    }
    return null;
  }
}

const unlessHidden = (row: TableRow | null) => (row && isHiding(row.block, row.line) ? null : row);

/** Looks up rows in one table; also returns lines that hide a row. */
function createLookup(table: Table): Find {
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

  function take(block: Block, keys: Keys): TableRow | null {
    last = { block, from: keysOf(block, 0), to: keysOf(block, block.ends.length - 1) };
    return within(block, keys);
  }

  function read(entry: BlockEntry | null, keys: Keys): Promise<TableRow | null> | TableRow | null {
    if (!entry) return null;
    const block = table.read(entry);
    return block instanceof Promise ? block.then((found) => take(found, keys)) : take(block, keys);
  }

  return (partition, sort = '') => {
    if (table.head.rows === 0) return null;
    const keys = { partition, sort };
    if (last && compareKeys(direction, last.from, keys) <= 0 && compareKeys(direction, last.to, keys) >= 0)
      return within(last.block, keys);
    const entry = table.blockOf(keys);
    return entry instanceof Promise ? entry.then((found) => read(found, keys)) : read(entry, keys);
  };
}
