import { easternOffsetHours, firstYear, lastYear, readDay, toDayNumber } from './eastern.ts';
import { dayMs, daySeconds, hourMs, hourSeconds } from './units.ts';

/** Days of the week as `dayOfWeek` counts them. */
const [sunday, monday, thursday, saturday] = [0, 1, 4, 6];

/** 1970-01-01, day 0, was a Thursday. */
function dayOfWeek(day: number): number {
  return (((day + thursday) % 7) + 7) % 7;
}

/**
 * The federal holidays (5 U.S.C. 6103), on which EDGAR is closed (17 CFR 232.12(c)). With a `weekday`, the
 * holiday is the first such weekday on or after the date. Good Friday is not a federal holiday, and
 * Inauguration Day is one only for offices around Washington: EDGAR is open on both (measured: filings of
 * 2025-04-18, 2017-01-20 and 2021-01-20).
 */
const holidays: readonly {
  readonly month: number;
  readonly date: number;
  readonly weekday?: number;
  readonly since?: number;
}[] = [
  { month: 1, date: 1 }, // New Year's Day
  { month: 1, date: 15, weekday: monday }, // Birthday of Martin Luther King, Jr.
  { month: 2, date: 15, weekday: monday }, // Washington's Birthday
  { month: 5, date: 25, weekday: monday }, // Memorial Day
  { month: 6, date: 19, since: 2021 }, // Juneteenth
  { month: 7, date: 4 }, // Independence Day
  { month: 9, date: 1, weekday: monday }, // Labor Day
  { month: 10, date: 8, weekday: monday }, // Columbus Day
  { month: 11, date: 11 }, // Veterans Day
  { month: 11, date: 22, weekday: thursday }, // Thanksgiving Day
  { month: 12, date: 25 }, // Christmas Day
];

/**
 * Other days on which the President closed the government, and EDGAR was closed too, as the SEC announced. No
 * rule predicts them. If one is missing here, data only counts as stale a day too early.
 */
const closedByOrder = [
  '2004-06-11',
  '2007-01-02',
  '2014-12-26',
  '2018-12-05',
  '2019-12-24',
  '2020-12-24',
  '2024-12-24',
  '2025-01-09',
  '2025-12-24',
  '2025-12-26',
];

/** A holiday on a Saturday is observed on the Friday before, one on a Sunday on the Monday after. */
function observed(day: number): number {
  return dayOfWeek(day) === saturday ? day - 1 : dayOfWeek(day) === sunday ? day + 1 : day;
}

/** Returns the holidays of a year as day numbers. New Year's Day may be observed in the year before. */
function holidaysOf(year: number): number[] {
  return holidays
    .filter(({ since = firstYear }) => year >= since)
    .map(({ month, date, weekday }) => {
      const day = toDayNumber(year, month, date);
      return weekday === undefined ? observed(day) : day + ((weekday - dayOfWeek(day) + 7) % 7);
    });
}

const closedDays = new Set([
  ...Array.from({ length: lastYear + 1 - firstYear + 1 }, (_, index) => holidaysOf(firstYear + index)).flat(),
  ...closedByOrder.map(readDay),
]);

/**
 * Whether EDGAR accepts filings on a day, given in days since 1970-01-01: not on weekends and federal
 * holidays. Years 1987 to 2099.
 */
export function isBusinessDay(day: number): boolean {
  return dayOfWeek(day) !== sunday && dayOfWeek(day) !== saturday && !closedDays.has(day);
}

/** Whether EDGAR accepts filings on a day, `YYYY-MM-DD`. */
export function isFilingDay(day: string): boolean {
  return isBusinessDay(readDay(day));
}

/**
 * Returns the instant of a full hour of a day in New York, in milliseconds since 1970 UTC; hour 24 is the
 * beginning of the next day. Clocks change at 2:00, so the hour around that, 1 to 3, may be an hour off.
 */
function hourOfDayMs(day: number, hour: number): number {
  return day * dayMs + (hour + easternOffsetHours(day * daySeconds + (hour + 5) * hourSeconds)) * hourMs;
}

/** Returns the day in New York, in days since 1970-01-01, of an instant in milliseconds since 1970 UTC. */
function easternDay(atMs: number): number {
  return Math.floor((atMs - easternOffsetHours(Math.floor(atMs / 1000)) * hourMs) / dayMs);
}

/** From when to when filings are accepted on a business day, in hours of New York (17 CFR 232.12). */
const acceptanceHours = [6, 22] as const;

/**
 * Returns the instant at which `hours` hours of EDGAR's business days have passed, in milliseconds since 1970
 * UTC. Days begin and end at midnight in New York; hours of other days do not count. The result is never on
 * such a day: hours that run out at the end of a Friday give the beginning of Monday.
 */
export function afterBusinessHours(fromMs: number, hours: number): number {
  return afterHoursOfDays(fromMs, hours * hourMs, 0, 24);
}

/**
 * Returns the instant at which EDGAR has accepted filings for `spanMs` milliseconds, in milliseconds since 1970
 * UTC. Nights, weekends and holidays do not count.
 */
export function afterAcceptanceTime(fromMs: number, spanMs: number): number {
  return afterHoursOfDays(fromMs, spanMs, ...acceptanceHours);
}

/** Counts only the time between two hours of each business day. */
function afterHoursOfDays(fromMs: number, spanMs: number, fromHour: number, untilHour: number): number {
  let leftMs = spanMs;
  for (let day = easternDay(fromMs); ; day++) {
    if (!isBusinessDay(day)) continue;
    const [beginMs, endMs] = [Math.max(fromMs, hourOfDayMs(day, fromHour)), hourOfDayMs(day, untilHour)];
    if (leftMs < endMs - beginMs) return beginMs + leftMs;
    leftMs -= Math.max(0, endMs - beginMs);
  }
}
