import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accessionNoOf, filingPartition, isFilingPartition } from '../../src/format/filing-partition.ts';
import { isAccessionNo } from '../../src/domain/scalars.ts';

const accessionNos = fc.stringMatching(/^\d{10}-\d{2}-\d{6}$/);

it('the key of a filing is its accession number with the year first, and tells it again', () => {
  expect(filingPartition('0000320193-26-000077')).toBe('26-0000320193-000077');
  fc.assert(
    fc.property(accessionNos, (accessionNo) => {
      const partition = filingPartition(accessionNo);
      expect(accessionNoOf(partition)).toBe(accessionNo);
      expect([isFilingPartition(partition), isFilingPartition(accessionNo)]).toEqual([true, false]);
      expect(isAccessionNo(partition)).toBe(false);
    }),
  );
});

it('filings of a year are beside each other', () => {
  fc.assert(
    fc.property(fc.array(accessionNos, { minLength: 2 }), (all) => {
      const years = all
        .map(filingPartition)
        .sort()
        .map((partition) => accessionNoOf(partition).slice(11, 13));
      expect(years).toEqual([...years].sort());
    }),
  );
});
