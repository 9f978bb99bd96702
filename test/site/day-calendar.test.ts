import { expect, it } from 'vitest';
import { dayCalendar } from '../../site/pages/parts/day-calendar.ts';
import { ReconciledDay } from '../../src/contract/reconciled-days.ts';

const day = (on: string, more: Partial<ReconciledDay> = {}): ReconciledDay =>
  ReconciledDay.parse({
    day: on,
    indexed: 100,
    listed: 7,
    held: 7,
    fetched: 0,
    missing: 0,
    found: 7,
    open: 0,
    reasons: [],
    withdrawn: [],
    quarterReadAt: null,
    note: null,
    checkedAt: `${on}T23:00:00.000Z`,
    ...more,
  });

/** The states of the days of a calendar, by number; the newest month counts. */
function statesOf(calendar: string): Map<string, string> {
  const [, newest = ''] = calendar.split('<table');
  return new Map(
    [...newest.matchAll(/<td class="(\w+)" title="[^"]*">(\d+)</g)].map((each) => [
      each[2] ?? '',
      each[1] ?? '',
    ]),
  );
}

it('a calendar says of each day what was proven, in words and not by colour alone', () => {
  const calendar = dayCalendar(
    [
      day('2026-06-30'),
      day('2026-07-01', { open: 2, found: 5 }),
      day('2026-07-02', { missing: 1, found: 6 }),
      day('2026-07-06'),
      day('2026-07-07', {
        indexed: 0,
        listed: 0,
        held: 0,
        found: null,
        note: 'no index',
        quarterReadAt: null,
      }),
    ],
    '2026-07-08',
  );
  const text = calendar === false ? '' : calendar.text;
  const states = statesOf(text);
  expect(states.size).toBe(31);
  // The third is the day on which the fourth is celebrated, a Saturday in 2026.
  expect(['1', '2', '3', '4', '6', '8'].map((each) => states.get(each))).toEqual([
    'open',
    'missing',
    'closed',
    'closed',
    'complete',
    'unknown',
  ]);
  expect(text.indexOf('Jul 2026')).toBeLessThan(text.indexOf('Jun 2026'));
  expect(text).toContain('6<span class="unseen">: complete, 7 compared</span>');
  // The first of July 2026 is a Wednesday.
  expect(text).toMatch(/<tbody>\s*<tr><td><\/td><td><\/td><td class="open"/);
});

it('a calendar has at most six months, and is absent where no day was compared', () => {
  expect(dayCalendar([], '2026-07-08')).toBe(false);
  const months = Array.from({ length: 12 }, (_, at) => day(`2025-${String(at + 1).padStart(2, '0')}-15`));
  const calendar = dayCalendar(months, '2026-02-03');
  expect(calendar === false ? [] : calendar.text.match(/<caption>\w+ \d+/g)).toEqual(
    ['Feb 2026', 'Dec 2025', 'Nov 2025', 'Oct 2025', 'Sep 2025', 'Aug 2025'].map(
      (month) => `<caption>${month}`,
    ),
  );
});
