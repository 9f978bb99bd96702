import { compareKeys, isHiding, keysOf, type Direction, type Keys } from './line.ts';
import { firstLineFrom, type BlockEntry, type Table, type TablePlace } from './table.ts';

/** A row of several tables that are read as one, with its keys. */
export interface MergedRow extends TablePlace {
  readonly keys: Keys;
}

/** What is asked of several tables. */
export interface Walk {
  readonly partition: string;
  /** Begin strictly behind this sort key; left out, at the beginning of the partition. */
  readonly after?: string | undefined;
  /** Leaves out blocks of which the index tells that nothing in them is wanted. What it leaves in may hold other rows. */
  readonly wanted?: ((entry: BlockEntry) => boolean) | undefined;
}

/** The rows of one table in a walk. */
interface Run {
  keys: Keys;
  place: TablePlace;
  /** Moves on. False at the end of the partition. */
  next(): Promise<boolean> | boolean;
}

/**
 * The rows of a partition in the order of the tables, which are given newest first: of rows with the same keys the newest
 * one counts, and one that hides takes away the others. `wanted` must not leave out blocks with rows that hide what it
 * leaves in. Throws `CorruptSnapshot`.
 */
export async function* mergedRows(tables: readonly Table[], direction: Direction, walk: Walk): AsyncGenerator<MergedRow> {
  const opened = await Promise.all(tables.map((table) => openRun(table, direction, walk)));
  const runs = opened.filter((run): run is Run => run !== null);
  while (runs.length > 0) {
    let best = runs[0] as Run;
    for (const run of runs) if (compareKeys(direction, run.keys, best.keys) < 0) best = run;
    const { keys, place } = best;
    if (!isHiding(place.chunk, place.line)) yield { ...place, keys };
    for (let at = runs.length - 1; at >= 0; at--) {
      const run = runs[at] as Run;
      if (run.keys.sort === keys.sort && !(await run.next())) runs.splice(at, 1);
    }
  }
}

/** The row of a partition that is a record: its only row. The newest table that has it counts; null if none has, or it is hidden. */
export async function findRecord(tables: readonly Table[], partition: string): Promise<TablePlace | null> {
  for (const table of tables) {
    const run = await openRun(table, 'ascending', { partition });
    if (run) return isHiding(run.place.chunk, run.place.line) ? null : run.place;
  }
  return null;
}

async function openRun(table: Table, direction: Direction, { partition, after, wanted }: Walk): Promise<Run | null> {
  // Nothing stands before the empty sort key in ascending tables, and nothing before the greatest in descending ones.
  const start: Keys = { partition, sort: after ?? (direction === 'ascending' ? '' : '\uffff') };
  const blocks = table.blocksFrom(start, wanted);
  let chunk = await nextChunk();
  if (!chunk) return null;
  let line = firstLineFrom(direction, chunk, start);
  while (chunk && line >= chunk.ends.length) {
    chunk = await nextChunk();
    line = chunk ? firstLineFrom(direction, chunk, start) : 0;
  }
  if (!chunk) return null;
  const run: Run = { keys: keysOf(chunk, line), place: { chunk, line }, next };
  if (run.keys.partition !== partition) return null;
  if (after !== undefined && run.keys.sort === after && !(await next())) return null;
  return run;

  async function nextChunk() {
    const { value: entry } = (await blocks.next()) as { value: BlockEntry | undefined };
    // The blocks of later partitions are of no interest.
    return entry === undefined || entry.partition > partition ? null : table.read(entry);
  }

  function next(): Promise<boolean> | boolean {
    const { place } = run;
    if (place.line + 1 < place.chunk.ends.length) return stand({ chunk: place.chunk, line: place.line + 1 });
    return nextChunk().then((following) => following !== null && stand({ chunk: following, line: 0 }));
  }

  function stand(place: TablePlace): boolean {
    run.place = place;
    run.keys = keysOf(place.chunk, place.line);
    return run.keys.partition === partition;
  }
}
