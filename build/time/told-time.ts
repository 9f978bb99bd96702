import { minuteMs } from '../../src/contract/time.ts';

/** A time that upstream told, and when it came by the clock that never goes back; both in milliseconds. */
export interface ToldTime {
  readonly toldMs: number;
  readonly atMs: number;
}

/** A machine that is off by more than this is said to be wrong, and nothing is derived from its clock. */
const wrongByMs = 30 * minuteMs;

/**
 * What time it is, and by how much the clock of this machine is ahead of upstream's (milliseconds) if it is
 * wrong; else null.
 */
export interface Time {
  readonly nowMs: number;
  readonly wrongByMs: number | null;
}

/** The time by the clock of the machine, or by upstream's where they are too far apart. */
export function timeOf(told: ToldTime | null, machineMs: number, atMs: number): Time {
  if (told === null) return { nowMs: machineMs, wrongByMs: null };
  const upstreamMs = told.toldMs + (atMs - told.atMs);
  const aheadMs = machineMs - upstreamMs;
  return Math.abs(aheadMs) > wrongByMs
    ? { nowMs: upstreamMs, wrongByMs: aheadMs }
    : { nowMs: machineMs, wrongByMs: null };
}

/** A span of time in words, such as `3 hours`. */
export function spanText(spanMs: number): string {
  const minutes = Math.round(Math.abs(spanMs) / minuteMs);
  const [count, unit] =
    minutes >= 2880
      ? [Math.round(minutes / 1440), 'days']
      : minutes >= 120
        ? [Math.round(minutes / 60), 'hours']
        : [minutes, 'minutes'];
  return `${count} ${unit}`;
}
