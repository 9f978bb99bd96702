import { compareKeys, compareLine, isHiding, keyBytes, keysOf, type Keys } from './line.ts';
import { firstLineFrom, type BlockEntry, type Table, type TableRow } from './table.ts';
import type { Chunk } from './chunk.ts';

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

const unlessHidden = (row: TableRow | null) => (row && isHiding(row.chunk, row.line) ? null : row);

/** Looks up rows in one table; also returns lines that hide a row. */
function createLookup(table: Table): Find {
  const { direction } = table.head;
  /**
   * The block of the last lookup, with its first and last keys: a caller that asks in order mostly asks for
   * the same block again.
   */
  let last: { readonly chunk: Chunk; readonly from: Keys; readonly to: Keys } | null = null;

  function within(chunk: Chunk, keys: Keys): TableRow | null {
    const line = firstLineFrom(direction, chunk, keys);
    return line < chunk.ends.length && compareLine(direction, chunk, line, keyBytes(keys)) === 0
      ? { chunk, line }
      : null;
  }

  function take(chunk: Chunk, keys: Keys): TableRow | null {
    last = { chunk, from: keysOf(chunk, 0), to: keysOf(chunk, chunk.ends.length - 1) };
    return within(chunk, keys);
  }

  function read(entry: BlockEntry | null, keys: Keys): Promise<TableRow | null> | TableRow | null {
    if (!entry) return null;
    const chunk = table.read(entry);
    return chunk instanceof Promise ? chunk.then((found) => take(found, keys)) : take(chunk, keys);
  }

  return (partition, sort = '') => {
    if (table.head.rows === 0) return null;
    const keys = { partition, sort };
    if (last && compareKeys(direction, last.from, keys) <= 0 && compareKeys(direction, last.to, keys) >= 0)
      return within(last.chunk, keys);
    const entry = table.blockOf(keys);
    return entry instanceof Promise ? entry.then((found) => read(found, keys)) : read(entry, keys);
  };
}
