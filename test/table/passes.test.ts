import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  both,
  foresee,
  inPasses,
  lack,
  mayPause,
  note,
  noting,
  once,
  readBefore,
  together,
} from '../../src/table/passes.ts';

/** A host whose reads take a while. It keeps which reads were under way together. */
function makeHost(broken: readonly string[] = []) {
  const rounds: string[][] = [];
  let open: string[] | null = null;
  const fetch = (name: string) => async () => {
    if (open === null) rounds.push((open = []));
    open.push(name);
    await delay(1);
    open = null;
    if (broken.includes(name)) throw new Error(`${name} is broken`);
    return Buffer.from(name);
  };
  return {
    rounds,
    read: (name: string) => (readBefore<Buffer>(name) ?? lack(name, fetch(name))).toString(),
    note: (name: string) => note(name, fetch(name)),
  };
}

it('what functions lack that are called together is read in one round, and each thing once', async () => {
  const { rounds, read } = makeHost();
  const found = await inPasses(() => {
    const [letters, one] = both(
      () => together(['a', 'b', 'a'], read),
      () => read('1'),
    );
    return [...letters, one, read('last')];
  });
  expect(found).toEqual(['a', 'b', 'a', '1', 'last']);
  expect(rounds).toEqual([['a', 'b', '1'], ['last']]);
});

it('what is needed next is read with what is lacking now', async () => {
  const { rounds, read } = makeHost();
  const work = () => {
    const first = noting(
      () => read('first'),
      () => read('next'),
    );
    foresee(() => read('later'));
    return [first, read('next'), read('later')];
  };
  expect(await inPasses(work)).toEqual(['first', 'next', 'later']);
  expect(rounds).toEqual([['first', 'next'], ['later']]);
});

it('an error counts as if one function were called after the other', async () => {
  const { read } = makeHost();
  const fail = (message: string) => () => {
    throw new Error(message);
  };
  const refused = () => (read('cursor') === 'cursor' ? fail('refused')() : null);
  await expect(inPasses(() => both(refused, fail('unknown')))).rejects.toThrow('refused');
  await expect(inPasses(() => both(() => read('cursor'), fail('unknown')))).rejects.toThrow('unknown');
});

it('a read that fails counts only if it is needed', async () => {
  const { read, note: ahead } = makeHost(['rotten']);
  const work = (isNeeded: boolean) => () => {
    ahead('rotten');
    const found = read('sound');
    return isNeeded ? read('rotten') : found;
  };
  expect(await inPasses(work(false))).toBe('sound');
  await expect(inPasses(work(true))).rejects.toThrow('rotten is broken');
});

it('a pass that runs for long gives others their turn, and the work ends', async () => {
  let [pauses, passes] = [0, 0];
  const pause = () => (pauses++, delay(1));
  const work = () => {
    passes++;
    const until = performance.now() + 150;
    while (performance.now() < until) mayPause(pause);
    return 'done';
  };
  expect(await inPasses(work)).toBe('done');
  expect(pauses).toBeGreaterThan(0);
  expect(passes).toBe(pauses + 1);
  // Each pass has twice the time of the one before.
  expect(passes).toBeLessThan(7);
});

it('a pass that goes on where the one before was is as short as that one', async () => {
  let calls = 0;
  const pausedAt: number[] = [];
  const done: number[] = [];
  const pause = () => (pausedAt.push(done.length), delay(1));
  const work = () =>
    together(
      Array.from({ length: 30 }, (_, at) => at),
      (at) =>
        once(String(at), () => {
          calls++;
          const until = performance.now() + 5;
          while (performance.now() < until);
          mayPause(pause);
          done.push(at);
          return at;
        }),
    );
  expect(await inPasses(work)).toHaveLength(30);
  expect(done).toHaveLength(30);
  // Passes of twice the time each would be three. Each does one thing again: that in which it ended.
  expect(pausedAt.length).toBeGreaterThan(4);
  expect(calls).toBe(30 + pausedAt.length);
});

it('what a pass has done once is not done again by a later one of the same work', async () => {
  const { rounds, read } = makeHost();
  const done: string[] = [];
  const work = () =>
    together(['a', 'b'], (value) =>
      together([1, 2], (number) =>
        once(`${value} ${number}`, () => {
          const found = number === 1 ? value : read(`${value} ${number}`);
          done.push(`${value} ${number}`);
          return found;
        }),
      ),
    );
  const found = [
    ['a', 'a 2'],
    ['b', 'b 2'],
  ];
  expect(await inPasses(work)).toEqual(found);
  expect(rounds).toEqual([['a 2', 'b 2']]);
  expect(done).toEqual(['a 1', 'b 1', 'a 2', 'b 2']);
  expect(await inPasses(work)).toEqual(found);
  expect(done).toHaveLength(8);
});

it('whoever reads a host without passes is told', () => {
  expect(() => makeHost().read('a')).toThrow('outside of `inPasses`');
});
