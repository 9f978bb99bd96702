import { compareKeys, compareLine, isHiding, keyBytes, keysOf, type Keys } from './line.ts';
import { firstLineFrom, type BlockEntry, type Table, type TableRow } from './table.ts';
import type { Chunk } from './chunk.ts';

/** Looks up what stands under keys; a promise where it has to be read. */
export type Find = (partition: string, sort?: string) => Promise<TableRow | null> | TableRow | null;

/**
 * Looks up rows by their keys in tables that are given newest first. Who asks in the order of the tables
 * reads each block once at most; any other order gives the same answers. Null if no table has the row, or the
 * newest that has it hides it.
 */
export function createFinder(tables: readonly Table[]): Find {
  const find = createLineFinder(tables);
  return (partition, sort) => {
    const found = find(partition, sort);
    return found instanceof Promise ? found.then(shown) : shown(found);
  };
}

/** The same; a line that hides is found, too. */
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

const shown = (row: TableRow | null) => (row && isHiding(row.chunk, row.line) ? null : row);

/** The same in one table; lines that hide are found, too. */
function createLookup(table: Table): Find {
  const { direction } = table.head;
  /**
   * The block that was looked at last, with the keys at its ends: who asks in order mostly asks there again.
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
