import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeLine, rowExtent, type Direction, type Keys } from '../../src/segments/line.ts';
import { SegmentHead, segmentName, segmentParts } from '../../src/segments/segment.ts';
import { sha256Of } from '../../src/table/file.ts';
import { writeSynced } from '../files.ts';
import type { BatchRange } from './layout.ts';
import { createSorter, type Sorter } from './sorter.ts';
import { mergeLines, readLines, writeTable, type Line, type StoredTable, type TablePaths } from './table-files.ts';
import type { RowFacts } from './table-writer.ts';

/** How a table of segments lies. */
export interface TableDefinition {
  readonly direction: Direction;
  /** Whether its index names dates, forms and items, so that reads can leave out blocks. */
  readonly isFiltered: boolean;
  /** How long its blocks are, if not `blockBytes`: in short ones a row that is looked up alone costs less. */
  readonly blockBytes?: number;
}

/** Every table of a segment, by name. */
export type TableDefinitions = Readonly<Record<string, TableDefinition>>;

/** A row on its way into a segment. A row of null hides what older segments have under its keys. */
export interface SegmentRow {
  readonly table: string;
  readonly keys: Keys;
  /** JSON. */
  readonly row: string | null;
  /** JSON that only the build reads. */
  readonly note?: string;
}

/** A segment on the disk. */
export interface StoredSegment {
  readonly name: string;
  readonly headSha256: string;
  readonly head: SegmentHead;
}

/** Characters of lines that a table holds in memory while a segment is made; what is more is sorted in runs. */
const sorterCharacters = 64 * 1024 * 1024;

/** Makes the segment of a range of batches from its rows, which may come in any order; of rows with the same keys the last one counts. */
export async function writeSegment(directory: string, range: BatchRange, definitions: TableDefinitions, rows: Iterable<SegmentRow>, memory = sorterCharacters): Promise<StoredSegment> {
  const staging = stagingOf(directory, range);
  const sorters = new Map<string, Sorter>();
  for (const [table, { direction }] of Object.entries(definitions)) sorters.set(table, createSorter(direction, join(staging, `runs-${table}`), memory));
  for (const { table, keys, row, note } of rows) {
    const sorter = sorters.get(table);
    if (!sorter) throw new Error(`no table is called ${table}`);
    sorter.add(keys, makeLine(keys, row, note));
  }
  return finishSegment(directory, staging, range, definitions, (table, direction) => mergeLines(direction, [sorters.get(table)?.sorted() ?? []], range.from === 1));
}

/** Joins neighbouring segments, oldest first, into one. Each is read once, front to back, a block of each table in memory at a time. */
export async function joinSegments(directory: string, segments: readonly StoredSegment[], definitions: TableDefinitions): Promise<StoredSegment> {
  const range = { from: Math.min(...segments.map(({ head }) => head.from)), to: Math.max(...segments.map(({ head }) => head.to)) };
  return finishSegment(directory, stagingOf(directory, range), range, definitions, (table, direction) =>
    mergeLines(direction, segments.map((segment) => readLines(storedTable(directory, segment, table))).reverse(), range.from === 1));
}

/** One table of a segment on the disk. */
export function storedTable(directory: string, { name, head }: StoredSegment, table: string): StoredTable {
  const found = head.tables[table];
  if (!found) throw new Error(`segment ${name} has no table ${table}`);
  return { rows: join(directory, segmentParts.rows(name, table)), index: join(directory, segmentParts.index(name, table)), head: found };
}

function stagingOf(directory: string, { from, to }: BatchRange): string {
  const staging = join(directory, 'segments', `.${from}-${to}.making`);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  return staging;
}

async function finishSegment(directory: string, staging: string, { from, to }: BatchRange, definitions: TableDefinitions, linesOf: (table: string, direction: Direction) => Iterable<Line>): Promise<StoredSegment> {
  const tables: SegmentHead['tables'] = {};
  for (const [table, { direction, isFiltered, blockBytes }] of Object.entries(definitions)) {
    const paths: TablePaths = { rows: join(staging, `${table}.jsonl.gz`), index: join(staging, `${table}.index.jsonl.gz`) };
    const { head, files } = writeTable(direction, linesOf(table, direction), isFiltered ? factsOfLine : () => noFacts, paths, blockBytes);
    rmSync(join(staging, `runs-${table}`), { recursive: true, force: true });
    tables[table] = { ...head, files };
  }
  const head: SegmentHead = { format: 2, from, to, tables };
  const bytes = `${JSON.stringify(head)}\n`;
  const headSha256 = sha256Of(bytes);
  const name = segmentName(head, headSha256);
  await writeSynced(join(staging, 'segment.json'), bytes);
  const target = join(directory, 'segments', name);
  // The same rows give the same name: what is there already under it is this segment.
  if (existsSync(target)) rmSync(staging, { recursive: true, force: true });
  else renameSync(staging, target);
  return { name, headSha256, head };
}

const noFacts: RowFacts = { filedAt: '', labels: [] };
const filedAtPattern = /"filedAt":"([^"]*)"/;
const formPattern = /"form":("(?:[^"\\]|\\.)*")/;
const itemsPattern = /"items":(\[[^\]]*\])/;

/** What the index tells of a row about a filing: found in its text, because a string of JSON holds no quote that is not escaped. */
function factsOfLine({ chunk, line }: Line): RowFacts {
  const { from, to } = rowExtent(chunk, line);
  const text = chunk.bytes.toString('utf8', from, to);
  const form = formPattern.exec(text)?.[1];
  const items = itemsPattern.exec(text)?.[1];
  return {
    filedAt: filedAtPattern.exec(text)?.[1] ?? '',
    labels: [...(form === undefined ? [] : [JSON.parse(form) as string]), ...(items === undefined ? [] : (JSON.parse(items) as string[]))],
  };
}
