import { timeOf, type Time, type ToldTime } from '../../time/told-time.ts';

/**
 * The clocks of a follower: a monotonic one, and the time of day by this machine or, if that is wrong, by
 * EDGAR.
 */
export interface Clock {
  /** The monotonic clock, in milliseconds. */
  elapsed(): number;
  /** The time by this machine's clock, or by EDGAR's if this machine's is wrong. */
  now(): Time;
  /** The time as records write it: ISO 8601 in UTC. */
  instant(): string;
  /** Records the time that EDGAR told, in milliseconds since 1970. `atMs` is when, by the monotonic clock. */
  tell(toldMs: number, atMs: number): void;
  /** Whether EDGAR has told the time. */
  isTold(): boolean;
}

/** Creates the clocks of a follower from those of the machine. */
export function createClock(elapsed: () => number, machine: () => number): Clock {
  let told: ToldTime | null = null;
  const now = () => timeOf(told, machine(), elapsed());
  return {
    elapsed,
    now,
    instant: () => new Date(now().nowMs).toISOString(),
    tell: (toldMs, atMs) => void (told = { toldMs, atMs }),
    isTold: () => told !== null,
  };
}
