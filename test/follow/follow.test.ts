import { cpSync, readdirSync, readlinkSync } from 'node:fs';
import { readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import {
  allPartition,
  paths,
  tableNames,
  type Manifest,
  type Routes,
  type TableName,
} from '../../src/format/snapshot.ts';
import { keysOf, type Keys } from '../../src/table/line.ts';
import { segmentParts } from '../../src/table/segment.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createServedSnapshot, type ServedSnapshot } from '../../src/snapshot/served-snapshot.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { madeUpCompany } from '../support/generate.ts';
import { serviceOver, unfiltered } from '../support/sample.ts';
import { copyOf, makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { needs } from '../support/needs.ts';
import { bareFiling } from '../support/made-up.ts';
import { batchNumbers } from '../support/heads.ts';

/** What all tests begin with; each of them changes a copy. */
let first: MadeSnapshot;
/** The same with one filing more, as `grow` makes it. */
let grown: MadeSnapshot;
let grownId: string;
let made: MadeSnapshot;
let follower: ServedSnapshot;
let events: { event: string; reason?: unknown }[];

beforeAll(async () => {
  first = made = await makeSnapshot({ filings: 120, companies: 5, batches: 2 });
  grown = made = await copyOf(first);
  grownId = (await grow()).id;
});
afterAll(() => Promise.all([first.remove(), grown.remove()]));
beforeEach(async () => {
  made = await copyOf(first);
  events = [];
  follower = openServed();
  await follower.check();
});
afterEach(async () => {
  await follower.close();
  await made.remove();
});

const current = () => follower.currentId();
const count = () => follower.use(async (snapshot) => snapshot.manifest.filingCount);

/** Adds a batch with one filing and builds. Returns the new snapshot. */
async function grow(): Promise<{ id: string; manifest: Manifest }> {
  const number = (await batchNumbers(made.ledgerDirectory)).length;
  const filing = bareFiling(number, {
    accessionNo: `0000007777-26-${String(number).padStart(6, '0')}`,
    filerCiks: [madeUpCompany(0).cik],
  });
  await appendBatch(made.ledgerDirectory, {
    run: {
      target: 't',
      status: 'success',
      message: null,
      createdAt: new Date(Date.UTC(2026, 5, number)).toISOString(),
    },
    filings: [filing],
    companies: [],
    refusals: [],
  });
  return named(await made.build());
}

/** What `grow` does at first, without the work. */
async function takeGrown(): Promise<{ id: string; manifest: Manifest }> {
  cpSync(grown.directory, made.directory, { recursive: true });
  return named(grownId);
}

async function named(id: string): Promise<{ id: string; manifest: Manifest }> {
  return {
    id,
    manifest: JSON.parse(await readFile(join(made.directory, paths.manifest(id)), 'utf8')) as Manifest,
  };
}

/** What a new snapshot can have that the one before did not: a file of each kind, by a name for it. */
async function newParts({
  id,
  manifest,
}: {
  id: string;
  manifest: Manifest;
}): Promise<Record<string, string>> {
  const old = await named(current() as string);
  const [segment] = manifest.segments.filter(({ name }) =>
    old.manifest.segments.every((each) => each.name !== name),
  );
  const routesOf = async ({ routes }: Manifest) =>
    JSON.parse(await readFile(join(made.directory, paths.file(routes.sha256)), 'utf8')) as Routes;
  const [before, after] = [await routesOf(old.manifest), await routesOf(manifest)];
  const page = Object.values(after).find(
    ({ file, br }) => br !== null && Object.values(before).every((each) => each.file.sha256 !== file.sha256),
  );
  const { name } = segment as NonNullable<typeof segment>;
  return {
    manifest: paths.manifest(id),
    head: segmentParts.head(name),
    table: segmentParts.rows(name, 'summaries'),
    index: segmentParts.index(name, 'latest'),
    counts: segmentParts.rows(name, 'counts'),
    document: paths.file(manifest.documents.health?.sha256 as string),
    routes: paths.file(manifest.routes.sha256),
    public: paths.file(page?.file.sha256 as string),
    variant: paths.file(page?.br?.sha256 as string),
  };
}
const kinds = ['manifest', 'head', 'table', 'index', 'counts', 'document', 'routes', 'public', 'variant'];

/** Writes the pointer again as it is. */
async function nameAgain(): Promise<void> {
  const pointer = join(made.directory, 'current.json');
  await writeFile(`${pointer}.tmp`, await readFile(pointer));
  await rename(`${pointer}.tmp`, pointer);
}

/** The keys of the lines of a table in all segments, of one partition or of all. */
async function rowsOf(snapshot: Snapshot, name: TableName, partition?: string): Promise<Keys[]> {
  const found: Keys[] = [];
  for (const table of snapshot.tables(name)) {
    for (const entry of table.blocksFrom({
      partition: '',
      sort: table.head.direction === 'ascending' ? '' : '\uffff',
    })) {
      const block = await table.read(entry);
      for (let line = 0; line < block.ends.length; line++) found.push(keysOf(block, line));
    }
  }
  return found.filter((keys) => partition === undefined || keys.partition === partition);
}

/** How many files below a directory are open; those of segments that are named are left out. */
function openFiles(directory: string, segments: readonly string[] = []): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', descriptor));
      return path.startsWith(`${directory}/`) && !segments.some((name) => path.includes(name));
    } catch {
      return false;
    }
  }).length;
}

function flipped(whole: Buffer, at: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes;
}

async function flip(path: string, at: number): Promise<void> {
  const bytes = flipped(await readFile(path), at);
  // The file may be a hard link that an older snapshot shares: the rot is to be in this one alone.
  await unlink(path);
  await writeFile(path, bytes);
}

/** Opens the snapshots as a service does that starts now. */
const openServed = () =>
  createServedSnapshot(
    openPartFolder(made.directory),
    createBlockCache(1024 * 1024),
    (event, details) => void events.push({ event, ...details }),
  );

describe('following the pointer', () => {
  it('the service takes a new snapshot once the pointer names it; requests in flight end on the old one', {
    tags: ['slow'],
  }, async () => {
    const old = current();
    let release = () => {};
    const inFlight = follower.use(async (snapshot) => {
      await new Promise<void>((resolve) => (release = resolve));
      return [snapshot.id, (await rowsOf(snapshot, 'latest', allPartition)).length];
    });
    await grow();
    await follower.check();
    expect(current()).not.toBe(old);
    expect(await count()).toBe(121);
    release();
    expect(await inFlight).toEqual([old, 120]);
    expect(await follower.use((snapshot) => rowsOf(snapshot, 'latest', allPartition))).toHaveLength(121);
  });

  it('the service opens only new segments, and hashes nothing that it has', async () => {
    const [known] = await follower.use(async ({ segments }) => segments);
    const table = join(made.directory, segmentParts.rows(known?.name as string, 'summaries'));
    // It was good when it was taken: what it has become since then shows when it is read.
    const { manifest } = await grow();
    await flip(table, 100);
    expect(manifest.segments.map(({ name }) => name)).toEqual([known?.name, expect.any(String)]);
    await follower.check();
    expect(await count()).toBe(121);
    expect((await follower.use(async ({ segments }) => segments))[0]).toBe(known);
  });

  const refusesUntilWhole = async (kind: string, damages: readonly ((whole: Buffer) => Buffer | null)[]) => {
    const old = current();
    const part = (await newParts(await takeGrown()))[kind] as string;
    const file = join(made.directory, part);
    const whole = await readFile(file);
    for (const damage of [...damages, (bytes: Buffer) => bytes]) {
      const bytes = damage(whole);
      // The file may be a hard link that an older snapshot shares: the damage is to be in this one alone.
      await rm(file, { force: true });
      if (bytes) await writeFile(file, bytes);
      await nameAgain();
      await follower.check();
      if (bytes === whole) continue;
      await follower.check();
      expect([current(), await count()]).toEqual([old, 120]);
      expect(events.at(-1)).toMatchObject({
        event: 'snapshot_refused',
        serving: old,
        reason: expect.stringContaining(part) as unknown,
      });
      expect(await follower.use((snapshot) => rowsOf(snapshot, 'summaries'))).toHaveLength(120);
    }
    expect(await count()).toBe(121);
    expect(events.filter(({ event }) => event === 'snapshot_refused')).toHaveLength(damages.length);
  };
  it.each(kinds)(
    'the service refuses a snapshot with a flipped byte in its %s, and keeps the last good one',
    (kind) => refusesUntilWhole(kind, [(whole) => flipped(whole, whole.length >> 1)]),
  );
  it.each(kinds)(
    'the service refuses a snapshot whose %s is missing, cut off or longer, until it is whole',
    { tags: ['slow'] },
    (kind) =>
      refusesUntilWhole(kind, [
        () => null,
        (whole) => whole.subarray(0, -1),
        () => Buffer.alloc(0),
        (whole) => Buffer.concat([whole, Buffer.from('\n')]),
      ]),
  );

  it.each(['pointer', 'manifest'])(
    'the service says in one line that a %s of format 1 has to be built again',
    async (kind) => {
      const old = current();
      const manifest = JSON.stringify({ format: 1, tables: {} });
      const id = `20260101-${sha256Of(manifest).slice(0, 16)}`;
      await writeFile(join(made.directory, paths.manifest(id)), manifest);
      await writeFile(
        join(made.directory, paths.pointer),
        JSON.stringify({
          format: kind === 'pointer' ? 1 : 2,
          snapshotId: id,
          manifestSha256: sha256Of(manifest),
          previous: [],
        }),
      );
      const atStart = openServed();
      events.length = 0;
      for (const each of [follower, atStart]) for (let look = 0; look < 3; look++) await each.check();
      expect([current(), atStart.currentId()]).toEqual([old, null]);
      const path = kind === 'pointer' ? paths.pointer : paths.manifest(id);
      expect(events.map(({ event }) => event)).toEqual(['snapshot_refused', 'snapshot_refused']);
      for (const { reason } of events) {
        expect(reason).toMatch(/: it is of format 1, .*; build again, with the same ledger$/);
        expect(reason).toContain(path);
        expect(reason).not.toContain('\n');
      }
      await atStart.close();
    },
  );

  it('the service refuses a manifest that is not the one of the pointer', async () => {
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

  it.each(['manifest', 'head', 'document'])(
    'the service goes on looking for a %s that comes after the pointer',
    async (kind) => {
      const path = join(made.directory, (await newParts(await takeGrown()))[kind] as string);
      await rename(path, `${path}.aside`);
      const late = openServed();
      events.length = 0;
      for (let look = 0; look < 3; look++) await late.check();
      expect(late.currentId()).toBeNull();
      expect(events.map(({ event }) => event)).toEqual(['snapshot_refused']);
      await rename(`${path}.aside`, path);
      await late.check();
      expect(await late.use(async (snapshot) => snapshot.manifest.filingCount)).toBe(121);
      await late.close();
    },
  );

  it('the service closes the files of former and refused snapshots', {
    tags: ['slow'],
    ...needs('descriptors'),
  }, async () => {
    const read = () =>
      follower.use(async (snapshot) => {
        for (const name of tableNames) await rowsOf(snapshot, name);
      });
    const others = () =>
      follower.use(async ({ manifest }) =>
        openFiles(
          made.directory,
          manifest.segments.map(({ name }) => name),
        ),
      );
    await read();
    expect(openFiles(made.directory)).toBeGreaterThan(10);
    let release = () => {};
    const inFlight = follower.use(async (snapshot) => {
      await new Promise<void>((resolve) => (release = resolve));
      return (await rowsOf(snapshot, 'summaries')).length;
    });
    await grow();
    await follower.check();
    expect(await others()).toBe(0);
    release();
    expect(await inFlight).toBe(120);
    await read();
    expect(openFiles(made.directory)).toBeGreaterThan(10);

    const parts = await newParts(await grow());
    await flip(join(made.directory, parts.table as string), 10);
    await follower.check();
    expect([await count(), await others()]).toEqual([121, 0]);
    const broken = join(made.directory, parts.document as string);
    await flip(broken, 10);
    const atStart = openServed();
    await atStart.check();
    expect(atStart.currentId()).toBeNull();
    // Documents that were read at the same time as the broken one are closed when they have been read.
    await expect.poll(others).toBe(0);
    await read();
    await follower.close();
    // A file that was replaced is closed without waiting.
    await expect.poll(() => openFiles(made.directory)).toBe(0);
  });

  it('the service keeps its snapshot while the pointer is garbage or gone', async () => {
    const old = current();
    const pointer = join(made.directory, 'current.json');
    const good = await readFile(pointer);
    for (const garbage of [
      '',
      '{',
      'null',
      '{"format":1}',
      '{"format":2}',
      '{"format":3}',
      '{"format":2,"snapshotId":"../../etc","manifestSha256":"","previous":[]}',
    ]) {
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

  it('the service answers 503 until there is a good snapshot', async () => {
    const empty = await makeSnapshot();
    const service = await serviceOver(empty.directory);
    const refused = await service.get('/v1/sec/latest');
    expect([
      refused.status,
      refused.headers.get('retry-after'),
      ((await refused.json()) as { error: { code: string } }).error.code,
    ]).toEqual([503, '30', 'snapshot_unavailable']);
    expect((await service.get('/health')).status).toBe(503);
    await empty.publish([]);
    await service.look();
    expect((await service.get('/health')).status).toBe(200);
    expect(await (await service.get('/v1/sec/latest')).json()).toEqual({
      data: [],
      meta: {
        count: 0,
        total: 0,
        nextCursor: null,
        newestFiledAt: null,
        filters: unfiltered,
      },
    });
    await service.close();
    await empty.remove();
  });

  it('the service serves nothing from a block that is rotten', async () => {
    const [segment] = (await named(current() as string)).manifest.segments;
    await flip(join(made.directory, segmentParts.rows(segment?.name as string, 'summaries')), 2000);
    const service = await serviceOver(made.directory);
    const { data } = (await (await service.get('/v1/sec/latest?limit=200')).json()) as {
      data: { accessionNo: string }[];
    };
    expect(data.length).toBe(120);
    const statuses = new Set<number>();
    for (const { accessionNo } of data)
      statuses.add((await service.get(`/v1/sec/forms/${accessionNo}/summary`)).status);
    expect(statuses).toContain(503);
    expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true);
    await service.close();
  });
});
