import { expect, it } from 'vitest';
import { attributedCik, firstFiler } from '../../build/ledger/observation.ts';
import { cikOf } from '../support/made-up.ts';

const [one, two, three, four] = [1, 2, 3, 4].map(cikOf) as [string, string, string, string];
const nobodyListed = () => false;

// What follows from it in the rows of snapshots, `test/answers/equality.test.ts` compares with a model.
it.each([
  [
    'the issuer, whoever made the number',
    { accessionNo: `${three}-26-000001`, subjectCik: one, filerCiks: [three] },
    nobodyListed,
    one,
  ],
  [
    'the only filer',
    { accessionNo: `${four}-26-000001`, subjectCik: null, filerCiks: [two] },
    nobodyListed,
    two,
  ],
  [
    'of joint filers the one whose login made the number',
    { accessionNo: `${three}-26-000001`, subjectCik: null, filerCiks: [one, two, three] },
    (cik: string) => cik === two,
    three,
  ],
  [
    'else the first that is listed',
    { accessionNo: `${four}-26-000001`, subjectCik: null, filerCiks: [one, two, three] },
    (cik: string) => cik !== one,
    two,
  ],
  [
    'else the one with the lowest CIK',
    { accessionNo: `${four}-26-000001`, subjectCik: null, filerCiks: [one, two, three] },
    nobodyListed,
    one,
  ],
])('a filing is attributed to %s', (_, of, isListed, cik) => {
  expect(attributedCik(of, isListed)).toBe(cik);
  if (of.subjectCik === null) expect(firstFiler(of, isListed)).toBe(cik);
});
