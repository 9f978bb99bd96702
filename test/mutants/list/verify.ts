import type { Mutant } from '../mutant.ts';

const test = 'test/verify/forgeries.test.ts';

/** Mends of the verification of snapshots. */
export const verifyMutants: readonly Mutant[] = [
  {
    name: 'verification does not sum the lists of filings',
    breaks: 'A row under an item, a form or an event type that no filing gives is called sound.',
    test,
    title: 'each kind of forgery in latest',
    edits: [
      {
        file: 'build/verify/log-rows.ts',
        from: "  'latest',\n  'company-filings',\n  'company-changes',",
        to: "  'company-filings',\n  'company-changes',",
      },
    ],
  },
  {
    name: 'a line has the same sum in each list',
    breaks: 'A row that was moved to another company is called sound.',
    test,
    title: 'each kind of forgery in company-filings',
    edits: [
      {
        file: 'build/verify/line-sums.ts',
        from: 'parts.setInt32(4 * word, begin[word] as number, true);',
        to: '',
      },
    ],
  },
  {
    name: 'verification does not sum the counts',
    breaks: 'A wrong total of a form is called sound.',
    test,
    title: 'each kind of forgery in counts',
    edits: [
      {
        file: 'build/verify/check-segment.ts',
        from: "await requireNone('counts', ",
        to: "if (false as boolean) await requireNone('counts', ",
      },
    ],
  },
  {
    name: 'an index need not be what its rows give',
    breaks: 'An index that leads past a row is called sound.',
    test,
    title: 'verification finds an index that',
    edits: [
      {
        file: 'build/verify/verified-lines.ts',
        from: 'if (!read?.content.equals(block))',
        to: 'if (!read)',
      },
    ],
  },
  {
    name: 'companies that tables bring are not counted',
    breaks: 'Each sound snapshot with a new company is refused.',
    test,
    title: 'the snapshot that is forged is sound',
    edits: [{ file: 'build/verify/check-segment.ts', from: 'totals.addCompany();', to: '' }],
  },
];
