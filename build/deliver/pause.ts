import { setTimeout as delay } from 'node:timers/promises';

/** Waits, by a clock that never jumps. Resolves early when the signal comes. */
export async function pause(pauseMs: number, signal: AbortSignal): Promise<void> {
  await delay(pauseMs, undefined, { signal }).catch(() => {});
}
