import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterBusinessHours, isBusinessDay } from '../../src/time/calendar.ts';
import { readDay } from '../../src/time/eastern.ts';
import { recordings } from '../support/replay.ts';
import { needs } from '../support/needs.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const isOpen = (date: string) => isBusinessDay(readDay(date));
const dateOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

describe('a business day of EDGAR', () => {
  // The lists of the Office of Personnel Management.
  it.each([
    ['2021', '01-01 01-18 02-15 05-31 06-18 07-05 09-06 10-11 11-11 11-25 12-24 12-31'],
    ['2022', '01-17 02-21 05-30 06-20 07-04 09-05 10-10 11-11 11-24 12-26'],
    ['2023', '01-02 01-16 02-20 05-29 06-19 07-04 09-04 10-09 11-10 11-23 12-25'],
    ['2026', '01-01 01-19 02-16 05-25 06-19 07-03 09-07 10-12 11-11 11-26 12-25'],
    ['2027', '01-01 01-18 02-15 05-31 06-18 07-05 09-06 10-11 11-11 11-25 12-24 12-31'],
    ['2028', '01-17 02-21 05-29 06-19 07-04 09-04 10-09 11-10 11-23 12-25'],
  ])('a business day of EDGAR is no federal holiday of %s', (year, holidays) => {
    const closed: string[] = [];
    for (let day = readDay(`${year}-01-01`); dateOf(day).startsWith(year); day++)
      if (!isBusinessDay(day) && ![0, 6].includes(new Date(day * dayMs).getUTCDay()))
        closed.push(dateOf(day).slice(5));
    expect(closed.join(' ')).toBe(holidays);
  });

  it.each([
    ['2021-06-18', false, 'the first Juneteenth, a day after the law, on the Friday before it'],
    ['2020-06-19', true, 'the year before'],
    ['2010-12-31', false, 'New Year on a Saturday is observed in the old year'],
    ['2022-01-03', true, 'and not after it'],
    ['2023-01-02', false, 'New Year on a Sunday'],
    ['2026-04-03', true, 'Good Friday'],
    ['2025-04-18', true, 'Good Friday'],
    ['2017-01-20', true, 'Inauguration Day'],
    ['2021-01-20', true, 'Inauguration Day'],
    ['2025-01-20', false, 'Inauguration Day on the birthday of Martin Luther King'],
    ['2025-11-27', false, 'Thanksgiving Day'],
    ['2025-11-28', true, 'the day after it'],
    ['2025-01-09', false, 'a day of mourning'],
    ['2025-12-26', false, 'closed by order'],
    ['2026-11-21', false, 'a Saturday'],
    ['2026-11-22', false, 'a Sunday'],
    ['2026-11-23', true, 'a Monday'],
  ])('EDGAR is open on %s: %s (%s)', (date, open) => expect(isOpen(date)).toBe(open));

  it('240,000 recorded filings are dated on business days', {
    ...needs('recordings'),
    tags: ['slow'],
  }, () => {
    const counts = new Map<string, number>();
    // Papers of the SEC and of its staff have other calendars.
    const others = /^(9999999|0000000000)/;
    const othersForms = /^(UPLOAD|CORRESP|LETTER|NO ACT|EFFECT|CT ORDER|QUALIF|REVOKED)/;
    for (const path of readdirSync(recordings, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /submissions\/CIK\d{10}(-submissions-\d+)?\.json$/.test(name),
    )) {
      const file = JSON.parse(readFileSync(join(recordings, path), 'utf8')) as {
        filings?: { recent: Record<string, string[]> };
      } & Record<string, string[]>;
      const { accessionNumber = [], filingDate = [], form = [] } = file.filings?.recent ?? file;
      filingDate.forEach((date, row) => {
        if (!others.test(accessionNumber[row] ?? '') && !othersForms.test(form[row] ?? ''))
          counts.set(date, (counts.get(date) ?? 0) + 1);
      });
    }
    const surprising: string[] = [];
    // Before, whole days have no filing of the recorded companies; after, not all were recorded.
    for (let day = readDay('2013-01-01'); day <= readDay('2026-06-28'); day++) {
      const count = counts.get(dateOf(day)) ?? 0;
      if (isBusinessDay(day) ? count === 0 : count > 0) surprising.push(`${dateOf(day)} ${count}`);
    }
    // On two days the SEC announced that EDGAR was closed, and a few filings are dated on them nevertheless.
    expect(surprising.map((text) => text.slice(0, 10))).toEqual(['2018-12-05', '2019-12-24']);
  });
});

/** Eastern date of an instant by the time zone database. */
const newYork = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/New_York',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/**
 * Whether EDGAR takes filings at an instant, in the plainest way: by names and by counting on from the first
 * of a month.
 */
function isOpenAt(atMs: number): boolean {
  const date = newYork.format(atMs);
  const at = (text: string) => new Date(`${text}T12:00:00Z`);
  const moved = (days: number) => new Date(at(date).getTime() + days * dayMs).toISOString().slice(0, 10);
  const weekday = (text: string) => at(text).getUTCDay();
  if (weekday(date) === 0 || weekday(date) === 6) return false;
  const isFixed = (text: string) =>
    ['01-01', '07-04', '11-11', '12-25', ...(text >= '2021' ? ['06-19'] : [])].includes(text.slice(5));
  if (
    isFixed(date) ||
    (weekday(date) === 5 && isFixed(moved(1))) ||
    (weekday(date) === 1 && isFixed(moved(-1)))
  )
    return false;
  const [month, dayOfMonth] = [date.slice(5, 7), Number(date.slice(8))];
  const which = Math.ceil(dayOfMonth / 7);
  const isLast = moved(7).slice(5, 7) !== month;
  if (
    weekday(date) === 1 &&
    ((which === 3 && (month === '01' || month === '02')) ||
      (which === 1 && month === '09') ||
      (which === 2 && month === '10') ||
      (isLast && month === '05'))
  )
    return false;
  return !(weekday(date) === 4 && which === 4 && month === '11');
}

describe('hours of business days', () => {
  it.each([
    ['a Tuesday evening', '2026-11-18T03:30:00.000Z', 36, '2026-11-19T15:30:00.000Z'],
    [
      'a Friday evening: the weekend does not count',
      '2026-11-21T03:30:00.000Z',
      36,
      '2026-11-24T15:30:00.000Z',
    ],
    ['a Saturday: it begins on Monday', '2026-11-21T17:00:00.000Z', 36, '2026-11-24T17:00:00.000Z'],
    ['the evening before Thanksgiving', '2026-11-26T03:00:00.000Z', 36, '2026-11-30T15:00:00.000Z'],
    ['what runs out when a Friday ends', '2026-11-19T17:00:00.000Z', 36, '2026-11-23T05:00:00.000Z'],
    [
      'the weekend on which clocks are set to summer',
      '2026-03-06T22:00:00.000Z',
      24,
      '2026-03-09T21:00:00.000Z',
    ],
    ['the weekend on which they are set back', '2026-10-30T21:00:00.000Z', 24, '2026-11-02T22:00:00.000Z'],
    ['the last days of 2021', '2021-12-30T17:00:00.000Z', 24, '2022-01-03T17:00:00.000Z'],
    ['no hours on a business day', '2026-11-18T17:00:00.000Z', 0, '2026-11-18T17:00:00.000Z'],
  ])('hours of business days count from %s', (_, from, hours, to) =>
    expect(new Date(afterBusinessHours(Date.parse(from), hours)).toISOString()).toBe(to),
  );

  it('hours of business days are those that one counts hour by hour', () => {
    // 2027 on: the days that were closed by order have no rule. Whole hours: midnight in New York is one.
    const hoursFrom = fc.integer({ min: Date.UTC(2027, 0, 1) / hourMs, max: Date.UTC(2090, 0, 1) / hourMs });
    fc.assert(
      fc.property(hoursFrom, fc.integer({ min: 0, max: 300 }), (from, hours) => {
        let at = from;
        for (let left = hours; left > 0 || !isOpenAt(at * hourMs); at++) if (isOpenAt(at * hourMs)) left--;
        expect(new Date(afterBusinessHours(from * hourMs, hours)).toISOString()).toBe(
          new Date(at * hourMs).toISOString(),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('hours of business days are right on every day of a hundred years', () => {
    const surprising: string[] = [];
    for (let day = readDay('2026-01-01'); day <= readDay('2099-12-31'); day++)
      if (isBusinessDay(day) !== isOpenAt(day * dayMs + 17 * hourMs)) surprising.push(dateOf(day));
    expect(surprising).toEqual([]);
  });
});
