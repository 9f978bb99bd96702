import { batchDirectory, newBatchDirectory } from '../build/ledger/folders.ts';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulkRanges, makeBulkFiles } from '../build/snapshot/bulk.ts';
import { prune } from '../build/snapshot/prune.ts';
import { verifySnapshot } from '../build/verify/verify.ts';
import { answer } from '../src/answers/answer.ts';
import {
  bulkFileRows,
  BulkListResponse,
  bulkName,
  bulkPath,
  type BulkFile,
  type BulkPart,
} from '../src/contract/bulk.ts';
import type { Change } from '../src/contract/records.ts';
import { paths, type FileReference, type SegmentEntry } from '../src/contract/snapshot.ts';
import { openPartFolder } from '../src/snapshot/folder.ts';
import { createGate } from '../src/snapshot/open.ts';
import { sha256Of } from '../src/files/bytes.ts';
import { useDirectories } from './support/directories.ts';
import { unevenHistories } from './support/histories.ts';
import { openPublished, publishSegments, writeHistory } from './support/published.ts';
import { sampleService, serviceOver, type SampleService } from './support/sample.ts';
import { buildQuietly, filesBelow } from './support/snapshots.ts';
import { makeSmallSnapshot, writeFile, writeManifest, type SmallSnapshot } from './support/segments.ts';
import { writeSmallLedger } from './support/small-ledger.ts';
import { generateLedger } from './support/generate.ts';

const fresh = useDirectories('bulk');

describe('ranges of sequences', () => {
  it('all bulk files but the last have the same number of rows and are closed', () => {
    expect(bulkRanges(0, 3)).toEqual([]);
    expect(bulkRanges(2, 3)).toEqual([{ firstSequence: 1, lastSequence: 2, closed: false }]);
    expect(bulkRanges(3, 3)).toEqual([{ firstSequence: 1, lastSequence: 3, closed: true }]);
    expect(bulkRanges(7, 3)).toEqual([
      { firstSequence: 1, lastSequence: 3, closed: true },
      { firstSequence: 4, lastSequence: 6, closed: true },
      { firstSequence: 7, lastSequence: 7, closed: false },
    ]);
  });

  it('a closed bulk file never changes, and each sequence is in one file', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(50), fc.integer({ min: 1, max: 40 }), (last, more, size) => {
        const [before, after] = [bulkRanges(last, size), bulkRanges(last + more, size)];
        expect(after.slice(0, before.filter(({ closed }) => closed).length)).toEqual(
          before.filter(({ closed }) => closed),
        );
        expect(
          after.flatMap(({ firstSequence, lastSequence }) =>
            Array.from({ length: lastSequence - firstSequence + 1 }, (_, at) => firstSequence + at),
          ),
        ).toEqual(Array.from({ length: last + more }, (_, at) => at + 1));
      }),
    );
  });

  it('the list of bulk files is small at twenty million filings', () =>
    expect(Math.ceil(20_000_000 / bulkFileRows) * 300).toBeLessThan(512 * 1024));
});

/** Files by their digest, as a directory of snapshots has them. */
function fileStore() {
  const files = new Map<string, Buffer>();
  let kept = 0;
  const keep = async (bytes: Buffer): Promise<FileReference> => {
    const sha256 = sha256Of(bytes);
    files.set(sha256, bytes);
    kept++;
    return { sha256, bytes: bytes.length };
  };
  return {
    files,
    keep,
    kept: () => kept,
    isKept: async ({ sha256 }: FileReference) => files.has(sha256),
    read: async ({ sha256 }: FileReference) => files.get(sha256) ?? null,
  };
}

/** The lines of files, one file after the other. */
const linesOf = (parts: readonly BulkPart[], files: ReadonlyMap<string, Buffer>) =>
  Buffer.concat(parts.map(({ sha256 }) => gunzipSync(files.get(sha256) ?? Buffer.alloc(0))))
    .toString()
    .split('\n')
    .slice(0, -1);

describe('files of a feed', () => {
  it('bulk files together are the feed, the same at once as batch by batch, and closed ones stay', {
    tags: ['slow'],
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        unevenHistories,
        fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(1, 3, 200),
        async (batches, isPublished, rowsPerFile, limit) => {
          const [ledger, directory, another] = [fresh(), fresh(), fresh()];
          await writeHistory(ledger, batches);
          const store = fileStore();
          const listed = new Map<number, BulkPart>();
          let [segments, known]: [readonly SegmentEntry[], readonly BulkPart[]] = [[], []];
          for (let number = 1; number <= batches.length; number++) {
            if (isPublished[number - 1] !== true && number < batches.length) continue;
            segments = await publishSegments(ledger, directory, segments, number);
            const open = await openPublished(ledger, directory, segments);
            const before = store.kept();
            const parts = await makeBulkFiles({ source: open.snapshot, known, rowsPerFile, ...store });
            // Only the open file and the files after it are written.
            expect(store.kept() - before).toBeLessThanOrEqual(
              parts.length - known.filter(({ closed }) => closed).length,
            );
            for (const part of parts.filter(({ closed }) => closed)) {
              expect(part).toEqual(listed.get(part.firstSequence) ?? part);
              listed.set(part.firstSequence, part);
            }
            known = parts;
            const walked: string[] = [];
            for (let cursor: string | undefined; ; ) {
              const text = (
                await answer(
                  open.snapshot,
                  { kind: 'feed' },
                  { since: '0001-01-01', limit, ...(cursor === undefined ? {} : { cursor }) },
                  0,
                )
              )
                .body()
                .toString();
              const { data, meta } = JSON.parse(text) as { data: Change[]; meta: { nextCursor: string } };
              for (const row of data) expect(text).toContain(JSON.stringify(row));
              walked.push(...data.map((row) => JSON.stringify(row)));
              if (data.length < limit) break;
              cursor = meta.nextCursor;
            }
            expect(linesOf(parts, store.files)).toEqual(walked);
            expect(
              [...listed.keys()].filter(
                (first) => !parts.some(({ firstSequence }) => firstSequence === first),
              ),
            ).toEqual([]);
            await open.close();
          }
          const whole = await publishSegments(ledger, another, [], batches.length);
          const open = await openPublished(ledger, another, whole);
          expect(
            await makeBulkFiles({ source: open.snapshot, known: [], rowsPerFile, ...fileStore() }),
          ).toEqual(known);
          await open.close();
        },
      ),
      { numRuns: 12 },
    );
  });

  it('a bulk file whose bytes are gone is made again', async () => {
    const [ledger, directory] = [fresh(), fresh()];
    await writeSmallLedger(ledger);
    const open = await openPublished(ledger, directory, await publishSegments(ledger, directory, [], 4));
    const store = fileStore();
    const parts = await makeBulkFiles({ source: open.snapshot, known: [], rowsPerFile: 50, ...store });
    const gone = store.files.get(parts[1]?.sha256 ?? '') as Buffer;
    store.files.delete(parts[1]?.sha256 ?? '');
    expect(await makeBulkFiles({ source: open.snapshot, known: parts, rowsPerFile: 50, ...store })).toEqual(
      parts,
    );
    expect(store.files.get(parts[1]?.sha256 ?? '')).toEqual(gone);
    await open.close();
  });
});

describe('a file that has to be made again', () => {
  it('a bulk file of another compressor stays while its rows are the same', async () => {
    const [ledger, directory] = [fresh(), fresh()];
    await writeSmallLedger(ledger);
    const open = await openPublished(ledger, directory, await publishSegments(ledger, directory, [], 4));
    const store = fileStore();
    const parts = await makeBulkFiles({ source: open.snapshot, known: [], rowsPerFile: 50, ...store });
    const again = async (change: (text: string) => string) => {
      const text = gunzipSync(store.files.get(parts[0]?.sha256 ?? '') as Buffer).toString();
      const other: BulkPart = {
        ...(parts[0] as BulkPart),
        ...(await store.keep(gzipSync(change(text), { level: 1 }))),
      };
      return {
        other,
        made: (
          await makeBulkFiles({
            source: open.snapshot,
            known: [other],
            rowsPerFile: 50,
            ...store,
            isKept: async () => false,
          })
        )[0],
      };
    };
    const same = await again((text) => text);
    expect(same.other.sha256).not.toBe(parts[0]?.sha256);
    expect(same.made).toEqual(same.other);
    expect((await again((text) => text.replace('Company 2', 'Another'))).made).toEqual(parts[0]);
    await open.close();
  });
});

const listOf = async (service: SampleService) =>
  BulkListResponse.parse(await (await service.get(bulkPath)).json());
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('publications', () => {
  const rowsPerFile = 40;
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
    await buildQuietly(part, snapshots, { bulkFileRows: rowsPerFile });
    if (number === 1) service = await serviceOver(snapshots);
    else await service.look();
    lists.push(await listOf(service));
  };
  beforeAll(async () => {
    await writeSmallLedger(ledger);
    for (const number of [1, 2, 3, 4]) await publishUpTo(number);
  });
  afterAll(() => service.close());

  it('publications list closed bulk files that stay as they are', async () => {
    const closed = lists.map(({ data }) => data.filter((file) => file.closed));
    expect(closed.map(({ length }) => length)).toEqual([3, 4, 4, 5]);
    for (const [at, files] of closed.entries())
      expect(lists.at(-1)?.data.slice(0, files.length), `publication ${at + 1}`).toEqual(files);
    const another = fresh();
    await buildQuietly(ledger, another, { bulkFileRows: rowsPerFile });
    const other = await serviceOver(another);
    expect(await listOf(other)).toEqual(lists.at(-1));
    await other.close();
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
    const walked: unknown[] = [];
    for (let query = 'since=0001-01-01'; ; ) {
      const page = (await (await service.get(`/v1/sec/changes?limit=200&${query}`)).json()) as {
        data: unknown[];
        meta: { nextCursor: string };
      };
      walked.push(...page.data);
      if (page.data.length < 200) break;
      query = `cursor=${page.meta.nextCursor}`;
    }
    expect(lines).toEqual(walked.map((row) => JSON.stringify(row)));
    const behind = async ({ meta: { nextCursor } }: BulkListResponse) =>
      (
        (await (await service.get(`/v1/sec/changes?limit=200&cursor=${nextCursor}`)).json()) as {
          data: Change[];
        }
      ).data.map(({ sequence }) => sequence);
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
    const options = { bulkFileRows: 50 };
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
    await buildQuietly(ledger, snapshots, { bulkFileRows: 150 });
    service = await serviceOver(snapshots);
    [closed, open] = (await listOf(service)).data as [BulkFile, BulkFile];
  });
  afterAll(() => service.close());

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

  it('a closed bulk file may be cached for ever, privately', async () => {
    const controlOf = async ({ url }: BulkFile, headers = {}) =>
      (await service.get(url, headers)).headers.get('cache-control');
    expect(await controlOf(closed)).toBe('private, max-age=31536000, immutable');
    expect(await controlOf(open)).toBe('private, no-cache');
    expect(await controlOf(closed, { 'if-none-match': `"${closed.sha256.slice(0, 32)}"` })).toBe(
      'private, max-age=31536000, immutable',
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
    const refused = async (name: string) => {
      const response = await service.get(`${bulkPath}/${name}`);
      return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
    };
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
      const response = await service.get(closed.url);
      expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
        503,
        'snapshot_unavailable',
      ]);
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
    await service.close();
  });
});

describe('reads of long files', () => {
  it('reads of long files are bounded, and each has its turn, also after one that fails', async () => {
    const inTurn = createGate(3);
    let [running, most] = [0, 0];
    const work = (number: number) =>
      inTurn(async () => {
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
  let sound: SmallSnapshot;
  beforeAll(async () => {
    const ledger = fresh();
    await writeSmallLedger(ledger);
    sound = await makeSmallSnapshot(fresh(), ledger);
  });
  const listOfSound = () =>
    BulkListResponse.parse(
      JSON.parse(
        readFileSync(
          join(sound.directory, paths.file(sound.manifest.documents['bulk']?.sha256 ?? '')),
          'utf8',
        ),
      ),
    );
  /** What verification says of a copy with another list of files, and other files. */
  async function refusal(
    change: (
      list: BulkListResponse,
      keep: (bytes: Buffer) => FileReference,
      read: (file: BulkFile) => Buffer,
    ) => unknown,
  ): Promise<string | null> {
    const directory = fresh();
    cpSync(sound.directory, directory, { recursive: true });
    const list = change(
      listOfSound(),
      (bytes) => writeFile(directory, bytes),
      ({ sha256 }) => readFileSync(join(directory, paths.file(sha256))),
    );
    const forged = writeManifest(directory, {
      ...sound.manifest,
      documents: {
        ...sound.manifest.documents,
        bulk: writeFile(directory, Buffer.from(JSON.stringify(list))),
      },
    });
    return verifySnapshot(directory, forged.id).then(
      () => null,
      (error: Error) => error.message,
    );
  }
  const replaced = (list: BulkListResponse, at: number, members: Partial<BulkFile>): BulkListResponse => ({
    ...list,
    data: list.data.map((file, each) => (each === at ? { ...file, ...members } : file)),
  });
  const second = (list: BulkListResponse) => list.data[1] as BulkFile;

  it('verification takes a sound list of bulk files', async () =>
    expect(await refusal((list) => list)).toBeNull());

  it.each<
    [
      string,
      RegExp,
      (
        list: BulkListResponse,
        keep: (bytes: Buffer) => FileReference,
        read: (file: BulkFile) => Buffer,
      ) => unknown,
    ]
  >([
    [
      'a file that is missing',
      /file \d+ holds nothing, not \d+-\d+/,
      (list) => ({ ...list, data: list.data.slice(0, -1) }),
    ],
    [
      'a file too many',
      /file \d+ holds .*, not nothing/,
      (list) => ({ ...list, data: [...list.data, list.data[0]] }),
    ],
    [
      'files in another order',
      /file 1 holds 65-128, closed, not 1-64, closed/,
      (list) => ({ ...list, data: list.data.toReversed().slice(-2).concat(list.data.slice(2)) }),
    ],
    [
      'an open file in the middle',
      /file 2 holds 65-128, not 65-128, closed/,
      (list) => replaced(list, 1, { closed: false }),
    ],
    ['another number of rows', /file 2 has 3 rows, not 64/, (list) => replaced(list, 1, { rows: 3 })],
    ['another name', /is not what the manifest/, (list) => replaced(list, 1, { name: bulkName(6) })],
    [
      'another address',
      /is not what the manifest/,
      (list) => replaced(list, 1, { url: 'https://elsewhere.example/' }),
    ],
    [
      'another cursor',
      /is not what the manifest/,
      (list) => ({ ...list, meta: { ...list.meta, nextCursor: 'Zg' } }),
    ],
    ['another count', /is not what the manifest/, (list) => ({ ...list, meta: { ...list.meta, count: 1 } })],
    [
      'another size of files',
      /file 1 holds 1-64, closed, not 1-5, closed/,
      (list) => ({ ...list, meta: { ...list.meta, rowsPerFile: 5 } }),
    ],
    ['a list that is none', /\(bulk\): data/, () => ({ meta: {} })],
    [
      'a file of another length',
      /is \d+ bytes long, not/,
      (list) => replaced(list, 1, { bytes: second(list).bytes + 1 }),
    ],
    ['a file that is not there', /cannot be read/, (list) => replaced(list, 1, { sha256: '0'.repeat(64) })],
    [
      'the rows of another file',
      /does not hold the row of the feed with sequence 65/,
      (list) =>
        replaced(list, 1, {
          sha256: (list.data[2] as BulkFile).sha256,
          bytes: (list.data[2] as BulkFile).bytes,
        }),
    ],
    [
      'another row',
      /does not hold the row of the feed with sequence/,
      (list, keep, read) =>
        replaced(list, 1, keep(gzip(unzip(read(second(list))).replace('"size":', '"size":1')))),
    ],
    [
      'a row too few',
      /does not hold the row of the feed with sequence 128/,
      (list, keep, read) =>
        replaced(
          list,
          1,
          keep(
            gzip(
              unzip(read(second(list)))
                .split('\n')
                .slice(0, 63)
                .join('\n')
                .concat('\n'),
            ),
          ),
        ),
    ],
    [
      'a row too many',
      /has more than its 64 rows/,
      (list, keep, read) => replaced(list, 1, keep(gzip(`${unzip(read(second(list)))}{}\n`))),
    ],
    [
      'bytes that are no gzip',
      /cannot be inflated/,
      (list, keep) => replaced(list, 1, keep(Buffer.from('text'))),
    ],
    [
      'bytes behind the end',
      /cannot be inflated|after its last gzip member/,
      (list, keep, read) => replaced(list, 1, keep(Buffer.concat([read(second(list)), Buffer.alloc(3)]))),
    ],
  ])('verification names %s', async (_, message, change) => expect(await refusal(change)).toMatch(message));
});

const unzip = (bytes: Buffer) => gunzipSync(bytes).toString();
const gzip = (text: string) => gzipSync(text);
