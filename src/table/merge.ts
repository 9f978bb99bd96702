import {
  keptRow,
  openWalk,
  sortIn,
  visitRows,
  type BlocksAhead,
  type MergedRow,
  type VisitedRow,
  type Walk,
} from './merged-walk.ts';
import type { Table } from './table.ts';
import type { BlockEntry } from './table-head.ts';

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
export function readBoundedPage(tables: readonly Table[], walk: PageWalk, leftOutMost: number): ReadRows {
  const { limit, matches, endsAt } = walk;
  const rows: MergedRow[] = [];
  let leftOut = 0;
  let goesOnAfter: string | null = null;
  // Reads as many blocks ahead as rows are missing: each block may hold one.
  const blocksAhead = filteredAhead(walk, () => limit - rows.length);
  visitRows(tables, walk, blocksAhead, (row) => {
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
export function readPage(tables: readonly Table[], walk: PageWalk): readonly MergedRow[] {
  return readBoundedPage(tables, walk, Infinity).rows;
}

/** Yields every row in the order of the tables, which are given newest first. Throws `CorruptSnapshot`. */
export function* mergedRows(tables: readonly Table[], walk: Walk): Generator<MergedRow> {
  const next = openWalk(
    tables,
    walk,
    filteredAhead(walk, () => filteredBlocksAhead),
  );
  for (let row = next(); row; row = next()) yield keptRow(row);
}

function filteredAhead({ wanted }: Walk, blocksMissing: () => number): BlocksAhead {
  return (block) => (block === 0 || !wanted ? 1 : Math.min(filteredBlocksAhead, blocksMissing()));
}
