import type { Filing } from '../../src/contract/records.ts';
import { allPartition, feedOrder, historyOrder, type BatchRow } from '../../src/contract/snapshot.ts';
import { CorruptSnapshot } from '../../src/table/file.ts';
import { companiesOf, partitionsOf } from '../fold/rows.ts';
import { createBalance, describePart, digestOf, digestUnder, replacedPart, type Balance } from './balance.ts';
import { checkSummaries, correctedAtOnce, filingInChange, filingInRow } from './verify-revisions.ts';
import type { MergedSegments } from './verify-merge.ts';
import { checkKeys, parseRow, refuseNote } from './verify-rows.ts';
import { failAt, tailOf, type CheckedLine } from './verify-table.ts';

/** What the lists of filings hold. */
export interface FilingTotals {
  readonly filings: number;
  readonly newest: Filing | null;
  /** Filings by form. */
  readonly forms: ReadonlyMap<string, number>;
  /** Filings by day and family, as the table of totals has them. */
  readonly days: ReadonlyMap<string, number>;
  /** Filings by family. */
  readonly families: ReadonlyMap<string, number>;
  /** What the lists of companies have to hold: the digest of each row under the CIK of its company. */
  readonly companyFilings: Balance;
  readonly companyChanges: Balance;
}

/**
 * Checks `latest`, `changes` and `summaries`, alone and against each other. Nothing that is kept grows with the number of
 * filings, only with that of days, forms and families; of corrected filings, `atOnce` are in memory. Throws `CorruptSnapshot`.
 */
export function checkFilings(merged: MergedSegments, atOnce = correctedAtOnce): FilingTotals {
  const companyFilings = createBalance();
  const companyChanges = createBalance();
  // The bytes of each filing that is shown: as the feed says it last, and as its summary has it.
  const newestInFeed = createBalance();
  const inSummaries = createBalance();
  const { newest, ...totals } = checkLatest(merged, { companyFilings, newestInFeed, inSummaries });
  const corrections = checkChanges(merged, companyChanges, newestInFeed);
  checkSummaries(merged, { corrections, companyChanges, newestInFeed, inSummaries }, atOnce);
  inSummaries.settle((segment, part, difference) => `${merged.path(segment, 'summaries')} does not hold the filings of latest: ${describePart(part)}${difference}`);
  newestInFeed.settle((segment, _, difference) => `${merged.path(segment, 'changes')} does not say last of each filing what latest holds: ${difference}`);
  return { ...totals, newest, companyFilings, companyChanges };
}

function checkLatest(
  merged: MergedSegments, { companyFilings, newestInFeed, inSummaries }: Readonly<Record<'companyFilings' | 'newestInFeed' | 'inSummaries', Balance>>,
): Pick<FilingTotals, 'filings' | 'newest' | 'forms' | 'days' | 'families'> {
  const partitions = createBalance();
  const [forms, days, families] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  let filings = 0;
  let newest: Filing | null = null;
  for (const line of merged.lines('latest', (line) => void addLine(line, replacedPart))) {
    const filing = addLine(line, '');
    if (!filing) continue;
    newest ??= filing;
    filings++;
    count(forms, filing.form);
    count(days, `${filing.filedAt} ${filing.eventType}`);
    count(families, filing.eventType);
    newestInFeed.add(line.table.segment, '', digestOf(filingInRow(line)));
  }
  partitions.settle((segment, partition, difference) => partitionMessage(merged.path(segment, 'latest'), partition, difference));
  return { filings, newest, forms, days, families };

  /** Adds what the other lists have to hold of a row, or takes it from that. Returns the filing if the row is of the list of all. */
  function addLine(line: CheckedLine, state: string): Filing | null {
    const { segment } = line.table;
    refuseNote(line);
    const tail = digestOf(tailOf(line));
    if (line.keys.partition !== allPartition) {
      takeCopy(partitions, line, tail, state);
      return null;
    }
    const filing = parseRow('latest', line);
    checkKeys(line, { partition: allPartition, sort: historyOrder(filing) });
    addCopies(partitions, segment, filing, tail, state);
    for (const cik of companiesOf(filing)) companyFilings.add(segment, state, digestUnder(cik, tail));
    inSummaries.add(segment, state, digestOf(filingInRow(line)));
    return filing;
  }
}

function partitionMessage(path: string, part: string, difference: string): string {
  const among = describePart(part);
  const partition = among === '' ? part : part.slice(replacedPart.length);
  return `${path}: ${among}those of partition ${partition} are not those of partition ${allPartition} that belong there: ${difference}`;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function addCopies(partitions: Balance, segment: number, filing: Filing, tail: Buffer, state: string): void {
  for (const partition of partitionsOf(filing)) if (partition !== allPartition) partitions.add(segment, `${state}${partition}`, tail);
}

/** Partition `all` comes first: what nobody expects in another one by then does not belong there. */
function takeCopy(partitions: Balance, line: CheckedLine, tail: Buffer, state: string): void {
  const part = `${state}${line.keys.partition}`;
  if (!partitions.knows(line.table.segment, part)) {
    failAt(line, state === '' ? `stands in a partition in which no row of partition ${allPartition} belongs` : `is replaced or hidden by a newer segment, its row in partition ${allPartition} is not`);
  }
  partitions.take(line.table.segment, part, tail);
}

/** Checks the feed. Returns how many of its entries are corrections. */
function checkChanges(merged: MergedSegments, companyChanges: Balance, newestInFeed: Balance): number {
  const partitions = createBalance();
  const batches = batchesOf(merged);
  let batch: BatchRow | null = null;
  let sequence = 0;
  let corrections = 0;
  for (const line of merged.lines('changes')) {
    const { segment } = line.table;
    refuseNote(line);
    const tail = digestOf(tailOf(line));
    if (line.keys.partition !== allPartition) {
      takeCopy(partitions, line, tail, '');
      continue;
    }
    const change = parseRow('changes', line);
    const { filing } = change;
    sequence++;
    checkKeys(line, { partition: allPartition, sort: feedOrder(change.sequence) });
    if (change.sequence !== sequence) failAt(line, `follows sequence ${sequence - 1}`);
    while (batch === null || batch.lastSequence < sequence) batch = batches.next().value ?? failAt(line, 'belongs to no batch');
    const entry = merged.segments[segment];
    if (!entry || batch.number < entry.from || batch.number > entry.to) failAt(line, `belongs to batch ${batch.number}, which is not in its segment`);
    if (change.observedAt !== batch.createdAt) failAt(line, `was not observed when batch ${batch.number} was recorded`);
    addCopies(partitions, segment, filing, tail, '');
    if ((change.revision === 1) !== (change.corrected === undefined)) failAt(line, `names corrected members in revision ${change.revision}, or none`);
    if (change.revision > 1) {
      corrections++;
      continue;
    }
    if (filing.ingestedAt !== change.observedAt) failAt(line, 'has a filing that was recorded at another time');
    for (const cik of companiesOf(filing)) companyChanges.add(segment, '', digestUnder(cik, tail));
    newestInFeed.take(segment, '', digestOf(filingInChange(line.chunk, line.line)));
  }
  partitions.settle((segment, partition, difference) => partitionMessage(merged.path(segment, 'changes'), partition, difference));
  const last = merged.segments.at(-1)?.lastSequence ?? 0;
  if (sequence !== last) throw new CorruptSnapshot(`${merged.path(merged.segments.length - 1, 'changes')}: the feed ends at sequence ${sequence}, not at ${last}`);
  return corrections;
}

function* batchesOf(merged: MergedSegments): Generator<BatchRow, undefined> {
  for (const line of merged.lines('batches')) yield parseRow('batches', line);
}
