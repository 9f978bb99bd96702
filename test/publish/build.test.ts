// @module-tag slow
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { batchDirectory, BrokenLedger } from '../../build/ledger/batch.ts';
import { BuildRefused } from '../../build/snapshot/build.ts';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { prune } from '../../build/snapshot/prune.ts';
import type { CompanyProfile, Filing } from '../../src/contract/records.ts';
import { allPartition, paths, Routes, tableNames } from '../../src/format/snapshot.ts';
import { segmentParts } from '../../src/table/segment.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { CorruptSnapshot, sha256Of } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';
import { partitionOf, rowsOfTable } from '../support/published-rows.ts';
import { generateLedger } from '../support/generate.ts';
import { appendMadeUp, cikOf, company, filing } from '../support/ledgers.ts';
import { seenProgress } from '../support/progress.ts';
import { rewrite } from '../support/rewrite.ts';
import { buildQuietly, contentBelow, filesBelow, namesIn, plainSettings } from '../support/snapshots.ts';
import { manifestOf, partsOfSnapshot, wholeSnapshot } from '../support/whole.ts';
import { needs } from '../support/needs.ts';

const fresh = useDirectories('build');

/** Appends a batch that brings these filings. */
const append = (ledger: string, number: number, filings: readonly number[], form = '10-Q') =>
  appendMadeUp(ledger, number, {
    filings: filings.map((each) => filing(each, { form })),
    companies: number === 1 ? [company(1), company(3, null)] : [],
  });

async function ledgerOf(...batches: readonly (readonly number[])[]): Promise<string> {
  const ledger = fresh();
  for (const [at, filings] of batches.entries()) await append(ledger, at + 1, filings);
  return ledger;
}
/** Builds. Returns the name of the snapshot, and what was said. */
async function built(ledger: string, snapshots: string): Promise<{ id: string; lines: string[] }> {
  const lines: string[] = [];
  return { id: await buildQuietly(ledger, snapshots, { log: (line) => void lines.push(line) }), lines };
}
const current = async (snapshots: string) => (await readPointer(snapshots))?.snapshotId;

/** Replaces a file by a new one, because others may have the old one open. */
function overwrite(path: string, change: (bytes: Buffer) => Buffer): void {
  const bytes = change(readFileSync(path));
  rmSync(path);
  writeFileSync(path, bytes);
}
/** Flips a bit in the middle. */
const flipped = (bytes: Buffer) => {
  const bad = Buffer.from(bytes);
  const at = bad.length >> 1;
  bad[at] = (bad[at] as number) ^ 4;
  return bad;
};
const half = (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1);
/** The text of a public file. */
async function publicText(snapshots: string, path: string): Promise<string> {
  const { routes } = await manifestOf(snapshots);
  const { [path]: route } = Routes.parse(
    JSON.parse(readFileSync(join(snapshots, paths.file(routes.sha256)), 'utf8')),
  );
  return readFileSync(join(snapshots, paths.file(route?.file.sha256 ?? '')), 'utf8');
}

describe('a build', () => {
  it('a build stages, checks, publishes and says what it made', async () => {
    const ledger = await ledgerOf([1, 2], [3]);
    const snapshots = join(fresh(), 'new', 'snapshots');
    const { id, lines } = await built(ledger, snapshots);
    expect(namesIn(snapshots)).toEqual([paths.pointer, 'files', 'manifests', 'segments']);
    expect(readdirSync(join(snapshots, 'manifests'))).toEqual([`${id}.json`]);
    const manifest = await wholeSnapshot(snapshots, id);
    expect(await readPointer(snapshots)).toEqual({
      format: 5,
      snapshotId: id,
      manifestSha256: sha256Of(readFileSync(join(snapshots, paths.manifest(id)))),
      previous: [],
    });
    expect(readdirSync(join(snapshots, 'segments')).sort()).toEqual(
      manifest.segments.map(({ name }) => name).sort(),
    );
    expect(Object.keys(await partsOfSnapshot(snapshots)).sort()).toEqual(
      filesBelow(snapshots).filter((path) => path !== paths.pointer),
    );
    expect(lines).toEqual([`snapshot ${id}: 3 filings of 2 companies from 2 batches`]);
    for (const directory of ['.', 'segments', 'files', 'manifests', `segments/${manifest.segments[0]?.name}`])
      expect(statSync(join(snapshots, directory)).mode & 0o755).toBe(0o755);
  });

  it('a build counts what it reads and writes', async () => {
    const ledger = await ledgerOf([1, 2], [3]);
    const snapshots = fresh();
    await buildQuietly(ledger, snapshots);
    await append(ledger, 3, [4]);
    const { progress, works } = seenProgress();
    await buildQuietly(ledger, snapshots, { progress });
    const manifest = await manifestOf(snapshots);
    const of = (wanted: string) => works.find(({ name }) => name === wanted);
    expect(of('folding batches')).toEqual({ name: 'folding batches', totals: [1], isAll: true, done: 1 });
    // The one batch is joined with the two before it, so that all lines of tables are written once.
    expect(manifest.segments.map(({ from, to }) => [from, to])).toEqual([[1, 3]]);
    const rows = await Promise.all(
      tableNames.map(async (name) => (await rowsOfTable(snapshots, manifest, name)).length),
    );
    expect(of('writing a segment')?.done).toBe(rows.reduce((sum, each) => sum + each, 0));
    const { routes } = manifest;
    expect(of('making pages')?.done).toBe(
      Object.keys(JSON.parse(readFileSync(join(snapshots, paths.file(routes.sha256)), 'utf8')) as object)
        .length,
    );
  });

  it('a build with nothing new writes only pointer and manifest, with the same bytes', async () => {
    const ledger = await ledgerOf([1, 2, 3], [4]);
    const snapshots = fresh();
    const id = await buildQuietly(ledger, snapshots);
    const before = filesBelow(snapshots).map((path) => [path, stateOf(join(snapshots, path))]);
    expect(await buildQuietly(ledger, snapshots)).toBe(id);
    const after = filesBelow(snapshots).map((path) => [path, stateOf(join(snapshots, path))]);
    const rewritten = [paths.pointer, paths.manifest(id)];
    expect(after.filter(([path]) => !rewritten.includes(path as string))).toEqual(
      before.filter(([path]) => !rewritten.includes(path as string)),
    );
    expect(await readPointer(snapshots)).toMatchObject({ snapshotId: id, previous: [] });
  });
});

/** Changes whenever a file is replaced or written. */
function stateOf(path: string): string {
  const { ino, mtimeMs, size } = statSync(path);
  return [ino, mtimeMs, size].join(' ');
}

/** Bytes that this process has given to files and pipes so far. */
function bytesWritten(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

describe('a build after one more batch', () => {
  const rows = 3_000;

  it('a build after one more batch writes new segments, changed files, and little in all', {
    ...needs('descriptors'),
    timeout: 180_000,
  }, async () => {
    const [ledger, snapshots] = [fresh(), fresh()];
    await generateLedger(ledger, { filings: rows, companies: 300, batches: 2 });
    const first = await buildQuietly(ledger, snapshots);
    const before = new Map(filesBelow(snapshots).map((path) => [path, stateOf(join(snapshots, path))]));
    const old = await manifestOf(snapshots);
    await appendMadeUp(ledger, 3, {
      filings: Array.from({ length: 50 }, (_, at) => filing(at, { filerCiks: [cikOf(1 + (at % 5))] })),
      companies: [1, 2, 3, 4, 5].map((each) => company(each)),
    });
    const from = bytesWritten();
    const second = await buildQuietly(ledger, snapshots);
    const to = bytesWritten();

    const manifest = await wholeSnapshot(snapshots);
    expect(manifest.filingCount).toBe(rows + 50);
    expect(manifest.segments.slice(0, -1)).toEqual(old.segments);
    expect(statSync(join(snapshots, paths.manifest(second))).size).toBeLessThan(64 * 1024);
    const added = filesBelow(snapshots).filter((path) => !before.has(path));
    const newSegment = join(paths.segments, manifest.segments.at(-1)?.name ?? '');
    expect(added.filter((path) => !path.startsWith(newSegment) && !path.startsWith('files/'))).toEqual([
      paths.manifest(second),
    ]);
    // The time of the manifest tells when its snapshot stopped being current.
    for (const [path, state] of before)
      if (path !== paths.pointer && !path.startsWith('manifests/'))
        expect([path, stateOf(join(snapshots, path))]).toEqual([path, state]);
    // Most pages are what they were.
    const files = [...before.keys()].filter((path) => path.startsWith('files/')).length;
    expect(added.filter((path) => path.startsWith('files/')).length).toBeLessThan(files / 2);
    const bytes = added.reduce((sum, path) => sum + statSync(join(snapshots, path)).size, 0);
    expect(bytes).toBeLessThan(2_200_000);
    // This counts temporary files, too.
    expect(to - from).toBeLessThan(8_000_000);
    expect(to - from).toBeGreaterThanOrEqual(bytes);
    expect(await readPointer(snapshots)).toMatchObject({ snapshotId: second, previous: [first] });
  });

  it('builds after each batch give what one build of all gives, with a manifest that does not grow', {
    timeout: 180_000,
  }, async () => {
    const [ledger, step] = [fresh(), fresh()];
    let id = '';
    let manifests = 0;
    for (let number = 1; number <= 24; number++) {
      await append(ledger, number, [number, number + 1, 100 + number], number % 3 === 0 ? '10-K' : '10-Q');
      if (number % 4 !== 0 && number > 6) continue;
      id = await buildQuietly(ledger, step);
      manifests = Math.max(manifests, statSync(join(step, paths.manifest(id))).size);
    }
    const once = fresh();
    expect(await buildQuietly(ledger, once)).toBe(id);
    expect(await partsOfSnapshot(step)).toEqual(await partsOfSnapshot(once));
    expect((await wholeSnapshot(step)).segments.length).toBeLessThan(8);
    expect(manifests).toBeLessThan(16 * 1024);
  });

  it('a manifest stays within its bound with settings of the greatest length', async () => {
    const snapshots = fresh();
    const plan = {
      name: '€'.repeat(60),
      price: '€'.repeat(60),
      requests: '€'.repeat(120),
      includes: Array.from({ length: 12 }, () => '€'.repeat(120)),
      url: 'https://example.com/',
    };
    const id = await buildQuietly(await ledgerOf([1]), snapshots, {
      settings: { ...plainSettings, plans: Array.from({ length: 12 }, () => plan) },
    });
    expect(statSync(join(snapshots, paths.manifest(id))).size).toBeLessThan(64 * 1024);
    await wholeSnapshot(snapshots, id);
  });
});

describe('a part that has rotted', () => {
  const growing = async () => {
    const ledger = await ledgerOf(
      Array.from({ length: 40 }, (_, at) => at),
      [50],
      [51],
    );
    const snapshots = fresh();
    const id = await buildQuietly(ledger, snapshots);
    return { ledger, snapshots, id, manifest: await manifestOf(snapshots, id) };
  };

  it('a build does not build on a rotten, short or empty part: it makes everything again, and says so', async () => {
    const { ledger, snapshots, id, manifest } = await growing();
    const whole = await partsOfSnapshot(snapshots);
    const [oldest = { name: '' }] = manifest.segments;
    const empty = () => Buffer.alloc(0);
    for (const [part, damage] of [
      [segmentParts.rows(oldest.name, 'summaries'), flipped],
      [segmentParts.index(oldest.name, 'latest'), half],
      [segmentParts.head(oldest.name), empty],
      [paths.file(manifest.routes.sha256), flipped],
      [paths.file(manifest.documents['stats']?.sha256 ?? ''), half],
      [paths.manifest(id), flipped],
    ] as const) {
      const broken = join(fresh(), 'broken');
      cpSync(snapshots, broken, { recursive: true });
      overwrite(join(broken, part), damage);
      await expect(wholeSnapshot(broken), part).rejects.toThrow();
      const again = await built(ledger, broken);
      expect(again, part).toMatchObject({ id, lines: [expect.stringContaining(part), expect.anything()] });
      expect(await partsOfSnapshot(broken), part).toEqual(whole);
      await wholeSnapshot(broken);
    }
  });

  it('a build makes a rotten part again when it joins its batches with new ones', async () => {
    const { ledger, snapshots, manifest } = await growing();
    const last = manifest.segments.at(-1);
    overwrite(join(snapshots, segmentParts.rows(last?.name ?? '', 'batches')), flipped);
    await append(ledger, 4, [52]);
    const { id, lines } = await built(ledger, snapshots);
    expect(lines[0]).toContain('everything is made again');
    expect(await buildQuietly(ledger, fresh())).toBe(id);
    await wholeSnapshot(snapshots);
  });

  it('a build makes a rotten page again, and leaves the others alone', async () => {
    const {
      ledger,
      snapshots,
      id,
      manifest: { documents, routes },
    } = await growing();
    const files = filesBelow(join(snapshots, 'files'));
    const before = new Map(files.map((path) => [path, stateOf(join(snapshots, 'files', path))]));
    // Where a document or the list of the pages has rotted, it is not known what there was.
    const needed = new Set([...Object.values(documents), routes].map(({ sha256 }) => sha256));
    const pages = files.filter((path) => !needed.has(basename(path)));
    const rotten = pages.filter((_, at) => at % 40 === 7);
    for (const path of rotten) overwrite(join(snapshots, 'files', path), flipped);
    const lost = pages[11] as string;
    rmSync(join(snapshots, 'files', lost));
    expect(await buildQuietly(ledger, snapshots)).toBe(id);
    await wholeSnapshot(snapshots);
    const touched = files.filter((path) => stateOf(join(snapshots, 'files', path)) !== before.get(path));
    expect(touched.sort()).toEqual([...rotten, lost].sort());
  });

  it('a build does not trust what a killed build left under a name that it needs', async () => {
    const ledger = await ledgerOf(
      Array.from({ length: 40 }, (_, at) => at),
      [50],
    );
    const done = fresh();
    const id = await buildQuietly(ledger, done);
    const whole = await partsOfSnapshot(done);
    const left = join(fresh(), 'left');
    cpSync(done, left, { recursive: true });
    rmSync(join(left, paths.pointer));
    for (const [at, path] of filesBelow(left).entries()) overwrite(join(left, path), at % 2 ? half : flipped);
    expect(await buildQuietly(ledger, left)).toBe(id);
    expect(await partsOfSnapshot(left)).toEqual(whole);
    await wholeSnapshot(left);
  });
});

/**
 * Expects that a build refuses and leaves everything as it was. Segments that it has made by then are
 * pruned.
 */
async function refused(ledger: string, snapshots: string): Promise<Error> {
  const before = contentBelow(snapshots);
  const error = await buildQuietly(ledger, snapshots).then(
    () => null,
    (caught: unknown) => caught as Error,
  );
  expect(error).not.toBeNull();
  const folder = openPartFolder(snapshots);
  if (before[paths.pointer] !== undefined && !(error instanceof CorruptSnapshot))
    expect(await prune(folder, Date.now() + 3_600_000)).toEqual([]);
  await folder.close();
  expect(Object.keys(contentBelow(snapshots))).toEqual(Object.keys(before));
  expect(contentBelow(snapshots)).toEqual(before);
  expect(namesIn(snapshots).filter((name) => name.startsWith('.'))).toEqual([]);
  return error as Error;
}

describe('a build refuses', () => {
  it('a build refuses a ledger that lacks filings of the current snapshot, unless told to replace it', async () => {
    const snapshots = fresh();
    const first = await buildQuietly(await ledgerOf([1, 2, 3]), snapshots);
    const smaller = await ledgerOf([3, 4]);
    const error = await refused(smaller, snapshots);
    expect(error).toBeInstanceOf(BuildRefused);
    expect(error.message).toMatch(
      new RegExp(
        `the current snapshot knows 2 filings that this ledger lacks, the first is ${filing(1).accessionNo}; nothing was published`,
      ),
    );
    const second = await buildQuietly(smaller, snapshots, { replace: true });
    expect(await readPointer(snapshots)).toMatchObject({ snapshotId: second, previous: [first] });
  });

  it('a build refuses a ledger whose past has changed', async () => {
    const snapshots = fresh();
    const ledger = await ledgerOf([1], [2]);
    const first = await buildQuietly(ledger, snapshots);
    rmSync(batchDirectory(ledger, 2), { recursive: true });
    await append(ledger, 3, [2, 4], '10-K');
    const error = await refused(ledger, snapshots);
    expect(error).toBeInstanceOf(BuildRefused);
    expect(error.message).toContain('batch 2 of the ledger is not the one that');
    expect(await buildQuietly(ledger, snapshots, { replace: true })).not.toBe(first);
  });

  it('a build refuses a ledger whose last batches are gone, although no filing is', async () => {
    const snapshots = fresh();
    const ledger = await ledgerOf([1], []);
    await buildQuietly(ledger, snapshots);
    rmSync(batchDirectory(ledger, 2), { recursive: true });
    expect(await refused(ledger, snapshots)).toBeInstanceOf(BuildRefused);
  });

  it('a build refuses an absent, an empty and a broken ledger', async () => {
    const snapshots = fresh();
    const ledger = await ledgerOf([1, 2], [3]);
    const id = await buildQuietly(ledger, snapshots);
    for (const empty of [join(snapshots, '..', 'nowhere'), fresh()]) {
      const error = await refused(empty, snapshots);
      expect([error instanceof BuildRefused, error.message]).toEqual([true, `${empty} holds no batch`]);
    }
    const damages: ((broken: string) => void)[] = [
      (broken) => rmSync(batchDirectory(broken, 1), { recursive: true }),
      (broken) => rmSync(join(batchDirectory(broken, 2), 'filings-1.csv')),
      (broken) => writeFileSync(join(batchDirectory(broken, 1), 'companies.csv'), 'x', { flag: 'a' }),
    ];
    for (const [at, damage] of damages.entries()) {
      const broken = join(fresh(), 'broken');
      cpSync(ledger, broken, { recursive: true });
      damage(broken);
      const nowhere = fresh();
      expect(
        await buildQuietly(broken, nowhere).then(
          () => null,
          (error: unknown) => error,
        ),
      ).toBeInstanceOf(BrokenLedger);
      expect(filesBelow(nowhere).filter((path) => !path.startsWith('segments/'))).toEqual([]);
      // Of a batch that is in the snapshot, the build reads only its head.
      if (at === 0) expect(await refused(broken, snapshots)).toBeInstanceOf(BrokenLedger);
      else expect(await buildQuietly(broken, snapshots)).toBe(id);
    }
    expect(await current(snapshots)).toBe(id);
  });

  it('a build refuses a new batch that was changed, or that does not follow the one before', async () => {
    const snapshots = fresh();
    const ledger = await ledgerOf([1, 2], [3]);
    await buildQuietly(ledger, snapshots);
    await append(ledger, 3, [4]);
    const damages: ((broken: string) => void)[] = [
      (broken) => rmSync(join(batchDirectory(broken, 3), 'filings-1.csv')),
      (broken) => writeFileSync(join(batchDirectory(broken, 3), 'filings-1.csv'), 'x', { flag: 'a' }),
      (broken) =>
        overwrite(join(batchDirectory(broken, 3), 'batch.json'), (bytes) =>
          Buffer.from(
            bytes
              .toString()
              .replace(
                /"previousSha256":\s*"[0-9a-f]/,
                (text) => `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`,
              ),
          ),
        ),
    ];
    for (const damage of damages) {
      const broken = join(fresh(), 'broken');
      cpSync(ledger, broken, { recursive: true });
      damage(broken);
      expect(await refused(broken, snapshots)).toBeInstanceOf(BrokenLedger);
    }
  });

  it('a build refuses a sample over real data, unless told to replace it; real data replaces a sample', async () => {
    const sample = fresh();
    await appendMadeUp(sample, 1, {
      filings: [filing(1)],
      companies: [company(1)],
      isSample: true,
    });
    const snapshots = fresh();
    const real = await ledgerOf([1], [2]);
    await buildQuietly(real, snapshots);
    const error = await refused(sample, snapshots);
    expect([error instanceof BuildRefused, error.message]).toEqual([
      true,
      expect.stringContaining('the ledger is a sample'),
    ]);
    const id = await buildQuietly(sample, snapshots, { replace: true });
    expect((await wholeSnapshot(snapshots, id)).sample).toBe(true);
    expect((await manifestOf(snapshots, await buildQuietly(real, snapshots))).sample).toBeUndefined();
  });

  it('a build refuses to go on from a pointer that cannot be read', async () => {
    const snapshots = fresh();
    const ledger = await ledgerOf([1]);
    await buildQuietly(ledger, snapshots);
    writeFileSync(join(snapshots, paths.pointer), '{"format":2,"snapshotId":"../../etc"}');
    expect((await refused(ledger, snapshots)).message).toContain(join(snapshots, paths.pointer));
  });
});

describe('snapshots of format 1', () => {
  it('a build replaces snapshots of format 1, and says so', async () => {
    const snapshots = fresh();
    const old = {
      format: 1,
      snapshotId: '20260101-0123456789abcdef',
      manifestSha256: 'a'.repeat(64),
      previous: ['20251231-0123456789abcdef'],
    };
    writeFileSync(join(snapshots, paths.pointer), JSON.stringify(old));
    mkdirSync(join(snapshots, old.snapshotId, 'tables'), { recursive: true });
    const { id, lines } = await built(await ledgerOf([1]), snapshots);
    expect(lines[0]).toBe(
      `${join(snapshots, paths.pointer)} is of format 1, which this version does not read: everything is built again`,
    );
    expect(await readPointer(snapshots)).toMatchObject({ format: 5, snapshotId: id, previous: [] });
    await wholeSnapshot(snapshots);
  });
});

describe('a row that does not fit', () => {
  it('a row that does not fit is named, counted and left out; everything else is published', async () => {
    const ledger = await ledgerOf([1, 2, 3]);
    rewrite(ledger, 1, 'filings-1.csv', (text) => text.replace('d2.htm', 'x'.repeat(1_100_000)));
    rewrite(ledger, 1, 'companies.csv', (text) => text.replace('Company 3', ''));
    const snapshots = fresh();
    const { id, lines } = await built(ledger, snapshots);
    expect(lines).toEqual([
      'refused: 000001/companies.csv CIK 0000000003 (row 3): name: Too small: expected string to have >=1 characters',
      `refused: 000001/filings-1.csv ${filing(2).accessionNo} (row 3): its texts have 1100000 characters, the most is 16384`,
      'left out 2 rows of the ledger, the rest is built',
      `snapshot ${id}: 2 filings of 1 companies from 1 batch`,
    ]);
    expect(await wholeSnapshot(snapshots, id)).toMatchObject({
      filingCount: 2,
      companyCount: 1,
      lastSequence: 2,
    });
    const status = await publicText(snapshots, '/status');
    expect(status).toContain('2 rows of the ledger could not be understood');
    for (const name of [filing(2).accessionNo, 'CIK 0000000003']) expect(status).toContain(name);
  });

  it('a correction that does not fit leaves the filing or company as it is known', async () => {
    const ledger = await ledgerOf([1, 2]);
    await appendMadeUp(ledger, 2, {
      filings: [filing(1, { form: '10-K' }), filing(2, { form: '10-K' })],
      companies: [company(1, 'T1', { name: 'Other' })],
    });
    rewrite(ledger, 2, 'filings-1.csv', (text) => text.replace(',10-K,', ',ten K,'));
    rewrite(ledger, 2, 'companies.csv', (text) => text.replace(',T1,', ',T_1,'));
    for (const isAtOnce of [true, false]) {
      const snapshots = fresh();
      if (!isAtOnce) await buildQuietly(await ledgerOf([1, 2]), snapshots);
      const { lines } = await built(ledger, snapshots);
      const manifest = await wholeSnapshot(snapshots);
      const filings = await partitionOf<Filing>(snapshots, manifest, 'latest', allPartition);
      expect(filings.map(({ accessionNo, form }) => [accessionNo, form]).sort()).toEqual([
        [filing(1).accessionNo, '10-Q'],
        [filing(2).accessionNo, '10-K'],
      ]);
      expect(await partitionOf<CompanyProfile>(snapshots, manifest, 'profiles', cikOf(1))).toMatchObject([
        { name: 'Company 1', tickers: ['T1'] },
      ]);
      expect(lines.slice(0, -1).sort()).toEqual([
        expect.stringContaining('left out 2 rows'),
        expect.stringContaining(`companies.csv CIK ${cikOf(1)} (row 2)`),
        expect.stringContaining(`filings-1.csv ${filing(1).accessionNo} (row 2)`),
      ]);
    }
  });

  it('of many rows that do not fit, the first are named and all are counted', async () => {
    const ledger = await ledgerOf(Array.from({ length: 25 }, (_, at) => at + 1));
    rewrite(ledger, 1, 'filings-1.csv', (text) => text.replaceAll(',10-Q,', ',ten Q,'));
    const { lines } = await built(ledger, fresh());
    expect([lines.length, ...lines.slice(20, 22)]).toEqual([
      23,
      'refused: 5 more',
      'left out 25 rows of the ledger, the rest is built',
    ]);
  });
});

describe('a current snapshot that cannot be read', () => {
  it('a build replaces a current snapshot that cannot be read, and says so', async () => {
    const snapshots = fresh();
    const ledger = await ledgerOf([1]);
    const first = await buildQuietly(ledger, snapshots);
    for (const part of ['files', 'manifests', 'segments']) rmSync(join(snapshots, part), { recursive: true });
    await append(ledger, 2, [2]);
    const { id: second, lines } = await built(ledger, snapshots);
    expect(lines[0]).toContain('the current snapshot cannot be read and is replaced');
    expect(lines[0]).toContain(first);
    expect(await readPointer(snapshots)).toMatchObject({ snapshotId: second, previous: [first] });
    await wholeSnapshot(snapshots);
  });

  it('a broken current snapshot that names its ledger is not replaced by another ledger', async () => {
    const snapshots = fresh();
    const id = await buildQuietly(await ledgerOf([1, 2]), snapshots);
    const [segment] = (await manifestOf(snapshots, id)).segments;
    const part = segmentParts.rows(segment?.name ?? '', 'summaries');
    overwrite(join(snapshots, part), flipped);
    const other = await ledgerOf([1]);
    await expect(buildQuietly(other, snapshots)).rejects.toThrow(part);
    expect(await current(snapshots)).toBe(id);
    await buildQuietly(other, snapshots, { replace: true });
    await wholeSnapshot(snapshots);
  });
});
