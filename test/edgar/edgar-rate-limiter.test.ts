import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimiter, type RateLimiter } from '../../build/edgar/rate-limiter.ts';

/** A clock that stands still until everything waits, and then jumps to the next thing that is due. */
function createVirtualClock(overshootMs: () => number = () => 0) {
  let nowMs = 0;
  const timers: { dueAt: number; fire: () => void }[] = [];
  const at = (dueAt: number) => new Promise<void>((fire) => void timers.push({ dueAt, fire }));
  return {
    now: () => nowMs,
    /** What `createRateLimiter` is given: wakes too early or too late by what `overshootMs` says. */
    sleep: (pauseMs: number) => at(nowMs + Math.max(0.25, pauseMs + overshootMs())),
    at,
    set: (toMs: number) => void (nowMs = toMs),
    async run(work: Promise<unknown>): Promise<void> {
      let isDone = false;
      void work.then(() => (isDone = true));
      for (;;) {
        await new Promise((settle) => setImmediate(settle));
        if (isDone) return;
        timers.sort((a, b) => a.dueAt - b.dueAt);
        const next = timers.shift();
        if (!next) throw new Error('everything waits and nothing is due');
        nowMs = Math.max(nowMs, next.dueAt);
        next.fire();
      }
    },
  };
}

/** A limiter on a clock. */
const limiterOn = (clock: ReturnType<typeof createVirtualClock>, requestsPerSecond: number) =>
  createRateLimiter({ requestsPerSecond: () => requestsPerSecond, now: clock.now, sleep: clock.sleep });

/** When the first request starts. */
const firstMs = 1010;

function mostInAnySecond(moments: readonly number[]): number {
  const sorted = [...moments].sort((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((from, index) => sorted.slice(index).filter((moment) => moment < from + 1000).length),
  );
}

async function startMany(limiter: RateLimiter, now: () => number, count: number): Promise<number[]> {
  const starts: number[] = [];
  await Promise.all(
    Array.from({ length: count }, async () => {
      const wasCounted = await limiter.start();
      starts.push(now());
      wasCounted();
    }),
  );
  return starts;
}

describe('createRateLimiter', () => {
  it('never lets more than N requests start, or reach upstream, in any second, also of programs that follow each other', async () => {
    const request = fc.record({
      askedAt: fc.integer({ min: 0, max: 4000 }),
      travelMs: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 2500 })),
      answerMs: fc.integer({ min: 0, max: 300 }),
    });
    const overshoots = fc.array(fc.double({ min: -1, max: 40, noNaN: true }), {
      minLength: 1,
      maxLength: 10,
    });
    let fullSeconds = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 1, max: 10, noNaN: true }),
        // Each list is that of a program, which starts when the one before has ended.
        fc.array(fc.array(request, { minLength: 1, maxLength: 25 }), { minLength: 1, maxLength: 3 }),
        overshoots,
        async (requestsPerSecond, programs, late) => {
          let sleeps = 0;
          const clock = createVirtualClock(() => late[sleeps++ % late.length] ?? 0);
          const starts: number[] = [];
          const arrivals: number[] = [];
          for (const requests of programs) {
            const limiter = limiterOn(clock, requestsPerSecond);
            const beganAt = clock.now();
            const work = requests.map(async ({ askedAt, travelMs, answerMs }) => {
              await clock.at(beganAt + askedAt);
              const wasCounted = await limiter.start();
              starts.push(clock.now());
              await clock.at(clock.now() + travelMs);
              arrivals.push(clock.now());
              await clock.at(clock.now() + answerMs);
              wasCounted();
            });
            await clock.run(Promise.all(work));
          }
          expect(starts).toHaveLength(programs.flat().length);
          expect(mostInAnySecond(starts)).toBeLessThanOrEqual(Math.floor(requestsPerSecond));
          expect(mostInAnySecond(arrivals)).toBeLessThanOrEqual(Math.floor(requestsPerSecond));
          if (mostInAnySecond(starts) === Math.floor(requestsPerSecond)) fullSeconds++;
        },
      ),
      { numRuns: 200 },
    );
    // The limit has to be used: a rate of nothing would keep the property, too.
    expect(fullSeconds).toBeGreaterThan(20);
  });

  it.each([1, 2, 3, 5, 7, 10])('uses at least 95 of 100 of a rate of %d', async (requestsPerSecond) => {
    const clock = createVirtualClock();
    const limiter = limiterOn(clock, requestsPerSecond);
    const work = startMany(limiter, clock.now, requestsPerSecond * 20);
    await clock.run(work);
    expect(clock.now() - firstMs).toBeGreaterThanOrEqual(19_000);
    expect(clock.now() - firstMs).toBeLessThan(20_000 / 0.95);
  });

  it.each([
    [5, 5],
    [0.1, 3],
  ])('spreads starts evenly, at a rate of %d', async (requestsPerSecond, count) => {
    const clock = createVirtualClock();
    const work = startMany(limiterOn(clock, requestsPerSecond), clock.now, count);
    await clock.run(work);
    expect(await work).toEqual(
      Array.from({ length: count }, (_, at) => firstMs + (at * 1000) / requestsPerSecond),
    );
  });

  it('starts requests in the order in which they came', async () => {
    const clock = createVirtualClock();
    const limiter = limiterOn(clock, 2);
    const order: number[] = [];
    const work = Promise.all(
      [0, 1, 2, 3, 4].map(async (each) => {
        (await limiter.start())();
        order.push(each);
      }),
    );
    await clock.run(work);
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  it('waits for a request that upstream may not have counted yet', async () => {
    const clock = createVirtualClock();
    const limiter = limiterOn(clock, 1);
    let second = -1;
    const first = limiter.start();
    const work = limiter.start().then((counted) => {
      second = clock.now();
      counted();
    });
    void clock.at(7000).then(async () => (await first)());
    await clock.run(work);
    expect(second).toBeGreaterThanOrEqual(8000);
    expect(second).toBeLessThan(8100);
  });

  it('rests for all when told to, also for those that wait already', async () => {
    const clock = createVirtualClock();
    const limiter = limiterOn(clock, 10);
    const work = startMany(limiter, clock.now, 3);
    void clock.at(firstMs + 50).then(() => {
      expect(limiter.pauseAll(60_000)).toBe(true);
      expect(limiter.pauseAll(1000), 'a shorter rest does not end a longer one').toBe(false);
    });
    await clock.run(work);
    const starts = await work;
    expect(starts[0]).toBe(firstMs);
    expect(starts[1]).toBe(firstMs + 60_050);
    expect(starts[2]).toBeGreaterThanOrEqual(firstMs + 60_150);
    expect(limiter.pauseAll(1)).toBe(true);
  });

  it('does not wait longer because the clock was set back', async () => {
    const clock = createVirtualClock();
    clock.set(3_600_000);
    const limiter = limiterOn(clock, 1);
    await clock.run(startMany(limiter, clock.now, 1));
    clock.set(0);
    await clock.run(startMany(limiter, clock.now, 1));
    expect(clock.now()).toBeLessThan(1100);
  });

  it('goes on after a sleep that was broken off', async () => {
    const clock = createVirtualClock();
    let isBroken = false;
    const sleep = (pauseMs: number) =>
      isBroken ? Promise.reject(new Error('stopped')) : clock.sleep(pauseMs);
    const limiter = createRateLimiter({ requestsPerSecond: () => 1, now: clock.now, sleep });
    const first = startMany(limiter, clock.now, 1);
    await clock.run(first);
    isBroken = true;
    await expect(limiter.start()).rejects.toThrow('stopped');
    isBroken = false;
    const others = startMany(limiter, clock.now, 2);
    await clock.run(others);
    expect(mostInAnySecond([...(await first), ...(await others)])).toBe(1);
  });
});
