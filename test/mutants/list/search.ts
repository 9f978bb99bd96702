import type { Mutant } from '../mutant.ts';

/** Mends of the search for companies. */
export const searchMutants: readonly Mutant[] = [
  {
    name: 'unlisted companies are found by six letters alone',
    breaks: 'Three letters of a name find no company without a ticker symbol.',
    test: 'test/answers/search.test.ts',
    edits: [
      {
        file: 'src/format/search-rows.ts',
        from: 'isListedRank(rank) ? 1 : beginningLetters',
        to: 'isListedRank(rank) ? 1 : prefixLetters',
      },
    ],
  },
  {
    name: 'a search that stopped does not say so',
    breaks: 'An answer says that no company matches, or that these are all, where rows were not looked at.',
    test: 'test/answers/company-search.test.ts',
    title: 'says where it did not look',
    edits: [
      {
        file: 'src/answers/company-hits.ts',
        from: 'isCut ||= search.isCut();',
        to: '',
      },
    ],
  },
  {
    name: 'few letters look everywhere',
    breaks:
      'A search by two letters says that no other company begins with them, and looked at those with a symbol.',
    test: 'test/answers/company-search.test.ts',
    title: 'says where it did not look',
    edits: [
      {
        file: 'src/answers/company-hits.ts',
        from: 'words.length > 0 && telling.length === 0',
        to: 'false as boolean',
      },
    ],
  },
  {
    name: 'exchanged letters are two mistakes',
    breaks: 'A word with two letters exchanged is not corrected.',
    test: 'test/answers/company-search.test.ts',
    title: 'asks whether',
    edits: [
      {
        file: 'src/answers/misspelt.ts',
        from: 'same + behind === length - 2 &&',
        to: 'same + behind === length &&',
      },
    ],
  },
  {
    name: 'accents are other letters',
    breaks: 'A name with an accent is not found without it.',
    test: 'test/answers/search.test.ts',
    edits: [{ file: 'src/domain/folded-words.ts', from: ".normalize('NFKD')", to: '' }],
  },
];
