import { cpSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { filingPartition } from '../../src/format/filing-partition.ts';
import { verifySnapshot } from '../../build/verify/verify.ts';
import { useDirectories } from '../support/directories.ts';
import { appendMadeUp, batchAt, company, filing } from '../support/ledgers.ts';
import {
  forgeSegment,
  makeSmallSnapshot,
  type ForgedLine,
  type Forgery,
  type SmallSnapshot,
} from '../support/segments.ts';

const fresh = useDirectories('verify-corrections');
/** Its second batch corrects each of its 400 filings, its third one most of them again. */
let corrected: SmallSnapshot;

beforeAll(async () => {
  const ledger = fresh();
  const numbers = Array.from({ length: 400 }, (_, at) => at + 1);
  for (const [batch, filings] of [
    numbers.map((number) => filing(number)),
    numbers.map((number) => filing(number, { sizeBytes: 7 })),
    numbers.filter((number) => number % 4 !== 1).map((number) => filing(number, { form: '10-Q/A' })),
  ].entries())
    await appendMadeUp(ledger, batch + 1, {
      filings,
      companies: batch === 0 ? [company(1)] : [],
    });
  corrected = await makeSmallSnapshot(fresh(), ledger);
  expect(corrected.manifest.lastSequence).toBe(1100);
});

describe('a snapshot with many corrections', () => {
  const edit =
    (isWanted: (line: ForgedLine) => boolean, change: (row: string) => string) =>
    (lines: ForgedLine[]): ForgedLine[] => {
      expect(lines.some(isWanted)).toBe(true);
      return lines.map((line) => (isWanted(line) ? { ...line, row: change(line.row ?? '') } : line));
    };
  const isEntry = (revision: number, number: number) => (line: ForgedLine) =>
    (line.row?.includes(`"revision":${revision},`) &&
      line.row.includes(`"accessionNo":"${filing(number).accessionNo}"`)) ??
    false;
  /** Changes an entry in the log and in the feed of its company. */
  const entry = (revision: number, number: number, change: (row: string) => string): Forgery => ({
    log: edit(isEntry(revision, number), change),
    'company-changes': edit(isEntry(revision, number), change),
  });
  const noted = (number: number, note: string | undefined) => (lines: ForgedLine[]) => {
    const wanted = filingPartition(filing(number).accessionNo);
    expect(lines.some(({ partition }) => partition === wanted)).toBe(true);
    return lines.map((line) => (line.partition === wanted ? { ...line, note } : line));
  };
  // The segments of the snapshot are one, so a forgery changes all that there is.
  const forgeries: readonly (readonly [string, Forgery, RegExp])[] = [
    [
      'a note more',
      { summaries: noted(5, '{"revision":3}') },
      /summaries\.jsonl\.gz is not what the log gives.*holds another row/,
    ],
    [
      'a note less',
      { summaries: noted(8, undefined) },
      /is revision 2 of .*summaries\.jsonl\.gz does not tell its revision/,
    ],
    [
      'a gap between revisions',
      entry(2, 8, (row) => row.replace('"revision":2', '"revision":4')),
      /is revision 4 of .*, behind revision 1/,
    ],
    [
      'another time of recording in a correction',
      entry(3, 8, (row) => row.replace(/"ingestedAt":"[^"]+"/, `"ingestedAt":"${batchAt(9)}"`)),
      /was recorded at 2026-03-09T.*, revision 2 at 2026-03-01/,
    ],
    [
      'an entry of another filing',
      entry(2, 8, (row) => row.replaceAll(filing(8).accessionNo, filing(9).accessionNo)),
      /is revision 3 of .*, behind revision 1/,
    ],
  ];
  it('a snapshot with many corrections is sound', () => verifySnapshot(corrected.directory, corrected.id));
  it.each(forgeries)('verification finds %s', async (_, forgery, message) => {
    expect(corrected.manifest.segments.length).toBe(1);
    const directory = fresh();
    cpSync(corrected.directory, directory, { recursive: true });
    const forged = await forgeSegment({ ...corrected, directory }, 0, forgery);
    await expect(verifySnapshot(directory, forged.id)).rejects.toThrow(message);
  });
});
