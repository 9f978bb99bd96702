import { Agent, request } from 'node:http';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { addKey, revokeKey } from '../../build/keys.ts';
import { keysFileAt } from '../../src/keys/file.ts';
import { createKeyRing } from '../../src/keys/ring.ts';
import { createExpiryClock } from '../../src/requests/expiry-clock.ts';
import { closing } from '../support/closing.ts';
import { useDirectories } from '../support/directories.ts';
import { listeningService } from '../support/service.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

const directory = useDirectories('expiry-clock');
const [secondMs, minuteMs, hourMs, dayMs] = [1000, 60_000, 3_600_000, 86_400_000];
const startMs = Date.parse('2026-03-02T12:00:00Z');

/** The two clocks of a machine. `pass` lets time go by; `set` moves only the clock that tells the date. */
function machine() {
  let [offsetMs, elapsedMs] = [startMs, 5000];
  const clocks = { now: () => offsetMs + elapsedMs, elapsed: () => elapsedMs };
  const expiryNow = createExpiryClock(clocks.now, clocks.elapsed);
  return {
    ...clocks,
    expiryNow,
    set: (byMs: number) => void (offsetMs += byMs),
    /** Lets time go by, and looks at the clock every second, as a service does. */
    pass(ms: number) {
      for (let passedMs = 0; passedMs < ms; passedMs += secondMs) {
        elapsedMs += secondMs;
        expiryNow();
      }
    },
  };
}

/** A ring with a key that expires after a day, by the clock of a machine. */
async function withDayKey() {
  const under = machine();
  const path = join(directory(), 'keys.json');
  const { key } = await addKey(path, 'a day', 1, under.now());
  const ring = createKeyRing([], keysFileAt(path), () => {});
  await ring.refresh();
  return { ...under, isGood: () => ring.find(key, under.expiryNow()) !== null };
}

describe('a key that expires', () => {
  it.each([1, 60, 23 * 60])(
    'a key that has expired stays so when the clock is set back by %i minutes',
    async (minutes) => {
      const { pass, set, isGood } = await withDayKey();
      pass(dayMs - secondMs);
      expect(isGood()).toBe(true);
      pass(minuteMs);
      expect(isGood()).toBe(false);
      set(-minutes * minuteMs);
      for (let hour = 0; hour < 30; hour++) {
        expect(isGood()).toBe(false);
        pass(hourMs);
      }
    },
  );
  it('a key does not stay shut when the clock was far ahead for a moment', async () => {
    const { pass, set, isGood } = await withDayKey();
    pass(hourMs);
    set(365 * dayMs);
    expect(isGood()).toBe(false);
    pass(9 * minuteMs);
    expect(isGood()).toBe(false);
    set(-365 * dayMs);
    expect(isGood()).toBe(true);
    pass(22 * hourMs);
    expect(isGood()).toBe(true);
    pass(hourMs);
    expect(isGood()).toBe(false);
  });
  it('a key does not stay shut when the clock was ahead at the start, and was set right soon', async () => {
    const { pass, set, isGood } = await withDayKey();
    set(30 * dayMs);
    pass(2 * minuteMs);
    expect(isGood()).toBe(false);
    set(-30 * dayMs);
    expect(isGood()).toBe(true);
  });
  it('a key opens again a day after a clock was set right that was ahead for long', async () => {
    const path = join(directory(), 'keys.json');
    const under = machine();
    const { key } = await addKey(path, 'ten days', 10, under.now());
    const ring = createKeyRing([], keysFileAt(path), () => {});
    await ring.refresh();
    under.set(365 * dayMs);
    under.pass(3 * hourMs);
    under.set(-365 * dayMs);
    const isGood = () => ring.find(key, under.expiryNow()) !== null;
    expect(isGood()).toBe(false);
    under.pass(23 * hourMs);
    expect(isGood()).toBe(false);
    under.pass(hourMs);
    expect(isGood()).toBe(true);
  });
  it('the clock of expiry is never behind the clock of the machine, and equal to it where nobody sets that', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.integer({ min: -3 * hourMs, max: 3 * hourMs }), fc.integer({ min: 0, max: 3600 })),
          { maxLength: 20 },
        ),
        (steps) => {
          const steady = machine();
          const jumping = machine();
          for (const [byMs, seconds] of steps) {
            jumping.set(byMs);
            expect(jumping.expiryNow()).toBeGreaterThanOrEqual(jumping.now());
            for (const each of [steady, jumping]) each.pass(seconds * secondMs);
            expect(jumping.expiryNow()).toBeGreaterThanOrEqual(jumping.now());
            expect(steady.expiryNow()).toBe(steady.now());
          }
        },
      ),
      { numRuns: 20 },
    ));
});

describe('a service', () => {
  let made: MadeSnapshot;
  beforeAll(async () => void (made = await makeSnapshot({ filings: 60, companies: 4, batches: 1 })));

  /** A service under the clocks of a machine, and a client that keeps its connection. */
  async function serviceUnder(perMinute?: number) {
    const under = machine();
    const path = join(directory(), 'keys.json');
    const { key } = await addKey(path, 'client', null, under.now(), perMinute);
    const service = await listeningService(made.directory, {}, { host: null, secrets: [] }, path, under);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    closing(() => agent.destroy());
    const ask = () =>
      new Promise<number>((resolve, reject) =>
        request(
          {
            port: service.port,
            host: '127.0.0.1',
            path: '/v1/sec/latest?limit=3',
            headers: { 'x-api-key': key },
            agent,
          },
          (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)),
        )
          .once('error', reject)
          .end(),
      );
    return {
      ...under,
      ask,
      async revoke() {
        await revokeKey(path, 'client');
        await service.keys.refresh();
      },
    };
  }

  it('a revoked key stays revoked when the clock is set back by an hour', async () => {
    const { ask, revoke, set, pass } = await serviceUnder();
    expect(await ask()).toBe(200);
    await revoke();
    set(-hourMs);
    pass(2 * secondMs);
    expect([await ask(), await ask()]).toEqual([401, 401]);
  });
  it.each([
    ['ahead', hourMs],
    ['back', -hourMs],
  ])(
    'a key with a limit waits for no more than a minute when the clock is set %s for a moment',
    async (_, byMs) => {
      const { ask, set, pass } = await serviceUnder(2);
      expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
      set(byMs);
      // It would be a way around the limit, too.
      expect(await ask()).toBe(429);
      pass(61 * secondMs);
      expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
      set(-byMs);
      pass(61 * secondMs);
      expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    },
  );
});
