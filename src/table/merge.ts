import type { Direction } from '../format/snapshot.ts';
import type { Block } from './block.ts';
import { compareLine, isHiding, keyBytes, linePrefix, sortOf, isInPartition, type Keys } from './line.ts';
import { firstLineFrom, type Table, type TableRow } from './table.ts';
import type { BlockEntry, IndexedBlock } from './table-head.ts';

/** A row of several merged tables, with its sort key. */
export interface MergedRow extends TableRow {
  readonly sort: string;
}

/** A walk through rows of several tables. */
export interface Walk {
  /**
   * Partitions that are read as one list: rows of different partitions with the same sort key count as one
   * row.
   */
  readonly partitions: readonly string[];
  /** Begins strictly behind this sort key; begins at the first row if left out. */
  readonly after?: string | undefined;
  /** As `after`, for each partition its own. */
  readonly afterIn?: ReadonlyMap<string, string> | undefined;
  /** Begins at this sort key or behind it. */
  readonly from?: string | undefined;
  /**
   * Whether to read a block, by its index entry; all blocks are read if left out. Blocks that are read may
   * also hold unwanted rows. `isOldest` tells that no table of the walk is older than that of the block, so
   * that its rows hide and replace nothing.
   */
  readonly wanted?: ((entry: IndexedBlock, isOldest: boolean) => boolean) | undefined;
  /** Whether the walk ends before a sort key; the walk goes to the last row if left out. */
  readonly endsAt?: ((sort: string) => boolean) | undefined;
}

/** A walk that reads one page of rows. */
export interface PageWalk extends Walk {
  readonly limit: number;
  /** Whether a row is wanted; every row is if left out. */
  readonly matches?: ((row: MergedRow) => boolean) | undefined;
  /** Whether all rows of a block are wanted, by its index entry: tells how many blocks the page needs. */
  readonly isWhole?: ((entry: BlockEntry) => boolean) | undefined;
}

/** The reading position of a walk in one partition of one table. */
interface Run {
  readonly partition: string;
  block: Block;
  line: number;
  sort: string;
  /** Moves to the next line. False at the end of the partition. */
  next(): Promise<boolean> | boolean;
}

/**
 * Blocks of a filtered walk over a host that are read at the same time, after the first block was not enough.
 * From a folder one is read at a time: there nothing is won by reading what a page may not need.
 */
const blocksAhead = 8;

/**
 * Reads the rows of a page, in the order of the tables, which are given newest first. If several tables have
 * the same keys, the newest decides: its row is taken, or none if its line hides. No row is parsed. `wanted`
 * must not leave out blocks with rows that hide or replace rows of the blocks that are read. Throws
 * `CorruptSnapshot`.
 */
export async function readPage(tables: readonly Table[], walk: PageWalk): Promise<MergedRow[]> {
  const { limit, matches, endsAt } = walk;
  const rows: MergedRow[] = [];
  // Reads as many blocks ahead as rows are missing: each block may hold one.
  const runs = await openRuns(tables, walk, () => Math.min(blocksAhead, limit - rows.length));
  const direction = directionOf(tables);
  while (runs.length > 0 && rows.length < limit) {
    const sort = firstSort(runs, direction);
    if (endsAt?.(sort) === true) break;
    const row = rowAt(runs, sort);
    if (row && (!matches || matches(row))) rows.push(row);
    if (rows.length === limit) break;
    const moved = moveOn(runs, sort);
    if (moved) await moved;
  }
  return rows;
}

/** Yields every row in the order of the tables, which are given newest first. Throws `CorruptSnapshot`. */
export async function* mergedRows(tables: readonly Table[], walk: Walk): AsyncGenerator<MergedRow> {
  const runs = await openRuns(tables, walk, () => blocksAhead);
  const direction = directionOf(tables);
  while (runs.length > 0) {
    const sort = firstSort(runs, direction);
    const row = rowAt(runs, sort);
    const moved = moveOn(runs, sort);
    if (row) yield row;
    if (moved) await moved;
  }
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

/**
 * Marks a read as begun ahead of its use: its failure is reported when the result is awaited, not as an
 * unhandled rejection.
 */
export function ahead<Value>(read: Promise<Value> | Value): Promise<Value> | Value {
  if (read instanceof Promise) read.catch(() => {});
  return read;
}

function directionOf(tables: readonly Table[]): Direction {
  return tables[0]?.head.direction ?? 'ascending';
}

/**
 * Opens the runs of a walk, those of the newest table first. `blocksWanted` tells how many blocks may be read
 * at the same time.
 */
async function openRuns(tables: readonly Table[], walk: Walk, blocksWanted: () => number): Promise<Run[]> {
  const opened = await Promise.all(
    tables.flatMap((table, at) =>
      walk.partitions.map((partition) =>
        openRun(table, partition, walk, at === tables.length - 1, blocksWanted),
      ),
    ),
  );
  return opened.filter((run): run is Run => run !== null);
}

/** The first sort key among the current lines of the runs. */
function firstSort(runs: readonly Run[], direction: Direction): string {
  let { sort } = runs[0] as Run;
  for (let at = 1; at < runs.length; at++) {
    const other = (runs[at] as Run).sort;
    if (direction === 'ascending' ? other < sort : other > sort) sort = other;
  }
  return sort;
}

/** The row under a sort key: in each partition the newest table decides. Null if all partitions hide it. */
function rowAt(runs: readonly Run[], sort: string): MergedRow | null {
  const decided: string[] = [];
  for (const { partition, block, line, sort: own } of runs) {
    if (own !== sort || decided.includes(partition)) continue;
    if (!isHiding(block, line)) return { block, line, sort };
    decided.push(partition);
  }
  return null;
}

/**
 * Moves every run that is at a sort key to its next line, and drops the runs that end. Null if nothing has to
 * be read.
 */
function moveOn(runs: Run[], sort: string): Promise<void> | null {
  let pending: Promise<void>[] | null = null;
  for (let at = runs.length - 1; at >= 0; at--) {
    const run = runs[at] as Run;
    if (run.sort !== sort) continue;
    const more = run.next();
    if (more === false) runs.splice(at, 1);
    else if (more !== true) {
      (pending ??= []).push(
        more.then((goesOn) => {
          if (!goesOn) runs.splice(runs.indexOf(run), 1);
        }),
      );
    }
  }
  return pending && Promise.all(pending).then(() => {});
}

/** Where a walk begins and ends in a partition of a table. */
export function runBounds(
  table: Table,
  partition: string,
  { after: afterAll, afterIn, from, endsAt }: Walk,
): {
  readonly after: string | undefined;
  readonly start: Keys;
  /** Whether a block is behind the end, by its first keys: it has later partitions or later rows. */
  readonly isOver: (first: Keys) => boolean;
} {
  const after = afterIn?.get(partition) ?? afterAll;
  // In ascending tables no sort key comes before the empty one, and in descending tables none before the
  // greatest.
  const least = table.head.direction === 'ascending' ? '' : '\uffff';
  return {
    after,
    start: { partition, sort: after ?? from ?? least },
    isOver: (first) =>
      first.partition > partition || (first.partition === partition && endsAt?.(first.sort) === true),
  };
}

async function openRun(
  table: Table,
  partition: string,
  walk: Walk,
  isOldest: boolean,
  blocksWanted: () => number,
): Promise<Run | null> {
  const { direction } = table.head;
  const { wanted } = walk;
  const { after, start, isOver } = runBounds(table, partition, walk);
  const prefix = linePrefix(partition);
  const entries = table.blocksFrom(start, wanted && ((entry) => wanted(entry, isOldest)), isOver);
  const blocks: (Promise<Block> | Block)[] = [];
  let isFirst = true;
  let ended = false;

  async function nextBlock(): Promise<Block | null> {
    const width = isFirst || !wanted || !table.isFar ? 1 : Math.max(1, blocksWanted());
    while (!ended && blocks.length < width) {
      const { value: entry } = (await entries.next()) as { value: BlockEntry | undefined };
      ended = entry === undefined;
      if (ended) break;
      blocks.push(ahead(table.read(entry as BlockEntry)));
    }
    isFirst = false;
    return blocks.shift() ?? null;
  }

  let block = await nextBlock();
  let line = block ? firstLineFrom(direction, block, start) : 0;
  while (block && line >= block.ends.length) {
    block = await nextBlock();
    line = block ? firstLineFrom(direction, block, start) : 0;
  }
  if (!block || !isInPartition(block, line, prefix)) return null;
  const run: Run = { partition, block, line, sort: sortOf(block, line, prefix), next };
  return after !== undefined && run.sort === after && !(await next()) ? null : run;

  function next(): Promise<boolean> | boolean {
    if (run.line + 1 < run.block.ends.length) return moveTo(run.block, run.line + 1);
    return nextBlock().then((following) => following !== null && moveTo(following, 0));
  }

  function moveTo(inBlock: Block, atLine: number): boolean {
    if (!isInPartition(inBlock, atLine, prefix)) return false;
    run.block = inBlock;
    run.line = atLine;
    run.sort = sortOf(inBlock, atLine, prefix);
    return true;
  }
}
