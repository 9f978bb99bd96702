import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAttemptSlots } from '../../build/deliver/attempt-slots.ts';

describe('slots of attempts', () => {
  const never = new AbortController().signal;
  /** Attempts that end when they are told to. */
  function hanging(slots: ReturnType<typeof createAttemptSlots>) {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const attempt = (name: string, expected: { failures: number; isSlow: boolean }) =>
      slots.use(
        expected,
        () =>
          new Promise<void>((resolve) => {
            begun.push(name);
            ends.push(resolve);
          }),
        never,
      );
    return { begun, attempt, endAll: () => ends.splice(0).forEach((end) => void end()) };
  }
  const fresh = { failures: 0, isSlow: false };
  const slow = { failures: 4, isSlow: true };

  it('attempts that last give their slots to the next ones, as long as there is room for them', async () => {
    const { begun, attempt, endAll } = hanging(createAttemptSlots(2, 3, 20));
    const all = Array.from({ length: 8 }, (_, at) => attempt(`${at}`, fresh));
    await new Promise(setImmediate);
    expect(begun).toEqual(['0', '1']);
    // Three of five move over; the others keep their slots.
    await expect.poll(() => begun).toEqual(['0', '1', '2', '3', '4']);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(begun.length).toBe(5);
    for (let ended = 0; ended < 8; ended += 5) {
      endAll();
      await expect.poll(() => begun.length).toBe(8);
    }
    endAll();
    await Promise.all(all);
  });

  it('who was slow before holds up nobody else, and the one that failed less often comes first', async () => {
    const { begun, attempt, endAll } = hanging(createAttemptSlots(1, 2, 20));
    const all = [
      attempt('slow 1', slow),
      attempt('slow 2', slow),
      attempt('slow 3', slow),
      attempt('slow once', { failures: 1, isSlow: true }),
      attempt('just failed', { failures: 1, isSlow: false }),
    ];
    await new Promise(setImmediate);
    expect(begun).toEqual(['slow 1', 'slow 2', 'just failed']);
    endAll();
    await expect.poll(() => begun.slice(3)).toEqual(['slow once', 'slow 3']);
    endAll();
    await Promise.all(all);
  });

  it('never more attempts run than there are slots, whenever they end, and no slot is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(8), fc.boolean()), { maxLength: 25 }), async (works) => {
        const slots = createAttemptSlots(2, 2, 2);
        let running = 0;
        const run = ([ms, isSlow]: readonly [number, boolean]) =>
          slots.use(
            { failures: 0, isSlow },
            async () => {
              expect(++running).toBeLessThanOrEqual(4);
              await new Promise((resolve) => setTimeout(resolve, ms));
              running--;
            },
            never,
          );
        await Promise.all(works.map(run));
        // All four are free again: they begin at once.
        const { begun, attempt, endAll } = hanging(slots);
        const all = [fresh, fresh, slow, slow].map((each, at) => attempt(`${at}`, each));
        await new Promise(setImmediate);
        expect(begun.length).toBe(4);
        endAll();
        await Promise.all(all);
      }),
      { numRuns: 30 },
    );
  });
});
