import { minuteMs } from '../../src/time/units.ts';

/** A time that upstream told. */
export interface ToldTime {
  /** The time by upstream's clock, in milliseconds since 1970. */
  readonly toldMs: number;
  /** When upstream told it, in milliseconds of a monotonic clock. */
  readonly atMs: number;
}

/**
 * If the clock of this machine differs from upstream's by more milliseconds than this, the machine's clock
 * counts as wrong, and upstream's is used.
 */
const differenceMaximumMs = 30 * minuteMs;

/**
 * The current time, in milliseconds since 1970. `wrongByMs` is null if the clock of this machine is right.
 * Otherwise it tells by how many milliseconds that clock is ahead of upstream's; negative if it is behind.
 */
export interface Time {
  readonly nowMs: number;
  readonly wrongByMs: number | null;
}

/**
 * Returns the time of this machine's clock, or upstream's time if the two differ too much. `machineMs` is the
 * machine's time; `atMs` is the time now by the monotonic clock of `told`.
 */
export function timeOf(told: ToldTime | null, machineMs: number, atMs: number): Time {
  if (told === null) return { nowMs: machineMs, wrongByMs: null };
  const upstreamMs = told.toldMs + (atMs - told.atMs);
  const aheadMs = machineMs - upstreamMs;
  return Math.abs(aheadMs) > differenceMaximumMs
    ? { nowMs: upstreamMs, wrongByMs: aheadMs }
    : { nowMs: machineMs, wrongByMs: null };
}

/** Writes a span of time, given in milliseconds, as words such as `3 hours`. */
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
