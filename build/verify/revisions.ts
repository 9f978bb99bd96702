import { FilingSummary, type Change } from '../../src/contract/records.ts';
import { allPartition } from '../../src/contract/snapshot.ts';
import { rowExtent } from '../../src/table/line.ts';
import { rowBytes } from '../../src/table/table.ts';
import type { Chunk } from '../../src/table/chunk.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import type { FeedNote } from '../fold/rows.ts';
import { storedTable } from '../segments/segment.ts';
import { readLines, type Line } from '../segments/table-files.ts';
import { describePart, digestOf, digestUnder, replacedPart } from './balance.ts';
import {
  countFiling,
  expectRows,
  feedEntry,
  summaryDigest,
  tail,
  type Expected,
  type FeedEntry,
} from './expected.ts';
import type { MergedSegments } from './merge.ts';
import { parseText } from './rows.ts';
import { failAt, type CheckedLine } from './table.ts';

/** A filing that was corrected, and the revisions of it that were found in the feed so far. */
interface Corrected {
  readonly revision: number;
  /** The last revision that was found. */
  last: FeedEntry | null;
  ingestedAt: string | null;
}

/**
 * The number of corrected filings that are looked for in one pass over the feed. They fit into some ten
 * megabytes.
 */
export const correctedAtOnce = 50_000;

const filingNeedle = Buffer.from(',"filing":');
const summaryNeedle = Buffer.from(',"summary":');
const accessionNeedle = Buffer.from('"accessionNo":"');
const accessionLength = '0000320193-26-000001'.length;
const summaryTail = FilingSummary.pick({
  summary: true,
  itemTitles: true,
  links: true,
  notInvestmentAdvice: true,
});

/**
 * Returns the bytes of the filing in an entry of the feed without the last brace, which is where a summary
 * adds its own members.
 */
export function filingInChange(chunk: Chunk, line: number): Buffer {
  const { from, to } = rowExtent(chunk, line);
  return chunk.bytes.subarray(chunk.bytes.indexOf(filingNeedle, from) + filingNeedle.length, to - 2);
}

/**
 * Checks the summaries, whose notes tell how often each filing was corrected, and the revisions in the feed:
 * those of a filing count from 1 without a gap, and the last one is shown. The feed is not sorted by filing.
 * So `expected` first counts every first revision as the last one. The notes then tell which filings have
 * later revisions; these are looked for in separate passes over the feed, `atOnce` filings at a time, which
 * correct `expected`. `corrections` is the number of later revisions in the feed. Throws `CorruptSnapshot`.
 */
export function checkSummaries(
  merged: MergedSegments,
  expected: Expected,
  corrections: number,
  atOnce: number,
): void {
  let corrected = new Map<string, Corrected>();
  let named = 0;
  const take = (line: CheckedLine, state: string): number => {
    const digest = filingInSummary(line);
    const revision = revisionOf(line);
    expected.summaries.take(line.table.segment, state, summaryDigest(revision, digest));
    return revision;
  };
  for (const line of merged.lines('summaries', (line) => void take(line, replacedPart))) {
    const revision = take(line, '');
    if (revision === 1) continue;
    named += revision - 1;
    corrected.set(line.keys.partition, { revision, last: null, ingestedAt: null });
    if (corrected.size < atOnce) continue;
    checkCorrected(merged, corrected, expected);
    corrected = new Map();
  }
  if (corrected.size > 0) checkCorrected(merged, corrected, expected);
  if (named !== corrections) {
    throw new CorruptSnapshot(
      `${merged.path(merged.segments.length - 1, 'summaries')}: the notes of all summaries name ${named} corrections, the feed holds ${corrections}`,
    );
  }
  expected.summaries.settle(
    (segment, part, difference) =>
      `${merged.path(segment, 'summaries')} does not hold the last revision of each filing in the feed: ${describePart(part)}${difference}`,
  );
}

/** Checks the summary in a row. Returns the digest of its filing, by which the filing is compared. */
function filingInSummary(line: CheckedLine): Buffer {
  const { chunk, rowFrom, rowTo, keys } = line;
  const summaryAt = chunk.bytes.lastIndexOf(summaryNeedle, rowTo);
  const isOfKey =
    chunk.bytes.toString('latin1', rowFrom + 1, rowFrom + 1 + accessionNeedle.length + accessionLength) ===
    `${accessionNeedle.toString()}${keys.partition}`;
  if (summaryAt < rowFrom || !isOfKey || keys.sort !== '')
    failAt(line, 'is not the summary of the filing that its keys name');
  parseText(summaryTail, line, `{${chunk.bytes.toString('utf8', summaryAt + 1, rowTo)}`);
  return digestOf(chunk.bytes.subarray(rowFrom, summaryAt));
}

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

/** Finds all revisions of some filings in the feed, which was checked before. */
function checkCorrected(
  merged: MergedSegments,
  corrected: ReadonlyMap<string, Corrected>,
  expected: Expected,
): void {
  merged.segments.forEach(({ name, head }, segment) => {
    const table = { rows: merged.path(segment, 'changes') };
    for (const line of readLines(storedTable(merged.directory, name, head, 'changes'))) {
      if (line.keys.partition !== allPartition) break;
      const { bytes } = line.chunk;
      const at =
        bytes.indexOf(accessionNeedle, rowExtent(line.chunk, line.line).from) + accessionNeedle.length;
      const filing = corrected.get(bytes.toString('latin1', at, at + accessionLength));
      if (filing) addRevision({ ...line, table }, segment, filing, expected);
    }
  });
  for (const [accessionNo, { revision, last }] of corrected) {
    const seen = last?.revision ?? 0;
    if (revision !== seen)
      throw new CorruptSnapshot(
        `${merged.path(merged.segments.length - 1, 'summaries')}: ${accessionNo} has revision ${revision}, the feed has ${seen}`,
      );
  }
}

type FeedLine = Line & { readonly table: { readonly rows: string } };

function addRevision(line: FeedLine, segment: number, known: Corrected, expected: Expected): void {
  const text = rowBytes(line).toString();
  const change = JSON.parse(text) as Change;
  const { revision, filing } = change;
  const before = known.last;
  const seen = before?.revision ?? 0;
  if (revision !== seen + 1)
    failAt(line, `is revision ${revision} of ${filing.accessionNo} after revision ${seen}`);
  const entry = feedEntry(segment, change, digestOf(filingInChange(line.chunk, line.line)));
  if (before === null) {
    expectRows(expected, entry, '', -1);
    countFiling(expected.counts, filing, -1);
  } else {
    if (filing.ingestedAt !== known.ingestedAt)
      failAt(line, 'says that its filing was recorded at another time than the revision before');
    // A segment lists the last revision among its own batches, even if newer segments replace it.
    if (before.segment !== segment) expectRows(expected, before, replacedPart, 1);
    for (const company of new Set([...entry.companies, ...before.companies])) {
      const note = JSON.stringify({
        before: before.companies.includes(company) ? before.form : null,
      } satisfies FeedNote);
      expected.companyChanges.add(
        segment,
        '',
        digestUnder(company, digestOf(tail(line.keys.sort, text, note))),
      );
    }
  }
  if (revision === known.revision) {
    expectRows(expected, entry, '', 1);
    countFiling(expected.counts, filing, 1);
  }
  known.last = entry;
  known.ingestedAt = filing.ingestedAt;
}
