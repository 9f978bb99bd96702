import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { appendBatch } from '../build/ledger/batch.ts';
import { readLedger } from '../build/ledger/read.ts';
import { createFollower, type Follower } from '../src/snapshot/follow.ts';
import { createChunkCache } from '../src/table/cache.ts';
import { serviceOver } from './support/sample.ts';
import { copyOf, makeSnapshot, type MadeSnapshot } from './support/snapshot.ts';

/** What all tests begin with; each of them changes a copy. */
let first: MadeSnapshot;
let made: MadeSnapshot;
let follower: Follower;
let events: { event: string; reason?: unknown }[];

beforeAll(async () => void (first = await makeSnapshot({ filings: 120, companies: 5, batches: 2 })));
afterAll(() => first.remove());
beforeEach(async () => {
  made = await copyOf(first);
  events = [];
  follower = createFollower(made.directory, createChunkCache(1024 * 1024), (event, details) => void events.push({ event, ...details }));
  await follower.check();
});
afterEach(async () => {
  await follower.close();
  await made.remove();
});

const current = () => follower.currentId();
const count = () => follower.use(async (snapshot) => snapshot.manifest.filingCount);

/** Adds a batch with one filing and builds. Returns the new snapshot's directory. */
async function grow(): Promise<string> {
  const ledger = await readLedger(made.ledgerDirectory);
  const [known] = ledger?.filings ?? [];
  const fresh = { ...(known as NonNullable<typeof known>), accessionNo: `0000007777-26-${String(ledger?.batches.length).padStart(6, '0')}` };
  await appendBatch(made.ledgerDirectory, { run: { target: 't', status: 'success', message: null, createdAt: new Date(Date.UTC(2026, 5, ledger?.batches.length)).toISOString() }, filings: [fresh], companies: [], refusals: [] });
  return join(made.directory, await made.build());
}

/** Writes the pointer again as it is. */
async function nameAgain(): Promise<void> {
  const pointer = join(made.directory, 'current.json');
  await writeFile(`${pointer}.tmp`, await readFile(pointer));
  await rename(`${pointer}.tmp`, pointer);
}

/** How many files under a directory this process has open. */
function openFiles(directory: string): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(join('/proc/self/fd', descriptor)).startsWith(`${directory}/`);
    } catch {
      return false;
    }
  }).length;
}

async function flip(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[at] = (bytes[at] as number) ^ 1;
  // The file may be a hard link that an older snapshot shares: the rot is to be in this one alone.
  await unlink(path);
  await writeFile(path, bytes);
}

describe('following the pointer', () => {
  it('serves a new snapshot once it is named, and what is in flight ends on the old one', async () => {
    const old = current();
    let release = () => {};
    const inFlight = follower.use(async (snapshot) => {
      await new Promise<void>((resolve) => (release = resolve));
      const block = await snapshot.tables.latest.at({ page: 0, line: 0 });
      return [snapshot.id, (await snapshot.tables.latest.read(block as NonNullable<typeof block>)).ends.length > 0];
    });
    await grow();
    await follower.check();
    expect(current()).not.toBe(old);
    expect(await count()).toBe(121);
    release();
    expect(await inFlight).toEqual([old, true]);
  });

  it('refuses a snapshot with a flipped byte, says why once, and goes on with the last good one', async () => {
    const old = current();
    const directory = await grow();
    await flip(join(directory, 'tables/summaries.jsonl'), 1000);
    await follower.check();
    await follower.check();
    expect([current(), await count()]).toEqual([old, 120]);
    expect(events.filter(({ event }) => event === 'snapshot_refused')).toEqual([expect.objectContaining({ reason: expect.stringContaining('tables/summaries.jsonl') as unknown })]);
  });

  it.each(['tables/latest.jsonl', 'tables/symbols.index.csv', 'documents/health.json', 'public/demo', 'manifest.json'])('refuses a snapshot in which %s is missing, cut off or longer, and takes it when it is whole and named again', async (path) => {
    const old = current();
    const directory = await grow();
    const file = join(directory, path);
    const whole = await readFile(file);
    // An own copy: the file may be a hard link that an older snapshot shares.
    for (const damage of [() => Promise.resolve(), () => writeFile(file, whole.subarray(0, -1)), () => writeFile(file, ''), () => writeFile(file, Buffer.concat([whole, Buffer.from('\n')]))]) {
      await rm(file, { force: true });
      await damage();
      await nameAgain();
      await follower.check();
      expect([current(), await count()]).toEqual([old, 120]);
      expect(events.at(-1)).toMatchObject({ event: 'snapshot_refused', serving: old, reason: expect.stringContaining(path) as unknown });
    }
    await writeFile(file, whole);
    await nameAgain();
    await follower.check();
    expect(await count()).toBe(121);
  });

  it('refuses a snapshot whose manifest is not the one that the pointer names', async () => {
    const old = current();
    await grow();
    const pointer = join(made.directory, 'current.json');
    const named = JSON.parse(await readFile(pointer, 'utf8')) as { manifestSha256: string };
    await writeFile(pointer, JSON.stringify({ ...named, manifestSha256: '0'.repeat(64) }));
    await follower.check();
    expect(current()).toBe(old);
    await writeFile(pointer, JSON.stringify(named));
    await follower.check();
    expect(await count()).toBe(121);
  });

  it('takes a refused snapshot once a build has mended it', async () => {
    const directory = await grow();
    await flip(join(directory, 'tables/latest.jsonl'), 100);
    await follower.check();
    expect(await count()).toBe(120);
    expect(join(made.directory, await made.build())).toBe(directory);
    await follower.check();
    expect(await count()).toBe(121);
  });

  it('goes on looking while there is nothing to serve: also for a snapshot that comes after its pointer', async () => {
    const directory = await grow();
    await rename(directory, `${directory}.aside`);
    const late = createFollower(made.directory, createChunkCache(1024), (event, details) => void events.push({ event, ...details }));
    events.length = 0;
    for (let look = 0; look < 3; look++) await late.check();
    expect(late.currentId()).toBeNull();
    expect(events.map(({ event }) => event)).toEqual(['snapshot_refused']);
    await rename(`${directory}.aside`, directory);
    await late.check();
    expect(await late.use(async (snapshot) => snapshot.manifest.filingCount)).toBe(121);
    await late.close();
  });

  it.skipIf(!existsSync('/proc/self/fd'))('closes the files of a snapshot when its last request is answered, and leaves none of a refused one open', async () => {
    const old = join(made.directory, current() as string);
    expect(openFiles(old)).toBeGreaterThan(10);
    const releases: (() => void)[] = [];
    const inFlight = [0, 1].map(() => follower.use(() => new Promise<void>((resolve) => releases.push(resolve))));
    const next = await grow();
    await follower.check();
    expect([openFiles(old) > 10, openFiles(next) > 10]).toEqual([true, true]);
    releases[0]?.();
    await inFlight[0];
    expect(openFiles(old)).toBeGreaterThan(10);
    releases[1]?.();
    await inFlight[1];
    expect(openFiles(old)).toBe(0);

    const broken = await grow();
    await flip(join(broken, 'documents/stats.json'), 10);
    await follower.check();
    const atStart = createFollower(made.directory, createChunkCache(1024), () => {});
    await atStart.check();
    expect([atStart.currentId(), openFiles(broken)]).toEqual([null, 0]);
    await follower.close();
    expect(openFiles(made.directory)).toBe(0);
  });

  it('keeps what it has when the pointer is garbage or gone, and recovers', async () => {
    const old = current();
    const pointer = join(made.directory, 'current.json');
    const good = await readFile(pointer);
    for (const garbage of ['', '{', '{"format":1}', '{"format":1,"snapshotId":"../../etc","manifestSha256":"","previous":[]}']) {
      await writeFile(pointer, garbage);
      await follower.check();
      expect(current()).toBe(old);
    }
    await rm(pointer);
    await follower.check();
    expect(await count()).toBe(120);
    await writeFile(pointer, good);
    await grow();
    await follower.check();
    expect(await count()).toBe(121);
  });

  it('answers 503 as long as there is no good snapshot, and serves one as soon as there is', async () => {
    const empty = await makeSnapshot();
    const service = await serviceOver(empty.directory);
    const refused = await service.get('/v1/sec/latest');
    expect([refused.status, refused.headers.get('retry-after'), ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([503, '30', 'snapshot_unavailable']);
    expect((await service.get('/health')).status).toBe(503);
    await appendBatch(empty.ledgerDirectory, { run: { target: 't', status: 'success', message: null, createdAt: '2026-01-01T00:00:00.000Z' }, filings: [], companies: [], refusals: [] });
    await empty.build();
    await service.look();
    expect((await service.get('/health')).status).toBe(200);
    expect(await (await service.get('/v1/sec/latest')).json()).toEqual({ data: [], meta: { count: 0, nextCursor: null, newestFiledAt: null } });
    await service.close();
    await empty.remove();
  });

  it('finds rot in a block that it reads after the start, and serves nothing from it', async () => {
    await flip(join(made.directory, current() as string, 'tables/summaries.jsonl'), 2000);
    const service = await serviceOver(made.directory);
    const { data } = (await (await service.get('/v1/sec/latest?limit=200')).json()) as { data: { accessionNo: string }[] };
    expect(data.length).toBe(120);
    const statuses = new Set<number>();
    for (const { accessionNo } of data) statuses.add((await service.get(`/v1/sec/forms/${accessionNo}/summary`)).status);
    expect(statuses).toContain(503);
    expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true);
    await service.close();
  });
});
