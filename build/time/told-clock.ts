import { minuteMs } from '../../src/time/units.ts';

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
 * The clocks of a program that asks EDGAR: a monotonic one, and the time of day by this machine or, if that is
 * wrong, by EDGAR.
 */
export interface Clock {
  /** The monotonic clock, in milliseconds. */
  elapsed(): number;
  /** The time by this machine's clock, or by EDGAR's if this machine's is wrong. */
  now(): Time;
  /** The time as records write it: ISO 8601 in UTC. */
  instant(): string;
  /**
   * Records the time that EDGAR told, in milliseconds since 1970. `atMs` is when, by the monotonic clock. A time that
   * contradicts what EDGAR told before and this machine's clock, too, is believed once a later one agrees with it: one
   * of EDGAR's machines may have a wrong clock. Returns whether it is believed.
   */
  tell(toldMs: number, atMs: number): boolean;
  /** Whether EDGAR has told the time. */
  isTold(): boolean;
}

/** A time that EDGAR told, and when it did by the monotonic clock. */
interface Told {
  readonly toldMs: number;
  readonly atMs: number;
}

const agree = (a: Told, b: Told) => Math.abs(a.toldMs - a.atMs - (b.toldMs - b.atMs)) <= differenceMaximumMs;

/** Creates the clocks of a program from those of the machine. */
export function createClock(elapsed: () => number, machine: () => number): Clock {
  let told: Told | null = null;
  let doubted: Told | null = null;
  function now(): Time {
    const machineMs = machine();
    const upstreamMs = told === null ? machineMs : told.toldMs + (elapsed() - told.atMs);
    const aheadMs = machineMs - upstreamMs;
    return Math.abs(aheadMs) > differenceMaximumMs
      ? { nowMs: upstreamMs, wrongByMs: aheadMs }
      : { nowMs: machineMs, wrongByMs: null };
  }
  return {
    elapsed,
    now,
    instant: () => new Date(now().nowMs).toISOString(),
    tell(toldMs, atMs) {
      const next = { toldMs, atMs };
      const isBelieved =
        told === null ||
        agree(next, told) ||
        (doubted !== null && toldMs > doubted.toldMs && agree(next, doubted)) ||
        Math.abs(machine() - toldMs) <= differenceMaximumMs;
      if (isBelieved) told = next;
      doubted = isBelieved ? null : next;
      return isBelieved;
    },
    isTold: () => told !== null,
  };
}

/** Says that the clock of this machine is wrong, by so many milliseconds. */
export const wrongClockText = (wrongByMs: number): string =>
  `the clock of this machine is ${spanText(wrongByMs)} ${wrongByMs > 0 ? 'ahead of' : 'behind'} EDGAR's: EDGAR's clock is used instead`;

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
