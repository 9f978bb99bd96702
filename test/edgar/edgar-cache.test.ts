import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sha256Of } from '../../src/files/bytes.ts';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesBelow } from '../support/files-below.ts';
import { openCache, type Cache, type CacheEntry } from '../../build/edgar/cache.ts';

const url = 'https://data.sec.gov/submissions/CIK0000000001.json';
const entry: CacheEntry = {
  body: Buffer.from('{"cik":"1","filings":[]}'),
  etag: '"one"',
  lastModified: 'Wed, 01 Jul 2026 10:00:00 GMT',
  checkedAt: '2026-07-01T10:00:00.000Z',
};
const later = '2026-07-02T10:00:00.000Z';

let directory = '';
let runs = 0;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'edgar-cache-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const open = (at = directory): Cache => openCache(at, Date.now);

/** The paths of the entry of the address, and of the mark that says when it was checked. */
const pathOf = (name: string) => join(directory, sha256Of(name).slice(0, 2), `${sha256Of(name)}.entry`);
const entryPath = () => pathOf(url);
const markPath = () => pathOf(`when ${url} was checked`);

describe('openCache', () => {
  it('any writes, checks and removals leave what a map would have, also after it is opened again', () => {
    const instants = ['2026-07-01T10:00:00.000Z', '2026-07-02T10:00:00.000Z', '2026-07-03T10:00:00.000Z'];
    const header = fc.option(fc.string());
    const written = fc.record({
      body: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      etag: header,
      lastModified: header,
      checkedAt: fc.constantFrom(...instants),
    });
    const step = fc.record({
      address: fc.constantFrom(url, `${url}?`, `${url}2`),
      deed: fc.oneof(written, fc.constantFrom(...instants), fc.constant(null)),
    });
    return fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        const at = join(directory, String(runs++));
        const model = new Map<string, { written: CacheEntry; check: string }>();
        const modelOf = (address: string) => {
          const { written, check = '' } = model.get(address) ?? {};
          // A check that is older than the entry itself says nothing.
          return written && { ...written, checkedAt: check > written.checkedAt ? check : written.checkedAt };
        };
        for (const { address, deed } of steps) {
          const held = model.get(address);
          if (deed === null) {
            await open(at).remove(address);
            model.delete(address);
          } else if (typeof deed === 'string') {
            await open(at).touch(address, deed);
            if (held) model.set(address, { ...held, check: deed });
          } else {
            // What a run before stored is another body: a check of that one does not count for this one.
            const body = Buffer.concat([deed.body, Buffer.from(String(runs++))]);
            await open(at).write(address, { ...deed, body });
            model.set(address, { written: { ...deed, body }, check: '' });
          }
          for (const each of [url, `${url}?`, `${url}2`])
            expect(await open(at).read(each)).toEqual(modelOf(each));
        }
        for (const address of model.keys()) await open(at).remove(address);
        expect(filesBelow(at)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('makes its directory, and knows nothing at first', async () => {
    const cache = open(join(directory, 'a', 'b'));
    expect(await cache.read(url)).toBeUndefined();
    await cache.touch(url, later);
    await cache.remove(url);
    expect(await cache.read(url)).toBeUndefined();
  });

  it('does not take the file of one address for another', async () => {
    const cache = open();
    await cache.write(url, entry);
    const content = await readFile(entryPath());
    await cache.write(`${url}2`, { ...entry, body: Buffer.from('two') });
    for (const name of filesBelow(directory)) await writeFile(join(directory, name), content);
    expect(await cache.read(url)).toEqual(entry);
    expect(await cache.read(`${url}2`)).toBeUndefined();
  });

  it('takes an entry with any byte flipped, or cut off anywhere, for absent, and such a check for none', async () => {
    const cache = open();
    await cache.write(url, entry);
    await cache.touch(url, later);
    const flipped = (content: Buffer, at: number) =>
      Buffer.from(content.map((byte, each) => (each === at ? byte ^ 1 : byte)));
    const cut = (content: Buffer, at: number) => content.subarray(0, at);
    for (const [path, left] of [
      [entryPath(), undefined],
      [markPath(), entry],
    ] as const) {
      const content = await readFile(path);
      for (let at = 0; at < content.length; at++)
        for (const damage of [flipped, cut]) {
          await writeFile(path, damage(content, at));
          expect(await cache.read(url), `byte ${at} of ${path}`).toEqual(left);
        }
      await writeFile(path, content);
      expect(await cache.read(url)).toEqual({ ...entry, checkedAt: later });
    }
  });

  it('has whole entries only while it is written by many', async () => {
    const cache = open();
    const entries = Array.from({ length: 8 }, (_, at) => ({
      ...entry,
      body: Buffer.alloc(100_000, `${at}`),
      etag: `"${at}"`,
    }));
    await cache.write(url, entries[0] as CacheEntry);
    const reads: (CacheEntry | undefined)[] = [];
    await Promise.all(
      entries.map(async (each) => {
        await cache.write(url, each);
        reads.push(await cache.read(url));
      }),
    );
    expect(reads).toHaveLength(8);
    for (const read of reads) expect(entries).toContainEqual(read);
    expect(filesBelow(directory)).toHaveLength(1);
  });

  it('leaves nothing aside when it cannot write', async () => {
    const cache = open();
    await cache.write(url, entry);
    const path = entryPath();
    await rm(path);
    await mkdir(path);
    await expect(cache.write(url, entry)).rejects.toThrow(/EISDIR|ENOTEMPTY/);
    expect(filesBelow(directory)).toEqual([]);
    await expect(cache.read(url), 'a file system that fails is not an absent entry').rejects.toThrow(
      'EISDIR',
    );
  });
});

describe('the files of a cache', () => {
  const hourMs = 3_600_000;
  const addressOf = (at: number) =>
    `https://data.sec.gov/submissions/CIK${String(at).padStart(10, '0')}.json`;
  /** An entry whose body is hard to compress and always the same. */
  const entryOf = (at: number, bytes: number): CacheEntry => ({
    ...entry,
    body: Buffer.concat(
      Array.from({ length: Math.ceil(bytes / 32) }, (_, piece) =>
        createHash('sha256').update(`${at} ${piece}`).digest(),
      ),
    ),
  });
  const bytesHeld = () =>
    filesBelow(directory).reduce((sum, path) => sum + statSync(join(directory, path)).size, 0);
  const age = (path: string, byMs: number) => {
    const atS = (Date.now() - byMs) / 1000;
    utimesSync(path, atS, atS);
  };

  it('an entry is in a folder with the first two digits of its name', async () => {
    await open().write(url, entry);
    expect(filesBelow(directory)).toEqual([relative(directory, entryPath())]);
    await open().touch(url, later);
    expect(filesBelow(directory).sort()).toEqual(
      [entryPath(), markPath()].map((path) => relative(directory, path)).sort(),
    );
  });

  it('entries of version 3 are read; its marks and the entries of version 2 are passed over and removed', async () => {
    const { body, ...header } = entry;
    const content = Buffer.concat([Buffer.from(`${JSON.stringify({ url, ...header })}\n`), gzipSync(body)]);
    await mkdir(dirname(entryPath()));
    writeFileSync(entryPath(), Buffer.concat([Buffer.from(`${sha256Of(content)}\n`), content]));
    const digest = sha256Of(url);
    const mark = entryPath().replace('.entry', '.checked');
    writeFileSync(mark, `${later} ${sha256Of(later + sha256Of(content))}\n`);
    const flat = [`${digest}.checked`, `${sha256Of(`${url}2`)}.entry`].map((name) => join(directory, name));
    for (const path of flat) writeFileSync(path, readFileSync(entryPath()));
    expect(await open().read(url)).toEqual(entry);
    expect(await open().read(`${url}2`)).toBeUndefined();
    // A write that is large enough to make room.
    await openCache(directory, Date.now, 64 * 1024).write(addressOf(7), entryOf(7, 5000));
    expect([mark, ...flat].filter((path) => existsSync(path))).toEqual([]);
    expect(await open().read(url)).toEqual(entry);
  });

  it('a cache stays within its bytes: the entries used longest ago go first', async () => {
    const maximumBytes = 64 * 1024;
    for (let at = 0; at < 30; at++) await open().write(addressOf(at), entryOf(at, 1000));
    for (const path of filesBelow(directory)) age(join(directory, path), 10 * hourMs);
    const isHeld = async (at: number) => (await open().read(addressOf(at))) !== undefined;
    // Two are used, and one is found unchanged.
    expect([await isHeld(2), await isHeld(12)]).toEqual([true, true]);
    await open().touch(addressOf(13), later);
    writeFileSync(join(directory, 'submissions.zip'), Buffer.alloc(2 * maximumBytes));
    age(join(directory, 'submissions.zip'), 1000 * hourMs);
    writeFileSync(join(directory, 'run.json'), '{}');
    // Each of these writes is large enough to make room.
    for (let at = 100; at < 109; at++)
      await openCache(directory, Date.now, maximumBytes).write(addressOf(at), entryOf(at, 5000));
    rmSync(join(directory, 'submissions.zip'));
    expect(bytesHeld()).toBeLessThanOrEqual(maximumBytes);
    expect(existsSync(join(directory, 'run.json'))).toBe(true);
    expect([await isHeld(2), await isHeld(12), await isHeld(13), await isHeld(108)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    let unused = 0;
    for (const at of [0, 1, 3, 4, 10, 11, 14, 15]) if (await isHeld(at)) unused++;
    expect(unused).toBeLessThan(8);
  });

  it('a cache stays within its bytes however little each of its processes writes', {
    tags: ['slow'],
  }, async () => {
    const maximumBytes = 128 * 1024;
    let most = 0;
    for (let at = 0; at < 300; at++) {
      await openCache(directory, Date.now, maximumBytes).write(addressOf(at), entryOf(at, 2000));
      most = Math.max(most, bytesHeld());
    }
    expect(most).toBeLessThanOrEqual(maximumBytes * 1.25);
    expect(most).toBeGreaterThan(maximumBytes / 2);
  });

  it('what an interrupted process was writing is removed when it is old, and nothing else', async () => {
    await open().write(url, entry);
    const path = entryPath();
    const left = `${path}.77-0badcafe.tmp`;
    const written = `${path}.78-0badcafe.tmp`;
    const others = ['run.json', 'run.json.123.tmp', 'submissions.zip', `${'a'.repeat(64)}.zip`];
    for (const each of [left, written, ...others.map((name) => join(directory, name))])
      writeFileSync(each, 'half');
    for (const each of [left, ...others.map((name) => join(directory, name))]) age(each, 2 * hourMs);
    const cache = open();
    expect(existsSync(left)).toBe(true);
    // A cache of so few bytes makes room after each write.
    await openCache(directory, Date.now, 16).write(addressOf(1), entryOf(1, 100));
    expect([existsSync(left), existsSync(written)]).toEqual([false, true]);
    for (const name of others) expect(existsSync(join(directory, name)), name).toBe(true);
    await cache.write(url, entry);
    expect(await cache.read(url)).toEqual(entry);
  });
});
