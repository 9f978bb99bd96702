// @module-tag slow
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { publish } from '../../build/snapshot/pointer.ts';
import { createPointerSigner } from '../../build/snapshot/sign.ts';
import { paths, type Pointer } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { smallFilesIn } from '../../src/files/small-files.ts';
import { openBucket, smallFilesInBucket, type Bucket } from '../../src/remote/bucket.ts';
import { openCopies } from '../../src/remote/copies.ts';
import { openPartHost } from '../../src/remote/host.ts';
import { acceptedFolder, createAcceptedPointers, type SignedPointer } from '../../src/snapshot/accepted.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createServedSnapshot } from '../../src/snapshot/served-snapshot.ts';
import type { PartStore } from '../../src/snapshot/store.ts';
import { createTrust, keyName } from '../../src/snapshot/trust.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { command } from '../support/command.ts';
import { closing } from '../support/closing.ts';
import { useDirectories } from '../support/directories.ts';
import { startFileHost } from '../support/file-host.ts';
import { folderBucket, ownReads } from '../support/folder-bucket.ts';
import { appendNumbered } from '../support/ledgers.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { until } from '../support/wait.ts';

const fresh = useDirectories('trust-restart');
const dayMs = 86_400_000;
const startMs = Date.parse('2026-03-02T12:00:00Z');
const ours = generateKeyPairSync('ed25519');
const theirs = generateKeyPairSync('ed25519');
const lineOf = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).toString('base64');

const ids: string[] = [];
const built = fresh();
beforeAll(async () => {
  const ledger = fresh();
  for (let number = 1; number <= 3; number++) {
    await appendNumbered(ledger, number);
    ids.push(await buildQuietly(ledger, built));
  }
});

/** A copy of three snapshots, whose pointer is signed at any time. */
function folder() {
  const directory = join(fresh(), 'snapshots');
  cpSync(built, directory, { recursive: true });
  return {
    directory,
    accepted: join(directory, acceptedFolder),
    /** Names a snapshot in a pointer that was signed at an instant, whose second is its number. */
    async point(at: number, signedMs: number, key: KeyObject = ours.privateKey): Promise<SignedPointer> {
      rmSync(join(directory, paths.pointer));
      // Without its memory, the publisher signs any number.
      rmSync(join(directory, '.published.json'), { force: true });
      const id = ids[at] as string;
      const digest = sha256Of(readFileSync(join(directory, paths.manifest(id))));
      return (await publish(
        directory,
        id,
        digest,
        createPointerSigner(key, () => signedMs),
      )) as SignedPointer;
    },
    write: (pointer: Pointer) => writeFileSync(join(directory, paths.pointer), JSON.stringify(pointer)),
  };
}

/** A service over a store, from its start to its end. */
function serviceOf(
  store: PartStore,
  accepted: ReturnType<typeof createAcceptedPointers> | null,
  nowMs: () => number = () => startMs,
  keys: readonly KeyObject[] = [ours.publicKey],
) {
  const events: [string, unknown][] = [];
  const log = (event: string, { reason }: Record<string, unknown>) => void events.push([event, reason]);
  const follower = createServedSnapshot(store, createBlockCache(1024 * 1024), log, {
    trust: createTrust(keys, { accepted, log }),
    now: nowMs,
  });
  closing(() => follower.close());
  return {
    close: () => follower.close(),
    reasons: (event: string) => events.filter(([name]) => name === event).map(([, reason]) => reason),
    protection: () => follower.use(async ({ signature }) => signature?.protection?.()),
    /** What it serves after a look; null if nothing. */
    async served() {
      await follower.check();
      return follower.currentId();
    },
  };
}

const keptIn = (directory: string) => createAcceptedPointers(smallFilesIn(directory));
const openFolder = ({ directory, accepted }: ReturnType<typeof folder>, keys?: readonly KeyObject[]) =>
  serviceOf(openPartFolder(directory), keptIn(accepted), undefined, keys);

/** A service over a host, which keeps copies and what it accepts in a folder of its own. */
const openHost = (address: string, cache: string, now = () => startMs) =>
  serviceOf(
    openPartHost(address, {
      now,
      copies: openCopies(join(cache, 'cache'), 64 * 1024 * 1024, () => {}, Date.now),
      retries: { attempts: 1, firstMs: 0, longestMs: 0, untilMs: 100, probeEveryMs: 10 },
    }),
    keptIn(join(cache, acceptedFolder)),
    now,
  );

describe('the number that a service accepted', () => {
  it('a service refuses an older pointer after a restart, and takes a newer one', async () => {
    const at = folder();
    await at.point(1, startMs);
    const before = openFolder(at);
    expect([await before.served(), await before.protection()]).toEqual([ids[1], 'lasting']);
    await before.close();
    await at.point(0, startMs - 500_000);
    const after = openFolder(at);
    expect([await after.served(), await after.served()]).toEqual([null, null]);
    expect(after.reasons('snapshot_refused')).toEqual([
      expect.stringContaining(
        `it is older than one that was accepted before: its number is ${startMs / 1000 - 500}, that of the other ${startMs / 1000}`,
      ),
    ]);
    await at.point(2, startMs + 1000);
    expect([await after.served(), readdirSync(at.accepted)]).toEqual([
      ids[2],
      [`${keyName(ours.publicKey)}-${String(startMs / 1000 + 1).padStart(16, '0')}.json`],
    ]);
  });

  it('a service refuses another pointer of the same number after a restart', async () => {
    const at = folder();
    await at.point(1, startMs);
    await openFolder(at).served();
    await at.point(0, startMs);
    const after = openFolder(at);
    expect([await after.served(), after.reasons('snapshot_refused')]).toEqual([
      null,
      [expect.stringContaining('there is another pointer with its number')],
    ]);
    await at.point(1, startMs);
    expect(await after.served()).toBe(ids[1]);
  });

  it('services that share a folder refuse what is older than what one of them accepted', async () => {
    const at = folder();
    await at.point(0, startMs - 2000);
    const [one, two] = [openFolder(at), openFolder(at)];
    expect([await one.served(), await two.served()]).toEqual([ids[0], ids[0]]);
    await at.point(2, startMs);
    expect(await one.served()).toBe(ids[2]);
    await at.point(1, startMs - 1000);
    expect([await two.served(), two.reasons('snapshot_refused')]).toEqual([
      ids[0],
      [expect.stringContaining('it is older than one that was accepted before')],
    ]);
  });

  it('no order in which processes keep pointers lowers the number', async () => {
    const at = folder();
    const pointers: SignedPointer[] = [];
    for (let second = 0; second < 24; second++) pointers.push(await at.point(0, startMs + second * 1000));
    for (let round = 0; round < 10; round++) {
      const directory = fresh();
      const shuffled = pointers.toSorted((a, b) =>
        sha256Of(`${round} ${a.signature.number}`) < sha256Of(`${round} ${b.signature.number}`) ? -1 : 1,
      );
      await Promise.all(shuffled.map((pointer) => keptIn(directory).keep(ours.publicKey, pointer)));
      expect((await keptIn(directory).greatest(ours.publicKey))?.signature.number).toBe(startMs / 1000 + 23);
      expect(readdirSync(directory)).toHaveLength(1);
    }
  });

  it('a key that is no longer trusted counts no more, however great its numbers are', async () => {
    const at = folder();
    await at.point(1, startMs + 365 * dayMs, theirs.privateKey);
    const both = openFolder(at, [ours.publicKey, theirs.publicKey]);
    expect(await both.served()).toBe(ids[1]);
    await both.close();
    await at.point(2, startMs);
    const careful = openFolder(at, [ours.publicKey, theirs.publicKey]);
    expect(await careful.served()).toBeNull();
    expect(await openFolder(at, [ours.publicKey]).served()).toBe(ids[2]);
  });

  it('a pointer whose snapshot cannot be opened counts, and the service goes on with the one before', async () => {
    const at = folder();
    const host = await startFileHost(at.directory, {
      fault: ({ path }) => (path === paths.manifest(ids[1] as string) ? 404 : null),
    });
    const cache = fresh();
    const start = () => openHost(host.address, cache);
    await at.point(0, startMs - 2000);
    const before = start();
    expect(await before.served()).toBe(ids[0]);
    await at.point(1, startMs - 1000);
    expect(await before.served()).toBe(ids[0]);
    await before.close();
    const after = start();
    expect(await after.served()).toBe(ids[0]);
    await at.point(2, startMs);
    expect(await after.served()).toBe(ids[2]);
  });
});

describe('what a service keeps of the pointers it accepted', () => {
  const broken: readonly [string, (text: string, other: SignedPointer) => string][] = [
    ['is empty', () => ''],
    ['is cut off', (text) => text.slice(0, -9)],
    ['names another snapshot', (text) => text.replace(ids[1] as string, ids[0] as string)],
    ['has no signature', (text) => JSON.stringify({ ...JSON.parse(text), signature: undefined })],
    ['has a greater number', (text) => text.replace(/"number":\d+/, '"number":9999999999')],
    ['was signed by a foreign key', (_, other) => JSON.stringify(other)],
  ];
  it.each(broken)(
    'a file that %s opens nothing unnoticed, and shuts the service only until it is removed',
    async (_, spoil) => {
      const at = folder();
      await at.point(1, startMs);
      const before = openFolder(at);
      await before.served();
      await before.close();
      const [name] = readdirSync(at.accepted) as [string];
      const path = join(at.accepted, name);
      const foreign = await at.point(1, startMs, theirs.privateKey);
      writeFileSync(path, spoil(readFileSync(path, 'utf8'), foreign));
      await at.point(0, startMs - 1000);
      const after = openFolder(at);
      expect([await after.served(), await after.served(), after.reasons('snapshot_refused')]).toEqual([
        null,
        null,
        [expect.stringMatching(`${name} does not hold .* then remove this file`)],
      ]);
      rmSync(path);
      expect(await after.served()).toBe(ids[0]);
    },
  );

  it('a service that cannot keep what it accepts serves, says so once, and keeps it when it can', async () => {
    const at = folder();
    const elsewhere = join(fresh(), 'missing');
    symlinkSync(join(elsewhere, 'trust'), at.accepted);
    await at.point(1, startMs);
    const service = openFolder(at);
    for (let look = 0; look < 3; look++) expect(await service.served()).toBe(ids[1]);
    expect([await service.protection(), service.reasons('accepted_pointer_unkept').length]).toEqual([
      'this_process',
      1,
    ]);
    rmSync(at.accepted);
    await service.served();
    expect([await service.protection(), readdirSync(at.accepted).length]).toEqual(['lasting', 1]);
  });

  it('a service without a folder of its own says that its protection ends with it', async () => {
    const at = folder();
    await at.point(1, startMs);
    const service = serviceOf(openPartFolder(at.directory), null);
    expect([await service.served(), await service.protection()]).toEqual([ids[1], 'this_process']);
    expect(service.reasons('accepted_pointer_unkept')).toEqual(['SNAPSHOTS_DIR is not set']);
  });

  it('what a killed process left half-written is ignored, and removed by the next one', async () => {
    const at = folder();
    await at.point(0, startMs - 1000);
    await openFolder(at).served();
    const [name] = readdirSync(at.accepted) as [string];
    writeFileSync(join(at.accepted, `${name}.77-0badcafe.tmp`), '{"format":');
    writeFileSync(join(at.accepted, 'notes.txt'), 'of an operator');
    await at.point(1, startMs);
    expect(await openFolder(at).served()).toBe(ids[1]);
    expect(readdirSync(at.accepted).sort()).toEqual(
      [name.replace(/\d{16}/, String(startMs / 1000).padStart(16, '0')), 'notes.txt'].sort(),
    );
  });
});

describe('a worker', () => {
  const inBucket = (bucket: Bucket) =>
    serviceOf(
      openBucket(bucket, ownReads()),
      createAcceptedPointers(smallFilesInBucket(bucket, acceptedFolder)),
    );
  it('an isolate refuses what is older than what an isolate before it accepted', async () => {
    const at = folder();
    const bucket = folderBucket(at.directory);
    await at.point(1, startMs);
    const before = inBucket(bucket);
    expect([await before.served(), await before.protection()]).toEqual([ids[1], 'lasting']);
    await at.point(0, startMs - 1000);
    const after = inBucket(bucket);
    expect([await after.served(), after.reasons('snapshot_refused').length]).toEqual([null, 1]);
    await at.point(2, startMs + 1000);
    expect([await after.served(), readdirSync(at.accepted).length]).toEqual([ids[2], 1]);
  });
  it('a worker that may not write to its bucket serves, and says that its protection ends with it', async () => {
    const at = folder();
    await at.point(1, startMs);
    const service = inBucket({
      ...folderBucket(at.directory),
      put: () => Promise.reject(new Error('put: access denied')),
    });
    expect([await service.served(), await service.protection()]).toEqual([ids[1], 'this_process']);
    expect(service.reasons('accepted_pointer_unkept')).toEqual(['put: access denied']);
  });
});

describe('a pointer that is signed anew', () => {
  it('a pointer that was signed anew for the same snapshot is kept: a service starts with it while the host is down', async () => {
    const at = folder();
    const host = await startFileHost(at.directory);
    const [cache, clock] = [fresh(), { nowMs: startMs }];
    const start = () => openHost(host.address, cache, () => clock.nowMs);
    await at.point(1, clock.nowMs);
    const before = start();
    expect(await before.served()).toBe(ids[1]);
    clock.nowMs += 6 * dayMs;
    await at.point(1, clock.nowMs);
    expect(await before.served()).toBe(ids[1]);
    await before.close();
    await host.down();
    clock.nowMs += 2 * dayMs;
    expect(await start().served()).toBe(ids[1]);
    // The pointer that was kept expires like any other.
    clock.nowMs += 6 * dayMs;
    expect(await start().served()).toBeNull();
  });
  it('a pointer with another manifest is another snapshot, even if the name is the same', async () => {
    const at = folder();
    const pointer = await at.point(1, startMs);
    const service = openFolder(at);
    await service.served();
    const { signature: _, ...bare } = pointer;
    at.write(
      createPointerSigner(ours.privateKey, () => startMs + 1000)(
        { ...bare, manifestSha256: '0'.repeat(64) },
        null,
      ),
    );
    expect([await service.served(), service.reasons('snapshot_refused').length]).toEqual([ids[1], 1]);
  });
  it('a service whose clock was ahead takes the pointer as soon as the clock is right', async () => {
    const at = folder();
    await at.point(1, startMs);
    const clock = { nowMs: startMs + 8 * dayMs };
    const service = serviceOf(openPartFolder(at.directory), keptIn(at.accepted), () => clock.nowMs);
    expect([await service.served(), service.reasons('snapshot_refused')]).toEqual([
      null,
      [expect.stringContaining('it expired at')],
    ]);
    clock.nowMs = startMs;
    expect(await service.served()).toBe(ids[1]);
  });
});

describe('processes', { tags: ['slow'], timeout: 90_000 }, () => {
  const trusted = { TRUSTED_KEY: lineOf(ours.publicKey) };
  const start = (environment: Readonly<Record<string, string>>) =>
    startService({ ...trusted, ...environment });
  const healthOf = async (service: ServiceProcess) => {
    const { snapshotId, pointerSignature } = await service.health();
    return [
      snapshotId,
      (pointerSignature as { rollbackProtection?: string } | undefined)?.rollbackProtection,
    ];
  };
  /** The numbers are seconds, as those of a build are. */
  const nowMs = Date.now();

  it('a process over a folder refuses an older pointer after it was killed, and verify does so, too', async () => {
    const at = folder();
    await at.point(1, nowMs);
    const before = await start({ SNAPSHOTS_DIR: at.directory });
    expect(await healthOf(before)).toEqual([ids[1], 'lasting']);
    await before.stop('SIGKILL');
    expect((await command(['verify'], { ...trusted, SNAPSHOTS_DIR: at.directory })).code).toBe(0);
    await at.point(0, nowMs - 500_000);
    const after = await start({ SNAPSHOTS_DIR: at.directory });
    expect([await after.status('/v1/sec/latest'), (await after.logged('snapshot_refused')).length]).toEqual([
      503, 1,
    ]);
    expect(await command(['verify'], { ...trusted, SNAPSHOTS_DIR: at.directory })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it is older than one that was accepted before') as unknown,
    });
    // What deploy/README.md tells an operator who wants the older one.
    rmSync(at.accepted, { recursive: true });
    await until(async () => (await healthOf(after))[0] === ids[0]);
  });
});
