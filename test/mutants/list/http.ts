import type { Mutant } from '../mutant.ts';

/** Mends of the HTTP layer and of answers. */
export const httpMutants: readonly Mutant[] = [
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
