import { dayFrom, hourMs } from '../../../src/time/units.ts';
import { isBusinessDay } from '../../../src/time/calendar.ts';
import { easternOffsetHours, readDay, writeEastern } from '../../../src/time/eastern.ts';

/** Whether EDGAR takes filings on a day, `YYYY-MM-DD`. */
export const isOpen = (day: string) => isBusinessDay(readDay(day));

/**
 * Whether EDGAR takes filings on a day beside a holiday on which many do not work: 3 July, the day after Thanksgiving,
 * 24 December. EDGAR keeps its hours then.
 */
export function isHalfDay(day: string): boolean {
  const [month, date] = [day.slice(5, 7), Number(day.slice(8))];
  const isFriday = new Date(day).getUTCDay() === 5;
  const isAfterThanksgiving = month === '11' && isFriday && date >= 23 && date <= 29;
  return isOpen(day) && (isAfterThanksgiving || day.endsWith('-12-24') || day.endsWith('-07-03'));
}

/** The instant of an Eastern clock time on a day, in milliseconds since 1970. */
export function easternInstant(day: string, hours: number): number {
  const wallMs = Date.parse(day) + hours * hourMs;
  return wallMs + easternOffsetHours(wallMs / 1000 + 5 * 3600) * hourMs;
}

/** The Eastern clock time at an instant: 14 digits. */
export const easternStamp = (atMs: number) => writeEastern(Math.floor(atMs / 1000));

/** The Eastern day at an instant. */
export const easternDay = (atMs: number) => easternStamp(atMs).replace(/^(....)(..)(..).*$/, '$1-$2-$3');

/** The Eastern hour at an instant, with a fraction. */
export function easternHours(atMs: number): number {
  const stamp = easternStamp(atMs);
  return Number(stamp.slice(8, 10)) + Number(stamp.slice(10, 12)) / 60;
}

/** The Eastern clock time at an instant with its offset, as the feed writes it. */
export function easternIso(atMs: number): string {
  const offset = easternOffsetHours(atMs / 1000);
  return `${new Date(Math.floor(atMs / 1000) * 1000 - offset * hourMs).toISOString().slice(0, 19)}-0${offset}:00`;
}

/** The next day after one on which EDGAR takes filings. */
export function nextOpenDay(day: string): string {
  let next = dayFrom(day, 1);
  while (!isOpen(next)) next = dayFrom(next, 1);
  return next;
}

/** The last day before one on which EDGAR takes filings. */
export function openDayBefore(day: string): string {
  let before = dayFrom(day, -1);
  while (!isOpen(before)) before = dayFrom(before, -1);
  return before;
}
