import type { FilingSummary } from '../../src/contract/records.ts';
import type { Manifest } from '../../src/contract/snapshot.ts';
import { compareText } from '../../src/contract/scalars.ts';
import { rowBytes } from '../../src/table/table.ts';
import type { Line } from '../segments/table-files.ts';
import { walkTable, type Directory } from './walk.ts';

/**
 * A filing that came (`+`), went (`-`) or is not what it was (`~`), with the names of the members that
 * differ.
 */
export interface Difference {
  readonly sign: '+' | '-' | '~';
  readonly filing: FilingSummary;
  readonly members: readonly string[];
}

/**
 * Compares the filings of two snapshots of a directory. Both are sorted by accession number, so one pass over
 * each is enough.
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

/** What differs between two lists of filings, each as JSON, sorted by accession number. */
function* differences(before: Iterator<string>, after: Iterator<string>): Generator<Difference, void> {
  let [old, young] = [before.next(), after.next()];
  while (!old.done || !young.done) {
    const isSame = !old.done && old.value === young.value;
    // Most filings are what they were, and what is the same to the byte is not parsed.
    const order = isSame ? 0 : compareAccessions(parse(old), parse(young));
    if (order < 0) yield { sign: '-', filing: parse(old) as FilingSummary, members: [] };
    else if (order > 0) yield { sign: '+', filing: parse(young) as FilingSummary, members: [] };
    else if (!isSame) yield change(parse(old) as FilingSummary, parse(young) as FilingSummary);
    if (order <= 0) old = before.next();
    if (order >= 0) young = after.next();
  }
}

/** One line: `~ 0000320193-26-000018  8-K  2026-07-30  Apple Inc. (AAPL): items, summary`. */
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

/** Below 0 if the first comes first; a list that has ended comes last. */
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
