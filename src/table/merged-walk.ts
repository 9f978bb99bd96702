import type { Direction } from '../format/snapshot.ts';
import { bisect, lineStart, type Block } from './block.ts';
import {
  compareBytes,
  endOfKey,
  isHidingBehind,
  isInPartition,
  linePrefix,
  sortOffset,
  type Keys,
} from './line.ts';
import { createHeap } from './heap.ts';
import { together } from './passes.ts';
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
  /** Which of the rows of different partitions with the same sort key is taken, if there is one; else any of them. */
  readonly preferred?: ((row: VisitedRow) => boolean) | undefined;
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

/** A row at which a walk is, until it goes on: the reading position in one partition of one table. */
export interface VisitedRow extends TableRow {
  /** The position of its table; 0 for the newest. */
  readonly age: number;
  /** Offsets of the beginning and the end of its sort key in the block. */
  readonly sortFrom: number;
  readonly sortTo: number;
}

/** The sort key of a row at which a walk is. */
export const sortIn = ({ block, sortFrom, sortTo }: VisitedRow): string =>
  block.bytes.toString('utf8', sortFrom, sortTo);

/** A row at which a walk is, to be kept when it goes on. */
export const keptRow = (row: VisitedRow): MergedRow => ({
  block: row.block,
  line: row.line,
  sort: sortIn(row),
});

interface Run extends VisitedRow {
  /** The position of its partition in the walk. */
  readonly rank: number;
  /** Moves to the next line. False at the end of the partition. */
  next(): boolean;
}

/**
 * How many blocks of a partition a walk over a host reads in one round when it needs one, by the number of that
 * block: 0 for its first one. From a folder one is read at a time: there nothing is won by reading what a page may not
 * need.
 */
export type BlocksAhead = (block: number) => number;

/**
 * Visits the rows of a walk in their order, up to the last one or until `visit` returns false. Decodes no keys that
 * nobody asks for. Throws `CorruptSnapshot`.
 */
export function visitRows(
  tables: readonly Table[],
  walk: Walk,
  blocksAhead: BlocksAhead,
  visit: (row: VisitedRow) => boolean,
): void {
  const next = openWalk(tables, walk, blocksAhead);
  for (let row = next(); row !== null && visit(row); ) row = next();
}

/**
 * Opens a walk. Returns a function that goes to the next row: null at the end. Of lines with the same keys the newest
 * decides. Of partitions that have rows with the same sort key one row is taken.
 */
export function openWalk(
  tables: readonly Table[],
  walk: Walk,
  blocksAhead: BlocksAhead,
): () => VisitedRow | null {
  const opened = together(
    tables.flatMap((_, age) => walk.partitions.map((__, rank) => ({ age, rank }))),
    ({ age, rank }) => openRun(tables, age, rank, walk, blocksAhead),
  );
  const order = directionOf(tables) === 'ascending' ? 1 : -1;
  /** The runs by their rows, a heap: the first one is at the next row, newest table first. */
  const runs = createHeap<Run>((a, b) => order * compareSorts(a, b) || a.age - b.age || a.rank - b.rank);
  for (const run of opened) if (run !== null) runs.add(run);
  /** The run that is at the last row, and the others that are there: they were taken out of the heap. */
  let last: Run | null = null;
  let beside: readonly Run[] = [];
  return next;

  function next(): VisitedRow | null {
    for (;;) {
      if (last) move(last);
      for (const run of beside) move(run);
      beside = [];
      const row = takeRow();
      if (row !== undefined) return row;
    }
  }

  /** The row with the first sort key. Undefined if that is hidden, and null if there are no more. */
  function takeRow(): VisitedRow | null | undefined {
    const first = runs.take();
    last = first ?? null;
    if (!first) return null;
    for (let also = runs.first(); also && compareSorts(also, first) === 0; also = runs.first())
      beside = [...beside, runs.take() as Run];
    if (beside.length > 0) return shownOf([first, ...beside], walk.preferred);
    return isHidingBehind(first.block, first.line, first.sortTo) ? undefined : first;
  }

  /** Moves a run to its next line and puts it back into the heap, unless it is at its end. */
  function move(run: Run): void {
    if (run.next()) runs.add(run);
  }
}

/**
 * The row of runs with the same sort key: in each partition the newest decides, and of several partitions one that is
 * preferred. Undefined if all hide it.
 */
function shownOf(newestFirst: readonly Run[], preferred: Walk['preferred'] = () => true): Run | undefined {
  const decided: number[] = [];
  let shown: Run | undefined;
  for (const run of newestFirst) {
    if (decided.includes(run.rank)) continue;
    decided.push(run.rank);
    if (isHidingBehind(run.block, run.line, run.sortTo)) continue;
    if (preferred(run)) return run;
    shown ??= run;
  }
  return shown;
}

/** Compares the sort keys of two rows by their bytes. */
const compareSorts = (a: VisitedRow, b: VisitedRow): number =>
  compareBytes(a.block.bytes, a.sortFrom, a.sortTo, b.block.bytes, b.sortFrom, b.sortTo);

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

/** Opens a partition of the walk in a table, by their numbers; null if there is no row of the walk. */
function openRun(
  tables: readonly Table[],
  age: number,
  rank: number,
  walk: Walk,
  blocksAhead: BlocksAhead,
): Run | null {
  const table = tables[age] as Table;
  const partition = walk.partitions[rank] as string;
  const { direction } = table.head;
  const { wanted } = walk;
  const { after, start, isOver } = runBounds(table, partition, walk);
  const prefix = linePrefix(partition);
  const offset = sortOffset(prefix);
  const isOldest = age === tables.length - 1;
  const entries = table.blocksFrom(start, wanted && ((entry) => wanted(entry, isOldest)), isOver);
  /** Entries of blocks that come next: over a host they are noted together. */
  const coming: BlockEntry[] = [];
  let blocks = 0;
  let ended = false;
  /** How many lines of the block belong to the partition or come before it. */
  let lines = 0;

  function nextBlock(): Block | null {
    const width = table.isFar ? Math.max(1, blocksAhead(blocks)) : 1;
    while (!ended && coming.length < width) {
      const { value: entry } = entries.next() as { value: BlockEntry | undefined };
      if (entry) coming.push(entry);
      else ended = true;
    }
    if (table.isFar) for (const entry of coming) table.note(entry);
    blocks++;
    const entry = coming.shift();
    return entry ? table.read(entry) : null;
  }

  let block = nextBlock();
  let line = block ? firstLineFrom(direction, block, start) : 0;
  while (block && line >= block.ends.length) {
    block = nextBlock();
    line = block ? firstLineFrom(direction, block, start) : 0;
  }
  if (!block || !isInPartition(block, line, prefix)) return null;
  const run = {
    age,
    rank,
    block,
    line,
    sortFrom: 0,
    sortTo: 0,
    next(): boolean {
      if (run.line + 1 < lines) return moveTo(run.line + 1);
      if (lines < run.block.ends.length) return false;
      const following = nextBlock();
      return following !== null && enter(following, 0);
    },
  };
  enter(block, line);
  return after !== undefined && sortIn(run) === after && !run.next() ? null : run;

  /** Goes to a line of a block. False if it is behind the partition. */
  function enter(inBlock: Block, atLine: number): boolean {
    const count = inBlock.ends.length;
    const isBehind = (at: number) => !isInPartition(inBlock, at, prefix);
    if (isBehind(atLine)) return false;
    run.block = inBlock;
    lines = isBehind(count - 1) ? bisect(count, (at) => at > atLine && isBehind(at)) : count;
    return moveTo(atLine);
  }

  function moveTo(atLine: number): true {
    run.line = atLine;
    run.sortFrom = lineStart(run.block, atLine) + offset;
    run.sortTo = endOfKey(run.block, run.sortFrom);
    return true;
  }
}

function directionOf(tables: readonly Table[]): Direction {
  return tables[0]?.head.direction ?? 'ascending';
}
