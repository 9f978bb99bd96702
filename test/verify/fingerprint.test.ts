import { describe, expect, it } from 'vitest';
import { createDayCheck, dayIn } from '../../build/verify/day-check.ts';
import { createBalance } from '../../build/verify/balance.ts';
import { fingerprintOf, fingerprintOfText } from '../../build/verify/fingerprint.ts';

const textOf = ({ low, high }: { readonly low: number; readonly high: number }) => `${low} ${high}`;

describe('a fingerprint', () => {
  it('is that of the UTF-8 of a text', () => {
    for (const text of [
      '',
      'a',
      'abcd',
      '2021-01-06 20210106142932 0001000178-21-000080',
      'é\u2028',
      'x'.repeat(999),
    ]) {
      const bytes = Buffer.from(`..${text}..`);
      const expected = textOf(fingerprintOf(bytes, 2, bytes.length - 2, 7, 8));
      expect(textOf(fingerprintOfText(text, 7, 8))).toBe(expected);
    }
  });

  it('differs for whatever differs', () => {
    const texts = ['', '\0', '\0\0\0\0', 'abc', 'abcd', 'abcde', 'abdc', 'x'.repeat(256), 'x'.repeat(512)];
    const numbers = [0, 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 52];
    const seen = new Set<string>();
    for (const text of texts)
      for (const number of numbers)
        for (const other of [0, 1, 2]) seen.add(textOf(fingerprintOfText(text, number, other)));
    expect(seen.size).toBe(texts.length * numbers.length * 3);
  });
});

describe('a balance', () => {
  it('is even if both lists have the same rows, in any order', () => {
    const balance = createBalance();
    balance.add(2, 'a', 1);
    balance.add(1, 'b', 2);
    const bytes = Buffer.from('a');
    balance.add(-1, { bytes, from: 0, to: 1 }, 1);
    balance.add(-1, 'b', 2);
    expect(balance.difference()).toBe('1 too few');
    balance.add(-1, 'a', 1);
    expect(balance.difference()).toBeNull();
    balance.add(-1, 'a', 1);
    expect(balance.difference()).toBe('1 too many');
  });

  it('tells values that were exchanged between rows', () => {
    const balance = createBalance();
    balance.add(1, 'a', 1);
    balance.add(1, 'b', 2);
    balance.add(-1, 'a', 2);
    balance.add(-1, 'b', 1);
    expect(balance.difference()).toBe('as many rows, but not the same');
  });
});

describe('dates', () => {
  const day = (text: string) => dayIn({ bytes: Buffer.from(text), from: 0, to: text.length });

  it('are read from rows that are dates', () => {
    expect(day('"2026-08-31"')).toBe(20260831);
    for (const text of ['"2026-08-32"', '"2026-8-31"', '2026-08-31', '"2026-08-3x"', '"2026/08/31"', '""'])
      expect(day(text)).toBeNull();
  });

  it('are those of the log', () => {
    const check = createDayCheck(3);
    check.take(1, 20260831);
    check.take(1, 20260831);
    check.take(2, 20260831);
    check.hold(1, '2026-08-31');
    check.hold(3, null);
    expect(check.difference()).toBeNull();
    check.hold(2, '2026-08-30');
    expect(check.difference()).toBe('as many rows, but not the same');
    check.take(4, 20260831);
    expect(check.difference()).toBe('1 too many');
  });

  it('differ if two rows of an entry do, or an entry has none', () => {
    const [two, none] = [createDayCheck(1), createDayCheck(1)];
    two.take(1, 20260831);
    two.take(1, 20260830);
    two.hold(1, '2026-08-31');
    expect(two.difference()).not.toBeNull();
    none.take(1, 20260831);
    none.hold(1, null);
    expect(none.difference()).not.toBeNull();
  });
});
