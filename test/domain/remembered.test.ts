import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../../build/work/garbage.ts';
import { remembered } from '../../src/domain/remembered.ts';

describe('what is remembered', () => {
  it('is what the function makes, of any key, whatever came before', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\ud800', '"\n'), fc.constant(null)),
        ),
        (keys) => {
          const asked = remembered(3, (key: string | null) => [key]);
          for (const key of keys) {
            expect(asked(key)).toEqual([key]);
            expect(asked(key)).toBe(asked(key));
          }
        },
      ),
    ));

  it('forgets all before it would be more than its most', () => {
    let count = 0;
    const asked = remembered<string, number>(2, () => ++count);
    expect(['a', 'b', 'a', 'c', 'c', 'a'].map(asked)).toEqual([1, 2, 1, 3, 3, 4]);
  });

  it('keeps nothing of the texts that keys were cut from', () => {
    const [keys, textCharacters] = [2000, 32 * 1024];
    const asked = remembered(keys, (key: string) => key);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    // A key of more than twelve characters that is cut from a text keeps all of it.
    for (let at = 0; at < keys; at++)
      asked(`${String(at).padStart(20, '0')}${'x'.repeat(textCharacters)}`.slice(0, 20));
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan((keys * textCharacters) / 4);
    expect(asked('0'.repeat(20))).toBe('0'.repeat(20));
  });
});
