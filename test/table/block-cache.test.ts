import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { toBlock, type Block } from '../../src/table/block.ts';

/** A block of one line; it costs its bytes and the four of its line's end. */
const blockOf = (bytes: number): Block => toBlock(Buffer.from(`${'x'.repeat(bytes - 5)}\n`), '');
const cost = (block: Block) => block.bytes.length + block.ends.byteLength;

describe('the block cache', () => {
  it('the block cache drops what was not used for longest', () => {
    const cache = createBlockCache(300);
    for (const key of ['a', 'b', 'c']) cache.set(key, blockOf(100));
    cache.get('a');
    cache.set('d', blockOf(100));
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key) !== undefined)).toEqual(['a', 'c', 'd']);
    cache.set('e', blockOf(200));
    expect(['a', 'c', 'd', 'e'].filter((key) => cache.get(key) !== undefined)).toEqual(['d', 'e']);
  });

  it('the block cache replaces a block, and the new one counts as used last', () => {
    const cache = createBlockCache(300);
    cache.set('a', blockOf(100));
    cache.set('b', blockOf(100));
    const again = blockOf(150);
    cache.set('a', again);
    expect(cache.size()).toBe(250);
    cache.set('c', blockOf(100));
    expect(cache.get('a')).toBe(again);
    expect(cache.get('b')).toBeUndefined();
  });

  it('holds one block that is larger than the bound, and nothing beside it', () => {
    const cache = createBlockCache(100);
    cache.set('a', blockOf(50));
    cache.set('b', blockOf(400));
    expect(cache.get('a')).toBeUndefined();
    expect(cache.get('b')).toBeDefined();
    cache.set('c', blockOf(50));
    expect([cache.get('b'), cache.size()]).toEqual([undefined, 50]);
  });

  it('the block cache behaves as a list of keys by last use, within its bound', () =>
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
          const cache = createBlockCache(maximum);
          let model: [string, Block][] = [];
          for (const { key, bytes } of steps) {
            const known = model.find(([each]) => each === key);
            const block = bytes === undefined ? known?.[1] : blockOf(bytes);
            if (bytes === undefined) expect(cache.get(key)).toBe(block);
            else cache.set(key, block as Block);
            if (block) model = [...model.filter((each) => each !== known), [key, block]];
            const held = () => model.reduce((sum, [, each]) => sum + cost(each), 0);
            while (held() > maximum && model.length > 1) model.shift();
            expect(cache.size()).toBe(held());
          }
          for (const [key, block] of model) expect(cache.get(key)).toBe(block);
        },
      ),
    ));
});
