import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  easternOffsetHours,
  readDay,
  readStamp,
  withEasternOffset,
  writeEastern,
  writeStamp,
} from '../../src/time/eastern.ts';

const newYork = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** The same instant by the time zone database of Node. */
function byDatabase(instant: Date): string {
  const part = new Map(newYork.formatToParts(instant).map(({ type, value }) => [type, value]));
  return ['year', 'month', 'day', 'hour', 'minute', 'second']
    .map((name) => part.get(name as Intl.DateTimeFormatPartTypes))
    .join('');
}

const stampOf = (instant: Date) => instant.toISOString().slice(0, 19);

/**
 * The hours, in UTC, after which New York shows another offset than before, found by looking at every day, and at every hour of
 * those on which it changes.
 */
function changesByDatabase(year: number): number[] {
  const found: number[] = [];
  const gap = (at: number) =>
    at - Date.parse(byDatabase(new Date(at)).replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z'));
  const [dayMs, hourMs] = [86_400_000, 3_600_000];
  for (let day = Date.UTC(year, 0, 1, 5); day < Date.UTC(year + 1, 0, 1, 5); day += dayMs) {
    if (gap(day) === gap(day + dayMs)) continue;
    for (let at = day + hourMs; at <= day + dayMs; at += hourMs)
      if (gap(at) !== gap(at - hourMs)) found.push(at);
  }
  return found;
}

/** The Eastern reading of a text in UTC; null if the text names no time of the known years. */
const utcToEastern = (stamp: string) => {
  const seconds = readStamp(stamp);
  return Number.isNaN(seconds) ? null : writeEastern(seconds);
};

const instants = fc.date({
  min: new Date('1990-01-01T00:00:00Z'),
  max: new Date('2040-12-31T23:59:59Z'),
  noInvalidDate: true,
});

describe('readStamp and writeEastern', () => {
  it.each([
    ['2025-10-02T20:25:50.000Z', '20251002162550'],
    ['1987-04-05T07:00:00', '19870405030000'],
    ['2099-07-01T12:00:00', '20990701080000'],
  ])('%s is read as %s', (stamp, digits) => expect(utcToEastern(stamp)).toBe(digits));

  it.each([
    '',
    '2025-10-02',
    '2025-10-02 20:25:50',
    '2025-10-02T20-25:50',
    '2025-10-02T20:25-50',
    '2025-10-02T24:00:00',
    '2025-10-02T20:60:00',
    '2025-10-02T20:25:60',
    '2025-1-02T20:25:50Z',
    '2025-13-02T20:25:50',
    '2025-00-02T20:25:50',
    '2025-02-29T20:25:50',
    '2025-04-31T20:25:50',
    '2025-04-00T20:25:50',
    '2O25-04-01T20:25:50',
    '2025/04/01T20:25:50',
    '1986-12-31T23:59:59',
    '2100-01-01T00:00:00',
    '٢٠٢٥-04-01T20:25:50',
  ])('utcToEastern gives null for %j', (stamp) => {
    expect(utcToEastern(stamp)).toBeNull();
  });

  it('utcToEastern agrees with the time zone database around every change of 1990 to 2040', {
    tags: ['slow'],
  }, () => {
    let changes = 0;
    for (let year = 1990; year <= 2040; year++) {
      for (const at of changesByDatabase(year)) {
        changes++;
        for (const aside of [
          -7_200_000, -3_600_001, -3_600_000, -1000, -1, 0, 1000, 3_599_000, 3_600_000, 7_200_000,
        ]) {
          const instant = new Date(at + aside);
          expect(utcToEastern(stampOf(instant)), stampOf(instant)).toBe(byDatabase(instant));
        }
      }
    }
    expect(changes).toBe(51 * 2);
  });

  it('utcToEastern agrees with the time zone database at any instant and at the ends of every year', () => {
    fc.assert(
      fc.property(
        instants,
        (instant) => void expect(utcToEastern(stampOf(instant))).toBe(byDatabase(instant)),
      ),
      { numRuns: 3000 },
    );
    for (let year = 1988; year <= 2041; year++) {
      for (const hour of [-30, -5, -1, 0, 4, 5, 6, 30]) {
        const instant = new Date(Date.UTC(year, 0, 1, hour));
        expect(utcToEastern(stampOf(instant)), stampOf(instant)).toBe(byDatabase(instant));
        expect(easternOffsetHours(instant.getTime() / 1000)).toBe(5);
      }
    }
  });
});

describe('withEasternOffset', () => {
  it.each([
    ['20260817163012', '2026-08-17T16:30:12-04:00'],
    // Spring: 2:00 is followed by 3:00. The hour between is none; it has the offset from before the change.
    ['20260308020000', '2026-03-08T02:00:00-05:00'],
    ['20260308025959', '2026-03-08T02:59:59-05:00'],
  ])('reads %s as %s', (stamp, text) => expect(withEasternOffset(stamp)).toBe(text));

  it('withEasternOffset names the right instant, also around both changes of every year', {
    tags: ['slow'],
  }, () => {
    const check = (instant: Date) => {
      const stamp = byDatabase(instant);
      const text = withEasternOffset(stamp);
      // Of the two instants of an hour that comes twice it is the first.
      const isFirst = byDatabase(new Date(instant.getTime() - 3_600_000)) !== stamp;
      expect([text, Date.parse(text)]).toEqual([
        text,
        Math.floor(instant.getTime() / 1000) * 1000 - (isFirst ? 0 : 3_600_000),
      ]);
      expect(text.slice(0, 19).replace(/\D/g, '')).toBe(stamp);
    };
    fc.assert(fc.property(instants, check), { numRuns: 2000 });
    for (let year = 1990; year <= 2040; year++) {
      const [spring, autumn] =
        year >= 2007
          ? [
              [2, 8],
              [10, 1],
            ]
          : [
              [3, 1],
              [9, 25],
            ];
      for (const [month = 0, from = 0] of [spring, autumn]) {
        for (let hour = 0; hour < 7 * 24; hour++)
          if (hour % 24 >= 3 && hour % 24 <= 9) check(new Date(Date.UTC(year, month, from, hour, 59, 59)));
      }
    }
  });
});

describe('readStamp, readDay and writeStamp', () => {
  it('readStamp and readDay count like the Gregorian calendar', () => {
    fc.assert(
      fc.property(instants, (instant) => {
        const seconds = Math.floor(instant.getTime() / 1000);
        expect(readStamp(stampOf(instant))).toBe(seconds);
        expect(readDay(stampOf(instant))).toBe(Math.floor(seconds / 86_400));
        expect(writeStamp(seconds)).toBe(stampOf(instant).replace(/\D/g, ''));
      }),
      { numRuns: 3000 },
    );
  });

  it('readDay knows every day of every month', { tags: ['slow'] }, () => {
    for (let year = 1987; year <= 2099; year++) {
      for (let month = 1; month <= 12; month++) {
        for (let day = 1; day <= 31; day++) {
          const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
          const at = new Date(Date.UTC(year, month - 1, day));
          expect(readDay(text)).toBe(at.getUTCDate() === day ? at.getTime() / 86_400_000 : NaN);
        }
      }
    }
  });

  it('writeStamp writes more days than it remembers', { tags: ['slow'] }, () => {
    for (let day = 6_300; day < 40_000; day++)
      expect(writeStamp(day * 86_400 + 1)).toBe(
        `${new Date(day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}000001`,
      );
  });
});
