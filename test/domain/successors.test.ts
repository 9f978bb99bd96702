import { describe, expect, it } from 'vitest';
import { calendarDate, isCik } from '../../src/domain/scalars.ts';
import {
  newestCikOf,
  relatedCiks,
  sourceOfSuccession,
  successors,
  type Succession,
} from '../../src/domain/successors.ts';

describe('chains of successors', () => {
  it.each([
    ['XOM', ['0002115436', '0000034088']],
    ['BLK', ['0002012383', '0001364742', '0001060021']],
    ['DIS', ['0001744489', '0001001039']],
    ['GOOGL', ['0001652044', '0001288776']],
    ['AVGO', ['0001730168', '0001649338', '0001441634']],
    ['a company without one', ['0000320193']],
  ])('every CIK of %s leads to the whole chain, newest first', (_, chain) => {
    for (const cik of chain) {
      expect(relatedCiks(cik)).toEqual(chain);
      expect(newestCikOf(cik)).toBe(chain[0]);
    }
  });

  it('a company has one predecessor and one successor at most, and a chain goes forward in time', () => {
    const of = (name: 'predecessorCik' | 'successorCik') => successors.map((each) => each[name]);
    for (const ciks of [of('predecessorCik'), of('successorCik')]) {
      expect(ciks.every(isCik)).toBe(true);
      expect(new Set(ciks).size).toBe(successors.length);
    }
    for (const { successorCik, since } of successors) {
      expect(calendarDate.safeParse(since).success).toBe(true);
      const next = successors.find(({ predecessorCik }) => predecessorCik === successorCik);
      if (next) expect(next.since > since).toBe(true);
    }
  });

  it('each has a source: the report of it, or the reports of the successor up to three months later', () => {
    const sourceOf = (cik: string) =>
      sourceOfSuccession(successors.find(({ successorCik }) => successorCik === cik) as Succession);
    expect(sourceOf('0001652044')).toBe(
      'https://www.sec.gov/Archives/edgar/data/1652044/000119312515336577/0001193125-15-336577-index.htm',
    );
    expect(sourceOf('0002012383')).toBe(
      'https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=0002012383&type=8-K&dateb=20250101',
    );
  });
});
