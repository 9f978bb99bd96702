import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChunkCache } from '../src/table/cache.ts';
import { lineText } from '../src/table/chunk.ts';
import { CorruptSnapshot, openVerifiedFile, sha256Of, type Extent } from '../src/table/file.ts';
import { useDirectories } from './support/directories.ts';

const directory = useDirectories('file');
const lines = ['first', 'second row', 'dritte Zeile ü', 'last'];
const content = Buffer.from(lines.map((line) => `${line}\n`).join(''));

/** The extents of single lines. */
const extents = lines.map((_, at): Extent => {
  const offset = Buffer.byteLength(lines.slice(0, at).map((line) => `${line}\n`).join(''));
  const bytes = Buffer.byteLength(`${lines[at]}\n`);
  return { offset, bytes, sha256: sha256Of(content.subarray(offset, offset + bytes)) };
});
const second = extents[1] as Extent;

async function openContent(bytes: Buffer = content, cacheBytes = 1024) {
  const path = join(directory(), 'rows.jsonl');
  writeFileSync(path, bytes);
  return { path, file: await openVerifiedFile(path, 'identity', createChunkCache(cacheBytes)) };
}

describe('a file that is read by extents', () => {
  it('gives the lines of each', async () => {
    const { file } = await openContent();
    for (const [at, extent] of extents.entries()) expect(lineText(await file.read(extent), 0)).toBe(lines[at]);
    await file.close();
  });

  it('refuses bytes of which any one bit is not what the digest says, and names the file', () =>
    fc.assert(fc.asyncProperty(fc.nat(second.bytes - 1), fc.nat(7), async (at, bit) => {
      const flipped = Buffer.from(content);
      flipped[second.offset + at] = (flipped[second.offset + at] as number) ^ (1 << bit);
      const { path, file } = await openContent(flipped);
      const refused = await Promise.resolve(file.read(second)).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(CorruptSnapshot);
      expect((refused as Error).message).toContain(path);
      // What is whole beside it can be read all the same.
      expect(lineText(await file.read(extents[2] as Extent), 0)).toBe(lines[2]);
      await file.close();
    }), { numRuns: 30 }));

  it.each([content.length - 1, second.offset + second.bytes - 1, second.offset, 0])('refuses what a file that was cut off at byte %i does not hold any more', async (length) => {
    const { path, file } = await openContent();
    truncateSync(path, length);
    for (const extent of extents) {
      if (extent.offset + extent.bytes <= length) expect((await file.read(extent)).bytes.length).toBe(extent.bytes);
      else await expect(file.read(extent)).rejects.toThrow(CorruptSnapshot);
    }
    await file.close();
  });

  it.each([
    ['behind its end', { offset: 5000, bytes: 5, sha256: sha256Of('first') }],
    ['that no newline ends', { offset: 0, bytes: 5, sha256: sha256Of('first') }],
    ['without bytes', { offset: 0, bytes: 0, sha256: sha256Of('') }],
  ])('refuses an extent %s', async (_, extent) => {
    const { file } = await openContent();
    await expect(file.read(extent)).rejects.toThrow(CorruptSnapshot);
    await file.close();
  });

  it('shares one read among those who want the same extent at the same time, and keeps it for later ones', async () => {
    const { path, file } = await openContent();
    const chunks = await Promise.all([file.read(second), file.read(second), file.read(second)]);
    expect(new Set(chunks).size).toBe(1);
    // Nothing is read again: what is on the disk may change under it.
    writeFileSync(path, Buffer.alloc(content.length));
    expect(file.read(second)).toBe(chunks[0]);
    await file.close();
  });

  it('tells everybody who waits for bytes that are rotten, and reads again for the next one', async () => {
    const { path, file } = await openContent(Buffer.alloc(content.length));
    const results = await Promise.allSettled([file.read(second), file.read(second)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    writeFileSync(path, content);
    expect(lineText(await file.read(second), 0)).toBe(lines[1]);
    await file.close();
  });

  it('verifies again what has left the cache', async () => {
    const { path, file } = await openContent(content, 1);
    await file.read(second);
    await file.read(extents[0] as Extent);
    const rotten = readFileSync(path);
    rotten.fill(0x20, second.offset, second.offset + 3);
    writeFileSync(path, rotten);
    await expect(file.read(second)).rejects.toThrow(CorruptSnapshot);
    await file.close();
  });

  it('does not mix up files that share a cache', async () => {
    const cache = createChunkCache(1024);
    const made = ['one\n', 'two\n'].map((text) => ({ path: join(directory(), 'rows'), text }));
    for (const { path, text } of made) writeFileSync(path, text);
    const files = await Promise.all(made.map(({ path }, at) => openVerifiedFile(path, `identity-${at}`, cache)));
    for (let round = 0; round < 2; round++) {
      for (const [at, { text }] of made.entries()) expect((await files[at]?.read({ offset: 0, bytes: 4, sha256: sha256Of(text) }))?.bytes.toString()).toBe(text);
    }
    for (const file of files) await file.close();
  });
});
