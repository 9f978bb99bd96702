import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChunkCache } from '../../src/table/chunk-cache.ts';
import { toChunk, type Chunk } from '../../src/table/chunk.ts';

/** A chunk of one line; it costs its bytes and the four of its line's end. */
const chunkOf = (bytes: number): Chunk => toChunk(Buffer.from(`${'x'.repeat(bytes - 5)}\n`), '');
const cost = (chunk: Chunk) => chunk.bytes.length + chunk.ends.byteLength;

describe('the chunk cache', () => {
  it('the chunk cache drops what was not used for longest', () => {
    const cache = createChunkCache(300);
    for (const key of ['a', 'b', 'c']) cache.set(key, chunkOf(100));
    cache.get('a');
    cache.set('d', chunkOf(100));
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key) !== undefined)).toEqual(['a', 'c', 'd']);
    cache.set('e', chunkOf(200));
    expect(['a', 'c', 'd', 'e'].filter((key) => cache.get(key) !== undefined)).toEqual(['d', 'e']);
  });

  it('the chunk cache replaces a chunk, and the new one counts as used last', () => {
    const cache = createChunkCache(300);
    cache.set('a', chunkOf(100));
    cache.set('b', chunkOf(100));
    const again = chunkOf(150);
    cache.set('a', again);
    expect(cache.size()).toBe(250);
    cache.set('c', chunkOf(100));
    expect(cache.get('a')).toBe(again);
    expect(cache.get('b')).toBeUndefined();
  });

  it('holds one chunk that is larger than the bound, and nothing beside it', () => {
    const cache = createChunkCache(100);
    cache.set('a', chunkOf(50));
    cache.set('b', chunkOf(400));
    expect(cache.get('a')).toBeUndefined();
    expect(cache.get('b')).toBeDefined();
    cache.set('c', chunkOf(50));
    expect([cache.get('b'), cache.size()]).toEqual([undefined, 50]);
  });

  it('the chunk cache behaves as a list of keys by last use, within its bound', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            key: fc.constantFrom(...'abcdefgh'),
            bytes: fc.option(fc.integer({ min: 5, max: 120 }), { nil: undefined }),
          }),
          { maxLength: 80 },
        ),
        (steps) => {
          const maximum = 256;
          const cache = createChunkCache(maximum);
          let model: [string, Chunk][] = [];
          for (const { key, bytes } of steps) {
            const known = model.find(([each]) => each === key);
            const chunk = bytes === undefined ? known?.[1] : chunkOf(bytes);
            if (bytes === undefined) expect(cache.get(key)).toBe(chunk);
            else cache.set(key, chunk as Chunk);
            if (chunk) model = [...model.filter((each) => each !== known), [key, chunk]];
            const held = () => model.reduce((sum, [, each]) => sum + cost(each), 0);
            while (held() > maximum && model.length > 1) model.shift();
            expect(cache.size()).toBe(held());
          }
          for (const [key, chunk] of model) expect(cache.get(key)).toBe(chunk);
        },
      ),
    ));
});
