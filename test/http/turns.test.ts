import { describe, expect, it } from 'vitest';
import { createShares } from '../../src/http/shares.ts';
import { createTurns } from '../../src/requests/turns.ts';

/** Turns with a clock that only the test moves, and what was done in each turn of the event loop. */
function made() {
  let nowMs = 0;
  const turns = createTurns(() => nowMs);
  const done: string[] = [];
  return {
    turns,
    done,
    /** Begins work for a caller that takes so many steps of 10 ms, with a pause after each. */
    async work(caller: string, name: string, steps = 1): Promise<void> {
      await turns.begin(caller);
      for (let step = 1; step <= steps; step++) {
        nowMs += 10;
        done.push(`${name}${step}`);
        await turns.pause();
      }
    },
    /** Looks at a request that arrives, which takes so long. */
    arrive(name: string, tookMs: number): Promise<void> {
      const look = () => {
        nowMs += tookMs;
        done.push(name);
      };
      const later = turns.arrive(nowMs);
      return later ? later.then(look) : Promise.resolve(look());
    },
    turn: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
}

describe('turns', () => {
  it('work begins at once where little was done in this turn, else one piece begins in each later turn', async () => {
    const { turns, done, work, turn } = made();
    const first = work('x', 'a');
    await Promise.resolve();
    const works = ['b', 'c'].map((name) => work('x', name));
    // Microtasks are no turn: nothing more begins in them.
    for (let time = 0; time < 50; time++) await Promise.resolve();
    expect(done).toEqual(['a1']);
    await Promise.all([first, ...works]);
    expect(done).toEqual(['a1', 'b1', 'c1']);
    await turn();
    expect(turns.pause()).toBeNull();
  });

  it('work that pauses goes on before other work begins', async () => {
    const { done, work } = made();
    const first = work('x', 'a', 3);
    await Promise.resolve();
    await Promise.all([first, work('x', 'b', 2), work('y', 'c')]);
    expect(done).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
  });

  it('callers take turns, so who asks for much waits for himself', async () => {
    const { done, work } = made();
    const works = [work('x', 'a')];
    await Promise.resolve();
    for (const name of ['b', 'c', 'd']) works.push(work('x', name));
    works.push(work('y', 'e'), work('y', 'f'), work('z', 'g'));
    await Promise.all(works);
    expect(done).toEqual(['a1', 'b1', 'e1', 'g1', 'c1', 'f1', 'd1']);
  });

  it('requests are looked at in the order of arrival, in later turns if those before took long', async () => {
    const { turns, done, arrive } = made();
    let turnNumber = 0;
    const countTurns = () => (turnNumber++, turnNumber < 20 && setImmediate(countTurns));
    setImmediate(countTurns);
    const at: number[] = [];
    const requests = Array.from({ length: 6 }, (_, number) =>
      arrive(`r${number}`, 5).then(() => at.push(turnNumber)),
    );
    await Promise.all(requests);
    expect(done).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r5']);
    // Two of 5 ms each have time in a turn.
    expect(Math.max(...at.map((turn) => at.filter((each) => each === turn).length))).toBe(2);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(turns.pause()).toBeNull();
  });

  it('many short requests that wait share a turn, and a request that arrives then waits behind them', async () => {
    const { done, arrive } = made();
    const requests = [arrive('long', 10), ...Array.from({ length: 40 }, (_, at) => arrive(`s${at}`, 0))];
    await new Promise((resolve) => setImmediate(resolve));
    requests.push(arrive('last', 0));
    expect(done).not.toContain('s39');
    await Promise.all(requests);
    expect(done).toEqual(['long', ...Array.from({ length: 40 }, (_, at) => `s${at}`), 'last']);
  });

  it('requests that arrived are all looked at before work for one of them begins', async () => {
    const { done, arrive, work } = made();
    const requests = [arrive('first', 10)];
    for (const name of ['a', 'b']) requests.push(arrive(`request ${name}`, 0).then(() => work('x', name)));
    requests.push(arrive('short', 0));
    await Promise.all(requests);
    expect(done).toEqual(['first', 'request a', 'request b', 'short', 'a1', 'b1']);
  });

  it('long work that goes on keeps no request waiting that arrives', async () => {
    const { done, arrive, work } = made();
    const working = work('x', 'a', 20);
    await Promise.resolve();
    await Promise.all([arrive('first', 10), arrive('second', 10), arrive('third', 10)]);
    expect(done.length).toBeLessThan(20);
    await working;
  });

  it('timers and other callbacks run between the pieces of long work', async () => {
    const { done, work } = made();
    const working = work('x', 'a', 5);
    setTimeout(() => done.push('timer'), 0);
    const started = performance.now();
    while (performance.now() - started < 3);
    await working;
    expect(done.at(-1)).toBe('a5');
    expect(done).toContain('timer');
  });
});

describe('shares', () => {
  it('a holder may have more while it holds less than is left', () => {
    const shares = createShares(12);
    const take = (holder: string) => (shares.hasRoom(holder) ? shares.add(holder, 1) : null);
    for (let taken = 0; taken < 6; taken++) expect(take('a')).not.toBeNull();
    expect(take('a')).toBeNull();
    for (let taken = 0; taken < 3; taken++) expect(take('b')).not.toBeNull();
    expect(take('b')).toBeNull();
    expect(take('c')).not.toBeNull();
    expect(shares.left()).toBe(2);
  });

  it('what is given back counts once, and a holder may have more than its share added', () => {
    const shares = createShares(10);
    const release = shares.add(null, 25);
    expect([shares.left(), shares.hasRoom('a')]).toEqual([-15, false]);
    release();
    release();
    expect([shares.left(), shares.hasRoom('a')]).toEqual([10, true]);
  });
});
