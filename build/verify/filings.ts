import { Change, type Filing } from '../../src/contract/records.ts';
import { calendarDate } from '../../src/domain/scalars.ts';
import { allPartition, type BatchRow } from '../../src/format/snapshot.ts';
import { rowBytes } from '../../src/table/table.ts';
import { partitionsOf } from '../fold/observation-rows.ts';
import { createBalance, describePart, digestOf, replacedPart, type Balance } from './balance.ts';
import type { PartFolder } from '../../src/snapshot/folder.ts';
import { createCorrections, type Corrections } from './corrections.ts';
import {
  createExpected,
  expectFiling,
  feedEntry,
  tail,
  type Expected,
  type FilingCounts,
} from './expected.ts';
import { tailOfEntry, type VerifiedLog } from './verified-log.ts';
import { checkRevisions, checkSummaries, settleSummaries } from './revisions.ts';
import type { MergedSegments } from './merged-segments.ts';
import { parseRow, parseText, checkNoNote } from './check-rows.ts';
import { failAt, rowOf, tailOf, type CheckedLine } from './verified-table.ts';

/** Totals of the lists of filings. */
export interface FilingTotals extends FilingCounts {
  readonly filings: number;
  readonly newest: Filing | null;
  /** The rows that the lists of companies must have: the digest of each row under the CIK of its company. */
  readonly companyFilings: Balance;
  readonly companyChanges: Balance;
}

/**
 * Checks the log, `change-dates`, `summaries` and `latest`: each one, and against each other, in one pass over
 * each. The log has every filing in full, so it tells which rows the tables must have. Memory grows only with
 * the number of days, forms and families, not of filings or corrections: `inMemoryMaximum` bounds the facts
 * of corrected filings that are held, others go to `scratch`. `batches` are those of the ledger, oldest
 * first. Throws `CorruptSnapshot`.
 */
export function checkFilings(
  merged: MergedSegments,
  log: VerifiedLog,
  batches: readonly BatchRow[],
  scratch: PartFolder,
  inMemoryMaximum?: number,
): FilingTotals {
  const expected = createExpected();
  const corrections = createCorrections(scratch, inMemoryMaximum);
  checkSummaries(merged, expected.summaries, corrections);
  const { filings, newest } = checkLog(merged, log, batches, expected, corrections, newestSequence(merged));
  checkRevisions(merged, log, expected, corrections);
  settleSummaries(merged, expected.summaries);
  checkLatest(merged, expected.latest);
  return {
    filings,
    newest,
    ...expected.counts,
    companyFilings: expected.companyFilings,
    companyChanges: expected.companyChanges,
  };
}

/** Returns the sequence number in the first row of the list of all filings; 0 if the list is empty. */
export function newestSequence(merged: MergedSegments): number {
  for (const line of merged.lines('latest')) return parseRow('latest', line);
  return 0;
}

interface FeedTotals {
  /** The number of first revisions. */
  readonly filings: number;
  /** The filing of the entry with the wanted sequence number. */
  readonly newest: Filing | null;
}

/**
 * Checks the log, and `change-dates` against it. Adds to `expected` the rows of filings that were not corrected,
 * and to `corrections` the entries of those that were.
 */
function checkLog(
  merged: MergedSegments,
  log: VerifiedLog,
  batches: readonly BatchRow[],
  expected: Expected,
  corrections: Corrections,
  wanted: number,
): FeedTotals {
  const dates = createBalance();
  let [filings, number, segment] = [0, 0, 0];
  let newest: Filing | null = null;
  for (const line of log.entries()) {
    const { sequence } = line;
    const change = parseText(Change, line, rowBytes(line).toString());
    const { filing } = change;
    if (change.sequence !== sequence) failAt(line, `follows sequence ${sequence - 1}`);
    while ((batches[number]?.lastSequence ?? Infinity) < sequence) number++;
    const batch = batches[number] ?? failAt(line, 'belongs to no batch');
    while (batch.number > (merged.segments[segment]?.to ?? Infinity)) segment++;
    if (change.observedAt !== batch.createdAt)
      failAt(line, `was not observed when batch ${batch.number} was recorded`);
    const day = digestOf(tail(line.keys.sort, JSON.stringify(filing.filedAt ?? '')));
    for (const partition of partitionsOf(filing))
      if (partition !== allPartition) dates.add(segment, partition, day);
    if (sequence === wanted) newest = filing;
    if ((change.revision === 1) !== (change.corrected === undefined))
      failAt(line, `names corrected members in revision ${change.revision}, or none`);
    if (change.revision === 1) {
      filings++;
      if (filing.ingestedAt !== change.observedAt)
        failAt(line, 'has a filing that was recorded at another time');
    }
    const found = feedEntry(segment, change, digestOf(tailOfEntry(line)));
    if (change.revision > 1 || corrections.mayHaveNote(filing.accessionNo))
      corrections.addEntry(filing.accessionNo, found);
    else expectFiling(expected, [found]);
  }
  for (const line of merged.lines('change-dates')) {
    checkNoNote(line);
    parseText(calendarDate, line, rowOf(line).toString());
    takeRow(dates, line, '');
  }
  dates.settle(
    (at, partition, difference) =>
      `${merged.path(at, 'change-dates')}: the dates of partition ${partition} are not those of the log: ${difference}`,
  );
  return { filings, newest };
}

/** Checks the lists of all filings against the feed. */
function checkLatest(merged: MergedSegments, latest: Balance): void {
  const take = (line: CheckedLine, state: string) => {
    checkNoNote(line);
    takeRow(latest, line, state);
  };
  for (const line of merged.lines('latest', (line) => take(line, replacedPart))) {
    parseRow('latest', line);
    take(line, '');
  }
  latest.settle((segment, part, difference) => {
    const among = describePart(part);
    const partition = among === '' ? part : part.slice(replacedPart.length);
    return `${merged.path(segment, 'latest')}: ${among}those of partition ${partition} are not what the feed gives: ${difference}`;
  });
}

/** Takes a row from a balance. Throws if the feed gives no row for its partition. */
function takeRow(rows: Balance, line: CheckedLine, state: string): void {
  const part = `${state}${line.keys.partition}`;
  if (!rows.knows(line.table.segment, part)) {
    failAt(
      line,
      state === ''
        ? 'is in a partition to which no filing of the feed belongs'
        : 'is replaced or hidden by a newer segment, which corrects no filing of its partition',
    );
  }
  rows.take(line.table.segment, part, digestOf(tailOf(line)));
}
