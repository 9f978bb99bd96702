import { setTimeout as delay } from 'node:timers/promises';
import { outsidePauseMs } from '../../src/time/outside-pause.ts';

/** Waits, an hour at most, by a clock that never jumps. Resolves early when the signal comes. */
export async function pause(pauseMs: number, signal: AbortSignal): Promise<void> {
  await delay(outsidePauseMs(pauseMs), undefined, { signal }).catch(() => {});
}
