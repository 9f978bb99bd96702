import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundOf, isLess } from '../../build/export/bounds.ts';

/** Texts of the lengths that names and addresses of documents have, also of the greatest characters. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200, size: 'max' }),
  fc.string({
    unit: fc.constantFrom('a', 'z', '\u{10ffff}', '\ud7ff', '\uffff'),
    maxLength: 200,
    size: 'max',
  }),
);

describe('bounds', () => {
  it('a lower bound is at most the text, and an upper one at least, however long the text is', () => {
    let [cut, none] = [0, 0];
    const check = (text: string) => {
      const bytes = Buffer.from(text);
      const [lower, upper] = [boundOf('string', text, false), boundOf('string', text, true)];
      expect(lower && Buffer.compare(lower, bytes)).toBeLessThanOrEqual(0);
      if (upper === null) {
        // Only texts that begin with the greatest characters have no upper bound.
        none++;
        expect([...text].slice(0, 16).join('')).toBe('\u{10ffff}'.repeat(16));
      } else {
        if ([...text].length > 16) cut++;
        expect(Buffer.compare(upper, bytes), text).toBeGreaterThanOrEqual(0);
        expect(upper.toString()).not.toContain('\ufffd');
      }
      for (const bound of [lower, upper]) if (bound) expect([...bound.toString()].length).toBeLessThan(17);
    };
    for (const length of [1, 15, 16, 17, 63, 64, 65, 66, 128, 129, 1000]) {
      check('a'.repeat(length));
      check('\u{10ffff}'.repeat(length));
      check(`${'z'.repeat(15)}\u{10ffff}${'z'.repeat(length)}`);
      check('\u{d7ff}'.repeat(length));
      check(`${'\u{10ffff}'.repeat(15)}a${'z'.repeat(length)}`);
    }
    fc.assert(fc.property(texts, check), { numRuns: 500 });
    expect(cut).toBeGreaterThan(50);
    expect(none).toBeGreaterThan(3);
  });
  it('a text is less than another one by its bytes', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(isLess(a, b)).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0);
      }),
    );
  });
  it('numbers are little-endian', () => {
    expect(boundOf('int', 258, false)).toEqual(Buffer.from([2, 1, 0, 0]));
    expect(boundOf('date', -1, false)).toEqual(Buffer.from([255, 255, 255, 255]));
    expect(boundOf('timestamptz', 1n, true)).toEqual(Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]));
    expect(boundOf('boolean', true, true)).toEqual(Buffer.from([1]));
    expect(isLess(2n, 10n)).toBe(true);
  });
});
