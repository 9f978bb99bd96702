import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { appendFound } from '../../build/ingest/append.ts';
import { isFarBehind, withKnownLedger } from '../../build/ingest/known.ts';
import { appendBatch, batchCount, batchDirectory } from '../../build/ledger/batch.ts';
import { namesOfSnapshots } from '../../build/snapshot/prune.ts';
import { readSurvey } from '../../build/snapshot/published-survey.ts';
import { verifySnapshot } from '../../build/verify/verify.ts';
import { useDirectories } from '../support/directories.ts';
import { factsTold } from '../support/facts.ts';
import { filing } from '../support/made-up.ts';
import { manyBatchesAt, writeManyBatches } from '../support/many-batches.ts';
import { buildQuietly } from '../support/snapshots.ts';

/** File operations since the last look: all of them, and those in the folders of batches. */
const counted = vi.hoisted(() => ({ all: 0, inBatches: 0 }));

// Files of one worker share their modules: here they are loaded anew, over file systems that count.
vi.hoisted(() => void vi.resetModules());
afterAll(() => {
  vi.doUnmock('node:fs');
  vi.doUnmock('node:fs/promises');
  vi.resetModules();
});

/** The same functions, which count their calls. */
const counting = vi.hoisted(() => <Functions extends object>(real: Functions): Functions => {
  const wrapped = Object.entries(real).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'function' || /^[A-Z_]|Stream$/.test(name)) return [name, value];
    const work = value as (...words: unknown[]) => unknown;
    return [
      name,
      (...words: unknown[]) => {
        counted.all++;
        if (String(words[0]).includes('/batches')) counted.inBatches++;
        return work(...words);
      },
    ];
  });
  return { ...real, ...Object.fromEntries(wrapped) };
});
vi.mock('node:fs/promises', async (original) =>
  counting(await original<typeof import('node:fs/promises')>()),
);
vi.mock('node:fs', async (original) => counting(await original<typeof import('node:fs')>()));

const directory = useDirectories('many-batches');

/** What one step costs. */
interface Cost {
  readonly all: number;
  readonly inBatches: number;
  readonly cpuMs: number;
  /** Of what reads everything, the operations for each batch. */
  readonly forEachBatch?: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const before = { ...counted, cpu: process.cpuUsage() };
  await work();
  const { user, system } = process.cpuUsage(before.cpu);
  return {
    all: counted.all - before.all,
    inBatches: counted.inBatches - before.inBatches,
    cpuMs: (user + system) / 1000,
  };
}

/** Makes a ledger of so many batches with a snapshot, and returns what one more batch costs. */
async function costsOfOneMore(batches: number): Promise<Record<string, Cost>> {
  const [ledgerDirectory, snapshotsDirectory] = [directory(), directory()];
  writeManyBatches(ledgerDirectory, batches);
  await buildQuietly(ledgerDirectory, snapshotsDirectory);
  const folders = { ledgerDirectory, snapshotsDirectory };
  // The first append of a program also loads its modules.
  await appendFound(folders, factsTold('row', 900_001));
  await buildQuietly(ledgerDirectory, snapshotsDirectory);
  const costs = {
    append: await costOf(() => appendFound(folders, factsTold('row', 900_002))),
    'look-up': await costOf(() =>
      withKnownLedger(folders, (known) => known.filings([filing(1).accessionNo, filing(2).accessionNo])),
    ),
    publish: await costOf(() => buildQuietly(ledgerDirectory, snapshotsDirectory)),
    // What `follow` and `reconcile` read when they start.
    start: await costOf(async () => {
      await readSurvey(ledgerDirectory, snapshotsDirectory);
      expect(await isFarBehind(folders)).toBe(false);
    }),
  };
  const verify = await costOf(async () => {
    const [id = ''] = await namesOfSnapshots(snapshotsDirectory);
    await verifySnapshot(snapshotsDirectory, id);
  });
  expect(await batchCount(ledgerDirectory)).toBe(batches + 2);
  // Removing so many files takes longer than the hook that does it at the end may take.
  rmSync(ledgerDirectory, { recursive: true });
  return { ...costs, verify: { ...verify, forEachBatch: verify.all / (batches + 2) } };
}

/**
 * How many times as much a step may cost with many batches as with ten. A snapshot has more segments then:
 * their number grows with the logarithm of the ledger, and so do the steps of the search for its end.
 */
const mostTimes = 3;

async function expectFlat(batches: number): Promise<void> {
  const [few, many] = [await costsOfOneMore(10), await costsOfOneMore(batches)];
  expect(Object.keys(many)).toHaveLength(5);
  for (const [step, { all, inBatches, forEachBatch }] of Object.entries(many)) {
    const base = few[step] as Cost;
    if (forEachBatch !== undefined)
      expect([step, forEachBatch < (base.forEachBatch ?? 0)]).toEqual([step, true]);
    else
      expect([step, all < mostTimes * base.all, inBatches < mostTimes * base.inBatches]).toEqual([
        step,
        true,
        true,
      ]);
  }
}

describe('a ledger of many batches', () => {
  it('is written by these tests with the bytes that an append gives', async () => {
    const [written, appended] = [directory(), directory()];
    writeManyBatches(written, 2);
    for (const number of [1, 2])
      await appendBatch(appended, {
        run: { target: 'follow: AAA', status: 'success', message: null, createdAt: manyBatchesAt(number) },
        filings: number === 1 ? [filing(1)] : [],
        companies: [],
        refusals: [],
      });
    for (const number of [1, 2])
      expect(readFileSync(join(batchDirectory(written, number), 'batch.json'), 'utf8')).toBe(
        readFileSync(join(batchDirectory(appended, number), 'batch.json'), 'utf8'),
      );
  });

  it('with a thousand batches one more costs as much as with ten', { tags: ['slow'], timeout: 180_000 }, () =>
    expectFlat(1005),
  );

  // It makes and builds the ledger first, which takes minutes.
  it(
    'with 100,000 batches one more costs as much as with ten',
    { tags: ['slow', 'nightly'], timeout: 1_800_000 },
    () => expectFlat(100_000),
  );
});
