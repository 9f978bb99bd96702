import type { Block } from './block.ts';
import { compareLine, isHiding, keyBytes, type Keys } from './line.ts';
import { firstLineFrom, type Table, type TableRow } from './table.ts';
import type { BlockEntry } from './table-head.ts';
import {
  ahead,
  keptRow,
  openWalk,
  sortIn,
  visitRows,
  type BlocksAhead,
  type MergedRow,
  type VisitedRow,
  type Walk,
} from './merged-walk.ts';

/** A walk that reads one page of rows. */
export interface PageWalk extends Walk {
  readonly limit: number;
  /** Whether a row is wanted; every row is if left out. */
  readonly matches?: ((row: VisitedRow) => boolean) | undefined;
  /** Whether all rows of a block are wanted, by its index entry: tells how many blocks the page needs. */
  readonly isWhole?: ((entry: BlockEntry) => boolean) | undefined;
}

/** How many blocks a filtered walk reads at the same time, after its first one was not enough. */
const filteredBlocksAhead = 8;

/** The rows of a page, and where it ended. */
export interface ReadRows {
  readonly rows: readonly MergedRow[];
  /** The sort key of the last row that was left out, if the page ended there because it may leave out no more; else null. */
  readonly goesOnAfter: string | null;
  /** How many rows were left out. */
  readonly leftOut: number;
}

/**
 * Reads the rows of a page, in the order of the tables, which are given newest first. If several tables have
 * the same keys, the newest decides: its row is taken, or none if its line hides. No row is parsed. `wanted`
 * must not leave out blocks with rows that hide or replace rows of the blocks that are read. The page ends when
 * `matches` has left out `leftOutMost` rows. Throws `CorruptSnapshot`.
 */
export async function readBoundedPage(
  tables: readonly Table[],
  walk: PageWalk,
  leftOutMost: number,
): Promise<ReadRows> {
  const { limit, matches, endsAt } = walk;
  const rows: MergedRow[] = [];
  let leftOut = 0;
  let goesOnAfter: string | null = null;
  // Reads as many blocks ahead as rows are missing: each block may hold one.
  const blocksAhead = filteredAhead(walk, () => limit - rows.length);
  await visitRows(tables, walk, blocksAhead, (row) => {
    if (endsAt?.(sortIn(row)) === true) return false;
    if (matches && !matches(row)) {
      if (++leftOut < leftOutMost) return true;
      goesOnAfter = sortIn(row);
      return false;
    }
    rows.push(keptRow(row));
    return rows.length < limit;
  });
  return { rows, goesOnAfter, leftOut };
}

/** Reads the rows of a page, however many are left out. Throws `CorruptSnapshot`. */
export async function readPage(tables: readonly Table[], walk: PageWalk): Promise<readonly MergedRow[]> {
  return (await readBoundedPage(tables, walk, Infinity)).rows;
}

/** Yields every row in the order of the tables, which are given newest first. Throws `CorruptSnapshot`. */
export async function* mergedRows(tables: readonly Table[], walk: Walk): AsyncGenerator<MergedRow> {
  const next = await openWalk(
    tables,
    walk,
    filteredAhead(walk, () => filteredBlocksAhead),
  );
  for (let row = await next(); row; row = await next()) yield keptRow(row);
}

function filteredAhead({ wanted }: Walk, blocksMissing: () => number): BlocksAhead {
  return (block) => (block === 0 || !wanted ? 1 : Math.min(filteredBlocksAhead, blocksMissing()));
}

/** A row that was looked up in several tables. */
export interface FoundRow extends TableRow {
  /** The position of the table that has it; 0 for the newest. */
  readonly age: number;
}

/**
 * The row with these keys, from the newest table that has them. Null if no table has them, or if that table
 * hides the row. Throws `CorruptSnapshot`.
 */
export async function findRow(
  tables: readonly Table[],
  partition: string,
  sort = '',
): Promise<FoundRow | null> {
  const keys = { partition, sort };
  const wanted = keyBytes(keys);
  const blocks: (Promise<Block | null> | Block | null)[] = [];
  for (let at = 0; at < tables.length; at++) {
    if (at === blocks.length) blocks.push(blockWith(tables[at] as Table, keys));
    const coming = blocks[at] as (typeof blocks)[number];
    // A request looks up hundreds of rows, so blocks in memory are used without waiting. When a block has to
    // be read, the blocks of all other tables are read at the same time.
    if (coming instanceof Promise) {
      for (let other = blocks.length; other < tables.length; other++)
        blocks.push(ahead(blockWith(tables[other] as Table, keys)));
    }
    const block = coming instanceof Promise ? await coming : coming;
    if (!block) continue;
    const { direction } = (tables[at] as Table).head;
    const line = firstLineFrom(direction, block, keys);
    if (line < block.ends.length && compareLine(direction, block, line, wanted) === 0)
      return isHiding(block, line) ? null : { block, line, age: at };
  }
  return null;
}

/** The block of a table that may hold a row with these keys; null if there is none. */
function blockWith(table: Table, keys: Keys): Promise<Block | null> | Block | null {
  const found = table.blockOf(keys);
  if (found instanceof Promise) return found.then((entry) => entry && table.read(entry));
  return found && table.read(found);
}
