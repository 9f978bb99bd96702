import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { describePart, replacedPart, type Balance } from './balance.ts';
import type { Corrections } from './corrections.ts';
import { expectFiling, summaryDigest, type Expected } from './expected.ts';
import type { MergedSegments } from './merged-segments.ts';
import type { VerifiedLog } from './verified-log.ts';
import { parseRow } from './check-rows.ts';
import { failAt, type CheckedLine } from './verified-table.ts';

/**
 * Checks the summaries, takes them from `balance`, and adds the notes of those that were corrected to
 * `corrections`. Throws `CorruptSnapshot`.
 */
export function checkSummaries(merged: MergedSegments, balance: Balance, corrections: Corrections): void {
  const take = (line: CheckedLine, state: string): number => {
    const { partition: accessionNo, sort } = line.keys;
    if (sort !== '') failAt(line, 'has a sort key');
    const { sequence } = parseRow('summaries', line);
    const revision = revisionOf(line);
    balance.take(line.table.segment, state, summaryDigest(accessionNo, revision, sequence));
    return revision;
  };
  for (const line of merged.lines('summaries', (line) => void take(line, replacedPart))) {
    const revision = take(line, '');
    if (revision > 1) corrections.addNote(line.keys.partition, revision);
  }
}

/** Throws `CorruptSnapshot` if the summaries do not lead to the last revisions in the log. */
export function settleSummaries(merged: MergedSegments, balance: Balance): void {
  balance.settle(
    (segment, part, difference) =>
      `${merged.path(segment, 'summaries')} does not lead to the last revision of each filing in the log: ${describePart(part)}${difference}`,
  );
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
export function checkRevisions(
  merged: MergedSegments,
  log: VerifiedLog,
  expected: Expected,
  corrections: Corrections,
): void {
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
      const { sequence, revision, ingestedAt } = entry;
      const line = log.placeOf(sequence);
      if (revision !== at + 1) failAt(line, `is revision ${revision} of ${accessionNo} after revision ${at}`);
      if (ingestedAt !== first?.ingestedAt)
        failAt(line, 'says that its filing was recorded at another time than the revision before');
    });
    requireShown(entries.length);
    expectFiling(expected, entries);
  }
}
