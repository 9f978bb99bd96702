import type { Mutant } from '../mutant.ts';

/** What insiders' transactions are filtered by. */
export const transactionMutants: readonly Mutant[] = [
  {
    name: 'code and value are met by two transactions',
    breaks: 'A gift of a million dollars beside a purchase of ten is given as a purchase of a million.',
    test: 'test/answers/lists.test.ts',
    title: 'one transaction meets both',
    edits: [
      {
        file: 'src/contract/transaction-filters.ts',
        from: 'some(([code, value]) => meets({ code: code || null, value }, filter))',
        to: 'some(([code], _, all) => all.some(([, value]) => meets({ code: code || null, value }, filter)))',
      },
    ],
  },
  {
    name: 'a value between two decades is that of the lower one',
    breaks: 'Transactions of 100,000 dollars are given to who asks for 500,000 or more.',
    test: 'test/answers/lists.test.ts',
    title: 'one transaction meets both',
    edits: [
      {
        file: 'src/contract/transaction-filters.ts',
        from: '(decade !== undefined && minValue === 10 ** decade)',
        to: 'decade !== undefined',
      },
    ],
  },
  {
    name: 'a correction stays in the lists of its former transactions',
    breaks: 'A filing whose code was corrected is found by the old one.',
    test: 'test/answers/lists.test.ts',
    title: 'one transaction meets both',
    edits: [
      {
        file: 'build/fold/observation-rows.ts',
        from: 'JSON.stringify(filteredMembers(filing)), largestValuesOf(filing)).partitions',
        to: 'JSON.stringify(filteredMembers(filing)), null).partitions',
      },
    ],
  },
];
