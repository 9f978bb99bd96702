import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergeSorted } from '../../build/work/merge-sorted.ts';

interface Numbered {
  readonly key: number;
  /** The number of its input: 0 for the newest. */
  readonly age: number;
}

const keys = fc
  .uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 20 })
  .map((list) => list.sort((a, b) => a - b));
const inputs = fc
  .array(keys, { maxLength: 9 })
  .map((lists) => lists.map((list, age) => list.map((key): Numbered => ({ key, age }))));
const compare = (a: Numbered, b: Numbered) => a.key - b.key;

it('a merge yields the newest of equal values in order', () => {
  fc.assert(
    fc.property(inputs, (lists) => {
      // The naive model: all values by key, and by age where they are equal.
      const all = lists.flat().sort((a, b) => a.key - b.key || a.age - b.age);
      expect([...mergeSorted(lists.map(generate), compare)]).toEqual(
        all.filter((value, at) => value.key !== all[at - 1]?.key),
      );
    }),
  );
});

it('a merge compares values of one input that precedes all others once each', () => {
  let comparisons = 0;
  const long = Array.from({ length: 1000 }, (_, key) => ({ key, age: 0 }));
  const merged = mergeSorted(
    [long, [{ key: 2000, age: 1 }], [{ key: 3000, age: 2 }]].map((list) => generate(list)),
    (a, b) => {
      comparisons++;
      return compare(a, b);
    },
  );
  expect([...merged]).toHaveLength(1002);
  expect(comparisons).toBeLessThan(1020);
});

it('a merge that ends early or fails closes its inputs', () => {
  const closed: number[] = [];
  function* input(age: number, failsAt: number): Generator<Numbered> {
    try {
      for (let key = 0; ; key++) {
        if (key === failsAt) throw new Error(`input ${age} fails`);
        yield { key, age };
      }
    } finally {
      closed.push(age);
    }
  }
  for (const value of mergeSorted([input(0, -1), input(1, -1)], compare)) if (value.key === 5) break;
  expect(closed.sort()).toEqual([0, 1]);
  closed.length = 0;
  expect(() => [...mergeSorted([input(0, -1), input(1, 3), input(2, -1)], compare)]).toThrow('input 1 fails');
  expect(closed.sort()).toEqual([0, 1, 2]);
  closed.length = 0;
  expect(() => [...mergeSorted([input(0, -1), input(1, 0)], compare)]).toThrow('input 1 fails');
  expect(closed.sort()).toEqual([0, 1]);
});

function* generate(list: readonly Numbered[]): Generator<Numbered> {
  yield* list;
}
