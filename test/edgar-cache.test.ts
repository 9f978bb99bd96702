import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCache, type CacheEntry } from '../build/edgar/cache.ts';

const url = 'https://data.sec.gov/submissions/CIK0000000001.json';
const entry: CacheEntry = {
  body: Buffer.from('{"cik":"1","filings":[]}'),
  etag: '"one"',
  lastModified: 'Wed, 01 Jul 2026 10:00:00 GMT',
  checkedAt: '2026-07-01T10:00:00.000Z',
};
const later = '2026-07-02T10:00:00.000Z';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'edgar-cache-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function fileEnding(ending: string): Promise<string> {
  const [name, ...others] = (await readdir(directory)).filter((each) => each.endsWith(ending));
  expect(others).toEqual([]);
  return join(directory, name as string);
}

describe('openCache', () => {
  it('gives back what was written, also after it is opened again', async () => {
    await openCache(directory).write(url, entry);
    expect(await openCache(directory).read(url)).toEqual(entry);
  });

  it('keeps any bytes and any header', async () => {
    const cache = openCache(directory);
    const header = fc.option(fc.string());
    await fc.assert(
      fc.asyncProperty(
        fc.webUrl(),
        fc.uint8Array({ maxLength: 3000 }),
        header,
        header,
        async (address, bytes, etag, lastModified) => {
          const any = { body: Buffer.from(bytes), etag, lastModified, checkedAt: later };
          await cache.write(address, any);
          expect(await cache.read(address)).toEqual(any);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('makes its directory, and knows nothing at first', async () => {
    const cache = openCache(join(directory, 'a', 'b'));
    expect(await cache.read(url)).toBeUndefined();
    await cache.touch(url, later);
    await cache.remove(url);
    expect(await cache.read(url)).toBeUndefined();
  });

  it('keeps addresses apart', async () => {
    const cache = openCache(directory);
    await cache.write(url, entry);
    expect(await cache.read(`${url}?`)).toBeUndefined();
  });

  it('does not take the file of one address for another', async () => {
    const cache = openCache(directory);
    await cache.write(url, entry);
    const content = await readFile(await fileEnding('.entry'));
    await cache.write(`${url}2`, { ...entry, body: Buffer.from('two') });
    for (const name of await readdir(directory)) await writeFile(join(directory, name), content);
    expect(await cache.read(url)).toEqual(entry);
    expect(await cache.read(`${url}2`)).toBeUndefined();
  });

  it('records that a body is still the current one', async () => {
    const cache = openCache(directory);
    await cache.write(url, entry);
    await cache.touch(url, later);
    expect(await openCache(directory).read(url)).toEqual({ ...entry, checkedAt: later });
  });

  it('forgets a check of the body before', async () => {
    const cache = openCache(directory);
    await cache.write(url, entry);
    await cache.touch(url, later);
    const next = { ...entry, body: Buffer.from('next') };
    await cache.write(url, next);
    expect(await cache.read(url)).toEqual(next);
  });

  it('removes an entry and the check of it', async () => {
    const cache = openCache(directory);
    await cache.write(url, entry);
    await cache.touch(url, later);
    await cache.remove(url);
    expect(await cache.read(url)).toBeUndefined();
    expect(await readdir(directory)).toEqual([]);
  });

  it('takes an entry with any byte flipped for absent', async () => {
    const cache = openCache(directory);
    await cache.write(url, entry);
    const path = await fileEnding('.entry');
    const content = await readFile(path);
    for (let at = 0; at < content.length; at++) {
      const damaged = Buffer.from(content);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      await writeFile(path, damaged);
      expect(await cache.read(url), `byte ${at}`).toBeUndefined();
    }
    await writeFile(path, content);
    expect(await cache.read(url)).toEqual(entry);
  });

  it('takes an entry that was cut off anywhere for absent', async () => {
    const cache = openCache(directory);
    await cache.write(url, entry);
    const path = await fileEnding('.entry');
    const content = await readFile(path);
    for (let length = 0; length < content.length; length++) {
      await writeFile(path, content.subarray(0, length));
      expect(await cache.read(url), `${length} bytes`).toBeUndefined();
    }
  });

  it('ignores a damaged check', async () => {
    const cache = openCache(directory);
    await cache.write(url, entry);
    await cache.touch(url, later);
    const path = await fileEnding('.checked');
    const content = await readFile(path);
    for (let at = 0; at < content.length - 1; at++) {
      const damaged = Buffer.from(content);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      await writeFile(path, damaged);
      expect(await cache.read(url), `byte ${at}`).toEqual(entry);
    }
  });

  it('has whole entries only while it is written by many', async () => {
    const cache = openCache(directory);
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
    expect(await readdir(directory)).toHaveLength(1);
  });

  it('removes what an interrupted process was writing, and nothing else', async () => {
    await openCache(directory).write(url, entry);
    const path = await fileEnding('.entry');
    await writeFile(`${path}.3f2b8a52-0a4b-4bb5-9c7c-0f1a2b3c4d5e.tmp`, 'half');
    await writeFile(join(directory, 'run.json'), '{}');
    await writeFile(join(directory, 'run.json.123.tmp'), '{');
    const cache = openCache(directory);
    expect((await readdir(directory)).sort()).toEqual(
      [path.slice(directory.length + 1), 'run.json', 'run.json.123.tmp'].sort(),
    );
    expect(await cache.read(url)).toEqual(entry);
  });

  it('leaves nothing aside when it cannot write', async () => {
    const cache = openCache(directory);
    await cache.write(url, entry);
    const path = await fileEnding('.entry');
    await rm(path);
    await mkdir(path);
    await expect(cache.write(url, entry)).rejects.toThrow(/EISDIR|ENOTEMPTY/);
    expect(await readdir(directory)).toHaveLength(1);
    await expect(cache.read(url), 'a file system that fails is not an absent entry').rejects.toThrow(
      'EISDIR',
    );
  });
});
