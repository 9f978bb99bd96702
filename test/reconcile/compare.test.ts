import { describe, expect, it } from 'vitest';
import { describeDifference, differenceOf } from '../../build/reconcile/compare.ts';
import { filing } from '../support/made-up.ts';

const held = filing(1, { form: '8-K', filedAt: '2026-03-02' });
const listed = {
  accessionNo: held.accessionNo,
  form: '8-K',
  forms: ['8-K'],
  filedAt: '2026-03-02',
  entities: held.filerCiks.map((cik) => ({ cik, name: 'N' })),
};

describe('a filing of an index, compared with the row of the ledger', () => {
  it.each([
    ['nothing', {}, ''],
    ['another form', { form: '8-K/A', forms: ['8-K/A'] }, 'form 8-K/A in the index, 8-K here'],
    ['one of several forms', { form: '10-K', forms: ['10-K', '8-K'] }, ''],
    ['another day', { filedAt: '2026-03-03' }, 'filed on 2026-03-03 in the index, on 2026-03-02 here'],
    [
      'another company',
      { entities: [...listed.entities, { cik: '0000000009', name: 'N' }] },
      'the index also lists it under 0000000009',
    ],
  ])('differs by %s', (_, members, expected) =>
    expect(describeDifference({ ...listed, ...members }, held)).toBe(expected),
  );

  it('is not whole without documents or acceptance, which an index does not tell', () => {
    expect(differenceOf(listed, held)).toBeNull();
    for (const [lacking, member] of [
      [{ primaryDocument: null, sizeBytes: null }, 'lacksDocuments'],
      [{ acceptedEastern: null }, 'lacksAcceptance'],
    ] as const) {
      expect(differenceOf(listed, { ...held, ...lacking })).toMatchObject({ [member]: true });
      expect(describeDifference(listed, { ...held, ...lacking })).toBe('');
    }
  });
});
