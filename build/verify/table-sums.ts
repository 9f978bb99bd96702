import { contentsNames, type ContentsName } from '../../src/settings/settings.ts';
import { join } from 'node:path';
import { mkdtempSync } from 'node:fs';
import { isFilingPartition } from '../../src/format/filing-partition.ts';
import type { SegmentEntry, TableName } from '../../src/format/snapshot.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import type { Extent } from '../../src/rows/members.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { lineEnd } from '../../src/table/block.ts';
import { isHiding, makeLineRest, noteOf } from '../../src/table/line.ts';
import { openSegment, type Segment } from '../../src/table/segment.ts';
import { rowBytes } from '../../src/table/table.ts';
import { addCompanyRows } from './company-rows.ts';
import { createLineDigests, createLineSums, type LineSink } from './line-sums.ts';
import { checkNoNote, failAt, parseRow, rowsPath } from './rows.ts';
import { verifiedLines, type VerifiedLine, type VerifiedSegment } from './verified-lines.ts';

/** The tables of a segment that are read beside its log, which may be in another thread. */
export interface TablesJob {
  readonly directory: string;
  readonly segment: VerifiedSegment;
  /** The segments before it, newest first. */
  readonly olderEntries: readonly SegmentEntry[];
  /** The key of the digests; see `createLineDigests`. */
  readonly key: Int32Array;
  /** A folder for temporary files. */
  readonly scratch: string;
}

/** What was found in the tables of a job. */
export interface TableSums extends MadeCompanies {
  /** See `LineSums`. */
  readonly tables: ReadonlyMap<string, Int32Array>;
}

/** What making the rows of companies gave. */
export interface MadeCompanies {
  /** Companies that older segments lack. */
  readonly companies: number;
  /** The error of making rows, which comes from lists that are not what they should be; null if there was none. */
  readonly failure: string | null;
}

/** What reads the tables of a segment beside its log. */
export interface TablesWork {
  /** Sums the lines of a segment, as `addTables` does. Throws `CorruptSnapshot`. */
  sumTables(job: TablesJob): Promise<TableSums>;
}

/** Blocks of older segments in memory, in bytes. */
const cacheBytes = 16 * 1024 * 1024;

/** See `TablesWork`. */
export function sumTables({ olderEntries, key, ...job }: TablesJob): Promise<TableSums> {
  return withPartFolder(job.directory, async (folder) => {
    const cache = createBlockCache(cacheBytes);
    const older = await Promise.all(olderEntries.map((entry) => openSegment(folder, entry, cache)));
    const sums = createLineSums(createLineDigests(key));
    return { ...(await addTables({ ...job, older }, sums)), tables: sums.tables };
  });
}

/** The tables of a segment, and what they follow. */
export interface TablesOfSegment extends Pick<TablesJob, 'directory' | 'segment' | 'scratch'> {
  /** The segments before it, newest first. */
  readonly older: readonly Segment[];
}

/**
 * Takes away all lines that a segment has but its summaries, and adds those that it should have of its
 * companies. Checks rows that only the ledger tells. Throws `CorruptSnapshot`.
 */
export async function addTables(
  { directory, segment, older, scratch }: TablesOfSegment,
  sink: LineSink,
): Promise<MadeCompanies> {
  const lines = (table: TableName) => takenLines(directory, segment, table, sink);
  const readAll = (tables: readonly TableName[]) => {
    for (const table of tables) for (const line of lines(table)) void line;
  };
  const begun: Generator<VerifiedLine>[] = [];
  readAll(['latest', 'change-dates']);
  let companies = 0;
  let failure: string | null = null;
  try {
    addCompanyRows({
      lines(table) {
        const each = lines(table);
        begun.push(each);
        return each;
      },
      path: (table) => rowsPath(directory, segment.name, table),
      past: { older: (table: TableName) => older.map(({ tables }) => tables[table]) },
      scratch: join(mkdtempSync(join(scratch, 'companies-')), 'rows'),
      totals: { addCompany: () => void companies++ },
      sink,
    });
  } catch (error) {
    // An error of the system has a code, and says nothing of the snapshot.
    if (error instanceof CorruptSnapshot || Object.hasOwn(error as Error, 'code')) throw error;
    failure = (error as Error).message;
  }
  for (const each of begun) for (const line of each) void line;
  readAll(['companies', 'search', 'counts']);
  for (const table of contentsNames) readContentsRows(directory, segment, table);
  return { companies, failure };
}

/** Checks each row of a kind of contents by its schema: only the ledger tells the rest. */
function readContentsRows(directory: string, segment: VerifiedSegment, table: ContentsName): void {
  const path = rowsPath(directory, segment.name, table);
  for (const line of verifiedLines(directory, segment, table)) {
    if (isHiding(line.block, line.line)) failAt(path, line, 'hides a row');
    if (!isFilingPartition(line.keys.partition) || line.keys.sort !== '')
      failAt(path, line, 'has other keys than a filing');
    checkNoNote(path, line);
    parseRow(path, table, line);
  }
}

/** Yields the lines of a table, and takes each away from what the segment should have. */
export function* takenLines(
  directory: string,
  segment: VerifiedSegment,
  table: TableName,
  sink: LineSink,
): Generator<VerifiedLine> {
  for (const line of verifiedLines(directory, segment, table)) {
    const rest = table === 'summaries' ? withoutTold(line) : extentOf(line);
    sink.add(table, line.keys.partition, sink.digests.restOf(rest), -1);
    yield line;
  }
}

/** Where a line stands behind its partition key. */
function extentOf({ block, line, restFrom }: VerifiedLine): Extent {
  return { bytes: block.bytes, from: restFrom, to: lineEnd(block, line) + 1 };
}

/** The note of a summary: its revision, and which parties have told roles or are of its document, which is in no log. */
const summaryNote =
  /^\{(?:"revision":([1-9]\d{0,8}))?(?:,?"(?:told|added)":(?:true|\["\d{10}"(?:,"\d{10}")*\])){0,2}\}$/;

/** The same of a summary, without what the log does not tell. */
function withoutTold(line: VerifiedLine): Extent | string {
  const note = noteOf(line.block, line.line);
  const found = note === null ? null : summaryNote.exec(note);
  // A note that is no note of a summary stays, and makes the sums differ.
  if (!found || !/"told"|"added"/.test(note ?? '')) return extentOf(line);
  const [, revision] = found;
  return makeLineRest(
    line.keys.sort,
    rowBytes(line).toString(),
    revision === undefined ? undefined : `{"revision":${revision}}`,
  );
}
