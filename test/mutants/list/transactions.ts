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
    name: 'each filing with a code is looked up for its value',
    breaks:
      'A page of 200 purchases of 900,000 dollars or more reads thousands of filings: it takes a tenth of a second.',
    test: 'test/answers/lists.test.ts',
    title: 'looks up no change that it does not give',
    edits: [
      {
        file: 'src/answers/list-partitions.ts',
        from: 'others: acceptanceBounds(filter) === null ? untold :',
        to: 'others: filter === null ? untold :',
      },
      {
        file: 'src/answers/row-filter.ts',
        from: 'if (leastValue === null) return undefined;',
        to: 'if (leastValue !== undefined) return undefined;',
      },
    ],
  },
  {
    name: 'a filing is read for each transaction of a page',
    breaks:
      'A page of 200 transactions looks up 201 filings, where 90 have as many: it takes twice the time.',
    test: 'test/answers/insider-transactions.test.ts',
    title: 'not one is read for each row',
    edits: [
      {
        file: 'src/answers/transaction-list.ts',
        from: 'const count = isFar',
        to: 'const count = filter !== null || isFar',
      },
    ],
  },
  {
    name: 'of a filing with two codes the value of one counts',
    breaks:
      'A filing with a purchase of 5,000 dollars and a sale of 90,000 is no purchase or sale of 50,000 or more.',
    test: 'test/answers/lists.test.ts',
    title: 'one transaction meets both',
    edits: [{ file: 'src/table/merged-walk.ts', from: 'if (preferred(run)) return run;', to: 'return run;' }],
  },
  {
    name: 'a correction stays in the lists of its former transactions',
    breaks: 'A filing whose code was corrected is found by the old one.',
    test: 'test/answers/lists.test.ts',
    title: 'one transaction meets both',
    edits: [
      {
        file: 'build/fold/observation-rows.ts',
        from: 'JSON.stringify(filteredMembers(filing)), largestValuesOf(filing));',
        to: 'JSON.stringify(filteredMembers(filing)), null);',
      },
    ],
  },
  {
    name: 'exports keep transactions that were corrected',
    breaks: 'A transaction that a correction changed is in the table twice, as it was before and as it is.',
    test: 'test/export/export.test.ts',
    title: 'tables hold what the naive way finds',
    edits: [
      {
        file: 'build/export/read-log.ts',
        from: "if (made === 'all') return last - first + 1;",
        to: "if (made !== 'newest') return last - first + 1;",
      },
    ],
  },
  {
    name: 'a page of transactions goes on behind its last filing',
    breaks: 'The transactions of a filing that a page has no room for are never given.',
    test: 'test/answers/insider-transactions.test.ts',
    edits: [
      {
        file: 'src/answers/transaction-list.ts',
        from: 'number === null ? order : `${order} `',
        to: 'order',
      },
    ],
  },
  {
    name: 'purchases of officers count twice',
    breaks: 'What an amendment repeats is added to what it amends.',
    test: 'test/export/warehouse.test.ts',
    title: 'purchases of officers are counted and added up by month',
    edits: [
      {
        file: 'site/examples/warehouse/questions.sql',
        from: 'NOT isAmendment AND len(',
        to: 'len(',
      },
    ],
  },
  {
    name: 'a profile does not move on to a newer filing',
    breaks: 'The newest filing of a company stays the one that its first batch had.',
    test: 'test/publish/build.test.ts',
    title: 'builds after each batch give what one build of all gives',
    edits: [
      {
        file: 'build/fold/fold-companies.ts',
        from: 'newest.keys.sort > listed.latest.sort',
        to: 'newest.keys.sort < listed.latest.sort',
      },
    ],
  },
  {
    name: 'a page of insider transactions leaves out however many filings',
    breaks:
      'Gifts above 10,000 dollars are looked for among all filings: a fifth of a second in a million, seconds in more.',
    test: 'test/answers/insider-transactions.test.ts',
    edits: [
      {
        file: 'src/answers/transaction-list.ts',
        from: 'readHistory(snapshot, request, leftOutMost - leftOut)',
        to: 'readHistory(snapshot, request)',
      },
    ],
  },
  {
    name: 'a list of transactions ends where a request looks no further',
    breaks: 'Transactions behind many filings that do not match are never found.',
    test: 'test/answers/insider-transactions.test.ts',
    edits: [
      {
        file: 'src/answers/transaction-list.ts',
        from: 'if (looked >= filingsLookedAt) return { rows, goesOnBehind: { order: filing.sort, number: null } };',
        to: 'if (looked >= filingsLookedAt) return { rows, goesOnBehind: null };',
      },
    ],
  },
  {
    name: 'filings that were looked up in vain count once',
    breaks: 'Insider transactions that rarely match take twice the time that a request may take.',
    test: 'test/answers/insider-transactions.test.ts',
    title: 'not one is read for each row',
    edits: [{ file: 'src/answers/transaction-list.ts', from: 'matching.length > 0 ? 1 : inVain', to: '1' }],
  },
  {
    name: 'each quarter of data sets is taken in before the next',
    breaks: 'After 64 quarters all that was appended is folded again, and again: 80 quarters take a day.',
    test: 'test/ledger/known-ledger.test.ts',
    title: 'work that asks for nothing new takes in what is appended meanwhile once, behind it',
    edits: [
      {
        file: 'build/ingest/known.ts',
        from: 'if (isAsBefore && opened !== null) return opened.fold;',
        to: '',
      },
    ],
  },
  {
    name: 'trades that an amendment repeats count twice',
    breaks:
      'The plot of a company page adds what an amendment or another owner of the same shares files again.',
    test: 'test/site/trades.test.ts',
    edits: [
      {
        file: 'site/pages/parts/trades.ts',
        from: 'if (keys.some((key) => seen.has(key))) continue;',
        to: '',
      },
    ],
  },
  {
    name: 'the exported transactions are those of every form',
    breaks: 'The table has transactions of a Form 3 that the list of insider transactions does not have.',
    test: 'test/export/export.test.ts',
    title: 'transactions are those of Forms 4 and 5',
    edits: [
      {
        file: 'build/export/export.ts',
        from: 'const ownership = transactionsReport(change.filing);',
        to: 'const ownership = section16Of(change);',
      },
    ],
  },
  {
    name: 'industry codes are numbers in the CSV of the recipe',
    breaks: 'A spreadsheet shows the industry 0100 as 100, and 0100 is not found in it.',
    test: 'test/answers/bulk-recipes.test.ts',
    title: 'the DuckDB recipe gives the newest observation',
    edits: [
      {
        file: 'site/examples/bulk/newest.sql',
        from: `'="' || sic || '"' AS sic, `,
        to: '',
      },
    ],
  },
];
