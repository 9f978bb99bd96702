import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import { createCorrections } from '../../build/verify/corrections.ts';
import type { FeedEntry } from '../../build/verify/expected.ts';
import { checkFilings, type FilingTotals } from '../../build/verify/filings.ts';
import { openVerifiedLog } from '../../build/verify/verified-log.ts';
import { mergeSegments } from '../../build/verify/merged-segments.ts';
import { withScratch } from '../../build/verify/scratch.ts';
import { verifySnapshot } from '../../build/verify/verify.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { paths, type BatchRow, type Manifest, type TableName } from '../../src/format/snapshot.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { readSegmentHead } from '../../src/table/segment.ts';
import { useDirectories } from '../support/directories.ts';
import { filesBelow } from '../support/files-below.ts';
import { batchAt, company, filing } from '../support/ledgers.ts';
import {
  forgeSegment,
  linesOfTable,
  makeSmallSnapshot,
  type ForgedLine,
  type Forgery,
  type SmallSnapshot,
} from '../support/segments.ts';
import { writeSmallLedger } from '../support/small-ledger.ts';

const fresh = useDirectories('verify-corrections');
let small: SmallSnapshot;
/** Its second batch corrects each of its 400 filings, its third one most of them again. */
let corrected: SmallSnapshot;

beforeAll(async () => {
  const ledgers = [fresh(), fresh()] as const;
  await writeSmallLedger(ledgers[0]);
  small = await makeSmallSnapshot(fresh(), ledgers[0]);
  const numbers = Array.from({ length: 400 }, (_, at) => at + 1);
  for (const [batch, filings] of [
    numbers.map((number) => filing(number)),
    numbers.map((number) => filing(number, { sizeBytes: 7 })),
    numbers.filter((number) => number % 4 !== 1).map((number) => filing(number, { form: '10-Q/A' })),
  ].entries())
    await appendBatch(ledgers[1], {
      run: { target: '', status: 'success', message: null, createdAt: batchAt(batch + 1) },
      filings,
      companies: batch === 0 ? [company(1)] : [],
      refusals: [],
    });
  corrected = await makeSmallSnapshot(fresh(), ledgers[1]);
  expect(corrected.manifest.lastSequence).toBe(1100);
});

function copy(snapshot: SmallSnapshot): SmallSnapshot {
  const directory = fresh();
  cpSync(snapshot.directory, directory, { recursive: true });
  return { ...snapshot, directory };
}

/** What `checkFilings` finds with so many facts in memory, and how it got there. */
async function check(
  { directory, manifest }: SmallSnapshot,
  inMemoryMaximum?: number,
): Promise<{ totals: FilingTotals; passes: Record<string, number>; filesOnDisk: number }> {
  const batches: BatchRow[] = [];
  for (const at of manifest.segments.keys())
    batches.push(
      ...(await linesOfTable({ directory, id: '', manifest }, at, 'batches'))
        .reverse()
        .map(({ row }) => JSON.parse(row ?? '') as BatchRow),
    );
  return withPartFolder(directory, async (folder) => {
    const segments = await Promise.all(
      manifest.segments.map(async (entry) => ({
        ...entry,
        head: await readSegmentHead(folder, entry.name, entry.headSha256),
      })),
    );
    const merged = mergeSegments(directory, segments, quietProgress);
    const log = openVerifiedLog(directory, manifest, readLog(directory, manifest), quietProgress);
    const passes: Record<string, number> = {};
    const counting = {
      ...merged,
      // Whoever reads a table past `lines` fails.
      directory: '/nowhere',
      lines(name: TableName, ...rest: [] | [() => void]) {
        passes[name] = (passes[name] ?? 0) + 1;
        return merged.lines(name, ...rest);
      },
    };
    const countingLog = {
      ...log,
      entries() {
        passes['log'] = (passes['log'] ?? 0) + 1;
        return log.entries();
      },
    };
    try {
      return await withScratch(async (scratch) => {
        const totals = checkFilings(counting, countingLog, batches, scratch, inMemoryMaximum);
        return { totals, passes, filesOnDisk: filesBelow(scratch.directory).length };
      });
    } finally {
      merged.close();
    }
  });
}

function readLog(directory: string, { log }: Manifest) {
  const path = join(directory, paths.file(log.sha256));
  return { path, value: JSON.parse(readFileSync(path, 'utf8')) as unknown };
}

/** What can be compared of totals. */
const numbersOf = ({ filings, newest, forms, days, families }: FilingTotals) => ({
  filings,
  newest,
  forms,
  days,
  families,
});

describe('corrections', () => {
  it('verification reads the log once however many filings were corrected and however few are in memory', {
    tags: ['slow'],
  }, async () => {
    for (const [snapshot, maxima] of [
      [small, [1, 2, 3]],
      [corrected, [50, 100]],
    ] as const) {
      const all = await check(snapshot);
      expect(all.filesOnDisk).toBe(0);
      for (const inMemoryMaximum of maxima) {
        const { totals, passes, filesOnDisk } = await check(snapshot, inMemoryMaximum);
        // The newest filing is the first row of `latest`.
        expect(passes).toEqual({ summaries: 1, log: 1, 'change-dates': 1, latest: 2 });
        expect(numbersOf(totals)).toEqual(numbersOf(all.totals));
        expect(totals.filings).toBe(snapshot.manifest.filingCount);
        // Each run has a file of rows and a file of its index.
        expect(filesOnDisk).toBeGreaterThan(2 * 5);
      }
    }
    await verifySnapshot(corrected.directory, corrected.id);
  });

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
  const noted = (number: number, note: string | undefined) => (lines: ForgedLine[]) => {
    const wanted = filing(number).accessionNo;
    expect(lines.some(({ partition }) => partition === wanted)).toBe(true);
    return lines.map((line) => (line.partition === wanted ? { ...line, note } : line));
  };
  // The segments of the snapshot are one, so a forgery changes all that there is.
  const forgeries: readonly (readonly [string, Forgery, RegExp])[] = [
    ['a note more', { summaries: noted(5, '{"revision":3}') }, /has revision 3, the feed has 2/],
    ['a note less', { summaries: noted(8, undefined) }, /has revision 1, the feed has 3/],
    [
      'a gap between revisions',
      { log: edit(isEntry(2, 8), (row) => row.replace('"revision":2', '"revision":4')) },
      /is revision 4 of .*-000008 after revision 1/,
    ],
    [
      'another time of recording in a correction',
      {
        log: edit(isEntry(3, 8), (row) =>
          row.replace(/"ingestedAt":"[^"]+"/, `"ingestedAt":"${batchAt(9)}"`),
        ),
      },
      /says that its filing was recorded at another time than the revision before/,
    ],
  ];
  it.each(forgeries)('verification finds %s, however few are in memory', async (_, forgery, message) => {
    expect(corrected.manifest.segments.length).toBe(1);
    const forged = await forgeSegment(copy(corrected), 0, forgery);
    for (const inMemoryMaximum of [50, undefined])
      await expect(check(forged, inMemoryMaximum)).rejects.toThrow(message);
  });

  it('notes and entries come back sorted by filing, in whatever order they came', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 10 }),
        async (sequences, inMemoryMaximum) => {
          const accessionOf = (sequence: number) => filing(1 + (sequence % 5)).accessionNo;
          const entryOf = (sequence: number): FeedEntry => ({
            segment: 0,
            accessionNo: accessionOf(sequence),
            sequence,
            revision: 1,
            order: '',
            form: '4',
            items: [],
            filedAt: null,
            eventType: 'other',
            ingestedAt: batchAt(1),
            companies: ['1'],
            issuer: null,
            line: Buffer.from([sequence, 1]),
          });
          const found = await withScratch(async (scratch) => {
            const corrections = createCorrections(scratch, inMemoryMaximum);
            const isNoted = (accessionNo: string) => accessionNo !== filing(2).accessionNo;
            const filings = new Set(sequences.map(accessionOf));
            for (const accessionNo of filings) if (isNoted(accessionNo)) corrections.addNote(accessionNo, 9);
            for (const accessionNo of filings)
              expect(corrections.mayHaveNote(accessionNo)).toBe(isNoted(accessionNo));
            for (const sequence of sequences) corrections.addEntry(accessionOf(sequence), entryOf(sequence));
            return [...corrections.byFiling()];
          });
          const expected = [...new Set(sequences.map(accessionOf))].sort().map((accessionNo) => ({
            accessionNo,
            shown: accessionNo === filing(2).accessionNo ? 1 : 9,
            entries: sequences
              .filter((sequence) => accessionOf(sequence) === accessionNo)
              .sort((a, b) => a - b)
              .map(entryOf),
          }));
          expect(found).toEqual(expected);
        },
      ),
      { numRuns: 20 },
    ));
});
