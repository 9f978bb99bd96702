// @module-tag slow
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tryLockFile } from '../../build/disk/lock.ts';
import { preparedFile, preparedSegments } from '../../build/fold/prepared.ts';
import { openPreparation } from '../../build/snapshot/prepare.ts';
import { prune } from '../../build/snapshot/prune.ts';
import { paths } from '../../src/format/snapshot.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { useDirectories } from '../support/directories.ts';
import { appendFilings, generateLedger } from '../support/generate.ts';
import { buildQuietly, contentBelow } from '../support/snapshots.ts';
import { manifestOf, wholeSnapshot } from '../support/whole.ts';

const fresh = useDirectories('prepare');

const shape = { filings: 4400, companies: 30, batches: 1 };
let ledger: string;
/** Snapshots of the first two batches, whose segments wait to be joined. */
let waiting: string;
/** The same, with the join made beforehand, and the name of its segment. */
let prepared: string;
let made: string;
/** What the snapshot of all three batches has, built at once, and how many lines that build writes. */
let expected: Record<string, string>;
let linesOfAll: number;

const snapshotsOf = (directory: string) => {
  const copy = join(fresh(), 'copy');
  cpSync(directory, copy, { recursive: true });
  return copy;
};
const rangesOf = async (directory: string) =>
  (await manifestOf(directory)).segments.map(({ from, to }) => `${from}-${to}`);
/** The number of lines that a build writes into segments. */
async function linesWritten(snapshots: string): Promise<number> {
  let [lines, isWriting] = [0, false];
  await buildQuietly(ledger, snapshots, {
    progress: {
      begin: (name) => void (isWriting = name === 'writing a segment'),
      expect() {},
      step: (count = 1) => void (lines += isWriting ? count : 0),
      stop() {},
    },
  });
  return lines;
}
const segmentPath = (directory: string, name: string) => join(directory, paths.segments, name);
const contentOf = async (directory: string) =>
  Object.fromEntries(
    (await manifestOf(directory)).segments.flatMap(({ name }) =>
      Object.entries(contentBelow(segmentPath(directory, name))).map(([path, text]) => [
        `${name}/${path}`,
        text,
      ]),
    ),
  );

async function prepare(directory: string) {
  const preparation = openPreparation(directory);
  try {
    return await preparation.prepare();
  } finally {
    preparation.close();
  }
}

beforeAll(async () => {
  [ledger, waiting] = [fresh(), fresh()];
  await generateLedger(ledger, shape);
  await buildQuietly(ledger, waiting);
  await appendFilings(ledger, shape, 1300, 0);
  await buildQuietly(ledger, waiting);
  await appendFilings(ledger, shape, 150, 20);
  const joined = fresh();
  linesOfAll = await linesWritten(joined);
  expected = await contentOf(joined);
  prepared = snapshotsOf(waiting);
  const [segment] = await prepare(prepared);
  expect(segment).toMatchObject({ from: 1, to: 2 });
  made = segment?.name ?? '';
  // Three builds of thousands of filings take long on a busy machine.
}, 120_000);

describe('joins that are prepared', () => {
  it('a publication takes a prepared join, writes only its own rows, and publishes the same bytes', async () => {
    expect(await rangesOf(waiting)).toEqual(['1-1', '2-2']);
    const snapshots = snapshotsOf(prepared);
    // Nothing that is served has changed.
    expect(await rangesOf(snapshots)).toEqual(['1-1', '2-2']);
    expect(await preparedSegments(snapshots)).toEqual([made]);
    // What is prepared is not made again.
    expect(await prepare(snapshots)).toEqual([]);

    const lines = await linesWritten(snapshots);
    expect(await rangesOf(snapshots)).toEqual(['1-2', '3-3']);
    expect(await contentOf(snapshots)).toEqual(expected);
    await wholeSnapshot(snapshots);
    // 150 of 5,850 filings.
    expect(lines * 20).toBeLessThan(linesOfAll);
    expect(lines).toBeGreaterThan(0);

    // The list forgets what the layout has taken.
    expect(await prepare(snapshots)).toEqual([]);
    expect(await preparedSegments(snapshots)).toEqual([]);
  });

  it('a build makes the join itself if what was prepared is damaged or of other segments', async () => {
    const list = (snapshots: string) => join(snapshots, preparedFile);
    const damages: ((snapshots: string) => void)[] = [
      (snapshots) => truncateSync(list(snapshots), 40),
      (snapshots) => rmSync(segmentPath(snapshots, made), { recursive: true }),
      (snapshots) => truncateSync(join(segmentPath(snapshots, made), 'segment.json'), 100),
      (snapshots) =>
        writeFileSync(
          list(snapshots),
          readFileSync(list(snapshots), 'utf8').replace('"inputs":["1-1-', '"inputs":["1-1-0'),
        ),
    ];
    for (const damage of damages) {
      const snapshots = snapshotsOf(prepared);
      damage(snapshots);
      await buildQuietly(ledger, snapshots);
      expect(await contentOf(snapshots)).toEqual(expected);
    }
    const snapshots = snapshotsOf(waiting);
    writeFileSync(list(snapshots), '{"format":2,"joins":[]}\n');
    expect(await preparedSegments(snapshots)).toEqual([]);
  });

  it('prune keeps a prepared join while it waits, and removes it when it is no longer wanted', async () => {
    const snapshots = snapshotsOf(prepared);
    const isThere = () => existsSync(segmentPath(snapshots, made));
    const pruneAll = () => withPartFolder(snapshots, (folder) => prune(folder, Date.now() + 86_400_000));
    await pruneAll();
    expect(isThere()).toBe(true);
    // Another ledger is published instead.
    const other = fresh();
    await generateLedger(other, { ...shape, filings: 20 });
    for (let times = 0; times < 3; times++) {
      await buildQuietly(other, snapshots, { replace: true });
      await appendFilings(other, shape, 1, times);
    }
    expect(await prepare(snapshots)).toEqual([]);
    await pruneAll();
    expect(isThere()).toBe(false);
  });

  it('one process prepares at a time, and it prepares nothing where there is no snapshot', async () => {
    expect(await prepare(fresh())).toEqual([]);
    const snapshots = snapshotsOf(waiting);
    const lock = tryLockFile(join(snapshots, '.prepare.lock'));
    expect(await prepare(snapshots)).toEqual([]);
    lock?.release();
    const preparation = openPreparation(snapshots);
    // Calls that overlap make each join once.
    const joins = await Promise.all([preparation.prepare(), preparation.prepare()]);
    preparation.close();
    expect(joins.flat()).toHaveLength(1);
  });
});
