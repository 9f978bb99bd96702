import { compareKeys, isHiding, keysOf } from './line.ts';
import { firstLineFrom, type BlockEntry, type Table, type TablePlace } from './table.ts';
import type { Chunk } from '../table/chunk.ts';

/** Looks up what stands under keys; a promise where it has to be read. */
export type Find = (partition: string, sort?: string) => Promise<TablePlace | null> | TablePlace | null;

/**
 * Looks up rows by their keys in tables that are given newest first. Who asks in the order of the tables reads each block once
 * at most; any other order gives the same answers. Null if no table has the row, or the newest that has it hides it.
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

  function findFrom(first: number, partition: string, sort: string): Promise<TablePlace | null> | TablePlace | null {
    for (let at = first; at < lookups.length; at++) {
      const found = lookups[at]?.(partition, sort) ?? null;
      if (found instanceof Promise) return found.then((place) => place ?? findFrom(at + 1, partition, sort));
      if (found) return found;
    }
    return null;
  }
}

const shown = (place: TablePlace | null) => (place && isHiding(place.chunk, place.line) ? null : place);

/** The same in one table; lines that hide are found, too. */
function createLookup(table: Table): (partition: string, sort: string) => Promise<TablePlace | null> | TablePlace | null {
  const { direction } = table.head;
  let chunk: Chunk | null = null;

  function inChunk(partition: string, sort: string): TablePlace | null {
    if (!chunk) return null;
    const keys = { partition, sort };
    const line = firstLineFrom(direction, chunk, keys);
    if (line >= chunk.ends.length) return null;
    return compareKeys(direction, keysOf(chunk, line), keys) === 0 ? { chunk, line } : null;
  }

  function covers(partition: string, sort: string): boolean {
    if (!chunk) return false;
    const keys = { partition, sort };
    return compareKeys(direction, keysOf(chunk, 0), keys) <= 0 && compareKeys(direction, keysOf(chunk, chunk.ends.length - 1), keys) >= 0;
  }

  async function load(partition: string, sort: string): Promise<TablePlace | null> {
    const { value: entry } = (await table.blocksFrom({ partition, sort }).next()) as { value: BlockEntry | undefined };
    if (!entry) return null;
    chunk = await table.read(entry);
    return inChunk(partition, sort);
  }

  return (partition, sort) => {
    if (table.head.rows === 0) return null;
    return covers(partition, sort) ? inChunk(partition, sort) : load(partition, sort);
  };
}
