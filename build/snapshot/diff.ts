import type { FilingSummary } from '../../src/contract/records.ts';
import type { Manifest } from '../../src/contract/snapshot.ts';
import { compareText } from '../../src/contract/scalars.ts';
import { rowBytes } from '../../src/table/table.ts';
import type { Line } from '../segments/table-files.ts';
import { walkTable, type Directory } from './walk.ts';

/**
 * A filing that was added (`+`), removed (`-`) or changed (`~`), with the names of the members that differ.
 */
export interface Difference {
  readonly sign: '+' | '-' | '~';
  readonly filing: FilingSummary;
  readonly members: readonly string[];
}

/**
 * Compares the filings of two snapshots in one directory. Both are sorted by accession number, so one pass
 * over each is enough.
 */
export async function* diffSnapshots(
  parts: Directory,
  before: Manifest,
  after: Manifest,
): AsyncGenerator<Difference, void> {
  yield* differences(
    summariesOf(await walkTable(parts, before.segments, 'summaries')),
    summariesOf(await walkTable(parts, after.segments, 'summaries')),
  );
}

/**
 * Yields the differences between two lists of filings. Each filing is JSON, and each list is sorted by
 * accession number.
 */
function* differences(before: Iterator<string>, after: Iterator<string>): Generator<Difference, void> {
  let [older, newer] = [before.next(), after.next()];
  while (!older.done || !newer.done) {
    const isSame = !older.done && older.value === newer.value;
    // Most filings are equal byte by byte, and equal ones need not be parsed.
    const order = isSame ? 0 : compareAccessions(parse(older), parse(newer));
    if (order < 0) yield { sign: '-', filing: parse(older) as FilingSummary, members: [] };
    else if (order > 0) yield { sign: '+', filing: parse(newer) as FilingSummary, members: [] };
    else if (!isSame) yield change(parse(older) as FilingSummary, parse(newer) as FilingSummary);
    if (order <= 0) older = before.next();
    if (order >= 0) newer = after.next();
  }
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

function parse({ done, value }: IteratorResult<string, unknown>): FilingSummary | null {
  return done ? null : (JSON.parse(value as string) as FilingSummary);
}

/** Compares accession numbers. Null, the end of a list, comes last. */
function compareAccessions(a: FilingSummary | null, b: FilingSummary | null): number {
  if (a === null || b === null) return a === null ? 1 : -1;
  return compareText(a.accessionNo, b.accessionNo);
}

function change(before: FilingSummary, after: FilingSummary): Difference {
  const names = Object.keys({ ...before, ...after }) as (keyof FilingSummary)[];
  return {
    sign: '~',
    filing: after,
    members: names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])),
  };
}

function* summariesOf(lines: Iterable<Line>): Generator<string, void> {
  for (const line of lines) yield rowBytes(line).toString();
}
