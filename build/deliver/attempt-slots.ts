import { createGate } from '../../src/fetch/gate.ts';

/** What is known of an attempt before it begins. */
export interface Expected {
  /** How many attempts of the endpoint failed in a row. Those with fewer come first. */
  readonly failures: number;
  /** Whether one of these lasted long. */
  readonly isSlow: boolean;
}

/** A bound of the attempts that run at the same time, of all endpoints. */
export interface AttemptSlots {
  /** Runs an attempt when there is a slot for it. Rejects with the reason of the signal if that comes before. */
  use<Result>(expected: Expected, attempt: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

/** An attempt that lasts longer, in milliseconds, is a slow one. */
export const slowAfterMs = 1000;

/**
 * Makes slots for attempts: some for those that end soon, and others for slow ones. An attempt that turns out
 * to be slow moves over, and one whose endpoint was slow begins there. So endpoints that do not answer at all
 * hold up nobody but each other, while the slots for slow ones suffice.
 */
export function createAttemptSlots(
  quickCount: number,
  slowCount: number,
  slowMs = slowAfterMs,
): AttemptSlots {
  const quick = createGate(quickCount);
  const slow = createGate(slowCount);
  return {
    async use({ failures, isSlow }, attempt, signal) {
      let give = await (isSlow ? slow : quick).enter(signal, failures);
      const over = new AbortController();
      const moveOver = async () => {
        const giveSlow = await slow.enter(over.signal).catch(() => null);
        if (giveSlow === null) return;
        // It may have ended at the moment at which the slot became free.
        if (over.signal.aborted) return giveSlow();
        give();
        give = giveSlow;
      };
      const timer = isSlow ? undefined : setTimeout(() => void moveOver(), slowMs);
      try {
        return await attempt();
      } finally {
        clearTimeout(timer);
        over.abort();
        give();
      }
    },
  };
}
