import { FilingSummary } from '../../src/contract/records.ts';
import { allPartition, feedOrder } from '../../src/contract/snapshot.ts';
import { rowExtent } from '../../src/table/line.ts';
import type { Chunk } from '../../src/table/chunk.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { describePart, digestOf, replacedPart, type Balance } from './balance.ts';
import type { Corrections } from './corrections.ts';
import { expectFiling, summaryDigest, type Expected } from './expected.ts';
import type { MergedSegments } from './merge.ts';
import { parseText } from './rows.ts';
import { failAt, type CheckedLine } from './table.ts';

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
 * Checks the summaries, takes them from `balance`, and adds the notes of those that were corrected to
 * `corrections`. Throws `CorruptSnapshot`.
 */
export function checkSummaries(merged: MergedSegments, balance: Balance, corrections: Corrections): void {
  const take = (line: CheckedLine, state: string): number => {
    const digest = filingInSummary(line);
    const revision = revisionOf(line);
    balance.take(line.table.segment, state, summaryDigest(revision, digest));
    return revision;
  };
  for (const line of merged.lines('summaries', (line) => void take(line, replacedPart))) {
    const revision = take(line, '');
    if (revision > 1) corrections.addNote(line.keys.partition, revision);
  }
}

/** Throws `CorruptSnapshot` if the summaries are not those of the last revisions in the feed. */
export function settleSummaries(merged: MergedSegments, balance: Balance): void {
  balance.settle(
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

/**
 * Checks the revisions of each corrected filing: they count from 1 without a gap to the one that its summary
 * has, and all were recorded at the same time. Adds their rows to `expected`. Throws `CorruptSnapshot`.
 */
export function checkRevisions(merged: MergedSegments, expected: Expected, corrections: Corrections): void {
  const path = merged.path(merged.segments.length - 1, 'summaries');
  for (const { accessionNo, shown, entries } of corrections.byFiling()) {
    const requireShown = (revision: number) => {
      if (shown !== revision)
        throw new CorruptSnapshot(`${path}: ${accessionNo} has revision ${shown}, the feed has ${revision}`);
    };
    const [first] = entries;
    // Without a note, the first revision was not added, so counting from it would blame the feed.
    if (shown === 1) requireShown(entries.at(-1)?.revision ?? 0);
    entries.forEach((entry, at) => {
      const { segment, sequence, revision, ingestedAt } = entry;
      const line = {
        table: { rows: merged.path(segment, 'changes') },
        keys: { partition: allPartition, sort: feedOrder(sequence) },
      };
      if (revision !== at + 1) failAt(line, `is revision ${revision} of ${accessionNo} after revision ${at}`);
      if (ingestedAt !== first?.ingestedAt)
        failAt(line, 'says that its filing was recorded at another time than the revision before');
    });
    requireShown(entries.length);
    expectFiling(expected, entries);
  }
}
