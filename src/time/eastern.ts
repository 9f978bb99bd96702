import { remembered } from '../domain/remembered.ts';
import { daySeconds, hourSeconds } from './units.ts';

/** The first year whose daylight-saving rule is known here; EDGAR begins in 1993. */
export const firstYear = 1987;
/** The last year for which days and daylight-saving time are known here. */
export const lastYear = 2099;

/** Days since 1970-01-01 of a day of the Gregorian calendar; months and days count from 1. */
export function toDayNumber(year: number, month: number, day: number): number {
  // If years begin in March, the leap day is the last day of the year, and one linear formula gives the first
  // day of each month.
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

/** Reads the two digits at a position of a text; NaN if they are not digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const units = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : NaN;
}

const dash = 45;
const colon = 58;

/**
 * Reads a text that begins `YYYY-MM-DD` and returns the days since 1970-01-01. NaN if the text does not begin
 * with a day of the years 1987 to 2099.
 */
export function readDay(text: string): number {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (!(year >= firstYear && year <= lastYear && day >= 1 && day <= daysInMonth(year, month))) return NaN;
  return text.charCodeAt(4) === dash && text.charCodeAt(7) === dash ? toDayNumber(year, month, day) : NaN;
}

/**
 * Reads a text that begins `YYYY-MM-DDTHH:MM:SS` and returns the seconds since 1970-01-01T00:00:00 on the
 * same clock, whatever its time zone. NaN if the text does not begin with a time of the years 1987 to 2099.
 */
export function readStamp(text: string): number {
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (!(hour < 24 && minute < 60 && second < 60)) return NaN;
  if (text[10] !== 'T' || text.charCodeAt(13) !== colon || text.charCodeAt(16) !== colon) return NaN;
  return readDay(text) * daySeconds + hour * hourSeconds + minute * 60 + second;
}

/** Returns the first Sunday on or after a day, both as day numbers. 1970-01-04, day 3, was a Sunday. */
function sundayFrom(day: number): number {
  return day + ((((3 - day) % 7) + 7) % 7);
}

/**
 * Returns the instants at which daylight-saving time begins and ends in New York in a year, in seconds since
 * 1970 UTC. Both are at 2:00 local time: 7:00 UTC in winter and 6:00 UTC in summer. 15 U.S.C. 260a: since
 * 2007 (Energy Policy Act of 2005) it lasts from the second Sunday of March to the first of November; in 1987
 * to 2006, from the first Sunday of April to the last of October.
 *
 * The rule is written out instead of asking `Intl`, for two reasons. For each of some ten million filings
 * `Intl` takes 0.7 to 1 µs and this takes 0.02 µs, while an ingest has 3.3 µs for a whole filing. And the
 * bytes of a build must not depend on the time zone data that a version of Node ships. A test compares this
 * rule with `Intl`.
 */
function summerOf(year: number): readonly [from: number, to: number] {
  const since2007 = year >= 2007;
  const from = sundayFrom(since2007 ? toDayNumber(year, 3, 8) : toDayNumber(year, 4, 1));
  const to = sundayFrom(since2007 ? toDayNumber(year, 11, 1) : toDayNumber(year, 10, 25));
  return [from * daySeconds + 7 * hourSeconds, to * daySeconds + 6 * hourSeconds];
}

const summers = Array.from({ length: lastYear - firstYear + 1 }, (_, index) => summerOf(firstYear + index));

/**
 * Returns how many hours New York is behind UTC at an instant, given in seconds since 1970 UTC. Years 1987 to
 * 2099.
 */
export function easternOffsetHours(utcSeconds: number): 4 | 5 {
  // A mean year has 31,556,952 seconds (365.2425 days). Near New Year this year may be wrong by one, which
  // does not matter: it is winter in both years.
  const summer = summers[Math.floor(utcSeconds / 31_556_952) + 1970 - firstYear];
  return summer !== undefined && utcSeconds >= summer[0] && utcSeconds < summer[1] ? 4 : 5;
}

const pairs = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

// EDGAR has fewer than 15,000 days so far; the limit is for strange input alone.
const writeDay = remembered(30_000, (day: number) =>
  new Date(day * daySeconds * 1000).toISOString().slice(0, 10).replaceAll('-', ''),
);

/**
 * Writes a clock time, given in seconds since 1970-01-01T00:00:00 on that clock, as 14 digits
 * `yyyymmddhhmmss`.
 */
export function writeStamp(seconds: number): string {
  const day = Math.floor(seconds / daySeconds);
  const rest = seconds - day * daySeconds;
  const minutes = Math.floor(rest / 60);
  const hours = Math.floor(minutes / 60);
  return `${writeDay(day)}${pairs[hours]}${pairs[minutes - hours * 60]}${pairs[rest - minutes * 60]}`;
}

/**
 * Writes an Eastern wall-clock time, given as 14 digits `yyyymmddhhmmss`, as ISO 8601 with its offset:
 * `2026-08-17T16:30:12-04:00`. Times in the hour that is repeated in autumn or skipped in spring get the
 * offset that was valid before the change.
 */
export function withEasternOffset(stamp: string): string {
  const { date, first, last, dayNumber } = easternDay(stamp.slice(0, dayDigits));
  const hour = stamp.slice(dayDigits, dayDigits + 2);
  const offset = first === last ? first : offsetBehind(dayNumber, Number(hour));
  return `${date}T${hour}:${stamp.slice(dayDigits + 2, dayDigits + 4)}:${stamp.slice(dayDigits + 4)}-0${offset}:00`;
}

/** Digits of a stamp up to its day. */
const dayDigits = 8;

/** A day, given as 8 digits: how ISO 8601 writes it, and the offsets of its first and its last hour. */
const easternDay = remembered(30_000, (digits: string) => {
  const [year, month, day] = [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6)];
  const dayNumber = toDayNumber(Number(year), Number(month), Number(day));
  const [first, last] = [offsetBehind(dayNumber, 0), offsetBehind(dayNumber, 23)];
  return { date: `${year}-${month}-${day}`, first, last, dayNumber };
});

/**
 * How many hours New York is behind UTC in an hour of its clock. To take the hour as one of summer time (UTC-4)
 * gives an instant on the right side of either change, and both changes are at a full hour.
 */
const offsetBehind = (dayNumber: number, hour: number) =>
  easternOffsetHours(dayNumber * daySeconds + (hour + 4) * hourSeconds);

/**
 * The Eastern wall clock, 14 digits `yyyymmddhhmmss`, at an instant in seconds since 1970 UTC; years 1987 to
 * 2099.
 */
export function writeEastern(utcSeconds: number): string {
  return writeStamp(utcSeconds - easternOffsetHours(utcSeconds) * hourSeconds);
}
