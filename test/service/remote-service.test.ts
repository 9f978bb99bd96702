// @module-tag slow
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { publish } from '../../build/snapshot/pointer.ts';
import { createPointerSigner } from '../../build/snapshot/sign.ts';
import { paths, type Pointer, type SegmentEntry } from '../../src/format/snapshot.ts';
import { readManifest } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { openSegment } from '../../src/table/segment.ts';
import { openCopies } from '../../src/remote/copies.ts';
import { openPartHost, type HostOptions } from '../../src/remote/host.ts';
import { filesBelow } from '../support/files-below.ts';
import { closing } from '../support/closing.ts';
import { useDirectories } from '../support/directories.ts';
import { startFileHost, type FileHost, type HostFault, type HostRequest } from '../support/file-host.ts';
import { createRandom } from '../support/generate.ts';
import { noJournal } from '../support/journal.ts';
import { serviceOver, type SampleService } from '../support/sample.ts';
import { copyOf, makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { processKey, runService, startService } from '../support/service-process.ts';
import { until } from '../support/wait.ts';
import { valuesIn } from '../support/values.ts';

const directory = useDirectories('remote-service');
const options: HostOptions = {
  now: () => 1_800_000_000_000,
  retries: { attempts: 3, firstMs: 5, longestMs: 10, untilMs: 2000, probeEveryMs: 50 },
  timeouts: { connectMs: 300, silentMs: 200, wholeMs: 400 },
};

let first: MadeSnapshot;
let made: MadeSnapshot;
/** What happens to requests of the host. */
let fault: (request: HostRequest) => HostFault | null = () => null;

beforeAll(async () => void (first = await makeSnapshot({ filings: 3000, companies: 20, batches: 3 })));
afterEach(() => void (fault = () => null));

async function served(
  cache?: string,
  cacheBytes = 64 * 1024 * 1024,
  more: Partial<HostOptions> = {},
): Promise<{ host: FileHost; start: () => Promise<SampleService>; service: SampleService }> {
  made = await copyOf(first);
  const host = await startFileHost(made.directory, { fault: (request) => fault(request) });
  const start = async () => {
    const kept = cache === undefined ? {} : { copies: openCopies(cache, cacheBytes, () => {}, Date.now) };
    const service = await serviceOver(
      made.directory,
      noJournal,
      Date.now,
      openPartHost(host.address, { ...options, ...more, ...kept }),
    );
    return service;
  };
  return { host, start, service: await start() };
}

/** Publishes a run that found nothing, long after the others. */
const grow = () => made.publish([], [], 400);

interface Health {
  readonly snapshotId: string;
  readonly unreachableSince: string | null;
}
const health = (service: SampleService) => service.json<Health>('/health');
const status = async (service: SampleService, path: string) => (await service.get(path)).status;

describe('a service over a host of files', () => {
  it('a service over a host answers as one over the folder does', async () => {
    const { service } = await served();
    const local = await serviceOver(made.directory);
    for (const path of valuesIn(`
      /v1/sec/latest?limit=200 | /v1/sec/changes?since=2020-01-01&limit=200 | /v1/sec/insider-trades
      /v1/sec/companies/search?q=co | /v1/sec/stats | /v1/sec/bulk | /docs | /nothing`)) {
      const [far, near] = [await service.get(path), await local.get(path)];
      expect([path, far.status, await far.text()]).toEqual([path, near.status, await near.text()]);
    }
  });

  it('an answer takes few requests of the host, and none for what is cached', async () => {
    const { host, service } = await served();
    const readsOf = async (path: string) => {
      const before = host.asked.length;
      expect(await status(service, path)).toBe(200);
      return host.asked.length - before;
    };
    for (const path of [
      '/v1/sec/latest?limit=200',
      '/v1/sec/changes?since=2020-01-01&limit=200',
      '/v1/sec/latest?limit=100&form=8-K',
      '/v1/sec/companies/search?q=co',
    ]) {
      expect(await readsOf(path)).toBeLessThanOrEqual(20);
      expect(await readsOf(path.replace(/limit=\d+|$/, '&limit=50').replace('?&', '?'))).toBeLessThanOrEqual(
        3,
      );
    }
  });

  it('a service takes a new snapshot after it has read only heads and small documents', async () => {
    const { host, service } = await served();
    const before = host.asked.length;
    const id = await grow();
    await service.look();
    expect((await health(service)).snapshotId).toBe(id);
    const asked = host.asked.slice(before).map(({ path }) => path);
    const small = ['counts', 'symbols', 'batches'];
    const isSmall = (path: string) => small.some((table) => path.includes(`/${table}.`));
    expect(asked.filter((path) => path.endsWith('.index.jsonl.gz') && !isSmall(path)).length).toBe(0);
    // Pointer, manifest, heads, documents, the counts of forms, symbols and batches.
    expect(asked.length).toBeLessThan(30);
  });

  it('a service keeps a stale snapshot while the host is down, and says since when', async () => {
    const { host, service } = await served();
    const old = await health(service);
    expect(old.unreachableSince).toBeNull();
    const [known, unknown] = ['/v1/sec/latest?limit=3', '/v1/sec/insider-trades'];
    expect(await status(service, known)).toBe(200);
    await host.down();
    const id = await grow();
    await service.look();
    expect(await health(service)).toEqual({ ...old, unreachableSince: '2027-01-15T08:00:00.000Z' });
    expect(await status(service, known)).toBe(200);
    const refused = await service.get(unknown);
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      503,
      '30',
      {
        error: {
          code: 'snapshot_unavailable',
          message: 'A part of the snapshot cannot be read at the moment; the log says why.',
        },
      },
    ]);
    await host.up();
    await service.look();
    expect(await health(service)).toMatchObject({ snapshotId: id, unreachableSince: null });
    expect(await status(service, unknown)).toBe(200);
  });

  it.each<[string, (request: HostRequest) => HostFault | null]>([
    ['a manifest that is not there yet', ({ path }) => (path.startsWith('manifests/') ? 404 : null)],
    ['a damaged manifest', ({ path }) => (path.startsWith('manifests/') ? 'wrong' : null)],
    ['a head that cannot be had', ({ path }) => (path.endsWith('segment.json') ? 503 : null)],
    ['a damaged document', ({ path }) => (path.startsWith('files/') ? 'wrong' : null)],
    ['half a pointer', ({ path }) => (path === paths.pointer ? 'short' : null)],
    ['no pointer', ({ path }) => (path === paths.pointer ? 404 : null)],
  ])('a service keeps its snapshot over %s, and takes the new one once that is mended', async (_, spoil) => {
    const { service } = await served();
    const { snapshotId } = await health(service);
    // The files of the log that is served are among those that the old snapshot has.
    const known = new Set(filesBelow(made.directory).filter((path) => path.startsWith('files/')));
    const id = await grow();
    fault = (request) => (known.has(request.path) ? null : spoil(request));
    for (let look = 0; look < 3; look++) await service.look();
    expect((await health(service)).snapshotId).toBe(snapshotId);
    expect(await status(service, '/v1/sec/latest')).toBe(200);
    fault = () => null;
    // The circuit may still be open.
    await until(async () => (await service.look(), (await health(service)).snapshotId === id), 2000);
  });

  it('an answer under load and faults of the host is right, or 503', async () => {
    const { service } = await served();
    const local = await serviceOver(made.directory);
    const faults: HostFault[] = ['reset', 'cut', 'wrong', 'short', 500, 503, 404];
    const random = createRandom(3);
    fault = () => (random() < 0.4 ? (faults[Math.floor(random() * faults.length)] as HostFault) : null);
    const statuses = new Set<number>();
    for (let page = 0, path = '/v1/sec/latest?limit=100'; page < 30; page++) {
      const [far, near] = [await service.get(path), await local.json<{ meta: { nextCursor: string } }>(path)];
      statuses.add(far.status);
      if (far.status === 200) expect(await far.json()).toEqual(near);
      path = `/v1/sec/latest?limit=100&cursor=${encodeURIComponent(near.meta.nextCursor ?? '')}`;
      if (near.meta.nextCursor === null) break;
    }
    expect(statuses).toContain(200);
    expect([...statuses].filter((each) => each !== 200 && each !== 503)).toEqual([]);
  });

  it('a service starts while the host is down, and serves what is cached on the disk', async () => {
    const { host, start, service } = await served(directory());
    const [known, unknown] = ['/v1/sec/latest?limit=20', '/v1/sec/insider-trades'];
    const expected = await (await service.get(known)).text();
    const { snapshotId } = await health(service);
    await service.close();
    await host.down();
    const again = await start();
    expect(await health(again)).toMatchObject({ snapshotId, unreachableSince: '2027-01-15T08:00:00.000Z' });
    expect(await (await again.get(known)).text()).toBe(expected);
    expect(await status(again, unknown)).toBe(503);
    await host.up();
    const id = await grow();
    await until(async () => (await again.look(), (await health(again)).snapshotId === id), 5000);
    expect(await status(again, unknown)).toBe(200);
  });

  it('a service starts while the host is down, however much was read before', async () => {
    const cache = directory();
    const { host, start, service } = await served(cache, 256 * 1024);
    await service.all('/v1/sec/changes?since=2000-01-01&limit=200');
    for (const path of [
      '/v1/sec/bulk/changes-000000000001.jsonl.gz',
      '/docs',
      '/openapi.json',
      '/v1/sec/latest?limit=200',
      '/v1/sec/insider-trades?limit=200',
    ])
      expect(await status(service, path)).toBe(200);
    const { snapshotId } = await health(service);
    await service.close();
    await host.down();
    expect((await health(await start())).snapshotId).toBe(snapshotId);
  });

  it('a service starts with the snapshot before if the current one cannot be read', async () => {
    const { start, service } = await served(directory());
    const { snapshotId } = await health(service);
    await service.close();
    const id = await grow();
    fault = ({ path }) => (path === paths.manifest(id) ? 404 : null);
    const again = await start();
    expect((await health(again)).snapshotId).toBe(snapshotId);
    expect(await status(again, '/v1/sec/latest')).toBe(200);
    fault = () => null;
    await until(async () => (await again.look(), (await health(again)).snapshotId === id), 5000);
  });

  it('a service ends at once, though the host does not answer', async () => {
    const { host, service } = await served(undefined, 0, {
      timeouts: { connectMs: 20_000, silentMs: 20_000, wholeMs: 20_000 },
    });
    const asked = host.asked.length;
    fault = () => 'slow';
    void service.look();
    await until(() => host.asked.length > asked);
    // Looks at the same time are one.
    void service.look();
    const startedMs = performance.now();
    await service.close();
    expect(performance.now() - startedMs).toBeLessThan(5000);
    expect(host.asked.length).toBe(asked + 1);
  });

  it('a service answers 503 until the host is there', async () => {
    const { host, start, service } = await served();
    await service.close();
    await host.down();
    const again = await start();
    expect(await status(again, '/health')).toBe(503);
    await host.up();
    await until(async () => (await again.look(), (await status(again, '/health')) === 200), 5000);
  });
});

describe('the server with SNAPSHOTS_URL', () => {
  const get = async (address: string, path: string) =>
    (await (await fetch(`${address}${path}`, { headers: { 'x-api-key': processKey } })).json()) as {
      data: unknown[];
      snapshotId: string;
    };

  it('two replicas with SNAPSHOTS_URL find a publication within 15 seconds', async () => {
    const { host } = await served();
    const cache = directory();
    const both = await Promise.all([
      startService({ SNAPSHOTS_URL: host.address, SNAPSHOTS_DIR: cache }),
      startService({ SNAPSHOTS_URL: `${host.address}/`, SNAPSHOTS_DIR: directory() }),
    ]);
    for (const { address } of both)
      expect((await get(address, '/v1/sec/latest?limit=3')).data.length).toBe(3);
    const id = await grow();
    const startedMs = performance.now();
    for (const { address } of both)
      await until(async () => (await get(address, '/health')).snapshotId === id, 15_000);
    expect(performance.now() - startedMs).toBeLessThan(15_000);
    expect(existsSync(join(cache, 'cache'))).toBe(true);
    for (const { stop } of both) await stop();
  });

  it('a server with SNAPSHOTS_URL never builds the sample, and says why it does not serve', async () => {
    const running = runService({ SNAPSHOTS_URL: 'http://127.0.0.1:1', SNAPSHOTS_DIR: directory() });
    await until(() => running.output().includes('snapshot_refused'), 20_000);
    expect(running.output()).toMatch(/127\.0\.0\.1:1\/current\.json/);
    running.child.kill('SIGTERM');
    await running.exited;
  });
});

describe('a host that sends without end', () => {
  const isHead = ({ path }: HostRequest) => path.endsWith('/segment.json');

  it('of a head one byte more is read than the manifest says that it has', async () => {
    fault = (request) => (isHead(request) ? 'endless' : null);
    made = await copyOf(first);
    const host = await startFileHost(made.directory, { fault: (request) => fault(request) });
    const parts = openPartHost(host.address, options);
    closing(() => parts.close());
    const pointer = JSON.parse(readFileSync(join(made.directory, paths.pointer), 'utf8')) as Pointer;
    const { manifest } = await readManifest(parts, pointer.snapshotId, pointer.manifestSha256);
    const wanted = manifest.segments.reduce((sum, { headBytes = NaN }) => sum + headBytes + 1, 0);
    const before = parts.traffic().bytes;
    for (const entry of manifest.segments)
      await expect(openSegment(parts, entry, createBlockCache(1024))).rejects.toThrow('expected SHA-256');
    // Each is asked for three times, in the hope that only a cache was wrong.
    expect(parts.traffic().bytes - before).toBe(3 * wanted);
    // The manifest of an older version does not say it, but no head is longer than all files of its segment.
    const { headBytes: _, ...older } = manifest.segments[0] as SegmentEntry;
    await expect(openSegment(parts, older, createBlockCache(1024))).rejects.toThrow('expected SHA-256');
    expect(parts.traffic().bytes - before).toBe(3 * (wanted + older.bytes + 1));
  });

  it('pointer, manifest, documents and files without an end are cut where they should have ended', async () => {
    for (const part of ['current.json', 'manifests/', 'files/']) {
      fault = ({ path }) => (path.startsWith(part) ? 'endless' : null);
      made = await copyOf(first);
      const host = await startFileHost(made.directory, { fault: (request) => fault(request) });
      const parts = openPartHost(host.address, options);
      closing(() => parts.close());
      const service = await serviceOver(made.directory, noJournal, Date.now, parts);
      expect((await service.get('/health')).status, part).toBe(503);
      expect(parts.traffic().bytes, part).toBeLessThan(4 * 1024 * 1024);
    }
  });

  it('a service with TRUSTED_KEY takes little memory of a host that sends heads without end', {
    timeout: 180_000,
  }, async () => {
    fault = (request) => (isHead(request) ? 'endless' : null);
    made = await copyOf(first);
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const { snapshotId, manifestSha256 } = JSON.parse(
      readFileSync(join(made.directory, paths.pointer), 'utf8'),
    ) as Pointer;
    await publish(made.directory, snapshotId, manifestSha256, createPointerSigner(privateKey, Date.now));
    const host = await startFileHost(made.directory, { fault: (request) => fault(request) });
    const service = await startService({
      SNAPSHOTS_URL: host.address,
      SNAPSHOTS_DIR: directory(),
      TRUSTED_KEY: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    });
    await until(() => host.asked.filter(isHead).length >= 10, 30_000);
    expect((await service.health())['error']).toMatchObject({ code: 'snapshot_unavailable' });
    expect(service.peakRssBytes()).toBeLessThan(200 * 1024 * 1024);
  });
});
