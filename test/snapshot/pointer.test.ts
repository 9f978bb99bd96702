import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tryLockFile } from '../../build/disk/lock.ts';
import {
  keptSnapshots,
  publish,
  readPointer,
  readPublished,
  rollback as rollbackIn,
} from '../../build/snapshot/pointer.ts';
import { prune as pruneIn } from '../../build/snapshot/prune.ts';
import { paths, type Pointer } from '../../src/format/snapshot.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';
import { appendNumbered } from '../support/ledgers.ts';
import { buildQuietly, contentBelow, filesBelow, namesIn } from '../support/snapshots.ts';
import { currentId, manifestOf, partsOfSnapshot, wholeSnapshot } from '../support/whole.ts';

const fresh = useDirectories('pointer');
const built = fresh();
/** Names of five snapshots, oldest first, with the digests of their manifests. */
const ids: string[] = [];
const digests = new Map<string, string>();
const [first, second, third, fourth, fifth] = [0, 1, 2, 3, 4].map((at) => () => ids[at] as string) as [
  () => string,
  () => string,
  () => string,
  () => string,
  () => string,
];

beforeAll(async () => {
  const ledger = fresh();
  for (let number = 1; number <= 5; number++) {
    await appendNumbered(ledger, number);
    const id = await buildQuietly(ledger, built);
    ids.push(id);
    digests.set(id, sha256Of(readFileSync(join(built, paths.manifest(id)))));
  }
});

/** The five snapshots on a disk of their own, without a pointer. */
function copy(): string {
  const directory = join(fresh(), 'snapshots');
  cpSync(built, directory, { recursive: true });
  rmSync(join(directory, paths.pointer));
  return directory;
}
const rollback = (directory: string): Promise<Pointer> => withPartFolder(directory, rollbackIn);
const hourMs = 3_600_000;
/** Prunes as if an hour had passed, so that everything is old. */
const prune = (directory: string, nowMs = Date.now() + hourMs): Promise<string[]> =>
  withPartFolder(directory, (folder) => pruneIn(folder, nowMs));
const point = (directory: string, id: string) => publish(directory, id, digests.get(id) as string);
const named = async (directory: string) => {
  const pointer = await readPointer(directory);
  return pointer && [pointer.snapshotId, ...pointer.previous];
};

describe('publish', () => {
  it('publish names a snapshot, its digest, and the kept ones before it', async () => {
    const directory = copy();
    expect(await named(directory)).toBeNull();
    for (const id of ids) await point(directory, id);
    expect(await named(directory)).toEqual([fifth(), fourth(), third()]);
    expect(await readPointer(directory)).toMatchObject({ format: 5, manifestSha256: digests.get(fifth()) });
    expect(keptSnapshots).toBe(3);
  });
  it('publish names a snapshot once, also when it comes again', async () => {
    const directory = copy();
    for (const id of [first(), first(), second(), first(), second(), second()]) await point(directory, id);
    expect(await named(directory)).toEqual([second(), first()]);
  });
  it('publish replaces a pointer that cannot be read, and leaves no temporary file', async () => {
    const directory = copy();
    writeFileSync(join(directory, paths.pointer), '{"format":2');
    await point(directory, first());
    expect(await named(directory)).toEqual([first()]);
    expect(namesIn(directory)).toEqual([paths.pointer, 'files', 'manifests', 'segments']);
    expect(statSync(join(directory, paths.pointer)).mode & 0o777).toBe(0o644);
  });
  it('publish makes the directory', async () => {
    const directory = join(fresh(), 'a', 'b');
    await point(directory, first());
    expect(await named(directory)).toEqual([first()]);
  });
});

describe('rollback', () => {
  it('rollback points at the snapshot before, and at the one before that', async () => {
    const directory = copy();
    for (const id of ids) await point(directory, id);
    expect((await rollback(directory)).snapshotId).toBe(fourth());
    expect(await readPointer(directory)).toMatchObject({
      snapshotId: fourth(),
      manifestSha256: digests.get(fourth()),
      previous: [third()],
    });
    await rollback(directory);
    await expect(rollback(directory)).rejects.toThrow(`there is no snapshot before ${third()}`);
    expect(await named(directory)).toEqual([third()]);
    await point(directory, fifth());
    expect(await named(directory)).toEqual([fifth(), third()]);
  });
  it('rollback serves a named snapshot, older or newer, and the line of snapshots keeps its order', async () => {
    const directory = copy();
    for (const id of [first(), second(), third()]) await point(directory, id);
    const go = (name?: string) =>
      withPartFolder(directory, (folder) => rollbackIn(folder, null, { name })).then(
        async () => [await named(directory), (await readPublished(directory)).left] as const,
      );
    expect(await go(first())).toEqual([[first()], [third(), second()]]);
    expect(await go(third())).toEqual([[third(), second(), first()], []]);
    expect(await go()).toEqual([[second(), first()], [third()]]);
    expect(await go(second())).toEqual([[second(), first()], [third()]]);
    // One that the pointer does not name counts as the one before the current one.
    expect(await go(fifth())).toEqual([
      [fifth(), first()],
      [third(), second()],
    ]);
    expect(await go(second())).toEqual([[second(), fifth(), first()], [third()]]);
    await expect(go('20260101-0123456789abcdef')).rejects.toThrow('there is no snapshot');
    // A publication ends it.
    await point(directory, fourth());
    expect([await named(directory), (await readPublished(directory)).left]).toEqual([
      [fourth(), second(), fifth()],
      [],
    ]);
  });
  it('rollback verifies the snapshot before it serves it, and leaves the pointer if it is not good', async () => {
    const directory = copy();
    for (const id of [first(), second()]) await point(directory, id);
    const verified: string[] = [];
    const verify = async (id: string) => {
      verified.push(`${id} while ${await currentId(directory)}`);
      throw new Error('rotten');
    };
    const before = contentBelow(directory);
    await expect(withPartFolder(directory, (folder) => rollbackIn(folder, null, { verify }))).rejects.toThrow(
      'rotten',
    );
    expect(verified).toEqual([`${first()} while ${second()}`]);
    expect(contentBelow(directory)).toEqual(before);
  });
  it('a rollback that was killed before it replaced the pointer has left nothing', async () => {
    const directory = copy();
    for (const id of [first(), second()]) await point(directory, id);
    const before = readFileSync(join(directory, paths.pointer));
    await rollback(directory);
    expect((await readPublished(directory)).left).toEqual([second()]);
    writeFileSync(join(directory, paths.pointer), before);
    expect((await readPublished(directory)).left).toEqual([]);
  });
  it('rollback does nothing without a readable pointer', async () => {
    const directory = copy();
    await expect(rollback(directory)).rejects.toThrow('has no pointer');
    writeFileSync(join(directory, paths.pointer), 'junk');
    await expect(rollback(directory)).rejects.toThrow(join(directory, paths.pointer));
    expect(readFileSync(join(directory, paths.pointer), 'utf8')).toBe('junk');
  });
  it('rollback does nothing where the snapshot before is gone or damaged', async () => {
    for (const damage of [
      (path: string) => rmSync(path),
      (path: string) => writeFileSync(path, '\n', { flag: 'a' }),
    ]) {
      const directory = copy();
      for (const id of [first(), second()]) await point(directory, id);
      damage(join(directory, paths.manifest(first())));
      await expect(rollback(directory)).rejects.toThrow(paths.manifest(first()));
      expect(await named(directory)).toEqual([second(), first()]);
    }
  });
  it('rollback says of snapshots of format 1 in one line that they are to be built again', async () => {
    const directory = fresh();
    writeFileSync(
      join(directory, paths.pointer),
      JSON.stringify({ format: 1, snapshotId: first(), manifestSha256: 'a'.repeat(64), previous: [] }),
    );
    await expect(rollback(directory)).rejects.toThrow(
      /^[^\n]*current\.json: it is of format 1, [^\n]*build again[^\n]*$/,
    );
    await expect(prune(directory)).rejects.toThrow('build again');
  });
});

describe('prune', () => {
  /** Snapshots of which the pointer names three. */
  async function pointed(): Promise<string> {
    const directory = copy();
    for (const id of ids) await point(directory, id);
    return directory;
  }

  it('prune keeps named snapshots with all their parts, and foreign files', { tags: ['slow'] }, async () => {
    const directory = await pointed();
    mkdirSync(join(directory, 'ledger'));
    mkdirSync(join(directory, '.staging-1-abcdef'));
    writeFileSync(join(directory, 'keys.json'), '{}');
    writeFileSync(join(directory, 'keys.json.1-abcd.tmp'), '{}');
    const kept = await Promise.all(ids.slice(2).map((id) => partsOfSnapshot(directory, id)));
    const others = [paths.pointer, 'keys.json', 'keys.json.1-abcd.tmp'];
    expect((await prune(directory)).sort()).toEqual([first(), second()].sort());
    expect(namesIn(directory)).toEqual(
      [...others, 'files', 'manifests', 'segments', 'ledger', '.staging-1-abcdef'].sort(),
    );
    expect(filesBelow(directory)).toEqual(
      [...new Set([...others, ...kept.flatMap((parts) => Object.keys(parts))])].sort(),
    );
    const left = contentBelow(directory);
    for (const parts of kept) expect(left).toMatchObject(parts);
    for (const id of ids.slice(2)) await wholeSnapshot(directory, id);
    expect(await prune(directory)).toEqual([]);
    expect(contentBelow(directory)).toEqual(left);
  });
  it('prune removes half-written files, and parts that no snapshot names', async () => {
    const directory = await pointed();
    await prune(directory);
    const before = filesBelow(directory);
    // Some folders may have become empty.
    const [file = ''] = readdirSync(join(directory, 'files')).flatMap((folder) =>
      readdirSync(join(directory, 'files', folder)),
    );
    // Nobody made this file, which lies where folders lie.
    writeFileSync(join(directory, 'files/stray'), 'x');
    before.push('files/stray');
    before.sort();
    const left = [
      `manifests/${fifth()}.json.12-abcdef01.tmp`,
      'current.json.12-abcdef01.tmp',
      `files/${file.slice(0, 2)}/${file}.12-abcdef01.tmp`,
      paths.file('ab'.repeat(32)),
      'segments/1-9-0123456789abcdef/segment.json',
      'segments/1-9-0123456789abcdef/latest.jsonl.gz',
    ];
    for (const path of left) {
      mkdirSync(join(directory, path, '..'), { recursive: true });
      writeFileSync(join(directory, path), 'x');
    }
    expect(await prune(directory, Date.now())).toEqual([]);
    expect(filesBelow(directory)).toEqual([...before, ...left].sort());
    expect(await prune(directory)).toEqual([]);
    expect(filesBelow(directory)).toEqual(before);
    await wholeSnapshot(directory);
  });
  it('prune removes the rest where something cannot be removed, and says what could not', {
    tags: ['slow'],
  }, async () => {
    const directory = await pointed();
    const folders = [
      join(directory, 'files/00/of-somebody'),
      join(directory, `manifests/${fifth()}.json.1-abcdef01.tmp`),
    ];
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    await expect(prune(directory)).rejects.toThrow(/^old files could not be removed \(2\): .*directory/);
    expect(namesIn(join(directory, 'manifests'))).not.toContain(`${first()}.json`);
    for (const folder of folders) rmSync(folder, { recursive: true });
    expect(await prune(directory)).toEqual([]);
    await wholeSnapshot(directory);
  });
  it('prune keeps what is younger than a quarter of an hour, and all that it names', {
    tags: ['slow'],
  }, async () => {
    const directory = await pointed();
    const before = contentBelow(directory);
    expect(await prune(directory, Date.now())).toEqual([]);
    expect(await prune(directory, Date.now() + 14 * 60_000)).toEqual([]);
    expect(contentBelow(directory)).toEqual(before);
    // One manifest is young: everything that it names stays, however old. The manifest beside it is removed.
    const now = Date.now() + hourMs;
    utimesSync(join(directory, paths.manifest(second())), now / 1000, now / 1000);
    expect(await prune(directory, now)).toEqual([first()]);
    await wholeSnapshot(directory, second());
    expect(await prune(directory, now + hourMs)).toEqual([second()]);
    expect(existsSync(join(directory, paths.manifest(second())))).toBe(false);
    await wholeSnapshot(directory);
  });
  it('prune keeps a snapshot that a rollback left, and a build serves it again only with new batches', {
    tags: ['slow'],
  }, async () => {
    const [directory, ledger] = [fresh(), fresh()];
    const append = (number: number) => appendNumbered(ledger, number);
    await append(1);
    const before = await buildQuietly(ledger, directory);
    await append(2);
    const after = await buildQuietly(ledger, directory);
    const parts = await partsOfSnapshot(directory);
    await rollback(directory);
    expect(await prune(directory)).toEqual([]);
    const lines: string[] = [];
    const log = (line: string) => void lines.push(line);
    expect(await buildQuietly(ledger, directory, { log })).toBe(before);
    expect(lines).toEqual([
      expect.stringMatching(`^${before} stays current: a rollback left ${after}, .*rollback -- ${after}`),
    ]);
    expect(await named(directory)).toEqual([before]);
    expect(await buildQuietly(ledger, directory, { replace: true })).toBe(after);
    expect(await named(directory)).toEqual([after, before]);
    expect(await partsOfSnapshot(directory)).toEqual(parts);
    await rollback(directory);
    await append(3);
    const third = await buildQuietly(ledger, directory);
    expect(await named(directory)).toEqual([third, before]);
    expect((await manifestOf(directory)).ledger.batches).toBe(3);
    expect(await prune(directory)).toEqual([after]);
    await wholeSnapshot(directory);
  });
  it('a build serves what a rollback left if the current snapshot is damaged', {
    tags: ['slow'],
  }, async () => {
    const [directory, ledger] = [fresh(), fresh()];
    for (const number of [1, 2]) {
      await appendNumbered(ledger, number);
      await buildQuietly(ledger, directory);
    }
    const after = await currentId(directory);
    const { snapshotId } = await rollback(directory);
    rmSync(join(directory, paths.file((await manifestOf(directory, snapshotId)).routes.sha256)));
    expect(await buildQuietly(ledger, directory)).toBe(after);
    await wholeSnapshot(directory);
  });
  it('prune keeps a snapshot that was current until a second ago, however old it is', {
    tags: ['slow'],
  }, async () => {
    const directory = copy();
    await point(directory, first());
    const long = (Date.now() - 48 * hourMs) / 1000;
    for (const path of filesBelow(directory)) utimesSync(join(directory, path), long, long);
    for (const id of ids.slice(1)) await point(directory, id);
    expect(await prune(directory, Date.now())).toEqual([]);
    expect(await prune(directory, Date.now() + 14 * 60_000)).toEqual([]);
    for (const id of ids) await wholeSnapshot(directory, id);
    expect(await prune(directory, Date.now() + 16 * 60_000)).toEqual([first(), second()].sort());
    for (const id of ids.slice(2)) await wholeSnapshot(directory, id);
  });
  it('prune waits for a build that is running, and ends its waiting when it is told to', {
    tags: ['slow'],
  }, async () => {
    const directory = await pointed();
    const build = tryLockFile(join(directory, '.build.lock'));
    const stop = new AbortController();
    const waiting = { onWait: () => stop.abort(), signal: stop.signal };
    await expect(
      withPartFolder(directory, (folder) => pruneIn(folder, Date.now() + hourMs, undefined, waiting)),
    ).rejects.toThrow('aborted');
    for (const id of ids) await wholeSnapshot(directory, id);
    build?.release();
    expect((await prune(directory)).sort()).toEqual([first(), second()].sort());
  });
  it('prune keeps old parts that a build has just reused', { tags: ['slow'] }, async () => {
    const [directory, ledger] = [fresh(), fresh()];
    await appendNumbered(ledger, 1);
    await buildQuietly(ledger, directory);
    rmSync(join(directory, paths.pointer));
    const long = (Date.now() - hourMs) / 1000;
    for (const path of filesBelow(directory)) utimesSync(join(directory, path), long, long);
    await buildQuietly(ledger, directory);
    // Another process that lists the snapshots before this one is named decides by the age of the files.
    const old = filesBelow(directory).filter(
      (path) =>
        path.startsWith('files/') && statSync(join(directory, path)).mtimeMs < Date.now() - hourMs / 2,
    );
    expect(old).toEqual([]);
  });
  it('prune keeps everything without a pointer', { tags: ['slow'] }, async () => {
    const directory = copy();
    const before = contentBelow(directory);
    expect(await prune(directory)).toEqual([]);
    expect(contentBelow(directory)).toEqual(before);
    writeFileSync(join(directory, paths.pointer), 'junk');
    await expect(prune(directory)).rejects.toThrow('current.json');
    for (const id of ids) await wholeSnapshot(directory, id);
  });
  it('prune removes nothing where a kept snapshot does not tell its parts', async () => {
    for (const damage of [
      (id: string) => paths.manifest(id),
      async (id: string) => paths.file((await manifestOf(built, id)).routes.sha256),
    ]) {
      const directory = await pointed();
      const path = join(directory, await damage(fourth()));
      rmSync(path);
      writeFileSync(path, '{}');
      const before = filesBelow(directory);
      await expect(prune(directory)).rejects.toThrow();
      expect(filesBelow(directory)).toEqual(before);
    }
  });
});
