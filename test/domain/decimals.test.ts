import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decimalOf, sumOf, valueInCents } from '../../src/domain/decimals.ts';

/** A whole number as a decimal with so many places. */
const written = (units: bigint, places: number) => {
  const digits = String(units).padStart(places + 1, '0');
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
};

it('a decimal of up to fifteen digits is read, in any spelling, and writes itself out again', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 15n - 1n), fc.nat(6), fc.nat(3), (units, places, zeros) => {
      const plain = written(units, places);
      const spelt = '0'.repeat(zeros) + plain + (places > 0 ? '0'.repeat(zeros) : '');
      const number = decimalOf(spelt);
      expect(number).toBe(Number(plain));
      expect(decimalOf(plain.replace(/^0\./, '.'))).toBe(number);
    }),
  );
});

it('a decimal that a double does not say exactly is none', () => {
  fc.assert(
    fc.property(fc.bigInt(10n ** 15n, 10n ** 20n), fc.nat(6), (units, places) => {
      const text = written(units, places);
      // Written out, the double has the same digits again, but for zeros at the end.
      const isSaid = String(Number(text)) === (places > 0 ? text.replace(/\.?0+$/, '') : text);
      expect(decimalOf(text)).toBe(isSaid ? Number(text) : null);
    }),
  );
});

it('an exponent counts in data sets alone', () => {
  expect([
    decimalOf('1.0E7'),
    decimalOf('1.0E7', true),
    decimalOf('1.5E-3', true),
    decimalOf('E7', true),
  ]).toEqual([null, 10_000_000, 0.0015, null]);
  expect(
    ['', ' 1', '.', '1.2.3', '--1', 'NaN', 'Infinity', '0x10', '1'.repeat(41)].map((text) => decimalOf(text)),
  ).toEqual(Array(9).fill(null));
});

it('a value is the exact product, rounded half up to cents', () => {
  fc.assert(
    fc.property(fc.nat(9_999_999), fc.nat(4), fc.nat(9_999_999), fc.nat(5), (a, aPlaces, b, bPlaces) => {
      const [shares, price] = [written(BigInt(a), aPlaces), written(BigInt(b), bPlaces)];
      const scale = 10n ** BigInt(aPlaces + bPlaces);
      const twice = (BigInt(a) * BigInt(b) * 200n) / scale;
      const cents = (twice + 1n) / 2n;
      expect(valueInCents(Number(shares), Number(price))).toBe(Number(cents) / 100);
    }),
  );
  expect([
    valueInCents(1, 1.005),
    valueInCents(3, 0.335),
    valueInCents(-1, 1.005),
    valueInCents(-1, 1.006),
  ]).toEqual([1.01, 1.01, -1, -1.01]);
});

it('a sum is exact, and null where one is', () => {
  expect([sumOf([0.1, 0.2]), sumOf([]), sumOf([1, null]), sumOf([1e21, 1]), sumOf([-0.3, 0.1])]).toEqual([
    0.3,
    0,
    null,
    null,
    -0.2,
  ]);
});
