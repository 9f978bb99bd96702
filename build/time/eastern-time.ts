import { writeEastern } from '../../src/time/eastern.ts';

/**
 * Returns the Eastern wall-clock time of an instant: the day (`YYYY-MM-DD`) and the hours since its midnight,
 * with a fraction.
 */
export function easternTime(atMs: number): { readonly day: string; readonly hours: number } {
  const stamp = writeEastern(Math.floor(atMs / 1000));
  return {
    day: `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`,
    hours: Number(stamp.slice(8, 10)) + Number(stamp.slice(10, 12)) / 60,
  };
}
