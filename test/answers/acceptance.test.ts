import { expect, it } from 'vitest';
import { acceptanceBounds } from '../../src/answers/acceptance.ts';

const stamps = ['19930104090000', '20260105093000', '20981231235959'];
const ends = ['-271821-04-20T00:00:00.000Z', '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59-12:00'];

it.each([
  [{ acceptedSince: [ends[0]] }, stamps],
  [{ acceptedSince: [ends[1]] }, stamps],
  [{ acceptedUntil: [ends[2]] }, stamps],
  [{ acceptedUntil: ['+275760-09-13T00:00:00.000Z'] }, stamps],
  [{ acceptedSince: [ends[2]] }, []],
  [{ acceptedUntil: [ends[1]] }, []],
  [{ acceptedSince: ['2026-01-05T14:30:00.000Z'] }, stamps.slice(1)],
  [{ acceptedSince: ['2026-01-05T14:30:00.001Z'] }, stamps.slice(2)],
  [{ acceptedUntil: ['2026-01-05T09:30:00-05:00'] }, stamps.slice(0, 2)],
  [{ acceptedUntil: ['2026-01-05T09:29:59-05:00'] }, stamps.slice(0, 1)],
] as const)('of filings accepted in 1993, 2026 and 2098, %j finds %j', (asked, found) => {
  const bounds = acceptanceBounds(
    Object.fromEntries(Object.entries(asked).map(([name, values]) => [name, values.map(String)])),
  );
  expect(stamps.filter((stamp) => bounds?.has(stamp))).toEqual(found);
  expect(bounds?.has('')).toBe(false);
});
