import { isBusinessDay } from './calendar.ts';
import { easternOffsetHours, readDay, writeStamp } from './eastern.ts';
import { dayMs, hourSeconds } from './lengths.ts';

/**
 * Returns the Eastern wall-clock time of an instant: the day (`YYYY-MM-DD`) and the hours since its midnight,
 * with a fraction.
 */
export function easternTime(atMs: number): { readonly day: string; readonly hours: number } {
  const utcSeconds = Math.floor(atMs / 1000);
  const stamp = writeStamp(utcSeconds - easternOffsetHours(utcSeconds) * hourSeconds);
  return {
    day: `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`,
    hours: Number(stamp.slice(8, 10)) + Number(stamp.slice(10, 12)) / 60,
  };
}

/**
 * Returns the day that is `days` days after another one, or before it if `days` is negative. Both are
 * `YYYY-MM-DD`.
 */
export function dayFrom(day: string, days: number): string {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);
}

/** Whether EDGAR accepts filings on a day (`YYYY-MM-DD`). */
export function isFilingDay(day: string): boolean {
  return isBusinessDay(readDay(day));
}
