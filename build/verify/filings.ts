import { formPartition } from '../../src/contract/filing-filters.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import {
  allPartition,
  historySortKey,
  ListedFiling,
  SummaryRow,
  type BatchRow,
} from '../../src/format/snapshot.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import type { Extent } from '../../src/rows/members.ts';
import { rowBytes } from '../../src/table/table.ts';
import { createUnexpected, type Unexpected } from './unexpected.ts';
import { createBalance, createEcho, type Echo } from './balance.ts';
import { checkNoNote, checkPlaceholders, parseRow, readingMembers } from './check-rows.ts';
import type { MergedSegments } from './merged-segments.ts';
import { createDayCheck, dayIn, type DayCheck } from './day-check.ts';
import type { LogChange } from './log-change.ts';
import type { VerifiedLog } from './verified-log.ts';
import {
  failAt,
  isSamePartition,
  partitionExtentOf,
  rowExtentOf,
  rowOf,
  sortExtentOf,
  type CheckedLine,
} from './checked-line.ts';

/** Totals of the lists of filings. */
export interface FilingTotals {
  readonly filings: number;
  readonly newest: Filing | null;
  /** By form. */
  readonly forms: ReadonlyMap<string, number>;
  /** By day and family, with the keys of the table `counts`. */
  readonly days: ReadonlyMap<string, number>;
  /** By family. */
  readonly families: ReadonlyMap<string, number>;
  /** Entries of the log by what the present rules do not expect of them, with the keys of the table `counts`. */
  readonly unexpected: Pick<Unexpected, 'formerKinds' | 'unlistedItems'>;
}

/**
 * Reads a row of `company-filings`, and checks it on the way. Returns its form: whoever counts the filings of
 * companies reads the table.
 */
export type ReadListed = (line: CheckedLine) => string;

const summaryMembers = readingMembers(SummaryRow, ['sequence']);
const listedMembers = readingMembers(ListedFiling, ['sequence', 'form']);

/**
 * Checks the log, and the references into it from `summaries`, `latest`, `change-dates`, `company-filings`
 * and `company-changes`, in one pass over each: every filing has one summary, which leads to its last
 * revision; lists lead to last revisions alone, under the keys of those; feeds of companies and dates repeat
 * the log. Which rules give a filing its partitions and companies is not repeated here: only a comparison
 * with the ledger finds a row that is missing under an item, for example. Keeps eleven bytes for each entry of
 * the log. `batches` are those of the ledger, oldest first. `readCompanies` reads `company-filings`, and
 * gives each row to the function that it is called with. Throws `CorruptSnapshot`.
 */
export function checkFilings<Companies>(
  merged: MergedSegments,
  log: VerifiedLog,
  batches: readonly BatchRow[],
  readCompanies: (readListed: ReadListed) => Companies,
): { readonly totals: FilingTotals; readonly companies: Companies } {
  const lastSequence = batches.at(-1)?.lastSequence ?? 0;
  const [lists, feeds, feedsByFilter] = [0, 1, 2].map(() => createEcho(lastSequence)) as [Echo, Echo, Echo];
  const dates = createDayCheck(lastSequence);
  const [led, recorded] = [createBalance(), createBalance()];
  const summaries = readSummaries(merged, lastSequence, (accessionNo, revision, sequence) =>
    led.add(-1, accessionNo, sequence, revision),
  );
  const listed = (line: CheckedLine, sequence: number) => {
    if (!summaries.isLast(sequence))
      failAt(line, `leads to entry ${sequence}, which is the last revision of no filing`);
    lists.take(sequence, sortExtentOf(line));
  };
  const partitions = readLatest(merged, listed);
  const companies = readCompanies((line) => {
    const [, sequence, form = ''] = listedMembers(line, rowOf(line).toString());
    listed(line, Number(sequence));
    return form;
  });
  readFeeds(merged, feeds, feedsByFilter);
  readDates(merged, dates);

  const counts = createCounts();
  let [revisions, expectedRevisions, number] = [0, 0, 0];
  let newest: Filing | null = null;
  const wanted = newestSequence(merged);
  for (const line of log.entries()) {
    const { sequence, change } = line;
    const { revision, accessionNo, ingestedAt } = change;
    if (change.sequence !== sequence) failAt(line, `follows sequence ${sequence - 1}`);
    while ((batches[number]?.lastSequence ?? Infinity) < sequence) number++;
    const batch = batches[number] ?? failAt(line, 'belongs to no batch');
    if (change.observedAt !== batch.createdAt)
      failAt(line, `was not observed when batch ${batch.number} was recorded`);
    if ((revision === 1) === change.isCorrected)
      failAt(line, `names corrected members in revision ${revision}, or none`);
    if (revision === 1 && ingestedAt !== change.observedAt)
      failAt(line, 'has a filing that was recorded at another time');
    if (feeds.rowsOf(sequence) === 0) failAt(line, 'is in the feed of no company');
    const isLast = summaries.isLast(sequence);
    // Revisions of a filing count from 1: its last one tells how many entries it has, and what their numbers
    // add up to.
    recorded.add(isLast ? revision - 1 : -1, `${accessionNo} ${ingestedAt}`);
    revisions += revision;
    lists.add(sequence, historySortKey(change));
    const digest = sha256Of(rowBytes(line));
    feeds.add(sequence, digest);
    feedsByFilter.add(sequence, digest);
    dates.hold(sequence, change.filedAt);
    if (sequence === wanted) newest = (JSON.parse(rowBytes(line).toString()) as Change).filing;
    counts.addEntry(change);
    if (!isLast) continue;
    led.add(1, accessionNo, sequence, revision);
    expectedRevisions += (revision * (revision + 1)) / 2;
    counts.add(change);
  }

  const path = (table: Parameters<MergedSegments['path']>[1]) =>
    merged.path(merged.segments.length - 1, table);
  const require = (table: Parameters<MergedSegments['path']>[1], difference: string | null, what: string) => {
    if (difference !== null) throw new CorruptSnapshot(`${path(table)} ${what}: ${difference}`);
  };
  require('summaries', led.difference(), 'does not lead to the filings and revisions of the log');
  const { filings } = summaries;
  const inLog = (difference: string | null, what: string) => {
    if (difference !== null)
      throw new CorruptSnapshot(`${log.firstFile} and the files behind it: ${what}: ${difference}`);
  };
  inLog(
    recorded.difference(),
    'a filing does not have as many entries as its last revision says, recorded at one time',
  );
  inLog(
    revisions === expectedRevisions ? null : `their numbers add up to ${revisions}, not ${expectedRevisions}`,
    'revisions do not count from 1 without a gap',
  );
  const all = partitions.get(allPartition) ?? 0;
  require('latest', all === filings
    ? null
    : `${all} rows, not ${filings}`, 'does not list every filing once');
  const total = counts.totals();
  for (const [form, count] of total.forms) {
    const rows = partitions.get(formPartition(form)) ?? 0;
    require('latest', rows === count
      ? null
      : `${rows} rows, not ${count}`, `does not list every filing of form ${form} once`);
  }
  require('latest', lists.difference(), 'or company-filings lists a filing under other keys than its own');
  for (const echo of [feeds, feedsByFilter])
    require('company-changes', echo.difference(), 'does not repeat the entries of the log');
  require('change-dates', dates.difference(), 'does not repeat the dates of the log');
  return { totals: { filings, newest, ...total }, companies };
}

/** Returns the sequence number in the first row of the list of all filings; 0 if the list is empty. */
export function newestSequence(merged: MergedSegments): number {
  for (const line of merged.lines('latest')) return parseRow('latest', line);
  return 0;
}

/** What summaries say of the log. */
interface Summaries {
  /** Whether a summary leads to an entry. */
  readonly isLast: (sequence: number) => boolean;
  /** How many there are. */
  readonly filings: number;
}

function readSummaries(
  merged: MergedSegments,
  lastSequence: number,
  take: (accessionNo: Extent, revision: number, sequence: number) => void,
): Summaries {
  const last = new Uint8Array(lastSequence + 1);
  let filings = 0;
  for (const line of merged.lines('summaries')) {
    if (line.at.sortTo > line.at.sortFrom) failAt(line, 'has a sort key');
    const text = rowOf(line).toString();
    const sequence = Number(summaryMembers(line, text)[1]);
    checkPlaceholders(line, text);
    if (sequence > lastSequence) failAt(line, `leads to entry ${sequence}, the log ends at ${lastSequence}`);
    if (last[sequence] === 1) failAt(line, `leads to entry ${sequence}, as another summary does`);
    last[sequence] = 1;
    filings++;
    take(partitionExtentOf(line), revisionOf(line), sequence);
  }
  return { isLast: (sequence) => last[sequence] === 1, filings };
}

/** The revision in the note of a summary; 1 if it has none. Throws `CorruptSnapshot` for any other note. */
function revisionOf(line: CheckedLine): number {
  const { note } = line;
  if (note === null) return 1;
  const found = /^\{(?:"revision":([1-9]\d{0,8}))?,?(?:"told":(?:true|\["\d{10}"(?:,"\d{10}")*\]))?\}$/.exec(
    note,
  );
  const revision = Number(found?.[1] ?? 1);
  if (
    !found ||
    (found[1] !== undefined && revision < 2) ||
    JSON.stringify(JSON.parse(note)) !== note ||
    note === '{}'
  )
    failAt(line, `has the note ${note}`);
  return revision;
}

/** Reads the lists of all filings. Returns the number of rows of each partition. */
function readLatest(
  merged: MergedSegments,
  listed: (line: CheckedLine, sequence: number) => void,
): ReadonlyMap<string, number> {
  const partitions = new Map<string, number>();
  let [last, rows]: [CheckedLine | null, number] = [null, 0];
  for (const line of merged.lines('latest')) {
    checkNoNote(line);
    listed(line, numberIn(rowExtentOf(line)) ?? parseRow('latest', line));
    // Lines of a partition follow one another.
    if (last !== null && !isSamePartition(last, line)) {
      partitions.set(last.partition, rows);
      rows = 0;
    }
    last = line;
    rows++;
  }
  if (last !== null) partitions.set(last.partition, rows);
  return partitions;
}

/** Reads the feeds that have every change of a company, and those by filters, which have a part of the same. */
function readFeeds(merged: MergedSegments, feeds: Echo, feedsByFilter: Echo): void {
  for (const line of merged.lines('company-changes')) {
    const { from, to } = partitionExtentOf(line);
    const echo = to - from > cikLength ? feedsByFilter : feeds;
    echo.take(sequenceIn(line), sha256Of(rowOf(line)));
  }
}

function readDates(merged: MergedSegments, dates: DayCheck): void {
  for (const line of merged.lines('change-dates')) {
    checkNoNote(line);
    const day = dayIn(rowExtentOf(line)) ?? failAt(line, 'does not fit: it is no date YYYY-MM-DD');
    dates.take(sequenceIn(line), day);
  }
}

/** The sequence in the sort key of a feed; 0, which no entry of the log has, if it is written otherwise. */
function sequenceIn({ block: { bytes }, at: { sortFrom, sortTo } }: CheckedLine): number {
  return sortTo - sortFrom === sequenceLength ? (digitsIn(bytes, sortFrom, sortTo) ?? 0) : 0;
}

/** A whole number of 1 or more with at most 15 digits; null for everything else. */
function numberIn({ bytes, from, to }: Extent): number | null {
  return bytes[from] === zero || to === from || to - from > 15 ? null : digitsIn(bytes, from, to);
}

const [zero, nine, sequenceLength, cikLength] = [0x30, 0x39, 12, 10];

function digitsIn(bytes: Buffer, from: number, to: number): number | null {
  let number = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte < zero || byte > nine) return null;
    number = number * 10 + byte - zero;
  }
  return number;
}

/** Counts of filings by form, and by family and day. */
function createCounts() {
  const forms = new Map<string, number>();
  const daysOfFamilies = new Map<string, Map<string, number>>();
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  const unexpected = createUnexpected();
  return {
    addEntry: unexpected.add,
    add({ form, filedAt, eventType }: LogChange) {
      count(forms, form);
      let days = daysOfFamilies.get(eventType);
      if (!days) daysOfFamilies.set(eventType, (days = new Map()));
      count(days, String(filedAt));
    },
    totals() {
      const [days, families] = [new Map<string, number>(), new Map<string, number>()];
      for (const [family, counts] of daysOfFamilies) {
        let filings = 0;
        for (const [day, rows] of counts) {
          days.set(`${day} ${family}`, rows);
          filings += rows;
        }
        families.set(family, filings);
      }
      return { forms, days, families, unexpected };
    },
  };
}
