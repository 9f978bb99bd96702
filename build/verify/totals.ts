import type { Change, Filing, Stats } from '../../src/contract/records.ts';
import {
  allPartition,
  batchSortKey,
  countPartitions,
  type BatchRow,
  type Manifest,
} from '../../src/format/snapshot.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { mergedRows } from '../../src/table/merge.ts';
import type { Log } from '../../src/table/open-log.ts';
import type { Segment } from '../../src/table/segment.ts';
import { rowBytes, rowText } from '../../src/table/table.ts';
import { checkNoNote, failAt, parseRow, rowsPath, type ReadDocument } from './rows.ts';
import { verifiedLines, type VerifiedSegment } from './verified-lines.ts';

const numberKey = (number: number) => String(number).padStart(9, '0');

/**
 * Checks `batches` and `refusals` of all segments, given oldest first, against the manifest and each other.
 * Returns the batches, oldest first: there is one for each ingest run, however many filings there are. Throws
 * `CorruptSnapshot`.
 */
export function checkBatches(
  directory: string,
  segments: readonly VerifiedSegment[],
  manifest: Manifest,
): readonly BatchRow[] {
  const batches: BatchRow[] = [];
  let lastSequence = 0;
  for (const segment of segments) {
    const path = rowsPath(directory, segment.name, 'batches');
    const refusalsPath = rowsPath(directory, segment.name, 'refusals');
    const refusals = verifiedLines(directory, segment, 'refusals');
    // The table lists the newest batch first.
    const lines = [...verifiedLines(directory, segment, 'batches')].reverse();
    for (const line of lines) {
      const number = batches.length + 1;
      const fail = (what: string) => failAt(path, line, what);
      checkNoNote(path, line);
      const batch = parseRow(path, 'batches', line);
      if (batch.number !== number) fail(`is batch ${batch.number}, not ${number}`);
      if (line.keys.partition !== allPartition || line.keys.sort !== batchSortKey(lastSequence + 1, number))
        fail(`holds the row of (${allPartition}, ${batchSortKey(lastSequence + 1, number)})`);
      if (batch.lastSequence !== lastSequence + batch.changes)
        fail(`ends at sequence ${batch.lastSequence}, not ${lastSequence + batch.changes}`);
      if (number === 1 && batch.sha256 !== manifest.ledger.id)
        fail('is not the first batch of the ledger of the manifest');
      for (let at = 0; at < batch.refused; at++) {
        const { value: refusal, done } = refusals.next();
        if (done === true) return fail(`refused ${batch.refused} rows, ${refusalsPath} names ${at}`);
        checkNoNote(refusalsPath, refusal);
        parseRow(refusalsPath, 'refusals', refusal);
        const sort = `${numberKey(number)} ${numberKey(at)}`;
        if (refusal.keys.partition !== allPartition || refusal.keys.sort !== sort)
          failAt(refusalsPath, refusal, `holds the row of (${allPartition}, ${sort})`);
      }
      ({ lastSequence } = batch);
      batches.push(batch);
    }
    expectSame(`${path}: the number of its last batch`, batches.length, segment.to);
    expectSame(`${path}: the last sequence`, lastSequence, segment.lastSequence);
    const more = refusals.next();
    if (more.done !== true) failAt(refusalsPath, more.value, 'was refused by no batch');
  }
  const path = rowsPath(directory, segments.at(-1)?.name ?? '', 'batches');
  const last = batches.at(-1);
  expectSame(`${path}: the last batch`, last?.sha256, manifest.ledger.sha256);
  expectSame(`${path}: the time of the last batch`, last?.createdAt, manifest.generatedAt);
  return batches;
}

/** Totals of a snapshot, and its newest filing. */
export interface FilingTotals {
  readonly filings: number;
  readonly companies: number;
  readonly newest: Filing | null;
  /** By form. */
  readonly forms: ReadonlyMap<string, number>;
  /** By family. */
  readonly families: ReadonlyMap<string, number>;
}

/** Reads the totals of segments that were checked, given newest first. */
export function readTotals(newestFirst: readonly Segment[], log: Log): FilingTotals {
  const tables = newestFirst.map((segment) => segment.tables);
  const counts = (partition: string, keyOf: (sort: string) => string) => {
    const sums = new Map<string, number>();
    for (const row of mergedRows(
      tables.map((each) => each.counts),
      { partitions: [partition] },
    )) {
      const key = keyOf(row.sort);
      const count = Number(rowText(row));
      if (count > 0) sums.set(key, (sums.get(key) ?? 0) + count);
    }
    return sums;
  };
  const forms = counts(countPartitions.forms, (form) => form);
  return {
    filings: [...forms.values()].reduce((sum, count) => sum + count, 0),
    companies: counts(countPartitions.companies, () => '').get('') ?? 0,
    newest: newestFiling(),
    forms,
    families: counts(countPartitions.days, (sort) => sort.split(' ')[1] ?? ''),
  };

  function newestFiling(): Filing | null {
    const latest = mergedRows(
      tables.map((each) => each.latest),
      { partitions: [allPartition] },
    );
    for (const row of latest)
      return (JSON.parse(rowBytes(log.entry(Number(rowText(row)))).toString()) as Change).filing;
    return null;
  }
}

/** Checks the totals in the manifest, the statistics and the health document. Throws `CorruptSnapshot`. */
export function checkDocuments(
  manifestPath: string,
  manifest: Manifest,
  documents: Readonly<Record<'stats' | 'health', ReadDocument>>,
  { companies, ...totals }: FilingTotals,
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
