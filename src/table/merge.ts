import type { Direction } from '../contract/snapshot.ts';
import type { Chunk } from './chunk.ts';
import { compareLine, isHiding, keyBytes, linePrefix, sortOf, standsIn, type Keys } from './line.ts';
import { firstLineFrom, type BlockEntry, type Table, type TableRow } from './table.ts';

/** A row of several tables that are read as one, with its sort key. */
export interface MergedRow extends TableRow {
  readonly sort: string;
}

/** What is asked of several tables. */
export interface Walk {
  /**
   * Partitions that are read as one list: what stands in several of them under the same sort key is one row.
   */
  readonly partitions: readonly string[];
  /** Begin strictly behind this sort key; left out, at the beginning. */
  readonly after?: string | undefined;
  /** Begin at this sort key or behind it. */
  readonly from?: string | undefined;
  /**
   * Leaves out blocks of which the index tells that nothing in them is wanted. What it leaves in may hold
   * other rows. `isOldest`: no table of the walk is older than that of the block, so that its rows hide and
   * replace nothing.
   */
  readonly wanted?: ((entry: BlockEntry, isOldest: boolean) => boolean) | undefined;
  /** Whether nothing at or behind a sort key is wanted; the walk goes on to the end if left out. */
  readonly endsAt?: ((sort: string) => boolean) | undefined;
}

/** What is asked for a page of rows. */
export interface PageWalk extends Walk {
  readonly limit: number;
  /** Whether a row is wanted; each is if left out. */
  readonly matches?: ((row: MergedRow) => boolean) | undefined;
}

/** The rows of one partition of one table in a walk. */
interface Run {
  readonly partition: string;
  chunk: Chunk;
  line: number;
  sort: string;
  /** Moves on. False at the end of the partition. */
  next(): Promise<boolean> | boolean;
}

/** Blocks of a filtered walk that are read at the same time, once the first one did not suffice. */
const blocksAhead = 8;

/**
 * The rows that a page holds, in the order of the tables, which are given newest first: of rows with the same
 * keys that of the newest table counts, and one that hides takes away the others. No row is parsed. `wanted`
 * must not leave out blocks with rows that hide or replace what it leaves in. Throws `CorruptSnapshot`.
 */
export async function readPage(tables: readonly Table[], walk: PageWalk): Promise<MergedRow[]> {
  const { limit, matches, endsAt } = walk;
  const rows: MergedRow[] = [];
  // As many blocks as there are rows missing: each of them may hold one.
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

/**
 * Every row in the order of the tables, which are given newest first, one after the other. Throws
 * `CorruptSnapshot`.
 */
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

/**
 * The row with these keys: the newest table that has them counts. Null if none has, or it is hidden. Throws
 * `CorruptSnapshot`.
 */
export async function findRow(
  tables: readonly Table[],
  partition: string,
  sort = '',
): Promise<TableRow | null> {
  const keys = { partition, sort };
  const wanted = keyBytes(keys);
  const blocks: (Promise<Chunk | null> | Chunk | null)[] = [];
  for (let at = 0; at < tables.length; at++) {
    if (at === blocks.length) blocks.push(blockWith(tables[at] as Table, keys));
    const block = blocks[at] as (typeof blocks)[number];
    // What is in memory is at hand at once: a request looks up hundreds of rows. Where one table has to be
    // waited for, all are read.
    if (block instanceof Promise) {
      for (let other = blocks.length; other < tables.length; other++)
        blocks.push(ahead(blockWith(tables[other] as Table, keys)));
    }
    const chunk = block instanceof Promise ? await block : block;
    if (!chunk) continue;
    const { direction } = (tables[at] as Table).head;
    const line = firstLineFrom(direction, chunk, keys);
    if (line < chunk.ends.length && compareLine(direction, chunk, line, wanted) === 0)
      return isHiding(chunk, line) ? null : { chunk, line };
  }
  return null;
}

/** The block of a table in which a row with these keys can lie; null if there is none. */
function blockWith(table: Table, keys: Keys): Promise<Chunk | null> | Chunk | null {
  const found = table.blockOf(keys);
  if (found instanceof Promise) return found.then((entry) => entry && table.read(entry));
  return found && table.read(found);
}

/** What is read before its turn: whether it can be read shows then. */
export function ahead<Value>(read: Promise<Value> | Value): Promise<Value> | Value {
  if (read instanceof Promise) read.catch(() => {});
  return read;
}

function directionOf(tables: readonly Table[]): Direction {
  return tables[0]?.head.direction ?? 'ascending';
}

/**
 * The runs of a walk: those of the newest table first. `blocksWanted` tells how many blocks may be read at
 * the same time.
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

/** The sort key that comes first. */
function firstSort(runs: readonly Run[], direction: Direction): string {
  let { sort } = runs[0] as Run;
  for (let at = 1; at < runs.length; at++) {
    const other = (runs[at] as Run).sort;
    if (direction === 'ascending' ? other < sort : other > sort) sort = other;
  }
  return sort;
}

/**
 * The row under a sort key: in each partition the newest table decides. Null if it is hidden in all of them.
 */
function rowAt(runs: readonly Run[], sort: string): MergedRow | null {
  const decided: string[] = [];
  for (const { partition, chunk, line, sort: own } of runs) {
    if (own !== sort || decided.includes(partition)) continue;
    if (!isHiding(chunk, line)) return { chunk, line, sort };
    decided.push(partition);
  }
  return null;
}

/**
 * Moves every run behind a sort key and drops those that end. Resolves at once where nothing has to be read.
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

async function openRun(
  table: Table,
  partition: string,
  { after, from, wanted, endsAt }: Walk,
  isOldest: boolean,
  blocksWanted: () => number,
): Promise<Run | null> {
  const { direction } = table.head;
  // Nothing stands before the empty sort key in ascending tables, and nothing before the greatest in
  // descending ones.
  const start = { partition, sort: after ?? from ?? (direction === 'ascending' ? '' : '\uffff') };
  const prefix = linePrefix(partition);
  // The blocks of later partitions are of no interest, and no block that begins behind the end.
  const isOver = (first: Keys) =>
    first.partition > partition || (first.partition === partition && endsAt?.(first.sort) === true);
  const entries = table.blocksFrom(start, wanted && ((entry) => wanted(entry, isOldest)), isOver);
  const chunks: (Promise<Chunk> | Chunk)[] = [];
  let isFirst = true;
  let ended = false;

  async function nextChunk(): Promise<Chunk | null> {
    const width = isFirst || !wanted ? 1 : Math.max(1, blocksWanted());
    while (!ended && chunks.length < width) {
      const { value: entry } = (await entries.next()) as { value: BlockEntry | undefined };
      ended = entry === undefined;
      if (ended) break;
      chunks.push(ahead(table.read(entry as BlockEntry)));
    }
    isFirst = false;
    return chunks.shift() ?? null;
  }

  let chunk = await nextChunk();
  let line = chunk ? firstLineFrom(direction, chunk, start) : 0;
  while (chunk && line >= chunk.ends.length) {
    chunk = await nextChunk();
    line = chunk ? firstLineFrom(direction, chunk, start) : 0;
  }
  if (!chunk || !standsIn(chunk, line, prefix)) return null;
  const run: Run = { partition, chunk, line, sort: sortOf(chunk, line, prefix), next };
  return after !== undefined && run.sort === after && !(await next()) ? null : run;

  function next(): Promise<boolean> | boolean {
    if (run.line + 1 < run.chunk.ends.length) return stand(run.chunk, run.line + 1);
    return nextChunk().then((following) => following !== null && stand(following, 0));
  }

  function stand(inChunk: Chunk, atLine: number): boolean {
    if (!standsIn(inChunk, atLine, prefix)) return false;
    run.chunk = inChunk;
    run.line = atLine;
    run.sort = sortOf(inChunk, atLine, prefix);
    return true;
  }
}
