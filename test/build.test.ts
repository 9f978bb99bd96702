import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendBatch, batchDirectory, BrokenLedger } from '../build/ledger/batch.ts';
import { readLedger } from '../build/ledger/read.ts';
import { BuildRefused } from '../build/snapshot/build.ts';
import { verifySnapshot } from '../build/snapshot/verify.ts';
import { paths } from '../src/contract/snapshot.ts';
import { readManifest, readPointer } from '../src/snapshot/open.ts';
import { CorruptSnapshot, sha256Of } from '../src/table/file.ts';
import { useDirectories } from './support/directories.ts';
import { batchAt, company, filing } from './support/ledgers.ts';
import { seenProgress } from './support/progress.ts';
import { buildQuietly, contentBelow, filesBelow } from './support/snapshots.ts';

const fresh = useDirectories('build');

/** Appends a batch that brings these filings. */
const append = (ledger: string, number: number, filings: readonly number[], form = '10-Q') =>
  appendBatch(ledger, { run: { target: 'made up', status: 'success', message: null, createdAt: batchAt(number) }, filings: filings.map((each) => filing(each, { form })), companies: number === 1 ? [company(1), company(3, null)] : [], refusals: [] });

async function ledgerOf(...batches: readonly (readonly number[])[]): Promise<string> {
  const ledger = fresh();
  for (const [at, filings] of batches.entries()) await append(ledger, at + 1, filings);
  return ledger;
}
const current = async (snapshots: string) => (await readPointer(snapshots))?.snapshotId;

describe('a build', () => {
  it('stages, verifies, publishes and says what it made', async () => {
    const ledger = await ledgerOf([1, 2], [3]);
    const snapshots = join(fresh(), 'new', 'snapshots');
    const lines: string[] = [];
    const id = await buildQuietly(ledger, snapshots, { log: (line) => void lines.push(line) });
    expect(readdirSync(snapshots).sort()).toEqual([id, paths.pointer].sort());
    expect(await readPointer(snapshots)).toEqual({ format: 1, snapshotId: id, manifestSha256: (await readManifest(join(snapshots, id), id)).sha256, previous: [] });
    await verifySnapshot(join(snapshots, id), id);
    expect(lines).toEqual([`snapshot ${id}: 3 filings of 2 companies from 2 batches`]);
    for (const directory of [join(snapshots, id), join(snapshots, id, 'tables')]) expect(statSync(directory).mode & 0o755).toBe(0o755);
  });

  it('counts what it reads, writes and checks', async () => {
    const ledger = await ledgerOf([1, 2], [3]);
    const snapshots = fresh();
    await buildQuietly(ledger, snapshots);
    await append(ledger, 3, [4]);
    const { progress, works } = seenProgress();
    const id = await buildQuietly(ledger, snapshots, { progress });
    const { manifest } = await readManifest(join(snapshots, id), id);
    const rowsOf = (path: string) => (path.endsWith('.jsonl') ? (manifest.files.find((file) => file.path === path)?.rows ?? 0) : 0);
    const tableRows = manifest.files.reduce((sum, { path }) => sum + rowsOf(path), 0);
    const of = (wanted: string) => works.find(({ name }) => name === wanted);
    for (const name of ['reading the ledger', 'comparing with the current snapshot', 'compressing pages', 'checking files', 'checking tables', 'linking what has not changed']) {
      expect(of(name)).toEqual({ name, totals: [of(name)?.done], isAll: true, done: expect.any(Number) });
    }
    expect([of('reading the ledger')?.done, of('comparing with the current snapshot')?.done, of('checking tables')?.done]).toEqual([6, 3, tableRows]);
    const written = of('writing tables');
    expect([written?.isAll, written?.done]).toEqual([false, tableRows]);
    expect(written?.totals[0]).toBeGreaterThan(0);
    expect(written?.totals[0]).toBeLessThanOrEqual(tableRows);
  });

  it('of the same ledger gives the same name and bytes, there and elsewhere', async () => {
    const ledger = await ledgerOf([1, 2], [3]);
    const [here, there] = [fresh(), fresh()];
    const id = await buildQuietly(ledger, here);
    const before = contentBelow(here);
    expect(await buildQuietly(ledger, here)).toBe(id);
    expect(await buildQuietly(ledger, there)).toBe(id);
    expect(contentBelow(here)).toEqual(before);
    expect(contentBelow(there)).toEqual(before);
    const moved = join(fresh(), 'moved');
    cpSync(ledger, moved, { recursive: true });
    expect(await buildQuietly(moved, fresh())).toBe(id);
  });

  it('links files that did not change, and leaves the snapshot before as it was', async () => {
    const ledger = await ledgerOf([1, 2, 3]);
    const snapshots = fresh();
    const first = await buildQuietly(ledger, snapshots);
    const before = contentBelow(join(snapshots, first));
    await append(ledger, 2, []);
    const second = await buildQuietly(ledger, snapshots);
    expect(second).not.toBe(first);
    const inode = (id: string, path: string) => statSync(join(snapshots, id, path)).ino;
    for (const path of filesBelow(join(snapshots, second))) {
      const isSame = readFileSync(join(snapshots, first, path)).equals(readFileSync(join(snapshots, second, path)));
      expect([path, inode(first, path) === inode(second, path)]).toEqual([path, isSame]);
      if (path.startsWith('tables/')) expect(isSame).toBe(true);
    }
    expect(contentBelow(join(snapshots, first))).toEqual(before);
    for (const id of [first, second]) await verifySnapshot(join(snapshots, id), id);
    expect(await readPointer(snapshots)).toMatchObject({ snapshotId: second, previous: [first] });
  });

  it('does not link to a file that has rotted', async () => {
    const ledger = await ledgerOf([1, 2, 3]);
    const snapshots = fresh();
    const first = await buildQuietly(ledger, snapshots);
    const rotten = join(snapshots, first, paths.table('summaries'));
    writeFileSync(rotten, readFileSync(rotten, 'utf8').replace('Company 1', 'Company 2'));
    await append(ledger, 2, []);
    const second = await buildQuietly(ledger, snapshots);
    await verifySnapshot(join(snapshots, second), second);
  });

  it('makes a snapshot again that has rotted', async () => {
    const ledger = await ledgerOf([1, 2, 3]);
    for (const path of [paths.table('latest'), paths.manifest]) {
      const snapshots = fresh();
      const id = await buildQuietly(ledger, snapshots);
      rmSync(join(snapshots, id, path));
      await expect(verifySnapshot(join(snapshots, id), id)).rejects.toThrow(CorruptSnapshot);
      expect(await buildQuietly(ledger, snapshots)).toBe(id);
      await verifySnapshot(join(snapshots, id), id);
    }
  });

  it('goes back to an older snapshot that stands there already', async () => {
    const snapshots = fresh();
    const [short, long] = [await ledgerOf([1]), await ledgerOf([1], [2])];
    const first = await buildQuietly(short, snapshots);
    const second = await buildQuietly(long, snapshots);
    expect(await buildQuietly(short, snapshots, { replace: true })).toBe(first);
    expect(await readPointer(snapshots)).toMatchObject({ snapshotId: first, previous: [second] });
  });
});

/** What a build that must refuse leaves: everything as it was. */
async function refused(ledger: string, snapshots: string): Promise<Error> {
  const before = contentBelow(snapshots);
  const error = await buildQuietly(ledger, snapshots).then(() => null, (caught: unknown) => caught as Error);
  expect(error).not.toBeNull();
  expect(contentBelow(snapshots)).toEqual(before);
  expect(readdirSync(snapshots).filter((name) => name.startsWith('.'))).toEqual([]);
  return error as Error;
}

describe('a build refuses', () => {
  it('a ledger that lacks filings of the current snapshot, unless it is told to replace it', async () => {
    const snapshots = fresh();
    const first = await buildQuietly(await ledgerOf([1, 2, 3]), snapshots);
    const smaller = await ledgerOf([3, 4]);
    const error = await refused(smaller, snapshots);
    expect(error).toBeInstanceOf(BuildRefused);
    expect(error.message).toMatch(new RegExp(`${first} knows 2 filings that this ledger lacks, the first is ${filing(1).accessionNo}; nothing was published`));
    const second = await buildQuietly(smaller, snapshots, { replace: true });
    expect(await readPointer(snapshots)).toMatchObject({ snapshotId: second, previous: [first] });
  });

  it('a ledger whose past is another one now: places and times would move', async () => {
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

  it('a ledger whose last batches are gone, although no filing is', async () => {
    const snapshots = fresh();
    const ledger = await ledgerOf([1], []);
    await buildQuietly(ledger, snapshots);
    rmSync(batchDirectory(ledger, 2), { recursive: true });
    expect(await refused(ledger, snapshots)).toBeInstanceOf(BuildRefused);
  });

  it('no ledger, an empty one, and a broken one', async () => {
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
    for (const damage of damages) {
      const broken = join(fresh(), 'broken');
      cpSync(ledger, broken, { recursive: true });
      damage(broken);
      expect(await refused(broken, snapshots)).toBeInstanceOf(BrokenLedger);
    }
    expect(await current(snapshots)).toBe(id);
  });

  it('makes nothing where there was nothing before', async () => {
    const snapshots = fresh();
    await refused(fresh(), snapshots);
    expect(readdirSync(snapshots)).toEqual([]);
  });

  it('a pointer that cannot be read: what it named is not known', async () => {
    const snapshots = fresh();
    const ledger = await ledgerOf([1]);
    await buildQuietly(ledger, snapshots);
    writeFileSync(join(snapshots, paths.pointer), '{"format":1,"snapshotId":"../../etc"}');
    expect((await refused(ledger, snapshots)).message).toContain(join(snapshots, paths.pointer));
  });

});

/** Changes the newest batch of a ledger as a program with other rules would have written it: every digest is right. */
function rewrite(ledger: string, number: number, name: string, change: (text: string) => string): void {
  const [head, file] = [join(batchDirectory(ledger, number), 'batch.json'), join(batchDirectory(ledger, number), name)];
  const text = change(readFileSync(file, 'utf8'));
  writeFileSync(file, text);
  const batch = JSON.parse(readFileSync(head, 'utf8')) as { files: { name: string }[] };
  writeFileSync(head, JSON.stringify({ ...batch, files: batch.files.map((each) => (each.name === name ? { ...each, bytes: Buffer.byteLength(text), sha256: sha256Of(text) } : each)) }));
}

describe('a row that does not fit', () => {
  it('is named, counted and left out; everything else is published', async () => {
    const ledger = await ledgerOf([1, 2, 3]);
    rewrite(ledger, 1, 'filings-1.csv', (text) => text.replace('d2.htm', 'x'.repeat(1_100_000)));
    rewrite(ledger, 1, 'companies.csv', (text) => text.replace('Company 3', ''));
    const snapshots = fresh();
    const lines: string[] = [];
    const id = await buildQuietly(ledger, snapshots, { log: (line) => void lines.push(line) });
    expect(lines).toEqual([
      `refused: 000001/filings-1.csv ${filing(2).accessionNo} (row 3): its texts have 1100000 characters, the most is 16384`,
      'refused: 000001/companies.csv CIK 0000000003 (row 3): name: Too small: expected string to have >=1 characters',
      'left out 2 rows of the ledger, the rest is built',
      `snapshot ${id}: 2 filings of 1 companies from 1 batches`,
    ]);
    expect(await verifySnapshot(join(snapshots, id), id)).toMatchObject({ filingCount: 2, companyCount: 1, lastSequence: 2 });
    const status = readFileSync(join(snapshots, id, 'public/status/index.html'), 'utf8');
    expect(status).toContain('2 rows of the ledger could not be understood');
    for (const name of [filing(2).accessionNo, 'CIK 0000000003']) expect(status).toContain(name);
  });

  it('and would correct a filing or a company leaves what is known', async () => {
    const ledger = await ledgerOf([1, 2]);
    const run = { target: '', status: 'success', message: null, createdAt: batchAt(2) };
    await appendBatch(ledger, { run, filings: [filing(1, { form: '10-K' }), filing(2, { form: '10-K' })], companies: [company(1, 'T1', { name: 'Other' })], refusals: [] });
    rewrite(ledger, 2, 'filings-1.csv', (text) => text.replace(',10-K,', ',ten K,'));
    rewrite(ledger, 2, 'companies.csv', (text) => text.replace(',T1,', ',T_1,'));
    const state = await readLedger(ledger);
    expect(state?.filings.map(({ form }) => form)).toEqual(['10-Q', '10-K']);
    expect(state?.companies.get('0000000001')).toMatchObject({ name: 'Company 1', tickers: ['T1'] });
    expect(state?.refusals.map(({ cik, accessionNo }) => [cik, accessionNo])).toEqual([['', filing(1).accessionNo], ['0000000001', '']]);
  });

  it('is one of many: the first are named and all are counted', async () => {
    const ledger = await ledgerOf(Array.from({ length: 25 }, (_, at) => at + 1));
    rewrite(ledger, 1, 'filings-1.csv', (text) => text.replaceAll(',10-Q,', ',ten Q,'));
    const lines: string[] = [];
    await buildQuietly(ledger, fresh(), { log: (line) => void lines.push(line) });
    expect([lines.length, ...lines.slice(20, 22)]).toEqual([23, 'refused: 5 more', 'left out 25 rows of the ledger, the rest is built']);
  });
});

describe('a current snapshot that cannot be read', () => {
  it('is replaced, with a word about it', async () => {
    const snapshots = fresh();
    const ledger = await ledgerOf([1]);
    const first = await buildQuietly(ledger, snapshots);
    rmSync(join(snapshots, first), { recursive: true });
    await append(ledger, 2, [2]);
    const lines: string[] = [];
    const second = await buildQuietly(ledger, snapshots, { log: (line) => void lines.push(line) });
    expect(lines[0]).toContain('the current snapshot cannot be read and is replaced');
    expect(lines[0]).toContain(first);
    expect(await readPointer(snapshots)).toMatchObject({ snapshotId: second, previous: [first] });
  });
});

describe('what killed builds left aside', () => {
  it('is removed, and that of a build which still works is not', async () => {
    const snapshots = fresh();
    const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
    const [dead, alive] = [`.staging-${gone}-abcdef`, `.staging-${process.pid}-abcdef`];
    for (const name of [dead, alive]) mkdirSync(join(snapshots, name, 'tables'), { recursive: true });
    const id = await buildQuietly(await ledgerOf([1]), snapshots);
    expect(readdirSync(snapshots).sort()).toEqual([alive, id, paths.pointer].sort());
    expect(existsSync(join(snapshots, alive, 'tables'))).toBe(true);
  });
});
