import fc from 'fast-check';
import type { CompanyFacts } from '../../src/domain/company-facts.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length });

/** Texts that programs trip over. */
export const hostileText = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constantFrom(
    "=cmd|' /C calc'!A0",
    '"',
    '""',
    ',',
    '\n',
    '\r\n',
    '\r',
    '\\',
    '\\n',
    "'",
    ' a ',
    '\ufeffa',
    '\u2028',
    '\0',
    '\u001f',
    '+1',
    '-1',
    '@x',
    'null',
    'NaN',
    '__proto__',
    '[]',
    '"a","b"\n"c"',
    '🦆',
    'a\tb',
    '#',
    ';',
    '<br>',
  ),
);

/** Days that exist. */
export const day = fc
  .date({ min: new Date('1993-01-01'), max: new Date('2030-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
/** CIKs of a small world. */
export const someCik = fc.integer({ min: 1, max: 6 }).map((number) => String(number).padStart(10, '0'));
const stamp = day.chain((date) => digits(6).map((time) => date.replaceAll('-', '') + time));
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });

/** Any accession number. */
export const anyAccession = fc.tuple(digits(10), digits(2), digits(6)).map((parts) => parts.join('-'));

/** Filings as a batch may record them. */
export const ledgerFiling = (accessionNo: fc.Arbitrary<string> = anyAccession): fc.Arbitrary<LedgerFiling> =>
  fc
    .record({
      accessionNo,
      form: fc.constantFrom('8-K', '10-K/A', 'DEF 14A', '4', 'SC 13D', 'X.1&(2)'),
      filedAt: day,
      reportDate: orNull(day),
      acceptedEastern: orNull(stamp),
      items: fc.uniqueArray(fc.constantFrom('1.01', '2.02', '9.01', '10.10')),
      primaryDocument: orNull(hostileText),
      primaryDocDescription: orNull(hostileText),
      sizeBytes: orNull(fc.maxSafeNat()),
      isXbrl: fc.boolean(),
      isInlineXbrl: fc.boolean(),
      subjectCik: orNull(someCik),
      filerCiks: fc.uniqueArray(someCik, { maxLength: 3 }).map((list) => list.sort()),
    })
    .map((filing) => ({ ...filing, filerCiks: filing.filerCiks.filter((cik) => cik !== filing.subjectCik) }))
    .filter(({ subjectCik, filerCiks }) => subjectCik !== null || filerCiks.length > 0);

const companyFacts: fc.Arbitrary<CompanyFacts> = fc
  .record({
    sic: orNull(digits(4)),
    sicDescription: orNull(hostileText),
    category: orNull(hostileText),
    entityType: orNull(hostileText),
    stateOfIncorporation: orNull(hostileText),
    fiscalYearEnd: orNull(fc.constantFrom('0103', '0229', '1231')),
    phone: orNull(hostileText),
    businessStreet: orNull(hostileText),
    businessCity: orNull(hostileText),
    businessState: orNull(hostileText),
    businessZipCode: orNull(hostileText),
  })
  .filter((facts) => Object.values(facts).some((fact) => fact !== null));

/** Companies as a batch may record them. */
export const ledgerCompany = (cik: fc.Arbitrary<string> = someCik): fc.Arbitrary<LedgerCompany> =>
  fc
    .record({
      cik,
      name: hostileText,
      tickers: fc.uniqueArray(fc.constantFrom('AAA', 'BRK-B', 'BRK.B', 'NA', 'NAN', 'ON', 'x/y')),
      exchange: orNull(fc.constantFrom('NYSE', 'Nasdaq', 'OTC, "grey"')),
      formerNames: fc.array(hostileText, { maxLength: 3 }),
      facts: fc.option(companyFacts, { nil: undefined }),
      formerNamePeriods: fc.array(
        fc.record({
          name: hostileText,
          since: orNull(fc.constantFrom('1994-01-26', '2007-01-10')),
          until: orNull(fc.constantFrom('2007-01-04', '2019-08-05')),
        }),
        { maxLength: 3 },
      ),
    })
    .map(({ facts, formerNamePeriods, ...company }) => ({
      ...company,
      ...(facts ? { facts } : {}),
      ...(formerNamePeriods.length > 0 ? { formerNamePeriods } : {}),
    }));
