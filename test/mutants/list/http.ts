import type { Mutant } from '../mutant.ts';

/** Mends of the HTTP layer and of answers. */
export const httpMutants: readonly Mutant[] = [
  {
    name: 'every entry of a header is read',
    breaks: 'A header of 16 KB takes milliseconds of every request, while others wait.',
    test: 'test/http/http.test.ts',
    edits: [{ file: 'src/http/negotiate.ts', from: "split(',', entriesMaximum)", to: "split(',')" }],
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
