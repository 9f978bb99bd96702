import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FilingForSummary, summarize } from '../../build/fold/summary.ts';
import { eventTypeOfForm } from '../../src/domain/event-types.ts';
import { formsByEventType } from '../../src/domain/forms.ts';
import { form4, transaction } from '../support/contents.ts';

type Given = Partial<FilingForSummary> & Pick<FilingForSummary, 'form'>;

function filing(given: Given): FilingForSummary {
  return {
    accessionNo: '0000320193-26-000005',
    cik: '0000320193',
    ticker: 'AAPL',
    companyName: 'Apple Inc.',
    eventType: eventTypeOfForm(given.form),
    items: [],
    filedAt: '2026-01-29',
    reportDate: null,
    ownership: null,
    ...given,
  };
}

/** The first sentence, for the filing of a company named Example (EX) of 2026-01-29. */
function sentence(given: Given): string {
  const text = summarize(filing({ companyName: 'Example', ticker: 'EX', ...given }));
  return text.replace(' SEC accession number 0000320193-26-000005.', '');
}

describe('real filings', () => {
  it.each<[Given, string]>([
    [
      { form: '8-K', reportDate: '2026-01-29', items: ['2.02', '9.01'] },
      'Apple Inc. (AAPL) filed a current report on Form 8-K on 2026-01-29 for an event dated 2026-01-29, reporting Item 2.02 (Results of Operations and Financial Condition) and Item 9.01 (Financial Statements and Exhibits). SEC accession number 0000320193-26-000005.',
    ],
    [
      { form: '10-K', filedAt: '2025-10-31', reportDate: '2025-09-27', accessionNo: '0000320193-25-000079' },
      'Apple Inc. (AAPL) filed an annual report on Form 10-K on 2025-10-31 for the period ended 2025-09-27. SEC accession number 0000320193-25-000079.',
    ],
    [
      { form: '4', filedAt: '2026-02-26', reportDate: '2026-02-24', accessionNo: '0001059235-26-000004' },
      'A statement of changes in beneficial ownership on Form 4 naming Apple Inc. (AAPL) was filed on 2026-02-26 with an earliest reported transaction date of 2026-02-24. SEC accession number 0001059235-26-000004.',
    ],
    [
      { form: '4/A', filedAt: '2022-08-22', reportDate: '2022-08-17', accessionNo: '0000320193-22-000078' },
      'An amended statement of changes in beneficial ownership on Form 4/A naming Apple Inc. (AAPL) was filed on 2022-08-22 with an earliest reported transaction date of 2022-08-17. SEC accession number 0000320193-22-000078.',
    ],
    [
      {
        form: 'SCHEDULE 13G/A',
        companyName: 'Tesla, Inc.',
        ticker: 'TSLA',
        filedAt: '2025-11-10',
        accessionNo: '0001104659-25-109266',
      },
      'An amended beneficial ownership report (Schedule 13G) on Form SCHEDULE 13G/A naming Tesla, Inc. (TSLA) was filed on 2025-11-10. SEC accession number 0001104659-25-109266.',
    ],
    [
      {
        form: '424B5',
        companyName: 'Imunon, Inc.',
        ticker: 'IMNN',
        filedAt: '2025-12-31',
        accessionNo: '0001493152-25-029712',
      },
      'Imunon, Inc. (IMNN) filed a Rule 424 prospectus on Form 424B5 on 2025-12-31. SEC accession number 0001493152-25-029712.',
    ],
    [
      {
        form: '25-NSE',
        companyName: 'CARBO CERAMICS INC',
        ticker: null,
        cik: '0001009672',
        filedAt: '2020-01-10',
        accessionNo: '0000876661-20-000021',
      },
      'A notification of removal from listing on Form 25-NSE naming CARBO CERAMICS INC (CIK 0001009672) was filed on 2020-01-10. SEC accession number 0000876661-20-000021.',
    ],
  ])('%j', (given, expected) => {
    expect(summarize(filing(given))).toBe(expected);
  });
});

describe('missing members', () => {
  it('missing members leave no trace in a sentence', () => {
    expect(sentence({ form: '8-K', filedAt: null })).toBe('Example (EX) filed a current report on Form 8-K.');
    expect(sentence({ form: '8-K', filedAt: null, reportDate: '2026-01-28' })).toBe(
      'Example (EX) filed a current report on Form 8-K for an event dated 2026-01-28.',
    );
    expect(sentence({ form: '4', filedAt: null })).toBe(
      'A statement of changes in beneficial ownership on Form 4 naming Example (EX) was filed.',
    );
    expect(sentence({ form: '10-K', companyName: ' ', ticker: null })).toBe(
      'CIK 0000320193 filed an annual report on Form 10-K on 2026-01-29.',
    );
    expect(sentence({ form: '' })).toBe('A document naming Example (EX) was filed on 2026-01-29.');
  });

  it('odd spaces in names and forms are not missing members', () => {
    expect(sentence({ form: ' DEF  14A', companyName: 'EXAMPLE  HOLDINGS \n INC ' })).toBe(
      'A proxy statement on Form DEF 14A naming EXAMPLE HOLDINGS INC (EX) was filed on 2026-01-29.',
    );
  });
});

describe('items', () => {
  it('a sentence lists items in order, with a serial comma, and codes without a title bare', () => {
    expect(sentence({ form: '8-K', items: ['9.01', '7.77', '7.01'] })).toBe(
      'Example (EX) filed a current report on Form 8-K on 2026-01-29, reporting Item 9.01 (Financial Statements and Exhibits), Item 7.77, and Item 7.01 (Regulation FD Disclosure).',
    );
    expect(sentence({ form: '8-K', items: ['7.77'] })).toBe(
      'Example (EX) filed a current report on Form 8-K on 2026-01-29, reporting Item 7.77.',
    );
  });
});

describe('the report date', () => {
  it.each([
    ['10-Q', '2025-12-31', 'for the period ended'],
    ['13F-HR', '2025-12-31', 'for the period ended'],
    ['NT 10-K', '2025-12-31', 'for the period ended'],
    ['3', '2026-01-20', 'for an event dated'],
    ['5', '2025-12-31', 'for the fiscal year ended'],
    ['DEF 14A', '2026-03-10', 'for a meeting dated'],
    ['PRE 14A', '2026-03-10', 'for a meeting dated'],
    ['DEF 14A', '2026-01-29', 'with a report date of'],
    ['PRE 14A', '2025-12-31', 'with a report date of'],
    ['6-K', '2026-01-29', 'with a report date of'],
    ['NO ACT', '2026-01-02', 'with a report date of'],
    ['U-1', '2026-01-02', 'with a report date of'],
  ])('the report date of a %s with %s is written as "%s"', (form, reportDate, phrase) => {
    expect(sentence({ form, reportDate })).toMatch(new RegExp(` on 2026-01-29 ${phrase} ${reportDate}\\.$`));
  });

  it('the report date of a proxy statement without a filing date is not called a meeting', () => {
    expect(sentence({ form: 'DEF 14A', filedAt: null, reportDate: '2026-03-10' })).toBe(
      'A proxy statement on Form DEF 14A naming Example (EX) was filed with a report date of 2026-03-10.',
    );
  });
});

describe('nouns', () => {
  it('a sentence does not say "amended" of a form that is an amendment by name', () => {
    expect(sentence({ form: 'POS AM' })).toBe(
      'Example (EX) filed a post-effective amendment on Form POS AM on 2026-01-29.',
    );
    expect(sentence({ form: 'DEFR14A' })).toBe(
      'An amended proxy statement on Form DEFR14A naming Example (EX) was filed on 2026-01-29.',
    );
    expect(sentence({ form: '485BPOS' })).toBe(
      'Example (EX) filed an amended fund registration statement on Form 485BPOS on 2026-01-29.',
    );
  });

  it('a filing about ownership says what its document says', () => {
    const { ownership } = form4([7], [transaction(1), transaction(2, { price: 3, shares: 50 })]);
    expect(summarize(filing({ form: '4', companyName: 'Example', ticker: 'EX', ownership }))).toBe(
      'A statement of changes in beneficial ownership on Form 4 naming Example (EX) was filed on 2026-01-29. Owner 7 (director) bought 150 shares of Common Stock in 2 transactions at 2.50 to 3.00 dollars on 2 January 2026. SEC accession number 0000320193-26-000005.',
    );
  });

  it('the noun follows the form where the family mixes several', () => {
    expect(sentence({ form: '13H' })).toBe(
      'Example (EX) filed a large trader registration on Form 13H on 2026-01-29.',
    );
    expect(sentence({ form: 'F-6EF' })).toBe(
      'A registration statement on Form F-6EF naming Example (EX) was filed on 2026-01-29.',
    );
    expect(sentence({ form: '10-12B' })).toBe(
      'Example (EX) filed an Exchange Act registration statement on Form 10-12B on 2026-01-29.',
    );
  });
});

describe('any filing', () => {
  const day = fc
    .date({ min: new Date('1993-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const digits = (length: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length });
  const word = fc.string().filter((text) => !/undefined|null/i.test(text));
  const suffixed = fc
    .tuple(fc.constantFrom(...Object.values(formsByEventType).flat()), fc.constantFrom('', '/A'))
    .map((parts) => parts.join(''));
  const anyFiling: fc.Arbitrary<FilingForSummary> = fc
    .record({
      accessionNo: fc.tuple(digits(10), digits(2), digits(6)).map((parts) => parts.join('-')),
      cik: digits(10),
      ticker: fc.option(fc.stringMatching(/^[A-Z]{1,5}(-[A-Z])?$/).filter((text) => text !== 'NULL')),
      companyName: word,
      form: fc.oneof(suffixed, word),
      items: fc.uniqueArray(fc.stringMatching(/^[0-9]\.0[0-9]$/), { maxLength: 5 }),
      filedAt: fc.option(day),
      reportDate: fc.option(day),
    })
    .map((given) => ({ ...given, eventType: eventTypeOfForm(given.form), ownership: null }));

  it('any filing gets a clean sentence that ends with its accession number', () => {
    fc.assert(
      fc.property(anyFiling, (given) => {
        const text = summarize(given);
        expect(text.endsWith(`. SEC accession number ${given.accessionNo}.`)).toBe(true);
        expect(text).not.toMatch(/undefined|null|\s\s|\n/);
        expect(text).toBe(text.trim());
        expect(summarize({ ...given })).toBe(text);
        if (given.filedAt !== null) expect(text).toContain(` on ${given.filedAt}`);
        if (given.reportDate !== null)
          expect(text).toMatch(new RegExp(` (ended|dated|date of) ${given.reportDate}[,.]`));
        for (const code of given.items) expect(text).toContain(`Item ${code}`);
      }),
      { numRuns: 500 },
    );
  });

  it('a sentence has the right article', () => {
    for (const form of Object.values(formsByEventType).flat()) {
      for (const type of [form, `${form}/A`]) {
        const [, article = '', first = ''] = /(?:^| filed )(an?) (\w)/i.exec(sentence({ form: type })) ?? [];
        expect([type, article.toLowerCase()]).toEqual([
          type,
          'aeiou'.includes(first.toLowerCase()) ? 'an' : 'a',
        ]);
      }
    }
  });
});
