import { beginsWithDay, type Direction } from '../format/snapshot.ts';
import { bisect, lineStart, type Block } from './block.ts';
import {
  compareBytes,
  compareKeys,
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
  /**
   * Whether it is before a block that was not read. Then its sort key is one before which no row of the block comes: a
   * page that ends sooner needs no row of it.
   */
  readonly isBefore: boolean;
  /** Moves to the next line, or before the next block, or into that block. False at the end of the partition. */
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
  /** By sort key, those before a block first, so that it is read when it may have the next row; then newest table first. */
  const compare = (a: Run, b: Run) =>
    order * compareSorts(a, b) || Number(b.isBefore) - Number(a.isBefore) || a.age - b.age || a.rank - b.rank;
  /** The runs but for those at the row that was given last. */
  const runs = createHeap<Run>(compare);
  for (const run of opened) if (run !== null) runs.add(run);
  /** The run that is at that row, and the others that are there. */
  let last: Run | null = null;
  let beside: readonly Run[] = [];
  return next;

  function next(): VisitedRow | null {
    for (;;) {
      for (const run of beside) if (run.next()) runs.add(run);
      beside = [];
      const row = takeRow();
      if (row !== undefined) return row;
    }
  }

  /** The row with the first sort key. Undefined if that is hidden, and null if there are no more. */
  function takeRow(): VisitedRow | null | undefined {
    let first = goOn(last);
    while (first?.isBefore === true) first = goOn(first);
    last = first;
    if (!first) return null;
    for (let also = runs.first(); also && compareSorts(also, first) === 0; also = runs.first())
      beside = [...beside, runs.take() as Run];
    if (beside.length > 0) return shownOf([first, ...beside], walk.preferred);
    return isHidingBehind(first.block, first.line, first.sortTo) ? undefined : first;
  }

  /** Moves a run on, and returns the first of all runs then, which is mostly the same one; null at the end. */
  function goOn(run: Run | null): Run | null {
    if (run === null || !run.next()) return runs.take() ?? null;
    const other = runs.first();
    return other === undefined || compare(run, other) < 0 ? run : (runs.exchange(run) as Run);
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
  return {
    after,
    start: { partition, sort: after ?? from ?? leastSortOf(table.head.direction) },
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
  let isInIndex = false;
  let ended = false;
  /** How many lines of the block belong to the partition or come before it. */
  let lines = 0;
  const run = {
    age,
    rank,
    block: nothing,
    line: 0,
    sortFrom: 0,
    sortTo: 0,
    isBefore: false,
    next(): boolean {
      if (run.isBefore) return isInIndex ? enter() : goBeforeNext();
      if (run.line + 1 < lines) return moveTo(run.line + 1);
      return lines === run.block.ends.length && goBeforeNext();
    },
  };
  return goBeforeIndex() || goBeforeNext() ? run : null;

  /** Goes before the first block as far as the root of the index tells where that is. False if it does not tell. */
  function goBeforeIndex(): boolean {
    if (table.isFar) return false;
    const [first, following] = table.indexFrom(start);
    if (first === undefined) return false;
    const least = laterSort(
      start.sort,
      leastSort(first, () => (following?.partition === partition ? following : undefined)),
    );
    return least !== start.sort && goBefore(least);
  }

  /** Goes before the next block; over a host, where it is noted with those of other runs, into it. */
  function goBeforeNext(): boolean {
    isInIndex = true;
    findComing(table.isFar ? Math.max(1, blocksAhead(blocks)) : 1);
    if (coming.length === 0) return false;
    if (table.isFar) {
      for (const each of coming) table.note(each);
      return enter();
    }
    return goBefore(
      laterSort(
        start.sort,
        leastSort(coming[0] as BlockEntry, () => {
          findComing(2);
          return coming[1];
        }),
      ),
    );
  }

  function goBefore(least: string): true {
    const bytes = Buffer.from(least);
    [run.block, run.sortFrom, run.sortTo] = [{ ...nothing, bytes }, 0, bytes.length];
    run.isBefore = true;
    return true;
  }

  function findComing(count: number): void {
    while (!ended && coming.length < count) {
      const { value: entry } = entries.next() as { value: BlockEntry | undefined };
      if (entry) coming.push(entry);
      else ended = true;
    }
  }

  /**
   * A sort key before which no row of the partition comes that is in a block or behind it. `next` gives the block behind
   * it, if that is of the partition.
   */
  function leastSort(entry: IndexedBlock, next: () => IndexedBlock | undefined): string {
    if (entry.partition === partition) return entry.sort;
    // The partition begins in the middle of the block, or with the one behind it.
    const ofDays = leastOfDays(direction, entry);
    // Where the days say no more than where the walk begins, the block behind says nothing more either.
    if (laterSort(start.sort, ofDays) === start.sort) return start.sort;
    const following = next();
    return following && laterSort(ofDays, following.sort) === ofDays ? following.sort : ofDays;
  }

  function laterSort(a: string, b: string): string {
    return compareKeys(direction, { partition, sort: a }, { partition, sort: b }) > 0 ? a : b;
  }

  /** Goes to the first line of the walk in the next block. False if there is none. */
  function enter(): boolean {
    run.isBefore = false;
    blocks++;
    const block = table.read(coming.shift() as BlockEntry);
    const count = block.ends.length;
    const line = firstLineFrom(direction, block, start);
    if (line === count) return goBeforeNext();
    const isBehind = (at: number) => !isInPartition(block, at, prefix);
    if (isBehind(line)) return false;
    run.block = block;
    lines = isBehind(count - 1) ? bisect(count, (at) => at > line && isBehind(at)) : count;
    moveTo(line);
    return after !== undefined && sortIn(run) === after ? run.next() : true;
  }

  function moveTo(line: number): true {
    run.line = line;
    run.sortFrom = lineStart(run.block, line) + offset;
    run.sortTo = endOfKey(run.block, run.sortFrom);
    return true;
  }
}

/** What a run is at before it has read a block. */
const nothing: Block = { bytes: Buffer.alloc(0), ends: new Int32Array(0), sha256: '' };

/** A sort key before which none of a block comes: where keys begin with filing dates, one before the greatest of these. */
const leastOfDays = (direction: Direction, { sort, filedTo }: IndexedBlock): string =>
  direction === 'descending' && filedTo !== '' && beginsWithDay(sort)
    ? `${filedTo}\uffff`
    : leastSortOf(direction);

/** In ascending tables no sort key comes before the empty one, and in descending tables none before the greatest. */
const leastSortOf = (direction: Direction) => (direction === 'ascending' ? '' : '\uffff');

function directionOf(tables: readonly Table[]): Direction {
  return tables[0]?.head.direction ?? 'ascending';
}
