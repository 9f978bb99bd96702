import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { rulesNumber } from '../../src/domain/rules.ts';
import { accessionNoOf } from '../../src/format/filing-partition.ts';
import { tableNames, type BatchRow, type TableName } from '../../src/format/snapshot.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { createFinder } from '../../src/table/finder.ts';
import { isHiding, makeLineRest, noteOf } from '../../src/table/line.ts';
import type { Log } from '../../src/table/open-log.ts';
import { rulesOf } from '../../src/table/segment.ts';
import { createTotals, type Totals } from '../fold/counted-totals.ts';
import { createPresence, type Presence } from '../fold/presence.ts';
import type { StoredLine } from '../segments/table-files.ts';
import { companyTables } from './company-rows.ts';
import { collectLines, createLineDigests, createLineSums, newKey, type LineSink } from './line-sums.ts';
import { addLogRows, logTables, readChanges } from './log-rows.ts';
import { failAt, parseRow, rowsPath } from './rows.ts';
import {
  addTables,
  takenLines,
  type MadeCompanies,
  type TablesJob,
  type TablesOfSegment,
  type TablesWork,
} from './table-sums.ts';
import type { LogEntry, VerifiedLog } from './verified-log.ts';
import { verifiedLines } from './verified-lines.ts';

/** A segment, and what it is held against. */
export interface SegmentCheck extends TablesOfSegment {
  readonly log: VerifiedLog;
  /** The same log, for look-ups. */
  readonly openLog: Pick<Log, 'entry'>;
  /** Its batches, oldest first, and the sequence of their first entry. */
  readonly batches: readonly BatchRow[];
  readonly firstSequence: number;
  /** Reads the tables beside the log. */
  readonly tablesWork: TablesWork;
  readonly olderEntries: TablesJob['olderEntries'];
}

/**
 * Checks the tables of a segment but `batches` and `refusals`: the fold makes their rows of the log and of the
 * profiles once more, and digests of all lines are added up, those that it makes and those that are there.
 * `entries` gives the log from the first entry of the segment on. Only rows of the present rules can be made; of
 * others each is checked by its schema. Throws `CorruptSnapshot`.
 */
export async function checkSegment(check: SegmentCheck, entries: Iterator<LogEntry>): Promise<void> {
  const { segment, log, firstSequence } = check;
  if (rulesOf(segment.head) !== rulesNumber) return checkAlone(check, entries);
  const digests = createLineDigests(newKey());
  const sums = createLineSums(digests);
  const { directory, olderEntries, scratch, tablesWork } = check;
  const { tables, failure } = await addRows(
    check,
    entries,
    sums,
    tablesWork.sumTables({ directory, segment, olderEntries, key: digests.key, scratch }),
  );
  sums.addAll(tables);
  const path = pathIn(check);
  for (const table of logTables)
    await requireNone(table, (sequence) => `the log gives, ${log.nameOf(sequence ?? firstSequence)}`);
  if (failure !== null) throw new CorruptSnapshot(`${path('profiles')}: ${failure}`);
  for (const table of companyTables)
    await requireNone(table, () => `${path('profiles')} and the lists of their filings give`);
  await requireNone('counts', () => `the log, ${path('profiles')} and ${path('batches')} give`);

  async function requireNone(table: TableName, sourceOf: (sequence?: number) => string): Promise<void> {
    const differing = sums.differing(table);
    if (differing.length === 0) return;
    const collector = collectLines(digests, table, differing);
    await addRows(check, log.entriesFrom(firstSequence), collector, addTables(check, collector));
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
 * Adds all lines that the segment should have, and takes away those that it has. `tables` does so for what
 * follows from tables alone, at the same time. Returns the error of making rows of companies; see
 * `MadeCompanies`.
 */
async function addRows<Made extends MadeCompanies>(
  check: SegmentCheck,
  entries: Iterator<LogEntry>,
  sink: LineSink,
  tables: Promise<Made>,
): Promise<Made> {
  const totals = createTotals();
  totals.refuse(check.batches.reduce((sum, { refused }) => sum + refused, 0));
  const [log, made] = await Promise.allSettled([addRowsOfLog(check, entries, totals, sink), tables]);
  for (const each of [log, made]) if (each.status === 'rejected') throw each.reason as Error;
  const { value } = made as PromiseFulfilledResult<Made>;
  for (let company = 0; company < value.companies; company++) totals.addCompany();
  totals.write(
    {
      add: (table, partition, sort, row) =>
        sink.add(table, partition, sink.digests.restOf(makeLineRest(sort, row)), 1),
    },
    pastOf(check).older('counts'),
  );
  return value;
}

const pastOf = ({ older }: Pick<SegmentCheck, 'older'>) => ({
  older: (table: TableName) => older.map(({ tables }) => tables[table]),
});

/** The same for the lines that the log gives, and for summaries. */
async function addRowsOfLog(
  check: SegmentCheck,
  entries: Iterator<LogEntry>,
  totals: Totals,
  sink: LineSink,
): Promise<void> {
  const path = pathIn(check);
  addLogRows({
    ...check,
    entries,
    batchesPath: path('batches'),
    past: pastOf(check),
    corrected: await readSummaries(check, takenLines(check.directory, check.segment, 'summaries', sink)),
    summaries: path('summaries'),
    scratch: join(mkdtempSync(join(check.scratch, 'corrections-')), 'rows'),
    totals,
    sink,
  });
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
    if (noteOf(line.block, line.line)?.includes('"revision"') === true)
      corrected.add(accessionNoOf(partition));
    else if (findOlder(partition))
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
    }
  }
  readChanges({ ...check, entries, batchesPath: path('batches') }, (change) => JSON.stringify(change));
}
