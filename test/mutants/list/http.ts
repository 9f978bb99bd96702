import type { Mutant } from '../mutant.ts';

/** Mends of the HTTP layer and of answers. */
export const httpMutants: readonly Mutant[] = [
  {
    name: 'doubled hosts are taken',
    breaks: 'A request with two hosts is read differently by a proxy and by us.',
    test: 'test/http/http.test.ts',
    edits: [
      {
        file: 'src/http/request-refusals.ts',
        from: "return hosts > 1 ? 'Host'",
        to: "return hosts > 9 ? 'Host'",
      },
    ],
  },
  {
    name: 'backslashes are part of a path',
    breaks: 'A path with a backslash is read differently by a proxy and by us.',
    test: 'test/http/http.test.ts',
    edits: [{ file: 'src/http/request-refusals.ts', from: " || pathOf(target).includes('\\\\')", to: '' }],
  },
  {
    name: 'weak comparison takes another variant',
    breaks: 'A client that has the compressed variant of other bytes gets 304.',
    test: 'test/http/http.test.ts',
    edits: [
      {
        file: 'src/http/send.ts',
        from: "listed.replace(/-(br|gzip)$/, '') === plain",
        to: 'listed.startsWith(plain.slice(0, 4))',
      },
    ],
  },
  {
    name: 'a cell that begins with a formula is left as it is',
    breaks: 'A spreadsheet runs a name that begins with an equals sign.',
    test: 'test/site/documents.test.ts',
    edits: [
      {
        file: 'site/content/sheet.ts',
        from: "formula.test(value) ? `'${value}`",
        to: 'formula.test(value) ? `${value}`',
      },
    ],
  },
  {
    name: 'a merged row is hidden by an older one',
    breaks: 'A list shows an older row of a filing beside the newer one.',
    test: 'test/table/segments-tables.test.ts',
    edits: [
      {
        file: 'src/table/merged-walk.ts',
        from: 'if (difference <= 0) isAlone = difference < 0;',
        to: 'if (difference < 0) isAlone = true;',
      },
    ],
  },
  {
    name: 'rows that hide are shown',
    breaks: 'A filing that moved to another company stays in the list of the first.',
    test: 'test/table/segments-tables.test.ts',
    edits: [
      {
        file: 'src/table/merged-walk.ts',
        from: 'return isHidingBehind(least.block, least.line, least.sortTo) ? undefined : least;',
        to: 'return least;',
      },
    ],
  },
];
