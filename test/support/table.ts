import { closeSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { factsOfLine, noFacts } from '../../build/segments/row-facts.ts';
import type { BatchRange } from '../../build/segments/layout.ts';
import { createRuns } from '../../build/segments/runs.ts';
import { createSegmentWriter, storedTable } from '../../build/segments/segment-writer.ts';
import {
  createStoredTable,
  mergeLines,
  readLines,
  type StoredLine,
  type WrittenTable,
  type StoredTable,
} from '../../build/segments/table-files.ts';
import {
  feedSortKey,
  historySortKey,
  tableDefinition,
  tableNames,
  type Direction,
  type SegmentEntry,
  type TableName,
} from '../../src/format/snapshot.ts';
import { compareKeys, makeLine } from '../../src/table/line.ts';
import { openSegment, type Segment } from '../../src/table/segment.ts';
import { openTable, type PartReader, type Table } from '../../src/table/table.ts';
import { createBlockCache, type BlockCache } from '../../src/table/block-cache.ts';
import { toBlock } from '../../src/table/block.ts';

/** A row as it goes into a table: JSON, or null where it hides the row with its keys in older tables. */
export interface MadeRow {
  readonly partition: string;
  readonly sort: string;
  readonly row: string | null;
  readonly note?: string;
}

/** A row of a segment. */
export interface SegmentRow extends MadeRow {
  readonly table: TableName;
}

/** The row as a line of a table. */
export function toLine({ partition, sort, row, note }: MadeRow): StoredLine {
  const keys = { partition, sort };
  return { keys, block: toBlock(Buffer.from(makeLine(keys, row, note)), ''), line: 0 };
}

/**
 * What tables hold together that are given oldest first: of rows with the same keys the newest one, in the
 * order of the table. Those that hide are kept.
 */
export function stateOf<Row extends MadeRow>(
  batches: readonly (readonly Row[])[],
  direction: Direction,
): Row[] {
  return [...new Map(batches.flat().map((each) => [`${each.partition}\n${each.sort}`, each])).values()].sort(
    (a, b) => compareKeys(direction, a, b),
  );
}

/** Writes lines that are in order, as the build writes tables. */
export function writeTable(
  directory: string,
  name: string,
  direction: Direction,
  lines: Iterable<StoredLine>,
  isFiltered = true,
): WrittenTable {
  mkdirSync(directory, { recursive: true });
  const table = createStoredTable(direction, {
    rows: join(directory, `${name}.jsonl.gz`),
    index: join(directory, `${name}.index.jsonl.gz`),
  });
  for (const line of lines) table.add(line.keys, line, isFiltered ? factsOfLine(line) : noFacts);
  return table.finish();
}

/** Writes rows as a table, of equal keys the last one. */
export function writeRows(
  directory: string,
  name: string,
  direction: Direction,
  rows: readonly MadeRow[],
  isFiltered = true,
): WrittenTable {
  return writeTable(directory, name, direction, stateOf([rows], direction).map(toLine), isFiltered);
}

/** Reads files below a directory; none of them stays open. */
export function partsIn(directory: string): PartReader {
  function readNow(part: string, offset: number, length: number): Buffer {
    const descriptor = openSync(join(directory, part), 'r');
    try {
      const pieces: Buffer[] = [];
      for (let left = length, at = offset; left > 0; ) {
        const piece = Buffer.alloc(Math.min(left, 1024 * 1024));
        const read = readSync(descriptor, piece, 0, piece.length, at);
        if (read === 0) break;
        pieces.push(piece.subarray(0, read));
        [left, at] = [left - read, at + read];
      }
      return Buffer.concat(pieces);
    } finally {
      closeSync(descriptor);
    }
  }
  return { readNow, read: async (part, offset, length) => readNow(part, offset, length) };
}

/** The same as from a host: what is lacking is read between passes. */
export const farPartsIn = (directory: string): PartReader => ({ read: partsIn(directory).read });

/** A range that was read. */
export interface Read {
  readonly part: string;
  readonly offset: number;
  readonly length: number;
}

/** A reader that notes what is read through it. */
export function countingReads(parts: PartReader): PartReader & { readonly reads: Read[] } {
  const reads: Read[] = [];
  return {
    reads,
    read(part, offset, length) {
      reads.push({ part, offset, length });
      return parts.read(part, offset, length);
    },
    ...(parts.readNow && {
      readNow(part: string, offset: number, length: number) {
        reads.push({ part, offset, length });
        return parts.readNow?.(part, offset, length) as Buffer;
      },
    }),
  };
}

/** Opens a table on the disk. */
export function opened(
  { rows, index, head }: StoredTable,
  cache: BlockCache = createBlockCache(1024 * 1024),
  parts: PartReader = partsIn('/'),
): Table {
  return openTable(parts, rows, index, head, cache);
}

/**
 * What a new segment is made from: the segments before its range, and those within it, whose rows it takes.
 */
export interface SegmentBase {
  readonly before: readonly SegmentEntry[];
  readonly inside?: readonly SegmentEntry[];
  readonly lastSequence?: number;
  /** Characters of rows that are held in memory. */
  readonly heldMaximum?: number;
}

/** Opens segments of a directory. */
export function openSegments(
  directory: string,
  entries: readonly SegmentEntry[],
  cache: BlockCache = createBlockCache(8 * 1024 * 1024),
  parts: PartReader = partsIn(directory),
): Promise<Segment[]> {
  return Promise.all(entries.map((entry) => openSegment(parts, entry, cache)));
}

/**
 * Makes the segment of a range as the build does: rows, of equal keys the last one, on top of the segments in
 * it.
 */
export async function makeSegment(
  directory: string,
  range: BatchRange,
  rows: readonly SegmentRow[],
  { before, inside = [], lastSequence = 0, heldMaximum = Infinity }: SegmentBase,
): Promise<SegmentEntry> {
  const scratch = `.staging-0-${range.from}-${range.to}`;
  const [older, open] = [await openSegments(directory, before), await openSegments(directory, inside)];
  const runs = createRuns(
    join(directory, scratch, 'runs'),
    Object.fromEntries(tableNames.map((name) => [name, { direction: tableDefinition(name).direction }])),
  );
  for (const { table, partition, sort, row, note } of rows) {
    runs.add(table, partition, sort, row, note);
    if (runs.held() > heldMaximum) runs.flush();
  }
  runs.flush();
  try {
    const writer = createSegmentWriter({
      directory,
      staging: join(directory, scratch, 'segment'),
      older: (table) => older.toReversed().map((segment) => segment.tables[table]),
    });
    for (const table of tableNames) {
      const old = open
        .toReversed()
        .map(({ name, head }) => readLines(storedTable(directory, name, head, table)));
      await writer.write(table, mergeLines(tableDefinition(table).direction, [runs.lines(table), ...old]));
    }
    return await writer.finish(range, lastSequence);
  } finally {
    rmSync(join(directory, scratch), { recursive: true, force: true });
  }
}

/** A row of a list that is made up. */
export interface ListRow {
  readonly partition: string;
  /** Its number in a feed; apart from that it makes the accession number. Distinct within a partition. */
  readonly number: number;
  readonly form: string;
  readonly items: readonly string[];
  readonly filedAt: string;
  readonly acceptanceDateTime: string | null;
  /** Makes the row longer. */
  readonly text: string;
}

/** The accession number of a made-up row. */
export function accessionOf({ number }: Pick<ListRow, 'number'>): string {
  return `0000000001-26-${String(number).padStart(6, '0')}`;
}

/**
 * A made-up row as the build writes it: in ascending tables, the feeds, the filing stands inside the change.
 */
export function toMadeRow(direction: Direction, row: ListRow): MadeRow {
  const { partition, form, items, filedAt, acceptanceDateTime, text } = row;
  const filing = {
    accessionNo: accessionOf(row),
    companyName: text,
    form,
    items,
    filedAt,
    acceptanceDateTime,
  };
  const isFeed = direction === 'ascending';
  return {
    partition,
    sort: isFeed ? feedSortKey(row.number) : historySortKey(filing),
    row: JSON.stringify(isFeed ? { sequence: row.number, changeType: 'new', filing } : filing),
  };
}
