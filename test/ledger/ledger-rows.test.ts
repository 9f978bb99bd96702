import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CompanyFacts } from '../../src/domain/company-facts.ts';
import {
  companyCodec,
  decodeRows,
  encodeRows,
  filingCodec,
  refusalCodec,
  rowTextMaximum,
  type LedgerCompany,
  type LedgerFiling,
  type RowCodec,
} from '../../build/ledger/ledger-rows.ts';
import { filingOfTuple, tupleOf } from '../../build/ledger/filing-columns.ts';
import { hostileText, ledgerCompany, ledgerFiling } from '../support/arbitraries.ts';

const filing: LedgerFiling = {
  accessionNo: '0000000001-26-000001',
  form: '8-K',
  filedAt: '2026-03-02',
  reportDate: '2026-03-01',
  acceptedEastern: '20260302160000',
  items: ['2.02', '9.01'],
  primaryDocument: 'a.htm',
  primaryDocDescription: '8-K',
  sizeBytes: 7,
  isXbrl: true,
  isInlineXbrl: false,
  subjectCik: null,
  filerCiks: ['0000000001', '0000000002'],
};
const company: LedgerCompany = {
  cik: '0000000001',
  name: 'N, "Inc"',
  tickers: ['AAA', 'AAB'],
  exchange: 'NYSE',
  formerNames: ['A\\B', 'C,D'],
};
const facts: CompanyFacts = {
  sic: '3571',
  sicDescription: 'Computers, "Electronic"',
  category: 'Accelerated filer; Emerging growth company',
  entityType: 'operating',
  stateOfIncorporation: '2M',
  fiscalYearEnd: '0103',
  phone: '(408) 996-1010',
  businessStreet: 'One Way, "Floor" 2',
  businessCity: 'Cupertino',
  businessState: 'CA',
  businessZipCode: '95014',
};

const companyColumns =
  'cik,name,tickers,exchange,formerNames,sic,sicDescription,category,entityType,stateOfIncorporation,fiscalYearEnd,phone,businessStreet,businessCity,businessState,businessZipCode,formerNamePeriods';

/** What comes back after a way over the disk. */
function again<Row>(codec: RowCodec<Row>, written: readonly Row[]): Row[] {
  const { rows, misfits } = decodeRows(codec, Buffer.from(encodeRows(codec, written)).toString());
  expect(misfits).toEqual([]);
  return rows;
}

describe('rows come back as they went', () => {
  it('a filing comes back from a tuple, which is one line of UTF-8', () => {
    const told = fc.option(fc.constantFrom(['0000000001:filer'], ['0000000001:issuer', '0000000002:filer']));
    fc.assert(
      fc.property(ledgerFiling(), told, (filing, roles) => {
        const row = { ...filing, ...(roles ? { roles } : {}) };
        const tuple = tupleOf(row);
        expect(tuple).not.toMatch(/[\n\r]/);
        expect(filingOfTuple(Buffer.from(tuple).toString())).toEqual(row);
      }),
      { numRuns: 1000 },
    );
  });

  it('a row is refused by the same rules with roles, which the schema checks, as without', {
    tags: ['slow'],
  }, () => {
    const fields = [
      fc.constantFrom('0000000001-26-000001', '1-26-1', ''),
      fc.constantFrom('8-K', '8-k', 'SC 13G/A', 'A'.repeat(41), ''),
      fc.constantFrom('2026-03-02', '2026-02-30', '20260302', ''),
      fc.constantFrom('', '2026-03-01', '2026-13-01', 'x'),
      fc.constantFrom('', '20260302160000', '2026030216', '2026030216000x'),
      fc.constantFrom('', '2.02 9.01', '2.2', '2.02  9.01', 'x'),
      fc.constantFrom('', 'a.htm', 'a\nb', '"', 'x'.repeat(rowTextMaximum + 1)),
      fc.constantFrom('', '8-K', 'a,b'),
      fc.constantFrom('', '0', '7', '-1', '1.5', '1e3', '0x10', '9007199254740993', 'x', ' 7'),
      fc.constantFrom('0', '1'),
      fc.constantFrom('0', '1'),
      fc.constantFrom('', '0000000001', '1'),
      fc.constantFrom('', '0000000001', '0000000001 0000000002', '1 0000000002'),
    ];
    fc.assert(
      fc.property(fc.tuple(...fields), (values) => {
        const [plain, checked] = ['', '0000000001:filer'].map((roles) => {
          try {
            const { roles: _, ...row } = filingCodec.decode([...values, roles]);
            return row;
          } catch (error) {
            return (error as Error).message;
          }
        });
        expect(plain).toEqual(checked);
      }),
      { numRuns: 5000 },
    );
  });

  it('rows of filings are read as they were written', () =>
    void fc.assert(
      fc.property(
        fc.array(ledgerFiling(), { maxLength: 8 }),
        (rows) => void expect(again(filingCodec, rows)).toEqual(rows),
      ),
    ));
  it('rows of companies are read as they were written', () =>
    void fc.assert(
      fc.property(
        fc.array(ledgerCompany(), { maxLength: 8 }),
        (rows) => void expect(again(companyCodec, rows)).toEqual(rows),
      ),
    ));
  it('rows of refusals are read as they were written', () => {
    const text = fc.oneof(hostileText, fc.constant(''));
    fc.assert(
      fc.property(
        fc.array(fc.record({ cik: text, file: text, accessionNo: text, reason: text }), { maxLength: 8 }),
        (rows) => void expect(again(refusalCodec, rows)).toEqual(rows),
      ),
    );
  });
  it('companies of older ledgers have no days of names and no address', () => {
    const columns = companyColumns.split(',');
    for (const width of [5, 11, columns.length]) {
      const header = columns.slice(0, width).join(',');
      const fields = ['0000000001', 'N', '', '', '"[""A""]"', '3571', ...columns.slice(6).map(() => '')];
      const { rows, misfits } = decodeRows(companyCodec, `${header}\n${fields.slice(0, width).join(',')}\n`);
      expect(misfits).toEqual([]);
      expect(rows).toMatchObject([{ name: 'N', formerNames: ['A'] }]);
      expect(rows[0]?.formerNamePeriods).toBeUndefined();
      expect(rows[0]?.facts?.phone ?? null).toBeNull();
    }
  });
  it('rows are CSV of RFC 4180, with a header', () => {
    expect(encodeRows(filingCodec, [filing])).toBe(
      `${filingCodec.columns.join(',')}\n0000000001-26-000001,8-K,2026-03-02,2026-03-01,20260302160000,2.02 9.01,a.htm,8-K,7,1,0,,0000000001 0000000002,\n`,
    );
    expect(encodeRows(companyCodec, [company])).toBe(
      `${companyColumns}\n0000000001,"N, ""Inc""",AAA AAB,NYSE,"[""A\\\\B"",""C,D""]",,,,,,,,,,,,\n`,
    );
    expect(
      encodeRows(companyCodec, [
        {
          ...company,
          formerNames: [],
          facts,
          formerNamePeriods: [{ name: 'A', since: '1994-01-26', until: null }],
        },
      ]),
    ).toBe(
      `${companyColumns}\n0000000001,"N, ""Inc""",AAA AAB,NYSE,,3571,"Computers, ""Electronic""",Accelerated filer; Emerging growth company,operating,2M,0103,(408) 996-1010,"One Way, ""Floor"" 2",Cupertino,CA,95014,"[[""A"",""1994-01-26"",null]]"\n`,
    );
    expect(encodeRows(refusalCodec, [])).toBe('cik,file,accessionNo,reason\n');
  });
});

describe('rows that are wrong are not written', () => {
  it.each([
    { accessionNo: '1-26-1' },
    { accessionNo: '' },
    { form: '' },
    { form: '8-K,10-K' },
    { form: '8-k' },
    { form: 'X'.repeat(41) },
    { filedAt: '2026-02-30' },
    { filedAt: '' },
    { reportDate: '' },
    { reportDate: 'null' },
    { acceptedEastern: '2026-03-02T16:00:00' },
    { acceptedEastern: '' },
    { items: ['2.2'] },
    { items: ['2.02 9.01'] },
    { sizeBytes: -1 },
    { sizeBytes: 1.5 },
    { sizeBytes: Number.NaN },
    { subjectCik: '1' },
    { filerCiks: ['1'] },
    { filerCiks: ['0000000001 0000000002'] },
    { filerCiks: [] },
    { primaryDocument: 'x'.repeat(rowTextMaximum) },
  ] satisfies Partial<LedgerFiling>[])('a wrong filing is not written: %.60j', (change) =>
    expect(() => encodeRows(filingCodec, [filing, { ...filing, ...change }])).toThrow(),
  );
  it.each([
    { cik: '1' },
    { name: '' },
    { tickers: ['A B'] },
    { tickers: [''] },
    { tickers: ['A,B'] },
    { formerNames: ['x'.repeat(9000), 'y'.repeat(9000)] },
    { facts: { ...facts, category: 'x'.repeat(rowTextMaximum) } },
    { facts: { ...facts, sic: '35' } },
    { facts: { ...facts, fiscalYearEnd: '1301' } },
    { facts: { ...facts, entityType: '' } },
    { formerNamePeriods: [{ name: 'x', since: '2026-02-30', until: null }] },
    { formerNamePeriods: [{ name: 'x'.repeat(rowTextMaximum), since: null, until: null }] },
  ] satisfies Partial<LedgerCompany>[])('a wrong company is not written: %.60j', (change) => {
    expect(() => encodeRows(companyCodec, [{ ...company, ...change }])).toThrow();
  });
});

describe('texts that are not ours are not read', () => {
  const text = encodeRows(filingCodec, [filing, filing]);
  const line = text.split('\n')[1] as string;

  it.each([
    '',
    '\n',
    'accessionNo\n',
    text.replace('accessionNo,', ''),
    text.replace('form,filedAt', 'filedAt,form'),
    text.split('\n').slice(1).join('\n'),
    encodeRows(companyCodec, [company]),
  ])('a text with another header is refused (%.30s)', (wrong) => {
    expect(() => decodeRows(filingCodec, wrong)).toThrow(/^the columns are /);
  });
  it.each([`${line},more`, line.slice(0, line.lastIndexOf(',')), line.slice(0, 20), 'x'])(
    'a text with a row of another length is refused',
    (wrong) => {
      expect(() => decodeRows(filingCodec, text.replace(line, wrong))).toThrow(/^row 2 has \d+ fields$/);
    },
  );
  it.each([`"${line}`, `${line.slice(0, -1)}"`.replace('8-K', '"8-K')])(
    'a text with a quote that does not end is refused',
    (wrong) => expect(() => decodeRows(filingCodec, text.replace(line, wrong))).toThrow(),
  );
});

describe('files that were written before columns were added at the end', () => {
  it('files from before a column was added are read without it', () => {
    const old =
      'cik,name,tickers,exchange,formerNames\n0000000001,"N, ""Inc""",AAA AAB,NYSE,"[""A\\\\B"",""C,D""]"\n';
    expect(decodeRows(companyCodec, old)).toEqual({ rows: [company], misfits: [] });
    expect(() => decodeRows(companyCodec, old.replace(',formerNames', ''))).toThrow(/^the columns are /);
    expect(() =>
      decodeRows(companyCodec, old.replace('formerNames\n', 'formerNames,sicDescription\n')),
    ).toThrow(/^the columns are /);
    expect(() => decodeRows(companyCodec, old.replace('formerNames\n', 'formerNames,sic\n'))).toThrow(
      'row 2 has 5 fields',
    );
  });
});

describe('a row that does not fit is named, and the others are read', () => {
  const good = { ...filing, accessionNo: '0000000001-26-000002' };
  it.each([
    ['isXbrl: neither 0 nor 1', ',7,1,0,', ',7,true,0,'],
    ['accessionNo: ', '0000000001-26-000001', '1-26-1'],
    ['form: ', ',8-K,2026', ',"8-K,x",2026'],
    ['filedAt: a date YYYY-MM-DD', ',2026-03-02,', ',2026-02-30,'],
    ['reportDate: ', ',2026-03-01,', ',null,'],
    ['acceptedAt: ', '20260302160000', '2026-03-02'],
    ['items: ', '2.02 9.01', '2.2'],
    ['sizeBytes: ', ',7,', ',-1,'],
    ['subjectCik: ', ',,0000000001', ',1,0000000001'],
    ['filerCiks: ', '0000000001 0000000002', '1'],
    ['it names no company', '0000000001 0000000002', ''],
    [
      `its texts have ${rowTextMaximum + 1} characters, the most is ${rowTextMaximum}`,
      'a.htm',
      'x'.repeat(rowTextMaximum - 2),
    ],
  ])('a filing that does not fit is named: %s', (reason, from, to) => {
    const { rows, misfits } = decodeRows(
      filingCodec,
      encodeRows(filingCodec, [filing, good]).replace(from, to),
    );
    expect(rows).toEqual([good]);
    expect(misfits).toEqual([
      {
        row: 2,
        first: reason.startsWith('accessionNo') ? '1-26-1' : filing.accessionNo,
        reason: expect.stringContaining(reason) as string,
      },
    ]);
  });
  it.each([
    ['name: ', '0000000001,,,,,,,,,,,,,,,,'],
    ['cik: ', '1,N,,,,,,,,,,,,,,,'],
    ['tickers: no symbol', '0000000001,N,A_B,,,,,,,,,,,,,,'],
    ['formerNames: ', '0000000001,N,,,{},,,,,,,,,,,,'],
    ['JSON', '0000000001,N,,,[,,,,,,,,,,,,'],
    ['facts: ', '0000000001,N,,,,357,,,,,,,,,,,'],
    ['facts: ', '0000000001,N,,,,,,,,,26-09,,,,,,'],
    ['formerNamePeriods: ', '0000000001,N,,,,,,,,,,,,,,,"[[1]]"'],
    [
      `its texts have ${rowTextMaximum + 1} characters`,
      `0000000001,${'N'.repeat(rowTextMaximum + 1)},,,,,,,,,,,,,,,`,
    ],
  ])('a company that does not fit is named: %s', (reason, line) => {
    const other = { ...company, cik: '0000000002' };
    const { rows, misfits } = decodeRows(companyCodec, `${encodeRows(companyCodec, [other])}${line}\n`);
    expect(rows).toEqual([other]);
    expect(misfits).toEqual([
      { row: 3, first: line.split(',')[0], reason: expect.stringContaining(reason) as string },
    ]);
  });
});
