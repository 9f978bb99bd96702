import { join } from 'node:path';
import { tableNames, type SegmentEntry, type TableName } from '../../src/format/snapshot.ts';
import { rulesOf, segmentParts, type Segment } from '../../src/table/segment.ts';
import { mergeSorted } from '../work/merge-sorted.ts';
import type { Progress } from '../work/progress.ts';
import { checkRowAlone } from './check-rows.ts';
import { compareLines, failAt, type CheckedLine, type VerifiedTable } from './checked-line.ts';
import { checkedLines } from './verified-table.ts';

/** The segments of a snapshot, merged. */
export interface MergedSegments {
  readonly directory: string;
  readonly segments: readonly (SegmentEntry & Pick<Segment, 'head'>)[];
  /**
   * Yields the rows of a table that are shown, in its order. Every line of the table in every segment is
   * checked on the way, those that a newer segment replaces by themselves. Throws `CorruptSnapshot`.
   */
  lines(table: TableName): Generator<CheckedLine>;
  /**
   * Checks every line of the tables of the segments from number `first` on, each table alone: its blocks, its
   * index, its order, and each row by its schema and its own keys. Throws `CorruptSnapshot`.
   */
  checkTables(first: number): void;
  /** The path of the file with the rows of a table. */
  path(segment: number, table: TableName): string;
  /** Closes the files of tables that were not read to their end. */
  close(): void;
}

/** Tables in which a correction or a new rank hides a row of an older segment. */
const hidingTables: ReadonlySet<TableName> = new Set(['latest', 'company-filings', 'companies', 'search']);
/** Tables in which no row is ever replaced. */
const appendedTables: ReadonlySet<TableName> = new Set([
  'change-dates',
  'company-changes',
  'batches',
  'refusals',
]);

/** Merges segments, which are given oldest first. */
export function mergeSegments(
  directory: string,
  segments: MergedSegments['segments'],
  progress: Progress,
): MergedSegments {
  const path = (segment: number, table: TableName) =>
    join(directory, segmentParts.rows(segments[segment]?.name ?? '', table));
  const begun: Generator<CheckedLine>[] = [];
  const tableOf = (segment: number, name: TableName): VerifiedTable => {
    const { name: folder, head } = segments[segment] as MergedSegments['segments'][number];
    return {
      name,
      segment,
      rules: rulesOf(head),
      rows: path(segment, name),
      index: join(directory, segmentParts.index(folder, name)),
      head: head.tables[name] as VerifiedTable['head'],
    };
  };
  return {
    directory,
    segments,
    path,
    close() {
      for (const lines of begun) lines.return(undefined);
    },
    lines(name) {
      const tables = segments.map((_, segment) => tableOf(segment, name));
      const lines = shownLines(name, tables, progress);
      begun.push(lines);
      return lines;
    },
    checkTables(first) {
      for (let segment = first; segment < segments.length; segment++) {
        for (const name of tableNames) {
          for (const line of checkedLines(tableOf(segment, name))) {
            checkSameKeys(name, line, null);
            if (!line.isHiding) checkRowAlone(line);
            progress.step();
          }
        }
      }
    },
  };
}

/** Returns the number of rows in all tables of segments. */
export function rowsOfSegments(segments: MergedSegments['segments']): number {
  return segments.reduce(
    (sum, { head }) => sum + tableNames.reduce((rows, name) => rows + (head.tables[name]?.rows ?? 0), 0),
    0,
  );
}

function* shownLines(
  name: TableName,
  oldestFirst: readonly VerifiedTable[],
  progress: Progress,
): Generator<CheckedLine> {
  /** The oldest line so far with the keys of the last line. */
  let oldest: CheckedLine | null = null;
  const inputs = oldestFirst
    .toReversed()
    .map((table) => checkedLines(table, (block) => progress.step(block.ends.length)));
  const onReplaced = (line: CheckedLine) => {
    checkSameKeys(name, line, oldest);
    if (!line.isHiding) checkRowAlone(line);
    oldest = line;
  };
  for (const line of mergeSorted(inputs, compareLines, onReplaced)) {
    checkOldest(oldest);
    checkSameKeys(name, line, null);
    oldest = line;
    if (!line.isHiding) yield line;
  }
  checkOldest(oldest);
}

/** Checks the oldest line with some keys: there is nothing that it could hide. */
function checkOldest(line: CheckedLine | null): void {
  if (line?.isHiding === true) failAt(line, 'hides a row that no older segment shows');
}

function checkSameKeys(name: TableName, line: CheckedLine, newer: CheckedLine | null): void {
  if (line.isHiding && !hidingTables.has(name))
    failAt(line, 'hides a row of a table in which nothing is hidden');
  if (line.isHiding && line.hasNote) failAt(line, 'hides and has a note');
  if (newer === null) return;
  if (appendedTables.has(name)) failAt(newer, `replaces a row of ${line.table.rows}, which never changes`);
  if (newer.isHiding && line.isHiding) failAt(newer, 'hides a row that no older segment shows');
}
