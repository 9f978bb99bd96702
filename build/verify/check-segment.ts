import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { rulesNumber } from '../../src/domain/rules.ts';
import { isAccessionNo } from '../../src/domain/scalars.ts';
import { tableNames, type BatchRow, type TableName } from '../../src/format/snapshot.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { createFinder } from '../../src/table/finder.ts';
import { isHiding, makeCheckedLine, noteOf } from '../../src/table/line.ts';
import type { Log } from '../../src/table/open-log.ts';
import { rulesOf, type Segment } from '../../src/table/segment.ts';
import type { Extent } from '../../src/rows/members.ts';
import { lineEnd, lineStart } from '../../src/table/block.ts';
import { rowBytes } from '../../src/table/table.ts';
import { createTotals } from '../fold/counted-totals.ts';
import { createPresence, type Presence } from '../fold/presence.ts';
import type { StoredLine } from '../segments/table-files.ts';
import type { Progress } from '../work/progress.ts';
import { addCompanyRows, companyTables } from './company-rows.ts';
import { collectLines, createLineSums, type LineSink } from './line-sums.ts';
import { addLogRows, logTables, readChanges } from './log-rows.ts';
import { checkNoNote, failAt, parseRow, rowsPath } from './rows.ts';
import type { LogEntry, VerifiedLog } from './verified-log.ts';
import { verifiedLines, type VerifiedSegment } from './verified-lines.ts';

/** A segment, and what it is held against. */
export interface SegmentCheck {
  readonly directory: string;
  readonly segment: VerifiedSegment;
  /** The segments before it, newest first. They were checked. */
  readonly older: readonly Segment[];
  readonly log: VerifiedLog;
  /** The same log, for look-ups. */
  readonly openLog: Pick<Log, 'entry'>;
  /** Its batches, oldest first, and the sequence of their first entry. */
  readonly batches: readonly BatchRow[];
  readonly firstSequence: number;
  /** A folder for temporary files. */
  readonly scratch: string;
  readonly progress: Progress;
}

/** Lines that are counted as done together. */
const stepLines = 1024;

/**
 * Checks the tables of a segment but `batches` and `refusals`: the fold makes their rows of the log and of the
 * profiles once more, and digests of all lines are added up, those that it makes and those that are there.
 * `entries` gives the log from the first entry of the segment on. Only rows of the present rules can be made; of
 * others each is checked by its schema. Throws `CorruptSnapshot`.
 */
export async function checkSegment(check: SegmentCheck, entries: Iterator<LogEntry>): Promise<void> {
  const { segment, log, firstSequence } = check;
  if (rulesOf(segment.head) !== rulesNumber) return checkAlone(check, entries);
  const sums = createLineSums();
  const failure = await addRows(check, entries, sums);
  const path = pathIn(check);
  for (const table of logTables)
    await requireNone(table, (sequence) => `the log gives, ${log.nameOf(sequence ?? firstSequence)}`);
  if (failure !== null)
    throw new CorruptSnapshot(`${path('profiles')}: ${failure.message}`, { cause: failure });
  for (const table of companyTables)
    await requireNone(table, () => `${path('profiles')} and the lists of their filings give`);
  await requireNone('counts', () => `the log, ${path('profiles')} and ${path('batches')} give`);

  async function requireNone(table: TableName, sourceOf: (sequence?: number) => string): Promise<void> {
    const differing = sums.differing(table);
    if (differing.length === 0) return;
    const collector = collectLines(table, differing);
    await addRows(check, log.entriesFrom(firstSequence), collector);
    const { keys, what, sequence } = collector.first() ?? { keys: { partition: '', sort: '' }, what: '' };
    throw new CorruptSnapshot(
      `${path(table)} is not what ${sourceOf(sequence)}: (${keys.partition}, ${keys.sort}) ${what}`,
    );
  }
}

const pathIn =
  ({ directory, segment }: Pick<SegmentCheck, 'directory' | 'segment'>) =>
  (table: TableName) =>
    rowsPath(directory, segment.name, table);

/**
 * Adds all lines that the segment should have, and takes away those that it has. Returns the error of making
 * rows of companies, which comes from lists that are not what they should be; null if there was none.
 */
async function addRows(
  check: SegmentCheck,
  entries: Iterator<LogEntry>,
  sink: LineSink,
): Promise<Error | null> {
  const { older, batches, log, openLog } = check;
  const scratch = mkdtempSync(join(check.scratch, 'rows-'));
  const path = pathIn(check);
  const past = { older: (table: TableName) => older.map(({ tables }) => tables[table]) };
  const totals = createTotals();
  totals.refuse(batches.reduce((sum, { refused }) => sum + refused, 0));
  const begun: Generator<StoredLine>[] = [];
  const lines = (table: TableName) => {
    const each = linesOf(check, table, sink);
    begun.push(each);
    return each;
  };
  const corrected = await readSummaries(check, lines('summaries'));
  for (const table of ['latest', 'change-dates'] as const) for (const line of lines(table)) void line;
  await addLogRows({
    entries,
    log,
    openLog,
    batches,
    batchesPath: path('batches'),
    past,
    corrected,
    summaries: path('summaries'),
    scratch: join(scratch, 'corrections'),
    totals,
    sink,
  });
  let failure: Error | null = null;
  try {
    await addCompanyRows({ lines, path, past, scratch: join(scratch, 'companies'), totals, sink });
  } catch (error) {
    // An error of the system has a code, and says nothing of the snapshot.
    if (error instanceof CorruptSnapshot || Object.hasOwn(error as Error, 'code')) throw error;
    failure = error as Error;
  }
  for (const table of ['companies', 'search', 'counts'] as const) for (const line of lines(table)) void line;
  readOwnership(check);
  for (const each of begun) for (const line of each) void line;
  await totals.write(
    { add: (table, partition, sort, row) => sink.add(table, makeCheckedLine({ partition, sort }, row), 1) },
    past.older('counts'),
  );
  return failure;
}

/** Checks each row of a document about ownership by its schema: only the ledger tells the rest. */
function readOwnership({ directory, segment, progress }: SegmentCheck): void {
  const path = rowsPath(directory, segment.name, 'ownership');
  for (const line of verifiedLines(directory, segment, 'ownership')) {
    if (isHiding(line.block, line.line)) failAt(path, line, 'hides a row');
    if (!isAccessionNo(line.keys.partition) || line.keys.sort !== '')
      failAt(path, line, 'has other keys than an accession number');
    checkNoNote(path, line);
    parseRow(path, 'ownership', line);
    progress.step();
  }
}

/** Yields the lines of a table, and takes each away from what the segment should have. */
function* linesOf(
  { directory, segment, progress }: SegmentCheck,
  table: TableName,
  sink: LineSink,
): Generator<StoredLine> {
  let count = 0;
  for (const line of verifiedLines(directory, segment, table)) {
    sink.add(table, table === 'summaries' ? withoutTold(line) : extentOf(line), -1);
    if (++count % stepLines === 0) progress.step(stepLines);
    yield line;
  }
  progress.step(count % stepLines);
}

function extentOf(line: StoredLine): Extent {
  const { block } = line;
  return { bytes: block.bytes, from: lineStart(block, line.line), to: lineEnd(block, line.line) + 1 };
}

/** The note of a summary: its revision, and which parties have told roles or are of its document, which is in no log. */
const summaryNote =
  /^\{(?:"revision":([1-9]\d{0,8}))?(?:,?"(?:told|added)":(?:true|\["\d{10}"(?:,"\d{10}")*\])){0,2}\}$/;

/** The line of a summary as it is without what the log does not tell. */
function withoutTold(line: StoredLine): Extent | string {
  const note = noteOf(line.block, line.line);
  const found = note === null ? null : summaryNote.exec(note);
  // A note that is no note of a summary stays, and makes the sums differ.
  if (!found || !/"told"|"added"/.test(note ?? '')) return extentOf(line);
  const [, revision] = found;
  return makeCheckedLine(
    line.keys,
    rowBytes(line).toString(),
    revision === undefined ? undefined : `{"revision":${revision}}`,
  );
}

/**
 * Reads the summaries of a segment. Returns the filings of which they tell a revision. A filing without one is
 * new. Throws `CorruptSnapshot` if an older segment has a summary of it.
 */
async function readSummaries(
  { directory, segment, older, firstSequence }: SegmentCheck,
  lines: Iterable<StoredLine>,
): Promise<Presence> {
  const filings = segment.head.tables['summaries']?.rows ?? 0;
  // Each filing has one summary, so there are as many corrections as entries beyond those.
  const corrected = createPresence(Math.max(0, segment.lastSequence + 1 - firstSequence - filings));
  const findOlder = createFinder(older.map(({ tables }) => tables.summaries));
  for (const line of lines) {
    const { partition } = line.keys;
    if (noteOf(line.block, line.line)?.includes('"revision"') === true) corrected.add(partition);
    else if (await findOlder(partition))
      failAt(
        rowsPath(directory, segment.name, 'summaries'),
        line,
        'tells no revision, though an older segment has it',
      );
  }
  return corrected;
}

/** Checks each row of a segment, and each entry of the log, by its schema. Throws `CorruptSnapshot`. */
async function checkAlone(check: SegmentCheck, entries: Iterator<LogEntry>): Promise<void> {
  const path = pathIn(check);
  for (const table of tableNames) {
    for (const line of verifiedLines(check.directory, check.segment, table)) {
      if (!isHiding(line.block, line.line)) parseRow(path(table), table, line);
      check.progress.step();
    }
  }
  readChanges({ ...check, entries, batchesPath: path('batches') }, (change) => JSON.stringify(change));
}
