import { lineStart, type Block } from './block.ts';
import { ahead } from './merge.ts';
import { firstLineFrom, type Table } from './table.ts';
import type { BlockEntry } from './table-head.ts';

/** One partition of several tables; none of its blocks is read yet. */
export interface Partition {
  readonly name: string;
  /** How many blocks a walk would read. */
  readonly blocks: number;
  readonly runs: readonly {
    readonly table: Table;
    readonly entries: readonly BlockEntry[];
    readonly isCut: boolean;
  }[];
}

/** A row that a walk visits. Its bytes and keys are in the block. */
export interface VisitedRow {
  /** The number of its table: 0 for the newest. */
  readonly age: number;
  readonly block: Block;
  /** Offsets of the beginning and the end of its sort key. */
  readonly sortFrom: number;
  readonly sortTo: number;
  /** Offset of the row. */
  readonly from: number;
}

interface Run {
  readonly age: number;
  readonly table: Table;
  readonly entries: readonly BlockEntry[];
  readonly isCut: boolean;
  readonly ahead: (Promise<Block> | Block)[];
  at: number;
  block: Block;
  line: number;
  lines: number;
  sortFrom: number;
  sortTo: number;
  from: number;
}

const partitionStart = '{"partition":"'.length;
const betweenKeys = '","sort":"'.length;
const rowStart = '","row":'.length;
const quote = 0x22;
const letterN = 0x6e;
/** Blocks that are read ahead over a host while one is being visited. */
const aheadMaximum = 4;

/**
 * Reads only the index: which blocks of the tables, given newest first, hold rows of a partition. Takes at
 * most `blocksMaximum` blocks of each table; a table with more is marked `isCut`.
 */
export async function openPartition(
  tables: readonly Table[],
  name: string,
  blocksMaximum: number,
): Promise<Partition> {
  const runs = await Promise.all(
    tables.map(async (table) => {
      const entries: BlockEntry[] = [];
      for await (const entry of table.blocksFrom({ partition: name, sort: '' })) {
        if (entry.partition > name) break;
        if (entries.length === blocksMaximum) return { table, entries, isCut: true };
        entries.push(entry);
      }
      return { table, entries, isCut: false };
    }),
  );
  return { name, blocks: runs.reduce((sum, { entries }) => sum + entries.length, 0), runs };
}

/**
 * Begins to read the first blocks of partitions that are walked one after the other: over a host each would
 * take a round trip of its own.
 */
export function beginPartitions(partitions: readonly Partition[]): void {
  for (const { table, entries } of partitions.flatMap(({ runs }) => runs))
    if (table.isFar) for (const entry of entries.slice(0, aheadMaximum)) void ahead(table.read(entry));
}

/**
 * Visits the rows of a partition in order. The tables must be ascending and have no notes. Of rows with the
 * same keys only the newest is visited, unless it hides. Ends after `rowsMaximum` rows, at the end of a table
 * that was cut, or when `visit` returns false. Decodes no keys, and so takes a fraction of the time of
 * `mergedRows`. Returns the number of rows that were visited.
 */
export async function walkPartition(
  { name, runs: parts }: Partition,
  rowsMaximum: number,
  visit: (row: VisitedRow) => boolean,
): Promise<number> {
  const sortStart = partitionStart + Buffer.byteLength(name) + betweenKeys;
  const opened = parts.map(
    ({ table, entries, isCut }, age): Run => ({
      age,
      table,
      entries,
      isCut,
      ahead: [],
      at: -1,
      block: { bytes: Buffer.alloc(0), ends: new Int32Array(0), sha256: '' },
      line: -1,
      lines: 0,
      sortFrom: 0,
      sortTo: 0,
      from: 0,
    }),
  );
  const isLive = await Promise.all(opened.map(load));
  const runs = opened.filter((_, at) => isLive[at]);
  let rows = 0;
  while (runs.length > 0) {
    let best = runs[0] as Run;
    let isAlone = true;
    for (let at = 1; at < runs.length; at++) {
      const order = compareSorts(runs[at] as Run, best);
      if (order < 0) best = runs[at] as Run;
      if (order <= 0) isAlone = order < 0;
    }
    if (best.block.bytes[best.from] !== letterN) {
      if (rows === rowsMaximum) return rows;
      rows++;
      if (!visit(best)) return rows;
    }
    // Few rows are in several tables, and few are the last of their block.
    if (isAlone && step(best)) continue;
    const same = runs.filter((run) => run !== best && compareSorts(run, best) === 0);
    for (const run of [...same, best]) {
      if (step(run) || (await load(run))) continue;
      // The blocks of a cut table that were left out might hide rows of the other tables.
      if (run.isCut) return rows;
      runs.splice(runs.indexOf(run), 1);
    }
  }
  return rows;

  function step(run: Run): boolean {
    if (run.line + 1 >= run.lines) return false;
    run.line++;
    const { bytes } = run.block;
    let at = lineStart(run.block, run.line) + sortStart;
    run.sortFrom = at;
    while (bytes[at] !== quote) at++;
    run.sortTo = at;
    run.from = at + rowStart;
    return true;
  }

  async function load(run: Run): Promise<boolean> {
    while (++run.at < run.entries.length) {
      // The first block is read alone, because it often suffices. Then more and more blocks are read ahead.
      const aheadOf = run.table.isFar ? Math.min(run.at, aheadMaximum) : 0;
      while (run.ahead.length <= aheadOf && run.at + run.ahead.length < run.entries.length)
        run.ahead.push(ahead(run.table.read(run.entries[run.at + run.ahead.length] as BlockEntry)));
      const block = await (run.ahead.shift() as Promise<Block> | Block);
      const isLast = run.at === run.entries.length - 1;
      run.block = block;
      run.line = (run.at === 0 ? firstLineFrom('ascending', block, { partition: name, sort: '' }) : 0) - 1;
      run.lines =
        isLast && !run.isCut
          ? firstLineFrom('ascending', block, { partition: name, sort: '\uffff' })
          : block.ends.length;
      if (step(run)) return true;
    }
    return false;
  }
}

/** Compares the sort keys of the current rows of two runs, by their bytes. */
function compareSorts(a: Run, b: Run): number {
  const bytesOfA = a.block.bytes;
  const bytesOfB = b.block.bytes;
  const length = Math.min(a.sortTo - a.sortFrom, b.sortTo - b.sortFrom);
  for (let at = 0; at < length; at++) {
    const difference = (bytesOfA[a.sortFrom + at] as number) - (bytesOfB[b.sortFrom + at] as number);
    if (difference !== 0) return difference;
  }
  return a.sortTo - a.sortFrom - (b.sortTo - b.sortFrom);
}
