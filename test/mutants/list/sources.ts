import type { Mutant } from '../mutant.ts';

/** Mends of files of EDGAR. */
export const sourceMutants: readonly Mutant[] = [
  {
    name: 'a new address of a company is no change',
    breaks: 'Profiles keep the name, the days of names and the address that a company had first.',
    test: 'test/ledger/merge.test.ts',
    title: 'sameCompany is false for a change of any member',
    edits: [
      {
        file: 'build/ledger/merge-filing.ts',
        from: 'sameFacts(a.facts, b.facts) &&\n    samePeriods(a.formerNamePeriods, b.formerNamePeriods)',
        to: 'sameFacts(a.facts, b.facts)',
      },
    ],
  },
  {
    name: 'a page of another company is read',
    breaks: 'Filings of one company stand with another.',
    test: 'test/sources/submissions.test.ts',
    edits: [
      { file: 'build/sources/submissions.ts', from: 'if (foreign) throw', to: 'if (false as boolean) throw' },
    ],
  },
  {
    name: 'columns may differ in length',
    breaks: 'A row has the date of its neighbour.',
    test: 'test/sources/submissions.test.ts',
    edits: [
      {
        file: 'build/sources/submissions.ts',
        from: 'if (column && column.length !== rows)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a filing date of the far future is taken',
    breaks: 'One typing error of EDGAR is the newest filing for years.',
    test: 'test/reconcile/without-index.test.ts',
    title: 'a filing date of the future',
    edits: [
      {
        file: 'build/sources/source-rows.ts',
        from: 'if (filedAt > dayFrom(day, laterDaysMaximum))',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a filing may be dated years behind its number',
    breaks: 'A typing error in a year is published.',
    test: 'test/reconcile/without-index.test.ts',
    title: 'a filing date of the future',
    edits: [{ file: 'build/sources/source-rows.ts', from: '> year + 1)', to: '> year + 1000)' }],
  },
  {
    name: 'a page that EDGAR is down counts as a document',
    breaks: 'Contents are given up during an outage, and a fill refuses those of each filing.',
    test: 'test/contents/contents-kinds.test.ts',
    edits: [
      {
        file: 'build/contents/contents-kinds.ts',
        from: 'if (isNoAnswer(body, file)) throw error;',
        to: '',
      },
    ],
  },
  {
    name: 'Windows-1252 is decoded by Node',
    breaks: 'Quotation marks and dashes of agents become spaces, in most versions of Node.',
    test: 'test/contents/ownership-file.test.ts',
    title: 'quotation marks and dashes',
    edits: [
      {
        file: 'build/contents/xml-document.ts',
        from: "return textOf(body, 'windows-1252')",
        to: "return textOf(body, 'latin1')",
      },
    ],
  },
  {
    name: 'a reference such as &#146; is a control',
    breaks: 'Apostrophes and quotation marks of documents and lists become spaces.',
    test: 'test/contents/index-page.test.ts',
    title: 'a reference to a character of Windows-1252',
    edits: [
      {
        file: 'build/sources/source-text.ts',
        from: 'const characterOf = (code: number): string => ofWindows[code - 0x80] ?? ',
        to: 'const characterOf = (code: number): string => ',
      },
    ],
  },
  {
    name: 'the newest row of a file votes for the clock of the others',
    breaks: 'All acceptances of a small UTC file are published hours late, as those of an Eastern one.',
    test: 'test/ingest/shared-clocks.test.ts',
    edits: [
      {
        file: 'build/sources/clock.ts',
        from: "(raw ?? '') >= unsettledFrom ? null : 'eastern'",
        to: "'eastern'",
      },
    ],
  },
  {
    name: 'the newest row of a file votes for Eastern',
    breaks: 'A small UTC file has no acceptances on a day on which its company files in the morning.',
    test: 'test/sources/clock.test.ts',
    title: 'rows that are Eastern in every file',
    edits: [
      {
        file: 'build/sources/clock.ts',
        from: "(columns.acceptanceDateTime[row] ?? '') >= unsettledFrom",
        to: '(false as boolean)',
      },
    ],
  },
  {
    name: 'an index that is cut off counts',
    breaks: 'The filings behind the cut count as withdrawn.',
    test: 'test/reconcile/without-index.test.ts',
    edits: [
      {
        file: 'build/sources/master-index.ts',
        from: 'else if (at === lines.length - 1)',
        to: 'else if (at < 0)',
      },
    ],
  },
  {
    name: 'an index of another day counts',
    breaks: 'A day is compared with the index of another one.',
    test: 'test/reconcile/without-index.test.ts',
    edits: [
      {
        file: 'build/sources/master-index.ts',
        from: 'if (mismatch !== null) throw',
        to: 'if (false as boolean) throw',
      },
    ],
  },
  {
    name: 'a row of an index may name two companies',
    breaks: 'A filing is fetched under a wrong company.',
    test: 'test/sources/master-index.test.ts',
    edits: [{ file: 'build/sources/master-index.ts', from: ' || Number(cik) !== Number(folder)', to: '' }],
  },
  {
    name: 'a short file of symbols counts',
    breaks: 'All symbols but a few are gone for a day.',
    test: 'test/sources/tickers.test.ts',
    edits: [
      {
        file: 'build/sources/tickers.ts',
        from: 'if (rows.length < rowsMinimum)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a header that is cut off counts',
    breaks: 'Parties behind the cut are lost.',
    test: 'test/sources/header.test.ts',
    edits: [
      { file: 'build/sources/header.ts', from: "if (end < 0) throw new Error('it is cut off');", to: '' },
    ],
  },
  {
    name: 'a header of another filing counts',
    breaks: 'A filing gets the parties of another one.',
    test: 'test/sources/header.test.ts',
    edits: [
      { file: 'build/sources/header.ts', from: 'if (own !== accessionNo)', to: 'if (false as boolean)' },
    ],
  },
  {
    name: 'an acceptance at midnight is a time',
    breaks: 'A header without a time is published as accepted at midnight.',
    test: 'test/sources/header.test.ts',
    edits: [{ file: 'build/sources/header.ts', from: " || digits.endsWith('000000')", to: '' }],
  },
];
