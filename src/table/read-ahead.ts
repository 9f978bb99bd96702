import type { Keys } from './line.ts';
import type { PageWalk } from './merge.ts';
import { runBounds } from './merged-walk.ts';
import { together } from './passes.ts';
import type { Table } from './table.ts';
import type { BlockEntry, IndexedBlock } from './table-head.ts';

// Over a host each read takes a round trip, whatever its length. So what a page will need is noted as soon as the index
// tells it, for all tables and partitions at the same time: then it is read in one round. For local files, where a read
// takes no longer than a search in a block, nothing is done.

/** Blocks of a table that a walk will need first, in its order. */
interface Planned {
  readonly table: Table;
  readonly entries: readonly BlockEntry[];
  /** How many rows of the page they are expected to have. */
  readonly rows: number;
}

/** Blocks of an index that are read at the same time for one partition. */
const indexBlocksMaximum = 8;
/** Entries of an index that are looked at for one partition. */
const entriesMaximum = 512;

/** Whether it pays to read ahead in these tables. */
export const areFar = (tables: readonly Table[]): boolean => tables[0]?.isFar === true;

/**
 * Notes the index of tables from keys on, where it is not known yet which rows are wanted: at most `blocksMaximum` blocks
 * of each table, and no partition but the one of the keys if `isOneOnly`.
 */
export function noteIndexes(
  tables: readonly Table[],
  partition: string,
  sort: string,
  blocksMaximum: number,
  isOneOnly = true,
): void {
  const isOver = (first: Keys) => isOneOnly && first.partition > partition;
  for (const table of tables) table.noteIndex({ partition, sort }, isOver, blocksMaximum);
}

/** Notes what a page that merges tables, given newest first, will need of each. */
export function notePage(tables: readonly Table[], walk: PageWalk): void {
  if (areFar(tables)) for (const planned of planRuns(tables, walk)) notePlanned(planned);
}

/**
 * Notes what a page will need of tables that follow one another: no more of them than are expected to have enough rows.
 * Their indexes are read in one round, or those behind the first if that one is not enough.
 */
export function noteSeries(tables: readonly Table[], walk: PageWalk, isFirstAlone: boolean): void {
  if (!areFar(tables)) return;
  let rows = 0;
  const take = (runs: readonly Planned[]) => {
    for (const planned of runs) notePlanned(planned);
    for (const planned of runs) rows += planned.rows;
  };
  const first = isFirstAlone ? tables.slice(0, 1) : [];
  for (const table of first) take(planRuns([table], walk));
  if (rows >= walk.limit) return;
  const others = together(tables.slice(first.length), (table) => planRuns([table], walk));
  for (const runs of others) if (rows < walk.limit) take(runs);
}

function notePlanned({ table, entries }: Planned): void {
  for (const entry of entries) table.note(entry);
}

/** Reads the indexes of all partitions in all tables in one round. */
function planRuns(tables: readonly Table[], walk: PageWalk): Planned[] {
  return together(
    tables.flatMap((table, at) =>
      walk.partitions.map((partition) => ({ table, partition, isOldest: at === tables.length - 1 })),
    ),
    ({ table, partition, isOldest }) => plan(table, partition, walk, isOldest),
  );
}

function plan(table: Table, partition: string, walk: PageWalk, isOldest: boolean): Planned {
  const { limit, isWhole } = walk;
  const { start, isOver } = runBounds(table, partition, walk);
  const wanted = walk.wanted && ((entry: IndexedBlock) => walk.wanted?.(entry, isOldest) === true);
  table.noteIndex(start, isOver, wanted ? indexBlocksMaximum : 1, wanted);
  let looked = 0;
  const isLookedAt = (entry: IndexedBlock) => {
    looked++;
    return !wanted || wanted(entry);
  };
  const entries: BlockEntry[] = [];
  let whole = 0;
  for (const entry of table.blocksFrom(start, isLookedAt, isOver)) {
    entries.push(entry);
    // How many rows of the first block come behind the start is not known.
    if (entries.length > 1 && (!wanted || isWhole?.(entry) === true)) whole += entry.rows;
    if (whole >= limit || looked >= entriesMaximum) break;
  }
  const each = rowsOfBlock(entries.length, looked);
  const rowsOf = (entry: BlockEntry) => (!wanted || isWhole?.(entry) === true ? entry.rows : each);
  let rows = 0;
  let count = Math.min(1, entries.length);
  for (; count < entries.length && rows < limit; count++) rows += rowsOf(entries[count] as BlockEntry);
  // The last block of a partition may have no more than a row of it.
  const last = entries.at(count - 1);
  if (count > 1 && count === entries.length && last) rows -= rowsOf(last);
  return { table, entries: entries.slice(0, count), rows: Math.floor(rows) };
}

/**
 * How many wanted rows a wanted block has on average, if `wanted` of `looked` blocks have one. Where few blocks
 * have one, it is rarely more than one.
 */
function rowsOfBlock(wanted: number, looked: number): number {
  const share = wanted / (Math.max(wanted, looked) + 1);
  return share === 0 ? 1 : Math.max(1, -Math.log(1 - share) / share);
}
