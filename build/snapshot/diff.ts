import type { FilingSummary } from '../../src/contract/records.ts';
import { compareText } from '../../src/domain/scalars.ts';
import { accessionNoOf } from '../../src/format/filing-partition.ts';
import type { Manifest, SegmentEntry } from '../../src/format/snapshot.ts';
import { extentOf, sequenceOfSummary, summaryExtentsOf } from '../../src/rows/parts.ts';
import { createSnapshotReader, openLogOf } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import type { Log } from '../../src/table/open-log.ts';
import { rowBytes, type TableRow } from '../../src/table/table.ts';
import type { StoredLine } from '../segments/table-files.ts';
import { type Directory, walkTable } from './walk.ts';

/**
 * A filing that was added (`+`), removed (`-`) or changed (`~`), with the names of the members that differ.
 */
export interface Difference {
  readonly sign: '+' | '-' | '~';
  readonly filing: FilingSummary;
  readonly members: readonly string[];
}

const cacheBytes = 16 * 1024 * 1024;

/** The summaries of a snapshot, in the order of their table, and its log, which has their filings. */
interface Summaries {
  readonly log: Log;
  readonly lines: Iterator<StoredLine, void>;
}

/**
 * Compares the filings of two snapshots in one directory. Both are sorted by their years and accession numbers, so one
 * pass over each is enough.
 */
export async function* diffSnapshots(
  parts: Directory,
  before: Manifest,
  after: Manifest,
): AsyncGenerator<Difference, void> {
  yield* differences(await summariesOf(parts, before), await summariesOf(parts, after));
}

/** Yields the differences between two lists of filings. */
function* differences(before: Summaries, after: Summaries): Generator<Difference, void> {
  let [older, newer] = [before.lines.next(), after.lines.next()];
  while (!older.done || !newer.done) {
    const order = comparePartitions(older, newer);
    if (order < 0) yield { sign: '-', filing: filingOf(before, older), members: [] };
    else if (order > 0) yield { sign: '+', filing: filingOf(after, newer), members: [] };
    else if (!isSame(before, older, after, newer)) {
      const difference = change(filingOf(before, older), filingOf(after, newer));
      if (difference.members.length > 0) yield difference;
    }
    if (order <= 0) older = before.lines.next();
    if (order >= 0) newer = after.lines.next();
  }
}

/** Whether two rows lead to the same bytes, as far as digests tell: then the filings need not be read. */
function isSame(before: Summaries, older: Next, after: Summaries, newer: Next): boolean {
  if (older.done || newer.done || !rowBytes(older.value).equals(rowBytes(newer.value))) return false;
  const file = ({ log: { list } }: Summaries) =>
    list.files[Math.floor((sequenceOfSummary(extentOf(newer.value as StoredLine)) - 1) / list.rowsPerFile)]
      ?.sha256;
  return file(before) !== undefined && file(before) === file(after);
}

/**
 * Describes a difference in one line: `~ 0000320193-26-000018 8-K 2026-07-30 Apple Inc. (AAPL): items,
 * summary`.
 */
export function describeDifference({
  sign,
  filing: { accessionNo, form, filedAt, companyName, ticker, cik },
  members,
}: Difference): string {
  const what = `${sign} ${accessionNo}  ${form}  ${filedAt}  ${companyName} (${ticker ?? `CIK ${cik}`})`;
  return members.length === 0 ? what : `${what}: ${members.join(', ')}`;
}

type Next = IteratorResult<StoredLine, void>;

const filingOf = ({ log }: Summaries, { value }: Next) => summaryOf(log, value as StoredLine);

/**
 * The summary of a filing, given its row: joined with the filing in the log, without its documents. They come with
 * `exhibits`, and never change.
 */
export function summaryOf(log: Pick<Log, 'entry'>, row: TableRow): FilingSummary {
  const extents = summaryExtentsOf(log.entry(sequenceOfSummary(extentOf(row))), row, null);
  return JSON.parse(
    extents.map(({ bytes, from, to }) => bytes.toString('utf8', from, to)).join(','),
  ) as FilingSummary;
}

/** Compares the partition keys of filings. The end of a list comes last. */
function comparePartitions(a: Next, b: Next): number {
  if (a.done || b.done) return a.done ? 1 : -1;
  return compareText(a.value.keys.partition, b.value.keys.partition);
}

function change(before: FilingSummary, after: FilingSummary): Difference {
  const names = Object.keys({ ...before, ...after }) as (keyof FilingSummary)[];
  return {
    sign: '~',
    filing: after,
    members: names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])),
  };
}

async function summariesOf(parts: Directory, manifest: Manifest): Promise<Summaries> {
  const reader = createSnapshotReader(parts, createBlockCache(cacheBytes), cacheBytes);
  return {
    log: await openLogOf(reader, manifest),
    lines: await walkTable(parts, manifest.segments, 'summaries'),
  };
}

/**
 * Counts the filings that one set of segments has and another one lacks, and returns the first accession
 * number. Both sets, of the present format, are read once, side by side.
 */
export async function lostFilings(
  parts: Directory,
  before: readonly SegmentEntry[],
  after: readonly SegmentEntry[],
): Promise<{ count: number; first: string }> {
  const newer = await walkTable(parts, after, 'summaries');
  let next = newer.next();
  const lost = { count: 0, first: '' };
  for (const { keys } of await walkTable(parts, before, 'summaries')) {
    while (next.done !== true && next.value.keys.partition < keys.partition) next = newer.next();
    if (next.done !== true && next.value.keys.partition === keys.partition) continue;
    if (lost.count++ === 0) lost.first = accessionNoOf(keys.partition);
  }
  return lost;
}
