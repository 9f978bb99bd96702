import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Section16Ownership, Transaction } from '../../src/contract/ownership.ts';
import { aboutOwnShares, ownershipLines, tradesOf, tradesSection } from '../../site/pages/parts/trades.ts';

const sale: Transaction = {
  number: 1,
  isDerivative: false,
  security: 'Common Stock',
  on: '2026-05-21',
  deemedExecutedOn: null,
  code: 'S',
  isEquitySwap: false,
  timeliness: null,
  shares: 1000,
  totalValue: null,
  price: 12.5,
  value: 12_500,
  direction: 'disposed',
  sharesAfter: 9000,
  valueAfter: null,
  isDirect: true,
  nature: null,
};

const owner = {
  cik: '0000000001',
  name: 'Doe Jane',
  isDirector: true,
  isOfficer: true,
  isTenPercentOwner: false,
  isOther: false,
  title: 'Chief Financial Officer',
};

const filingOf = (transactions: readonly Partial<Transaction>[], more: Partial<Section16Ownership> = {}) => ({
  eventType: 'insider_transaction',
  filedAt: '2026-05-22',
  ownership: {
    kind: 'section_16' as const,
    periodOfReport: '2026-05-21',
    originalSubmissionOn: null,
    isPlanned: false,
    isExit: false,
    owners: [owner],
    transactions: transactions.map((each, at) => ({ ...sale, ...each, number: at + 1 })),
    holdingCount: 0,
    ...more,
  },
});

const other = { ...owner, cik: '0000000002', name: 'Doe Fund L.P.' };

describe('what insiders bought and sold', () => {
  it('counts a purchase or sale of shares for a price, and nothing else', () => {
    const { counted, withoutValue } = tradesOf([
      filingOf([
        {},
        { code: 'P', shares: 2, value: 25 },
        { code: 'A', price: 0, value: 0 },
        { code: 'S', isDerivative: true },
        { code: 'S', on: null },
        { code: 'S', shares: 3, price: null, value: null },
        { code: 'P', shares: 4, price: 0, value: 0 },
      ]),
    ]);
    expect(counted).toEqual([
      { on: '2026-05-21', side: 'sold', value: 12_500 },
      { on: '2026-05-21', side: 'bought', value: 25 },
    ]);
    expect(withoutValue).toBe(2);
  });

  it('keeps sales under a plan apart, and only those', () => {
    const { counted } = tradesOf([filingOf([{}, { code: 'P' }], { isPlanned: true })]);
    expect(counted.map(({ side }) => side)).toEqual(['planned', 'bought']);
  });

  it('counts equal rows of one filing, and none again that an amendment or another owner of the shares repeats', () => {
    const filing = filingOf([{}, {}]);
    const amendment = filingOf([{ sharesAfter: 8000 }]);
    const ofTheFund = filingOf([{}], { owners: [other] });
    const ofSomebodyElse = filingOf([{ sharesAfter: 77 }], { owners: [other] });
    expect(tradesOf([filing, amendment, ofTheFund]).counted).toHaveLength(2);
    expect(tradesOf([filing, ofSomebodyElse]).counted).toHaveLength(3);
  });

  it('counts a filing once, however many owners it has', () => {
    expect(tradesOf([filingOf([{}], { owners: [owner, other] })]).counted).toHaveLength(1);
  });

  it('draws months without a gap up to the newest filing, and says what is not in them', () => {
    const trades = tradesOf([
      filingOf([
        {},
        { on: '2024-11-03', shares: 1, value: 1_200_000, code: 'P' },
        { price: null, value: null, shares: 7 },
      ]),
      { eventType: 'insider_transaction', filedAt: '2026-07-01', ownership: null },
      { eventType: 'insider_initial_statement', filedAt: '2026-07-01', ownership: null },
    ]);
    const { text } = tradesSection(trades, 'All of them.');
    expect(text).toContain('Nov 2024 to Jul 2026');
    expect(text).toContain('1 Form 4 and 5 is not read yet, so this is not all');
    expect(text).toContain('1 transaction without a price in numbers is not in it.');
    expect(text).toContain('<td class="number">$1,200,000</td>');
    expect(text).toContain('Bought <span class="count">$1.2 million</span>');
    expect(text).toContain('All of them.');
    expect(tradesSection(tradesOf([]), '').text).toBe('');
  });

  it('the sums of any filings are those of their trades', () => {
    const trade = fc.record({
      on: fc.constantFrom('2026-01-31', '2026-02-01', '2025-07-04'),
      code: fc.constantFrom('P', 'S', 'M', null),
      shares: fc.integer({ min: 1, max: 5 }),
      sharesAfter: fc.integer({ min: 0, max: 2 }),
      value: fc.option(fc.integer({ min: 0, max: 900 })),
    });
    fc.assert(
      fc.property(fc.array(fc.array(trade, { maxLength: 4 }), { maxLength: 3 }), (rows) => {
        const filings = rows.map((each, at) =>
          // Owners of their own: only equal shares held afterwards make two filings the same.
          filingOf(each, { owners: [{ ...owner, cik: String(at).padStart(10, '0') }] }),
        );
        const { counted, withoutValue } = tradesOf(filings);
        const open = rows.flatMap((each, at) =>
          each.filter(
            ({ code, on, shares, sharesAfter }) =>
              (code === 'P' || code === 'S') &&
              !rows
                .slice(0, at)
                .flat()
                .some(
                  (earlier) =>
                    earlier.code === code &&
                    earlier.on === on &&
                    earlier.shares === shares &&
                    earlier.sharesAfter === sharesAfter,
                ),
          ),
        );
        expect(counted.length + withoutValue).toBe(open.length);
        expect(counted.reduce((sum, { value }) => sum + value, 0)).toBe(
          open.reduce((sum, { value }) => sum + (value ?? 0), 0),
        );
      }),
    );
  });
});

describe('the row of an ownership filing', () => {
  const linesOf = (transaction: Partial<Transaction>, more: Partial<Section16Ownership> = {}) =>
    ownershipLines(filingOf([transaction], more).ownership)
      .text.replace(/<[^>]+>/g, '')
      .replace(/\s+/g, ' ')
      .trim();

  it('names owner, role, code, shares, price and value', () => {
    expect(linesOf({}, { isPlanned: true })).toBe(
      'Doe Jane Chief Financial Officer, director S sold 1,000 Common Stock at $12.50 = $12,500 planned',
    );
    expect(linesOf({ code: 'A', direction: 'acquired', price: 0, value: 0 }, { isPlanned: true })).toBe(
      'Doe Jane Chief Financial Officer, director A was granted 1,000 Common Stock',
    );
    expect(linesOf({ code: 'M', direction: 'acquired', price: 3.125, shares: 2.5, value: 7.81 })).toBe(
      'Doe Jane Chief Financial Officer, director M received 2.5 Common Stock by an exercise or conversion at $3.125 = $7.81',
    );
  });

  it('shows three lines, the others at a click, and no markup of a filer', () => {
    const many = ownershipLines(
      filingOf(Array.from({ length: 9 }, () => ({ security: '<b>x' }))).ownership,
    ).text;
    expect(many).toContain('<summary>and 6 more</summary>');
    expect(many).not.toContain('<b>x');
  });

  it('says what a notice of sales and a schedule have', () => {
    expect(
      ownershipLines({
        kind: 'form_144',
        seller: 'A B',
        relationships: ['Officer'],
        isPlanned: true,
        planAdoptedOn: ['2026-01-02'],
        sales: [
          {
            security: 'Common',
            units: 5000,
            marketValue: 61_000.5,
            outstanding: 1,
            on: '2026-05-21',
            exchange: null,
            broker: null,
          },
        ],
        soldInPastThreeMonths: null,
      }).text.replace(/<[^>]+>/g, ''),
    ).toMatch(/A B\s+Officer\s*to sell 5,000 Common worth \$61,000\.50 about 21 May 2026\s+planned/);
    expect(
      ownershipLines({
        kind: 'schedule_13',
        schedule: '13G',
        eventOn: null,
        amendmentNumber: null,
        security: null,
        cusips: [],
        rules: [],
        persons: [
          {
            cik: null,
            name: 'Fund',
            shares: 1234,
            percent: 6.1,
            soleVoting: null,
            sharedVoting: null,
            soleDispositive: null,
            sharedDispositive: null,
            types: [],
            group: null,
          },
        ],
      }).text.replace(/<[^>]+>/g, ''),
    ).toContain('Fund 6.1%, 1,234 shares');
  });

  it('what a company sold of others is nothing that its insiders did; of a person all counts', () => {
    const of = (cik: string) => ({ ...filingOf([{}]), cik });
    const all = ['1', '2', '3'].map(of);
    const [own, former] = all;
    expect(aboutOwnShares(all, ['1', '2'])).toEqual([own, former]);
    expect(aboutOwnShares(all, ['4'])).toEqual(all);
    // Its other filings do not make it an issuer.
    const report = { ...of('4'), eventType: 'annual_report' };
    expect(aboutOwnShares([report, ...all], ['4'])).toEqual(all);
  });

  it('a row shows what a reader looks for before other lines: purchases and sales, or the codes asked for', () => {
    const codes = ['M', 'M', 'F', 'A', 'S', 'P', 'M', 'S'];
    const { ownership } = filingOf(codes.map((code) => ({ code })));
    const shown = (first?: readonly string[]) =>
      [...ownershipLines(ownership, first).text.matchAll(/<span class="code">(.)<\/span>/g)].map(
        (each) => each[1],
      );
    expect(shown()).toEqual(['S', 'P', 'S', 'M', 'M', 'F', 'A', 'M']);
    expect(shown(['F'])).toEqual(['F', 'M', 'M', 'A', 'S', 'P', 'M', 'S']);
  });

  it('documents that were not read are said where nothing is counted', () => {
    const unread = tradesOf([{ eventType: 'insider_transaction', filedAt: '2026-05-22', ownership: null }]);
    expect(tradesSection(unread, '').text).toContain('1 Form 4 and 5 is not read yet, so this is not all');
    expect(tradesSection(tradesOf([filingOf([{ code: 'A' }])]), '').text).toBe('');
  });
});
