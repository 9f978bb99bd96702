import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../build/ledger/batch.ts';
import { keptSnapshots, prune, publish, rollback } from '../build/snapshot/pointer.ts';
import { paths } from '../src/contract/snapshot.ts';
import { readManifest, readPointer } from '../src/snapshot/open.ts';
import { useDirectories } from './support/directories.ts';
import { batchAt, company, filing } from './support/ledgers.ts';
import { buildQuietly } from './support/snapshots.ts';

const fresh = useDirectories('pointer');
const built = fresh();
/** Names of five snapshots, oldest first, with the digests of their manifests. */
const ids: string[] = [];
const digests = new Map<string, string>();
const [first, second, third, fourth, fifth] = [0, 1, 2, 3, 4].map((at) => () => ids[at] as string) as [() => string, () => string, () => string, () => string, () => string];

beforeAll(async () => {
  const ledger = fresh();
  for (let number = 1; number <= 5; number++) {
    await appendBatch(ledger, { run: { target: '', status: 'success', message: null, createdAt: batchAt(number) }, filings: [filing(number)], companies: number === 1 ? [company(1)] : [], refusals: [] });
    const id = await buildQuietly(ledger, built);
    ids.push(id);
    digests.set(id, (await readManifest(join(built, id), id)).sha256);
  }
});

/** The five snapshots on a disk of their own, without a pointer. */
function copy(): string {
  const directory = join(fresh(), 'snapshots');
  cpSync(built, directory, { recursive: true });
  rmSync(join(directory, paths.pointer));
  return directory;
}
const point = (directory: string, id: string) => publish(directory, id, digests.get(id) as string);
const named = async (directory: string) => {
  const pointer = await readPointer(directory);
  return pointer && [pointer.snapshotId, ...pointer.previous];
};

describe('publish', () => {
  it('names a snapshot, its digest, and those before it, newest first, as many as stay', async () => {
    const directory = copy();
    expect(await named(directory)).toBeNull();
    for (const id of ids) await point(directory, id);
    expect(await named(directory)).toEqual([fifth(), fourth(), third()]);
    expect(await readPointer(directory)).toMatchObject({ format: 1, manifestSha256: digests.get(fifth()) });
    expect(keptSnapshots).toBe(3);
  });
  it('names one snapshot once, also when it comes again', async () => {
    const directory = copy();
    for (const id of [first(), first(), second(), first(), second(), second()]) await point(directory, id);
    expect(await named(directory)).toEqual([second(), first()]);
  });
  it('replaces a pointer that cannot be read, and leaves nothing aside', async () => {
    const directory = copy();
    writeFileSync(join(directory, paths.pointer), '{"format":1');
    await point(directory, first());
    expect(await named(directory)).toEqual([first()]);
    expect(readdirSync(directory).sort()).toEqual([...ids, paths.pointer].sort());
    expect(statSync(join(directory, paths.pointer)).mode & 0o777).toBe(0o644);
  });
  it('makes the directory', async () => {
    const directory = join(fresh(), 'a', 'b');
    await point(directory, first());
    expect(await named(directory)).toEqual([first()]);
  });
});

describe('rollback', () => {
  it('points at the snapshot before, and at the one before that', async () => {
    const directory = copy();
    for (const id of ids) await point(directory, id);
    expect((await rollback(directory)).snapshotId).toBe(fourth());
    expect(await readPointer(directory)).toMatchObject({ snapshotId: fourth(), manifestSha256: digests.get(fourth()), previous: [third()] });
    await rollback(directory);
    await expect(rollback(directory)).rejects.toThrow(`there is no snapshot before ${third()}`);
    expect(await named(directory)).toEqual([third()]);
    await point(directory, fifth());
    expect(await named(directory)).toEqual([fifth(), third()]);
  });
  it('does nothing where there is no pointer, or none that can be read', async () => {
    const directory = copy();
    await expect(rollback(directory)).rejects.toThrow('has no pointer');
    writeFileSync(join(directory, paths.pointer), 'junk');
    await expect(rollback(directory)).rejects.toThrow(join(directory, paths.pointer));
    expect(readFileSync(join(directory, paths.pointer), 'utf8')).toBe('junk');
  });
  it('does nothing where the snapshot before is gone or is not what its name says', async () => {
    for (const damage of [(path: string) => rmSync(path, { recursive: true }), (path: string) => writeFileSync(join(path, paths.manifest), '\n', { flag: 'a' })]) {
      const directory = copy();
      for (const id of [first(), second()]) await point(directory, id);
      damage(join(directory, first()));
      await expect(rollback(directory)).rejects.toThrow(join(directory, first()));
      expect(await named(directory)).toEqual([second(), first()]);
    }
  });
});

describe('prune', () => {
  it('keeps the snapshots that the pointer names, and everything that is not a snapshot', async () => {
    const directory = copy();
    for (const id of ids) await point(directory, id);
    mkdirSync(join(directory, 'ledger'));
    mkdirSync(join(directory, '.staging-1-abcdef'));
    writeFileSync(join(directory, 'keys.json'), '{}');
    expect((await prune(directory)).sort()).toEqual([first(), second()].sort());
    expect(readdirSync(directory).sort()).toEqual([...ids.slice(2), paths.pointer, 'ledger', '.staging-1-abcdef', 'keys.json'].sort());
    expect(await prune(directory)).toEqual([]);
    for (const id of ids.slice(2)) await readManifest(join(directory, id), id);
  });
  it('keeps everything where nothing is said to be current', async () => {
    const directory = copy();
    expect(await prune(directory)).toEqual([]);
    writeFileSync(join(directory, paths.pointer), 'junk');
    await expect(prune(directory)).rejects.toThrow('current.json');
    for (const id of ids) expect(existsSync(join(directory, id))).toBe(true);
  });
});
