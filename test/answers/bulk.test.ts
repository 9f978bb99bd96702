import { batchDirectory, newBatchDirectory } from '../../build/ledger/folders.ts';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { prune } from '../../build/snapshot/prune.ts';
import { verifySnapshot } from '../../build/verify/verify.ts';
import {
  bulkFileRows,
  BulkListResponse,
  bulkName,
  bulkPath,
  type BulkFile,
} from '../../src/contract/bulk.ts';
import type { Change } from '../../src/contract/records.ts';
import { paths, type FileReference } from '../../src/format/snapshot.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createGate } from '../../src/fetch/gate.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';
import { sampleService, serviceOver, type SampleService } from '../support/sample.ts';
import { buildQuietly, filesBelow } from '../support/snapshots.ts';
import { writeFile, writeManifest, type SmallSnapshot } from '../support/segments.ts';
import { writeSmallLedger } from '../support/small-ledger.ts';
import { changedValue } from '../support/forgeries.ts';
import { createRandom, generateLedger } from '../support/generate.ts';
import { makeSound, refusal, type Sound } from '../support/sound-snapshot.ts';

const fresh = useDirectories('bulk');
const rowsDiffer = /does not hold the rows of the log/;

it('the list of bulk files is small at twenty million filings', () =>
  expect(Math.ceil(20_000_000 / bulkFileRows) * 300).toBeLessThan(512 * 1024));

const listOf = async (service: SampleService) =>
  BulkListResponse.parse(await (await service.get(bulkPath)).json());
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('publications', () => {
  const rowsPerFile = 40;
  const logCut = { rowsPerFile, rowsPerMember: 8 };
  const [ledger, part, snapshots] = [fresh(), fresh(), fresh()];
  const lists: BulkListResponse[] = [];
  let service: SampleService;
  /** Brings a copy of the ledger up to so many of its batches. */
  const giveBatches = (number: number) => {
    for (let at = 1; at <= number; at++)
      cpSync(batchDirectory(ledger, at), newBatchDirectory(part, at), { recursive: true });
  };
  const publishUpTo = async (number: number) => {
    giveBatches(number);
    await buildQuietly(part, snapshots, { logCut });
    if (number === 1) service = await serviceOver(snapshots);
    else await service.look();
    lists.push(await listOf(service));
  };
  beforeAll(async () => {
    await writeSmallLedger(ledger);
    for (const number of [1, 2, 3, 4]) await publishUpTo(number);
  });

  it('publications list closed bulk files that stay as they are', async () => {
    const closed = lists.map(({ data }) => data.filter((file) => file.closed));
    expect(closed.map(({ length }) => length)).toEqual([3, 4, 4, 5]);
    for (const [at, files] of closed.entries())
      expect(lists.at(-1)?.data.slice(0, files.length), `publication ${at + 1}`).toEqual(files);
    const another = fresh();
    await buildQuietly(ledger, another, { logCut });
    const other = await serviceOver(another);
    expect(await listOf(other)).toEqual(lists.at(-1));
  });

  it('published bulk files are together the change feed, and their cursor goes on after them', async () => {
    const { data, meta } = lists.at(-1) as BulkListResponse;
    expect(meta).toMatchObject({
      count: data.length,
      rowsPerFile,
      lastSequence: data.at(-1)?.lastSequence,
      newestFiledAt: expect.any(String) as string,
    });
    const lines = (
      await Promise.all(
        data.map(async ({ url }) => gunzipSync(await bytesOf(await service.get(url))).toString()),
      )
    )
      .join('')
      .split('\n')
      .slice(0, -1);
    expect(lines.length).toBe(meta.lastSequence);
    const walked = await service.all('/v1/sec/changes?since=0001-01-01&limit=200');
    expect(lines).toEqual(walked.map((row) => JSON.stringify(row)));
    const behind = async ({ meta: { nextCursor } }: BulkListResponse) =>
      (await service.json<{ data: Change[] }>(`/v1/sec/changes?limit=200&cursor=${nextCursor}`)).data.map(
        ({ sequence }) => sequence,
      );
    expect(await behind(lists.at(-1) as BulkListResponse)).toEqual([]);
    const before = lists[2] as BulkListResponse;
    expect(await behind(before)).toEqual(
      Array.from(
        { length: meta.lastSequence - before.meta.lastSequence },
        (_, at) => before.meta.lastSequence + at + 1,
      ),
    );
  });

  it('publications let a mirror fetch only what is new', () => {
    const mirror = new Map<string, string>();
    const fetched = lists.map(({ data }) => {
      const missing = data.filter(({ name, sha256 }) => mirror.get(name) !== sha256);
      for (const { name, sha256 } of missing) mirror.set(name, sha256);
      expect([...mirror.keys()]).toEqual(data.map(({ name }) => name));
      return missing.map(({ name }) => name);
    });
    expect(fetched).toEqual(
      [[1, 41, 81, 121], [121, 161], [161], [161]].map((firsts) => firsts.map(bulkName)),
    );
  });

  it('bulk files are verified, and prune keeps those that a kept snapshot lists', async () => {
    const copied = fresh();
    cpSync(snapshots, copied, { recursive: true });
    const folder = openPartFolder(copied);
    const { snapshotId } = JSON.parse(readFileSync(join(copied, paths.pointer), 'utf8')) as {
      snapshotId: string;
    };
    await verifySnapshot(copied, snapshotId);
    const sizeOf = ({ sha256 }: BulkFile) =>
      statSync(join(copied, paths.file(sha256)), { throwIfNoEntry: false })?.size;
    await prune(folder, Date.now() + 3_600_000);
    await folder.close();
    for (const { data } of lists.slice(1)) for (const file of data) expect(sizeOf(file)).toBe(file.bytes);
    // The first of four publications is not kept, and no other lists the file that was open then.
    expect(sizeOf(lists[0]?.data.at(-1) as BulkFile)).toBeUndefined();
    await verifySnapshot(copied, snapshotId);
  });

  it('a publication writes the open bulk file and new ones, and reads no closed one', async () => {
    const [ledgerDirectory, copied] = [fresh(), fresh()];
    await generateLedger(ledgerDirectory, { filings: 400, companies: 10, batches: 2 });
    const options = { logCut: { rowsPerFile: 50, rowsPerMember: 8 } };
    await buildQuietly(ledgerDirectory, copied, options);
    const before = new Set(filesBelow(copied));
    await buildQuietly(ledgerDirectory, copied, options);
    expect(filesBelow(copied).filter((path) => !before.has(path))).toEqual([]);
  });
});

describe('a file', () => {
  let service: SampleService;
  let closed: BulkFile;
  let open: BulkFile;
  beforeAll(async () => {
    const [ledger, snapshots] = [fresh(), fresh()];
    await writeSmallLedger(ledger);
    await buildQuietly(ledger, snapshots, { logCut: { rowsPerFile: 150, rowsPerMember: 32 } });
    service = await serviceOver(snapshots);
    [closed, open] = (await listOf(service)).data as [BulkFile, BulkFile];
  });

  it('a bulk file is sent without another encoding, with its digest', async () => {
    for (const encoding of ['gzip', 'br, gzip', 'identity', '*']) {
      const response = await service.get(closed.url, { 'accept-encoding': encoding });
      const bytes = await bytesOf(response);
      expect([
        response.status,
        response.headers.get('content-encoding'),
        response.headers.get('content-type'),
        bytes.length,
        sha256Of(bytes),
      ]).toEqual([200, null, 'application/gzip', closed.bytes, closed.sha256]);
      expect(response.headers.get('content-length')).toBe(String(closed.bytes));
      expect(response.headers.get('repr-digest')).toBe(
        `sha-256=:${Buffer.from(closed.sha256, 'hex').toString('base64')}:`,
      );
      expect(response.headers.get('accept-ranges')).toBe('bytes');
      expect(response.headers.get('etag')).toBe(`"${closed.sha256.slice(0, 32)}"`);
      expect(response.headers.get('vary')).toContain('x-api-key');
    }
  });

  it('caches ask again for a bulk file, also for a closed one, because its name does not tell its content', async () => {
    const controlOf = async ({ url }: BulkFile, headers = {}) =>
      (await service.get(url, headers)).headers.get('cache-control');
    expect(await controlOf(closed)).toBe('private, no-cache');
    expect(await controlOf(open)).toBe('private, no-cache');
    expect(await controlOf(closed, { 'if-none-match': `"${closed.sha256.slice(0, 32)}"` })).toBe(
      'private, no-cache',
    );
    expect((await service.get(open.url, { 'if-none-match': `"${open.sha256.slice(0, 32)}"` })).status).toBe(
      304,
    );
    expect((await service.get(closed.url, { 'x-api-key': '' })).status).toBe(401);
    expect((await service.get(closed.url, { 'x-api-key': '' })).headers.get('cache-control')).toBe(
      'no-store',
    );
  });

  it('ranges of a bulk file together have its digest', async () => {
    const etag = `"${closed.sha256.slice(0, 32)}"`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(closed.bytes - 1), { maxLength: 6 }), async (breaks) => {
        const pieces: Buffer[] = [];
        const cuts = [...new Set([0, ...breaks])].sort((a, b) => a - b);
        for (const [at, from] of cuts.entries()) {
          const response = await service.get(closed.url, { range: `bytes=${from}-`, 'if-range': etag });
          const whole = await bytesOf(response);
          expect([
            response.status,
            response.headers.get('content-range'),
            response.headers.get('etag'),
          ]).toEqual([206, `bytes ${from}-${closed.bytes - 1}/${closed.bytes}`, etag]);
          pieces.push(whole.subarray(0, (cuts[at + 1] ?? closed.bytes) - from));
        }
        expect(sha256Of(Buffer.concat(pieces))).toBe(closed.sha256);
      }),
      { numRuns: 20 },
    );
  });

  it('a range of a bulk file that has changed begins again', async () => {
    expect((await service.get(open.url, { range: 'bytes=10-', 'if-range': '"another"' })).status).toBe(200);
    const beyond = await service.get(open.url, { range: `bytes=${open.bytes}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${open.bytes}`]);
    expect((await service.get(open.url, { range: 'bytes=0-9' }, 'HEAD')).status).toBe(200);
    const head = await service.get(open.url, {}, 'HEAD');
    expect([head.headers.get('content-length'), await head.text()]).toEqual([String(open.bytes), '']);
  });

  it('a bulk file that is not listed gets 404', async () => {
    const refused = (name: string) => service.refusal(`${bulkPath}/${name}`);
    expect(await refused(bulkName(2))).toEqual([404, 'not_found']);
    for (const name of ['changes.jsonl.gz', 'changes-1.jsonl.gz', '..%2fcurrent.json', `${bulkName(1)}x`])
      expect([name, ...(await refused(name))]).toEqual([name, 400, 'invalid_parameter']);
    expect((await service.get(`${closed.url}?limit=1`)).status).toBe(400);
    expect((await service.get(`${bulkPath}?limit=1`)).status).toBe(400);
  });

  it('a bulk file with a wrong byte is refused', async () => {
    const path = join(service.snapshots, paths.file(closed.sha256));
    const bytes = readFileSync(path);
    for (const at of [0, 17, bytes.length - 1]) {
      const other = Buffer.from(bytes);
      other[at] = (other[at] as number) ^ 1;
      writeFileSync(path, other);
      expect(await service.refusal(closed.url)).toEqual([503, 'snapshot_unavailable']);
    }
    writeFileSync(path, bytes.subarray(0, -1));
    expect((await service.get(closed.url)).status).toBe(503);
    expect((await service.get(closed.url, { range: 'bytes=0-1' })).status).toBe(503);
    writeFileSync(path, bytes);
    expect((await service.get(closed.url)).status).toBe(200);
  });
});

describe('the embedded sample', () => {
  it('the embedded sample has its feed in one open bulk file', { tags: ['slow'] }, async () => {
    const service = await sampleService();
    const { data, meta } = await listOf(service);
    expect(data.map(({ name, firstSequence, closed }) => [name, firstSequence, closed])).toEqual([
      [bulkName(1), 1, false],
    ]);
    expect(meta).toMatchObject({ count: 1, rowsPerFile: bulkFileRows, lastSequence: data[0]?.rows });
  });
});

describe('reads of long files', () => {
  it('reads of long files are bounded, and each has its turn, also after one that fails', async () => {
    const gate = createGate(3);
    let [running, most] = [0, 0];
    const work = (number: number) =>
      gate.run(async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, number % 3));
        running--;
        if (number % 5 === 0) throw new Error(String(number));
        return number;
      });
    const ended = await Promise.allSettled(Array.from({ length: 50 }, (_, number) => work(number)));
    expect(ended.map(({ status }) => status)).toEqual(
      Array.from({ length: 50 }, (_, number) => (number % 5 === 0 ? 'rejected' : 'fulfilled')),
    );
    expect([running, most]).toEqual([0, 3]);
  });
});

describe('verification', () => {
  let made: Sound;
  let list: BulkListResponse;
  const storedBytes = ({ directory }: SmallSnapshot, { sha256 }: Pick<FileReference, 'sha256'>) =>
    readFileSync(join(directory, paths.file(sha256)));
  beforeAll(async () => {
    made = await makeSound(fresh);
    const { bulk } = made.snapshot.manifest.documents;
    list = BulkListResponse.parse(JSON.parse(storedBytes(made.snapshot, bulk as FileReference).toString()));
  });

  /** What verification says of a copy with another list of files, whose second file may have other bytes. */
  function saidOf(changed: unknown, second?: Buffer): Promise<string | null> {
    const { directory, manifest } = made.copy();
    const keep = (value: unknown) => writeFile(directory, Buffer.from(JSON.stringify(value)));
    const file = second && writeFile(directory, second);
    const bulk = file
      ? { ...list, data: list.data.map((each, at) => (at === 1 ? { ...each, ...file } : each)) }
      : changed;
    return refusal(
      writeManifest(directory, { ...manifest, documents: { ...manifest.documents, bulk: keep(bulk) } }),
    );
  }

  it('verification takes a sound list of bulk files', async () => expect(await saidOf(list)).toBeNull());

  it('verification names another value of each member of the list', async () => {
    const seed = Date.now();
    const random = createRandom(seed);
    const draw = (end: number) => Math.floor(random() * end);
    const change = (value: unknown) => changedValue(value, draw).changed;
    const { data, meta } = list;
    const forged = [
      ...Object.keys(data[0] as BulkFile).map((name) => {
        const at = draw(data.length);
        const file = data[at] as BulkFile;
        return { ...list, data: data.with(at, { ...file, [name]: change(file[name as keyof BulkFile]) }) };
      }),
      ...Object.entries(meta).map(([name, value]) => ({ ...list, meta: { ...meta, [name]: change(value) } })),
      { ...list, data: data.slice(0, -1) },
      { ...list, data: [...data, data[0]] },
      { ...list, data: [data[1], data[0], ...data.slice(2)] },
      { meta: {} },
    ];
    for (const each of forged)
      expect(await saidOf(each), `seed ${seed}: ${JSON.stringify(each)}`).toMatch(/files\/[0-9a-f]{2}\//);
  });

  it.each<[string, RegExp, (bytes: Buffer) => Buffer]>([
    ['another row', rowsDiffer, (bytes) => gzipSync(unzip(bytes).replace('"size":', '"size":1'))],
    ['a row too few', rowsDiffer, (bytes) => gzipSync(unzip(bytes).replace(/[^\n]*\n$/, ''))],
    ['a row too many', rowsDiffer, (bytes) => gzipSync(`${unzip(bytes)}{}\n`)],
    ['bytes that are no gzip', /cannot be inflated/, () => Buffer.from('text')],
    [
      'bytes behind the end',
      /cannot be inflated|does not hold the rows of the log/,
      (bytes) => Buffer.concat([bytes, Buffer.alloc(3)]),
    ],
  ])('verification names a bulk file with %s', async (_, message, change) =>
    expect(await saidOf(null, change(storedBytes(made.snapshot, list.data[1] as BulkFile)))).toMatch(message),
  );
});

const unzip = (bytes: Buffer) => gunzipSync(bytes).toString();
