import { tableDefinition, type SegmentEntry, type TableName } from '../../src/format/snapshot.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { openSegment } from '../../src/table/segment.ts';
import { readRun, type StoredRun } from '../segments/run-file.ts';
import { storedTable, writeTable } from '../segments/segment-writer.ts';
import { mergeLines, readLines, type WrittenTable } from '../segments/table-files.ts';
import { expandLines } from './expand-lines.ts';
import { foldTables } from './fold-tables.ts';

/** The tables with rows for each filing; those that take longest come first. */
export const filingTables = [
  'company-changes',
  'summaries',
  'latest',
  'company-filings',
  'change-dates',
] as const satisfies readonly TableName[];

/** A table of filings to be written of what is on the disk, so that any thread can do it. */
export interface TableJob {
  /** The directory of snapshots. */
  readonly directory: string;
  /** The folder for the files of the table. */
  readonly staging: string;
  readonly table: (typeof filingTables)[number];
  /** Its rows in each run, newest first. */
  readonly runs: readonly StoredRun[];
  /** The segments that the new one replaces, and those before them, oldest first. */
  readonly inside: readonly SegmentEntry[];
  readonly before: readonly SegmentEntry[];
}

/** What another thread does for a build. */
export interface TableWork {
  /** Writes a table. Throws `CorruptSnapshot`. */
  writeStoredTable(job: TableJob): Promise<WrittenTable>;
}

const cacheBytes = 16 * 1024 * 1024;

/** See `TableWork`. */
export async function writeStoredTable(job: TableJob): Promise<WrittenTable> {
  const { directory, staging, table, runs, inside, before } = job;
  return withPartFolder(directory, async (parts) => {
    const cache = createBlockCache(cacheBytes);
    const open = (entries: readonly SegmentEntry[]) =>
      Promise.all(entries.toReversed().map((entry) => openSegment(parts, entry, cache)));
    const older = (await open(before)).map(({ tables }) => tables[table]);
    const lines = mergeLines(tableDefinition(table).direction, [
      ...runs.map((run) => expandLines(table, readRun(run, foldTables[table]))),
      ...(await open(inside)).map(({ name, head }) => readLines(storedTable(directory, name, head, table))),
    ]);
    return writeTable(staging, table, lines, older);
  });
}
