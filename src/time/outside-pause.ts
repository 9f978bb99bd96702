import { hourMs } from './units.ts';

/**
 * What another party or a caller says of a pause in milliseconds, as a pause that a timer takes: 0 to an hour. A timer
 * ends at once if it gets more than 24 days, and whoever says so would be asked without a pause.
 */
export function outsidePauseMs(pauseMs: number): number {
  return pauseMs > 0 ? Math.min(pauseMs, hourMs) : 0;
}
