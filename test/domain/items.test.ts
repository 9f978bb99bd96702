import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemTitle, parseItems } from '../../src/domain/items.ts';

const report = (rawItems: string) => parseItems('current_report', rawItems);

describe('itemTitle', () => {
  it('knows the items of Form 8-K', () => {
    expect(itemTitle('2.02')).toBe('Results of Operations and Financial Condition');
    expect(itemTitle('1.05')).toBe('Material Cybersecurity Incidents');
    expect(itemTitle('6.06')).toBe('Static Pool');
    expect(itemTitle('6.10')).toBe('Alternative Filings of Asset-Backed Issuers');
    const codes = Array.from(
      { length: 10_000 },
      (_, number) => `${Math.floor(number / 100)}.${String(number % 100).padStart(2, '0')}`,
    );
    expect(codes.filter((code) => itemTitle(code) !== undefined)).toHaveLength(34);
  });

  it('has none for other codes', () => {
    for (const code of ['7.77', '5', '', 'constructor', ' 2.02']) expect(itemTitle(code)).toBeUndefined();
  });
});

describe('parseItems', () => {
  it.each([
    ['2.02,9.01', ['2.02', '9.01']],
    ['9.01,2.02', ['9.01', '2.02']],
    ['5.02,5.02,9.01', ['5.02', '9.01']],
    ['2.02, 9.01', ['2.02', '9.01']],
    ['12,7,9', ['2.02', '9.01', '7.01']],
    [
      '1,2,3,4,5,6,7,8,9,10,11,12',
      ['5.01', '2.01', '1.03', '4.01', '8.01', '5.02', '9.01', '5.03', '7.01', '5.05', '5.04', '2.02'],
    ],
    ['5,8.01', ['8.01']],
    ['0,13,99,05,-1,1e0', []],
    ['7.77,10.01', ['7.77', '10.01']],
    ['9.1,9.011,123.01,.01,9.', []],
    ['20150129,20150129', []],
    ['S-3,,2014-09-30 16:30:00', []],
    ['S-3,9.01', ['9.01']],
    ['06b,3C,3C.7', []],
    ['1,8,9.1', ['5.01', '5.03']],
    [',,', []],
    ['', []],
  ])('the items %j are read as %j', (rawItems, items) => {
    expect(report(rawItems)).toEqual(items);
    expect(report(rawItems)).toEqual(items);
  });

  it('parseItems gives no items to other families', () => {
    for (const eventType of ['asset_backed_report', 'exempt_offering', 'annual_report', 'other_filing', '']) {
      expect(parseItems(eventType, '2.01')).toEqual([]);
    }
  });

  it('gives every caller an array of its own', () => {
    report('4.01').push('spoilt');
    report('4.02').length = 0;
    expect(report('4.01')).toEqual(['4.01']);
    expect(report('4.02')).toEqual(['4.02']);
  });

  it('parseItems gives each code once, in its form, and only from the text', () => {
    const part = fc.oneof(
      fc.integer({ min: 0, max: 14 }).map(String),
      fc.constantFrom('1.01', '5.02', '7.77', '9.01', ''),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const items = report(parts.join(','));
        expect(new Set(items).size).toBe(items.length);
        for (const code of items) expect(code).toMatch(/^\d{1,2}\.\d{2}$/);
        const codes = parts
          .join(',')
          .split(',')
          .map((text) => text.trim())
          .filter((text) => /^\d{1,2}\.\d{2}$/.test(text));
        expect(items).toEqual(expect.arrayContaining(codes));
        expect(items.length).toBeLessThanOrEqual(parts.join(',').split(',').length);
      }),
    );
  });

  it('stays right when more lists come than it remembers', { tags: ['slow'] }, () => {
    for (let number = 0; number < 20_000; number += 1) expect(report(`x${number},8.01`)).toEqual(['8.01']);
  });
});
