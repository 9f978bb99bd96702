import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { toBlock, type Block } from '../../src/table/block.ts';

/** A block of one line; it costs its bytes and the four of its line's end. */
const blockOf = (bytes: number): Block => toBlock(Buffer.from(`${'x'.repeat(bytes - 5)}\n`), '');
const maximum = 256;
/** What it counts for: one that is longer than the bound fills the cache alone. */
const cost = (block: Block) => Math.min(block.bytes.length + block.ends.byteLength, maximum);

describe('the block cache', () => {
  it('the block cache behaves as a list of keys by last use, within its bound or with one block alone', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            key: fc.constantFrom(...'abcdefgh'),
            bytes: fc.option(fc.oneof(fc.integer({ min: 5, max: 120 }), fc.integer({ min: 250, max: 400 })), {
              nil: undefined,
            }),
          }),
          { maxLength: 80 },
        ),
        (steps) => {
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
