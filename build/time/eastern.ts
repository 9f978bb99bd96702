import { remembered } from '../../src/contract/remembered.ts';
import { daySeconds, hourSeconds } from '../../src/contract/time.ts';

/** The first year whose daylight-saving rule is known here; EDGAR begins in 1993. */
export const firstYear = 1987;
/** The last year for which days and daylight-saving time are known here. */
export const lastYear = 2099;

/** Days since 1970-01-01 of a day of the Gregorian calendar; months and days count from 1. */
export function toDayNumber(year: number, month: number, day: number): number {
  // With years that begin in March the leap day is the last one, and lengths of months follow one straight
  // line.
  const marchYear = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return (
    marchYear * 365 +
    Math.floor(marchYear / 4) -
    Math.floor(marchYear / 100) +
    Math.floor(marchYear / 400) +
    dayOfYear -
    719_468
  );
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysInMonth(year: number, month: number): number {
  const leap = month === 2 && ((year % 4 === 0 && year % 100 !== 0) || year % 400 === 0);
  return leap ? 29 : (monthDays[month - 1] ?? 0);
}

/** The number of two digits at a position in a text; NaN if there are none. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const units = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : NaN;
}

const dash = 45;
const colon = 58;

/**
 * Days since 1970-01-01 of a text that begins `YYYY-MM-DD`, of the years 1987 to 2099; NaN if no such day is
 * written.
 */
export function readDay(text: string): number {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (!(year >= firstYear && year <= lastYear && day >= 1 && day <= daysInMonth(year, month))) return NaN;
  return text.charCodeAt(4) === dash && text.charCodeAt(7) === dash ? toDayNumber(year, month, day) : NaN;
}

/**
 * Seconds since 1970-01-01T00:00:00 on the clock that a text beginning `YYYY-MM-DDTHH:MM:SS` was read from,
 * of the years 1987 to 2099; NaN if no such time is written.
 */
export function readStamp(text: string): number {
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (!(hour < 24 && minute < 60 && second < 60)) return NaN;
  if (text[10] !== 'T' || text.charCodeAt(13) !== colon || text.charCodeAt(16) !== colon) return NaN;
  return readDay(text) * daySeconds + hour * hourSeconds + minute * 60 + second;
}

/** The day number of the Sunday on or after a day. 1970-01-04, day 3, was a Sunday. */
function sundayFrom(day: number): number {
  return day + ((((3 - day) % 7) + 7) % 7);
}

/**
 * The instants of a year, in seconds since 1970 UTC, at which daylight-saving time begins and ends in New
 * York: at 2:00 local time, which is 7:00 UTC in winter and 6:00 UTC in summer. 15 U.S.C. 260a: since 2007
 * (Energy Policy Act of 2005) from the second Sunday of March to the first of November, in 1987 to 2006 from
 * the first of April to the last of October.
 *
 * The rule is written out, not asked of `Intl`: for each of some ten million filings `Intl` takes 0.7 to 1 µs
 * where this takes 0.02, and an ingest has 3.3 µs for all of a filing; and what a build writes must not
 * depend on the time zone data that a version of Node brings. A test holds it against `Intl`.
 */
function summerOf(year: number): readonly [from: number, to: number] {
  const since2007 = year >= 2007;
  const from = sundayFrom(since2007 ? toDayNumber(year, 3, 8) : toDayNumber(year, 4, 1));
  const to = sundayFrom(since2007 ? toDayNumber(year, 11, 1) : toDayNumber(year, 10, 25));
  return [from * daySeconds + 7 * hourSeconds, to * daySeconds + 6 * hourSeconds];
}

const summers = Array.from({ length: lastYear - firstYear + 1 }, (_, index) => summerOf(firstYear + index));

/**
 * How many hours New York is behind UTC at an instant, given in seconds since 1970 UTC; years 1987 to 2099.
 */
export function easternOffsetHours(utcSeconds: number): 4 | 5 {
  // A mean year is 365.2425 days. Near New Year the year may be wrong by one, where it is winter by both.
  const summer = summers[Math.floor(utcSeconds / 31_556_952) + 1970 - firstYear];
  return summer !== undefined && utcSeconds >= summer[0] && utcSeconds < summer[1] ? 4 : 5;
}

const pairs = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

// EDGAR has fewer than 15,000 days so far; the limit is for strange input alone.
const writeDay = remembered(30_000, (day: number) =>
  new Date(day * daySeconds * 1000).toISOString().slice(0, 10).replaceAll('-', ''),
);

/**
 * A reading of a clock, in seconds since 1970-01-01T00:00:00 on that clock, as 14 digits `yyyymmddhhmmss`.
 */
export function writeStamp(seconds: number): string {
  const day = Math.floor(seconds / daySeconds);
  const rest = seconds - day * daySeconds;
  const minutes = Math.floor(rest / 60);
  const hours = Math.floor(minutes / 60);
  return `${writeDay(day)}${pairs[hours]}${pairs[minutes - hours * 60]}${pairs[rest - minutes * 60]}`;
}

/**
 * A reading of the Eastern wall clock, 14 digits `yyyymmddhhmmss`, as ISO 8601 with its offset:
 * `2026-08-17T16:30:12-04:00`. An hour that clocks show twice in autumn, or skip in spring, has the offset
 * from before the change.
 */
export function withEasternOffset(stamp: string): string {
  const [year, month, day, hour, minute, second] = [
    stamp.slice(0, 4),
    stamp.slice(4, 6),
    stamp.slice(6, 8),
    stamp.slice(8, 10),
    stamp.slice(10, 12),
    stamp.slice(12, 14),
  ];
  const wallSeconds =
    toDayNumber(Number(year), Number(month), Number(day)) * daySeconds +
    Number(hour) * hourSeconds +
    Number(minute) * 60 +
    Number(second);
  // Read as summer time, a reading of the hour before either change is an instant before it, and one after is
  // after it.
  return `${year}-${month}-${day}T${hour}:${minute}:${second}-0${easternOffsetHours(wallSeconds + 4 * hourSeconds)}:00`;
}

/** The Eastern wall clock, 14 digits `yyyymmddhhmmss`, at an instant in seconds since 1970 UTC; years 1987 to 2099. */
export function writeEastern(utcSeconds: number): string {
  return writeStamp(utcSeconds - easternOffsetHours(utcSeconds) * hourSeconds);
}
