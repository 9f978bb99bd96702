import type { Change, Filing, Stats } from '../../src/contract/records.ts';
import {
  allPartition,
  batchSortKey,
  countPartitions,
  tableDefinition,
  type BatchRow,
  type Manifest,
} from '../../src/format/snapshot.ts';
import { rulesNumber } from '../../src/domain/rules.ts';
import { rulesOf } from '../../src/table/segment.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { rowBytes } from '../../src/table/table.ts';
import { newestSequence, type FilingTotals } from './filings.ts';
import { entriesFrom, type VerifiedLog } from './verified-log.ts';
import type { MergedSegments } from './merged-segments.ts';
import { checkKeys, parseRow, checkNoNote, readingMembers } from './check-rows.ts';
import { failAt, rowOf, type CheckedLine } from './checked-line.ts';

const numberKey = (number: number) => String(number).padStart(9, '0');

const countMembers = readingMembers(tableDefinition('counts').row, ['']);

/** The batches of a snapshot, as its tables tell them. */
export interface BatchTotals {
  /** Oldest first. There is one for each ingest run, however many filings there are. */
  readonly batches: readonly BatchRow[];
  /** The number of refused rows of all batches. */
  readonly refused: number;
}

/** Checks `batches` and `refusals` against the manifest and each other. Throws `CorruptSnapshot`. */
export function checkBatches(merged: MergedSegments, manifest: Manifest): BatchTotals {
  // The table lists the newest batch first.
  const read: (Pick<CheckedLine, 'table' | 'keys'> & { readonly batch: BatchRow })[] = [];
  for (const line of merged.lines('batches')) {
    checkNoNote(line);
    read.push({ table: line.table, keys: line.keys, batch: parseRow('batches', line) });
  }
  read.reverse();
  const refusals = merged.lines('refusals');
  let [number, lastSequence, refused] = [0, 0, 0];
  for (const line of read) {
    const { table, keys, batch } = line;
    number++;
    if (batch.number !== number) failAt(line, `is batch ${batch.number}, not ${number}`);
    if (keys.partition !== allPartition || keys.sort !== batchSortKey(lastSequence + 1, number))
      failAt(line, `holds the row of (${allPartition}, ${batchSortKey(lastSequence + 1, number)})`);
    const entry = merged.segments[table.segment];
    if (!entry || number < entry.from || number > entry.to)
      failAt(line, 'is not of the batches of its segment');
    if (batch.lastSequence !== lastSequence + batch.changes)
      failAt(line, `ends at sequence ${batch.lastSequence}, not ${lastSequence + batch.changes}`);
    if (number === entry.to && batch.lastSequence !== entry.lastSequence)
      failAt(line, `ends at sequence ${batch.lastSequence}, the segment at ${entry.lastSequence}`);
    if (number === 1 && batch.sha256 !== manifest.ledger.id)
      failAt(line, 'is not the first batch of the ledger of the manifest');
    for (let at = 0; at < batch.refused; at++) {
      const refusal = refusals.next();
      if (refusal.done === true)
        failAt(line, `refused ${batch.refused} rows, ${merged.path(table.segment, 'refusals')} names ${at}`);
      checkNoNote(refusal.value);
      parseRow('refusals', refusal.value);
      checkKeys(refusal.value, { partition: allPartition, sort: `${numberKey(number)} ${numberKey(at)}` });
      if (refusal.value.table.segment !== table.segment)
        failAt(refusal.value, 'is not in the segment of its batch');
    }
    refused += batch.refused;
    ({ lastSequence } = batch);
  }
  const more = refusals.next();
  if (more.done !== true) failAt(more.value, 'was refused by no batch');
  const path = merged.path(merged.segments.length - 1, 'batches');
  const last = read.at(-1)?.batch;
  expectSame(`${path}: the number of batches`, number, manifest.ledger.batches);
  expectSame(`${path}: the last batch`, last?.sha256, manifest.ledger.sha256);
  expectSame(`${path}: the time of the last batch`, last?.createdAt, manifest.generatedAt);
  return { batches: read.map(({ batch }) => batch), refused };
}

const ofUnexpected: ReadonlySet<string> = new Set([
  countPartitions.formerKinds,
  countPartitions.unlistedItems,
]);

/**
 * Checks `counts` against the lists, and against the log. A count that fell to 0 may still have a row. Throws `CorruptSnapshot`.
 */
export function checkCounts(
  merged: MergedSegments,
  { forms, days, unexpected }: Pick<FilingTotals, 'forms' | 'days' | 'unexpected'>,
  companies: number,
  refused: number,
): void {
  // What older or newer rules did not expect cannot be told by the present ones.
  const hasPresentRules = merged.segments.every(({ head }) => rulesOf(head) === rulesNumber);
  const expected = new Map<string, Map<string, number>>([
    [countPartitions.forms, new Map(forms)],
    [countPartitions.days, new Map(days)],
    [countPartitions.companies, new Map([['', companies]])],
    [countPartitions.refusals, new Map([['', refused]])],
    ...(hasPresentRules
      ? [
          [countPartitions.formerKinds, new Map(unexpected.formerKinds)] as const,
          [countPartitions.unlistedItems, new Map(unexpected.unlistedItems)] as const,
        ]
      : []),
  ]);
  for (const line of merged.lines('counts')) {
    checkNoNote(line);
    if (!hasPresentRules && ofUnexpected.has(line.keys.partition)) continue;
    const counts = expected.get(line.keys.partition);
    const value = Number(countMembers(line, rowOf(line).toString())[1]);
    const found = counts?.get(line.keys.sort) ?? 0;
    if (!counts || value !== found) failAt(line, `is ${value}, the lists hold ${found}`);
    counts.delete(line.keys.sort);
  }
  for (const [partition, counts] of expected) {
    for (const [sort, count] of counts)
      if (count > 0)
        throw new CorruptSnapshot(
          `${merged.path(merged.segments.length - 1, 'counts')}: (${partition}, ${sort}) is missing, the lists hold ${count}`,
        );
  }
}

/**
 * Reads the totals of a snapshot from `counts` and from its newest filing, for a snapshot whose lists are not
 * counted. `refused` is the number of its refusals. Throws `CorruptSnapshot`.
 */
export function readTotals(
  merged: MergedSegments,
  log: VerifiedLog,
  refused: number,
): {
  readonly filings: Pick<FilingTotals, 'filings' | 'newest' | 'forms' | 'families'>;
  readonly companies: number;
} {
  const [forms, families] = [new Map<string, number>(), new Map<string, number>()];
  let [filings, companies] = [0, 0];
  for (const line of merged.lines('counts')) {
    const { partition, sort } = line.keys;
    const count = parseRow('counts', line);
    if (partition === countPartitions.refusals && count !== refused)
      failAt(line, `is ${count}, the lists hold ${refused}`);
    if (count === 0) continue;
    if (partition === countPartitions.companies) companies = count;
    if (partition === countPartitions.forms) {
      forms.set(sort, count);
      filings += count;
    }
    const family = sort.split(' ')[1] ?? '';
    if (partition === countPartitions.days) families.set(family, (families.get(family) ?? 0) + count);
  }
  return { filings: { filings, forms, families, newest: newestFiling(merged, log) }, companies };
}

function newestFiling(merged: MergedSegments, log: VerifiedLog): Filing | null {
  const sequence = newestSequence(merged);
  if (sequence === 0) return null;
  for (const entry of entriesFrom(log, sequence))
    return (JSON.parse(rowBytes(entry).toString()) as Change).filing;
  return null;
}

/** A document with the path of its file. */
export interface ReadDocument {
  readonly path: string;
  readonly value: unknown;
}

/** Checks the totals in the manifest, the statistics and the health document. Throws `CorruptSnapshot`. */
export function checkDocuments(
  manifestPath: string,
  manifest: Manifest,
  documents: Readonly<Record<'stats' | 'health', ReadDocument>>,
  totals: Pick<FilingTotals, 'filings' | 'newest' | 'forms' | 'families'>,
  companies: number,
): void {
  expectSame(`${manifestPath}: filingCount`, manifest.filingCount, totals.filings);
  expectSame(`${manifestPath}: companyCount`, manifest.companyCount, companies);
  expectSame(`${manifestPath}: newestFiledAt`, manifest.newestFiledAt, totals.newest?.filedAt ?? null);
  const { path, value } = documents.stats;
  const data = (value as { data?: Partial<Stats> }).data ?? {};
  expectSame(`${path} (stats): filingCount`, data.filingCount, totals.filings);
  expectSame(`${path} (stats): companyCount`, data.companyCount, companies);
  expectSame(
    `${path} (stats): latestFiling`,
    JSON.stringify(data.latestFiling),
    JSON.stringify(totals.newest),
  );
  expectCounts(
    `${path} (stats): forms`,
    (data.forms ?? []).map(({ form, count }) => [form, count]),
    totals.forms,
  );
  expectCounts(
    `${path} (stats): eventTypes`,
    (data.eventTypes ?? []).map(({ eventType, count }) => [eventType, count]),
    totals.families,
  );
  const health = documents.health.value as { filingCount?: unknown; companyCount?: unknown };
  expectSame(`${documents.health.path} (health): filingCount`, health.filingCount, totals.filings);
  expectSame(`${documents.health.path} (health): companyCount`, health.companyCount, companies);
}

function expectCounts(
  what: string,
  listed: readonly (readonly [string, number])[],
  expected: ReadonlyMap<string, number>,
): void {
  listed.forEach(([, count], at) => {
    if (count > (listed[at - 1]?.[1] ?? Infinity))
      throw new CorruptSnapshot(`${what}: the most frequent do not come first`);
  });
  const sorted = (counts: Iterable<readonly [string, number]>) =>
    JSON.stringify([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  expectSame(what, sorted(listed), sorted(expected));
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new CorruptSnapshot(`${what} is ${String(found)}, not ${String(expected)}`);
}
