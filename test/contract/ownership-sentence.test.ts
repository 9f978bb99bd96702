import { describe, expect, it } from 'vitest';
import type { Owner, Section16Ownership, Transaction } from '../../src/contract/ownership.ts';
import { ownershipSentence } from '../../src/contract/ownership-sentence.ts';

const owner = (name: string, more: Partial<Owner> = {}): Owner => ({
  cik: '0000000077',
  name,
  isDirector: false,
  isOfficer: true,
  isTenPercentOwner: false,
  isOther: false,
  title: 'Chief Financial Officer',
  ...more,
});
const transaction = (more: Partial<Transaction> = {}): Transaction => ({
  number: 1,
  isDerivative: false,
  security: 'Common Stock',
  on: '2026-06-30',
  deemedExecutedOn: null,
  code: 'S',
  isEquitySwap: false,
  timeliness: null,
  shares: 1000,
  totalValue: null,
  price: 12.5,
  value: 12_500,
  direction: 'disposed',
  sharesAfter: 0,
  valueAfter: null,
  isDirect: true,
  nature: null,
  ...more,
});
const said = (transactions: readonly Transaction[], more: Partial<Section16Ownership> = {}) =>
  ownershipSentence({
    kind: 'section_16',
    periodOfReport: '2026-06-30',
    originalSubmissionOn: null,
    isPlanned: null,
    isExit: false,
    owners: [owner('Jane Doe')],
    transactions: [...transactions],
    holdingCount: 0,
    ...more,
  });
const jane = 'Jane Doe (Chief Financial Officer)';

describe('a sentence about a Form 3, 4 or 5', () => {
  it('tells who sold how much of what at which price on which day, and whether it was planned', () => {
    expect(said([transaction()], { isPlanned: true })).toBe(
      `${jane} sold 1,000 shares of Common Stock at 12.50 dollars on 30 June 2026, planned under Rule 10b5-1`,
    );
  });

  it('adds up transactions of one code and day, and tells the range of their prices', () => {
    expect(
      said([
        transaction({ shares: 1234.1, price: 12.505 }),
        transaction({ shares: 0.2, price: 13 }),
        transaction({ on: '2026-07-01' }),
        transaction({ shares: 1, price: 1, security: 'Class B' }),
      ]),
    ).toBe(
      `${jane} sold 1,234.3 shares of Common Stock in 2 transactions at 12.505 to 13.00 dollars on 30 June 2026; sold 1,000 shares of Common Stock at 12.50 dollars on 1 July 2026; sold 1 share of Class B at 1.00 dollars on 30 June 2026`,
    );
  });

  it('adds nothing up where a number lacks, or where owners file together', () => {
    expect(said([transaction(), transaction({ shares: null, price: null })])).toBe(
      `${jane} sold shares of Common Stock in 2 transactions on 30 June 2026`,
    );
    const five = ['A', 'B', 'C', 'D', 'E'].map((name) =>
      owner(name, { isOfficer: false, title: null, isTenPercentOwner: true }),
    );
    expect(said([transaction(), transaction()], { owners: five })).toBe(
      'A (10% owner), B (10% owner), C (10% owner) and 2 others sold shares of Common Stock in 2 transactions at 12.50 dollars on 30 June 2026',
    );
  });

  it('tells grants, gifts and exercises without a price of 0, and derivatives apart from shares', () => {
    const option = { isDerivative: true, security: 'Stock Option (right to buy)', price: 0 } as const;
    expect(
      said([
        transaction({ code: 'M', direction: 'acquired', price: 5 }),
        transaction({ code: 'G', price: 0 }),
        transaction({ ...option, code: 'M' }),
        transaction({ ...option, code: 'A', direction: 'acquired', shares: 1 }),
      ]),
    ).toBe(
      `${jane} received 1,000 shares of Common Stock by an exercise or conversion at 5.00 dollars on 30 June 2026; gave away 1,000 shares of Common Stock as a gift on 30 June 2026; exercised or converted 1,000 derivatives (Stock Option (right to buy)) on 30 June 2026; was granted 1 derivative (Stock Option (right to buy)) on 30 June 2026`,
    );
  });

  it('names a code that says no more, a direction against its code, and what is left untold', () => {
    expect(
      said([
        transaction({ code: 'J', price: null }),
        transaction({ direction: 'acquired' }),
        transaction({ code: null, direction: null, on: null, security: null, price: null }),
        ...['D', 'F', 'U'].map((code) => transaction({ code, price: null })),
        transaction({ code: 'U', price: null }),
      ]),
    ).toBe(
      `${jane} disposed of 1,000 shares of Common Stock (code J) on 30 June 2026; acquired 1,000 shares of Common Stock (code S) at 12.50 dollars on 30 June 2026; reported a transaction in 1,000 shares of a security; returned 1,000 shares of Common Stock to the issuer on 30 June 2026; reported 3 more transactions`,
    );
  });

  it('tells holdings, an exit, and roles where the title stands elsewhere', () => {
    expect(said([], { holdingCount: 2, isPlanned: true })).toBe(`${jane} reported 2 holdings`);
    expect(
      said([], { isExit: true, owners: [owner('Jane Doe', { title: 'See Remarks', isDirector: true })] }),
    ).toBe(
      'Jane Doe (officer, director) reported no transactions and no holdings; is no longer subject to Section 16',
    );
  });
});

it('a notice on Form 144 tells each sale and its plan, and adds nothing up', () => {
  const sale = {
    security: 'Common',
    units: 17_087,
    marketValue: 1_282_000,
    outstanding: 161_514_066,
    on: '2026-08-27',
    exchange: 'NYSE',
    broker: 'Made Up LLC',
  };
  expect(
    ownershipSentence({
      kind: 'form_144',
      seller: 'Jane Doe',
      relationships: ['Officer', 'Director'],
      isPlanned: true,
      planAdoptedOn: ['2026-01-02', '2026-01-02'],
      sales: [sale, { ...sale, units: null, marketValue: null, on: null }],
      soldInPastThreeMonths: { units: 5, proceeds: 10 },
    }),
  ).toBe(
    'Jane Doe (Officer, Director) gave notice of the sale of 17,087 units of Common worth 1,282,000.00 dollars about 27 August 2026; units of Common, under a plan of Rule 10b5-1 adopted on 2 January 2026',
  );
});

it('a Schedule 13D or 13G tells what each person owns, and adds nothing up', () => {
  const person = {
    cik: null,
    name: 'Fund LP',
    shares: 1_500_000.5,
    percent: 8.5,
    soleVoting: null,
    sharedVoting: null,
    soleDispositive: null,
    sharedDispositive: null,
    types: ['PN'],
    group: null,
  };
  expect(
    ownershipSentence({
      kind: 'schedule_13',
      schedule: '13D',
      eventOn: '2026-06-30',
      amendmentNumber: 1,
      security: 'Common Stock',
      cusips: [],
      rules: [],
      persons: [person, { ...person, name: null, percent: null, shares: null, cik: '0000000077' }],
    }),
  ).toBe(
    'Fund LP (8.5%, 1,500,000.5 shares) and CIK 0000000077 reported beneficial ownership of Common Stock on Schedule 13D together, each with all that it shares',
  );
});
