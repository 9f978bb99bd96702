import { describe, expect, it } from 'vitest';
import {
  parseExtraPage,
  parseSubmissions,
  submissionsFile,
  toFilings,
  type Submissions,
} from '../../build/sources/submissions.ts';
import {
  accessionOf,
  columnsOf,
  extraPage,
  submissionsOf,
  upstreamRow,
  type UpstreamRow,
} from '../support/submissions.ts';
import { noAddress } from '../support/made-up.ts';

const cik = '0000000001';
const utc = { clock: 'utc', unsettledFrom: '9999' } as const;
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const parse = (value: unknown): Submissions => parseSubmissions(bytes(value), cik);
const entityWith = (members: Record<string, unknown>) => parse(submissionsOf(cik, [], members)).entity;

/** What becomes of rows; `change` may do to the file what upstream might. */
function read(
  rows: readonly Partial<UpstreamRow>[],
  change: (columns: Record<string, unknown[]>) => void = () => {},
) {
  const file = submissionsOf(cik, rows);
  change((file['filings'] as { recent: Record<string, unknown[]> }).recent);
  const { columns, entity } = parse(file);
  return toFilings(columns, entity, submissionsFile(cik), utc);
}
const readOne = (members: Partial<Record<keyof UpstreamRow, unknown>>) =>
  read([{ ...upstreamRow(1), ...(members as Partial<UpstreamRow>) }]);
const filingOf = (members: Partial<Record<keyof UpstreamRow, unknown>>) => readOne(members).filings[0];

/** The same value under each name. */
const allOf = (names: readonly string[], value: unknown): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, value]));

describe('a row', () => {
  it('a row becomes a filing with every member', () => {
    expect(read([upstreamRow(1, { items: '2.02,9.01' })])).toEqual({
      filings: [
        {
          accessionNo: '0000000001-26-000001',
          form: '8-K',
          filedAt: '2026-03-02',
          reportDate: '2026-03-02',
          acceptedEastern: '20260302160000',
          items: ['2.02', '9.01'],
          primaryDocument: 'd1.htm',
          primaryDocDescription: '8-K',
          sizeBytes: 1001,
          isXbrl: true,
          isInlineXbrl: true,
          subjectCik: null,
          filerCiks: [cik],
        },
      ],
      refusals: [],
    });
  });

  const texts = [
    'reportDate',
    'primaryDocument',
    'primaryDocDescription',
    'items',
    'acceptanceDateTime',
  ] as const;
  const others = ['act', 'fileNumber', 'core_type', 'size', 'isXBRL'] as const;
  it.each([
    ['empty texts', allOf(texts, '')],
    ['JSON nulls', allOf([...texts, ...others], null)],
    ['null in letters', allOf([...texts, 'size', 'isXBRL'], 'null')],
    [
      'days and times that do not exist',
      {
        ...allOf(texts, ''),
        reportDate: '2026-02-30',
        acceptanceDateTime: '2026-02-30T10:00:00.000Z',
        primaryDocument: '\u0000\n',
      },
    ],
  ])('a row may have %s for null', (_, members) => {
    const { filings, refusals } = readOne(members);
    expect(refusals).toEqual([]);
    expect(filings[0]).toMatchObject({
      reportDate: null,
      primaryDocument: null,
      primaryDocDescription: null,
      items: [],
      acceptedEastern: null,
    });
    if ('size' in members)
      expect(filings[0]).toMatchObject({ sizeBytes: null, isXbrl: false, isInlineXbrl: true });
  });

  it.each([
    ['8-K', '2.02,9.01', ['2.02', '9.01']],
    ['8-K/A', '12,7,9', ['2.02', '9.01', '7.01']],
    ['8-K', '2.02,2.02, 9.01', ['2.02', '9.01']],
    ['8-K', 'constructor,__proto__,toString,99,2.2', []],
    ['EFFECT', 'S-4,,2019-05-10 16:00:00', []],
    ['EFFECT', ',,', []],
    ['D', '06b,3C,3C.7', []],
    ['1-U', '1,8,9.1', []],
    ['CT ORDER', '20150129,20150129', []],
    ['ABS-15G', '2.01', []],
  ])('a row of form %s with items %j has %j', (form, items, expected) => {
    expect(filingOf({ form, items })).toMatchObject({ form, items: expected });
  });

  it.each([
    'xslF345X05/wk-form4_1745620207.xml',
    '9999999997-17-007455.paper',
    'FORM.HTM',
    'a b,c"d\\e.htm',
    '../../etc/passwd',
  ])('a row keeps the document name %j', (primaryDocument) => {
    expect(filingOf({ primaryDocument })).toMatchObject({ primaryDocument });
  });

  it.each([
    [0, 0],
    [12, 12],
    ['12', null],
    [-1, null],
    [1.5, null],
    [1e300, null],
    [true, null],
    [null, null],
  ])('a row of size %j has %j bytes', (size, sizeBytes) =>
    expect(filingOf({ size })).toMatchObject({ sizeBytes }),
  );

  it.each([
    [0, false],
    [1, true],
    ['1', true],
    ['0', false],
    ['', false],
    [true, true],
    [false, false],
    [null, false],
    [2, false],
  ])('a row with the flag %j is XBRL: %j', (flag, isXbrl) => {
    expect(filingOf({ isXBRL: flag, isInlineXBRL: flag })).toMatchObject({ isXbrl, isInlineXbrl: isXbrl });
  });

  it.each([
    ['8-k', '8-K'],
    [' DEF  14A ', 'DEF 14A'],
    ['C/A-W', 'C/A-W'],
    ['UNHEARD OF (X) & Y', 'UNHEARD OF (X) & Y'],
    ['X'.repeat(40), 'X'.repeat(40)],
  ])('a row may have the form %j', (form, published) =>
    expect(filingOf({ form })).toMatchObject({ form: published }),
  );

  it.each([
    ['accessionNumber', '0000000001-26-00001', 'accession number "0000000001-26-00001"'],
    ['accessionNumber', '0000000001-26-0000011', 'accession number "0000000001-26-0000011"'],
    ['accessionNumber', '', 'accession number ""'],
    ['accessionNumber', '0000000001-26-0000\n01', 'accession number "0000000001-26-0000 01"'],
    ['accessionNumber', `0${'9'.repeat(50)}`, /^accession number "09{39}"$/],
    ['form', '', 'form ""'],
    ['form', null, 'form ""'],
    ['form', '8-K<script>', 'form "8-K<SCRIPT>"'],
    ['form', '8-K|10-K', 'form "8-K|10-K"'],
    ['form', '8-K,10-K', 'form "8-K,10-K"'],
    ['form', '-8K', 'form "-8K"'],
    ['form', 'X'.repeat(41), /^form "X{41}"$/],
    ['filingDate', '', 'filing date ""'],
    ['filingDate', null, 'filing date ""'],
    ['filingDate', '2026-02-30', 'filing date "2026-02-30"'],
    ['filingDate', '20260228', 'filing date "20260228"'],
    ['filingDate', '2026-02-28T00:00:00', 'filing date "2026-02-28T00:00:00"'],
  ])('a row with the %s %j is refused and named', (member, value, reason) => {
    const { filings, refusals } = read([
      upstreamRow(1),
      { ...upstreamRow(2), [member]: value },
      upstreamRow(3),
    ]);
    expect(filings.map(({ accessionNo }) => accessionNo)).toEqual([accessionOf(1), accessionOf(3)]);
    const accessionNo =
      member === 'accessionNumber' ? String(value).replace('\n', ' ').slice(0, 40) : accessionOf(2);
    expect(refusals).toEqual([
      {
        cik,
        file: 'CIK0000000001.json',
        accessionNo,
        reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
      },
    ]);
  });

  it.each([
    '0000000000-26-000001',
    '9999999997-17-007455',
    '9999999995-25-002767',
    '9999999994-26-000001',
    '0001234567-93-000001',
  ])('a row may have the accession number %s', (accessionNumber) => {
    const filingDate = `${accessionNumber.slice(11, 13) === '93' ? 19 : 20}${accessionNumber.slice(11, 13)}-03-02`;
    expect(filingOf({ accessionNumber, filingDate, acceptanceDateTime: '' })).toMatchObject({
      accessionNo: accessionNumber,
    });
  });

  it('a row may be filed days before or after its acceptance', () => {
    expect(
      filingOf({ filingDate: '2026-03-09', acceptanceDateTime: '2026-03-06T23:01:00.000Z' }),
    ).toMatchObject({ filedAt: '2026-03-09', acceptedEastern: '20260306180100' });
    expect(
      filingOf({ filingDate: '2026-03-02', acceptanceDateTime: '2026-03-11T14:00:00.000Z' }),
    ).toMatchObject({ filedAt: '2026-03-02', acceptedEastern: '20260311100000' });
  });

  it('two rows of one accession number are both given', () => {
    const { filings } = read([upstreamRow(1, { form: 'SC 13E3' }), upstreamRow(1, { form: 'SC TO-I' })]);
    expect(filings.map(({ form }) => form)).toEqual(['SC 13E3', 'SC TO-I']);
  });
});

describe('an acceptance time', () => {
  const accepted = (clock: 'utc' | 'eastern' | null, unsettledFrom = '9999') => {
    const { columns, entity } = parse(submissionsOf(cik, [upstreamRow(1)]));
    return toFilings(columns, entity, 'f', { clock, unsettledFrom }).filings[0]?.acceptedEastern;
  };
  it('an acceptance time follows the clock of its file', () =>
    expect([accepted('utc'), accepted('eastern')]).toEqual(['20260302160000', '20260302210000']));
  it('an acceptance time is null where the clock is not known', () => expect(accepted(null)).toBeNull());
  it('an acceptance time is null where the day is not settled', () =>
    expect([accepted('utc', '2026-03-02'), accepted('utc', '2026-03-03')]).toEqual([null, '20260302160000']));
});

describe('columns', () => {
  const fourteen =
    'accessionNumber filingDate reportDate acceptanceDateTime act form fileNumber filmNumber items size isXBRL isInlineXBRL primaryDocument primaryDocDescription'.split(
      ' ',
    );
  const plain = read([upstreamRow(1)]);

  it('a file may have the 14 columns of 2023', () => {
    expect(
      read([upstreamRow(1)], (columns) => {
        for (const name of Object.keys(columns)) if (!fourteen.includes(name)) delete columns[name];
        expect(Object.keys(columns).sort()).toEqual(fourteen.toSorted());
      }),
    ).toEqual(plain);
  });
  it.each([
    ['isXBRLNumeric', [null]],
    ['of_2031', [{ any: 'thing' }]],
    ['short', []],
    ['no array', 'text'],
  ])('a file may have an unknown column: %s', (name, column) => {
    expect(read([upstreamRow(1)], (columns) => void (columns[name] = column as unknown[]))).toEqual(plain);
  });
  it.each(['act', 'fileNumber', 'filmNumber', 'core_type'])('a file may lack the column %s', (name) => {
    expect(read([upstreamRow(1)], (columns) => void delete columns[name]).filings[0]).toMatchObject({
      accessionNo: accessionOf(1),
    });
  });
  it.each(['accessionNumber', 'filingDate', 'form', 'items', 'acceptanceDateTime', 'primaryDocument'])(
    'a file must not lack the column %s',
    (name) => {
      expect(() => read([upstreamRow(1)], (columns) => void delete columns[name])).toThrow(
        new RegExp(`^${name}: `),
      );
    },
  );
  it.each(['form', 'fileNumber', 'size', 'primaryDocDescription'])(
    'columns must all have as many rows: %s',
    (name) => {
      expect(() => read([upstreamRow(1), upstreamRow(2)], (columns) => void columns[name]?.pop())).toThrow(
        `column ${name} has 1 rows, accessionNumber has 2`,
      );
      expect(() => read([upstreamRow(1)], (columns) => void columns[name]?.push(columns[name]?.[0]))).toThrow(
        `column ${name} has 2 rows, accessionNumber has 1`,
      );
    },
  );
  it.each([
    ['form', [8]],
    ['accessionNumber', [null]],
    ['filingDate', [20260302]],
    ['items', [['2.02']]],
    ['form', 'text'],
    ['form', { 0: '8-K', length: 1 }],
  ])('columns must be lists of texts: %s %j', (name, column) => {
    expect(() => read([upstreamRow(1)], (columns) => void (columns[name] = column as unknown[]))).toThrow(
      new RegExp(`^${name}`),
    );
  });
});

describe('an entity', () => {
  it.each([
    ['as text with zeros', '0000000001'],
    ['as text without zeros', '1'],
    ['as a number', 1],
  ])('an entity may have its CIK %s', (_, value) =>
    expect(entityWith({ cik: value })).toMatchObject({ cik, alone: [cik] }),
  );
  it.each([
    ['2', 'it is about CIK 0000000002'],
    [10000000001, 'it is about CIK 10000000001'],
    ['', /^cik: /],
    ['one', /^cik: /],
    [-1, /^cik: /],
    [1.5, /^cik: /],
    [null, /^cik: /],
    ['00000000001', /^cik: /],
  ])('an entity must not have the CIK %j', (value, message) =>
    expect(() => entityWith({ cik: value })).toThrow(message),
  );

  it.each([
    ['one', ['AAPL'], ['Nasdaq'], ['AAPL'], 'Nasdaq'],
    ['none', [], [], [], null],
    ['null lists', null, null, [], null],
    ['several on one exchange', ['GOOGL', 'GOOG'], ['Nasdaq', 'Nasdaq'], ['GOOGL', 'GOOG'], 'Nasdaq'],
    ['one without exchange', ['TTOO'], [null], ['TTOO'], null],
    ['an empty exchange', ['TTOO'], [''], ['TTOO'], null],
    ['the second without exchange', ['AAA', 'AAAW'], ['Nasdaq', null], ['AAA', 'AAAW'], 'Nasdaq'],
    [
      'the first without exchange: that of another symbol is not its own',
      ['AAA', 'AAAW'],
      [null, 'Nasdaq'],
      ['AAA', 'AAAW'],
      null,
    ],
    ['fewer exchanges', ['AAA', 'AAB'], ['NYSE'], ['AAA', 'AAB'], 'NYSE'],
    [
      'symbols that other programs take for null',
      ['NA', 'NAN', 'ON', 'NULL', 'TRUE'],
      ['NYSE', 'NYSE', 'Nasdaq', 'OTC', 'OTC'],
      ['NA', 'NAN', 'ON', 'NULL', 'TRUE'],
      'NYSE',
    ],
    ['the same twice', ['BRK-B', 'BRK-B', 'BRK-A'], ['NYSE', 'NYSE', 'NYSE'], ['BRK-B', 'BRK-A'], 'NYSE'],
    ['an empty one first', ['', ' ', null, 'AAA'], ['NYSE', null, null, 'Nasdaq'], ['AAA'], 'Nasdaq'],
    [
      'one that is no symbol',
      ['A B', 'AAA,BBB', '=cmd()', '"', 'AAA'],
      ['OTC', 'OTC', 'OTC', 'OTC', 'NYSE'],
      ['AAA'],
      'NYSE',
    ],
    ['spaces around', [' AAA '], ['NYSE'], ['AAA'], 'NYSE'],
  ])('an entity may have %s of tickers', (_, tickers, exchanges, expected, exchange) =>
    expect(entityWith({ tickers, exchanges })).toMatchObject({ tickers: expected, exchange }),
  );

  it('the days of former names are those of the instants, which are midnights', () =>
    expect(
      entityWith({
        formerNames: [
          { name: 'APPLE INC', from: '2007-01-10T05:00:00.000Z', to: '2019-08-05T04:00:00.000Z' },
          { name: 'X', from: '2026-02-30T05:00:00.000Z', to: 20190805 },
        ],
      }).formerNamePeriods,
    ).toEqual([
      { name: 'APPLE INC', since: '2007-01-10', until: '2019-08-05' },
      { name: 'X', since: null, until: null },
    ]));

  it.each<[unknown, unknown, (string | null)[]]>([
    [
      {
        business: {
          street1: ' ONE APPLE PARK WAY ',
          street2: null,
          city: 'CUPERTINO',
          stateOrCountry: 'CA',
          zipCode: '95014',
        },
      },
      '(408) 996-1010',
      ['(408) 996-1010', 'ONE APPLE PARK WAY', 'CUPERTINO', 'CA', '95014'],
    ],
    [
      { business: { street1: '1 Main', street2: 'Suite 2', city: '', zipCode: 5 }, mailing: { city: 'X' } },
      '',
      [null, '1 Main, Suite 2', null, null, null],
    ],
    [{ mailing: { street1: 'X' } }, null, [null, null, null, null, null]],
    [[], 5, [null, null, null, null, null]],
    ['X', undefined, [null, null, null, null, null]],
  ])('of addresses %j the business address counts, and of phone %j a text', (addresses, phone, expected) => {
    const { facts } = entityWith({ addresses, phone });
    expect([
      facts?.phone,
      facts?.businessStreet,
      facts?.businessCity,
      facts?.businessState,
      facts?.businessZipCode,
    ]).toEqual(expected);
  });

  it('an entity may have former names that are oddly dated, doubled or empty', () => {
    const formerNames = [
      { name: 'B', from: '2003-03-13', to: '2003-03-12' },
      { name: 'A' },
      { name: 'B', from: null },
      { name: '' },
      { name: null },
      { from: 'x' },
      { name: ' C ' },
    ];
    expect(entityWith({ formerNames }).formerNames).toEqual(['B', 'A', 'C']);
    expect(entityWith({ formerNames }).formerNamePeriods).toEqual([
      { name: 'B', since: '2003-03-13', until: '2003-03-12' },
      { name: 'A', since: null, until: null },
      { name: 'B', since: null, until: null },
      { name: 'C', since: null, until: null },
    ]);
    expect(entityWith({ formerNames: null }).formerNames).toEqual([]);
    expect(entityWith({ formerNames: undefined }).formerNames).toEqual([]);
  });

  it('an entity may have a hostile name', () => {
    const name =
      "Company Name Three `!#$(),:;=.-;\\|@/{}&'\\WA\\ \"=cmd|' /C calc'!A0\" <br> ünï 株式会社 🦆";
    expect(entityWith({ name }).name).toBe(name);
  });

  it.each(['', ' ', '\n\t', null, undefined, 5])('an entity must not have the name %j', (name) =>
    expect(() => entityWith({ name })).toThrow(/^name: /),
  );

  it('an entity gives its facts', () => {
    const members = {
      sic: '3571',
      sicDescription: 'Electronic Computers',
      category: 'Large accelerated filer',
      entityType: 'operating',
      stateOfIncorporation: 'CA',
      fiscalYearEnd: '0926',
    };
    expect(entityWith(members).facts).toEqual({ ...members, ...noAddress });
    const nothing = { ...noAddress, ...allOf(Object.keys(members), null) };
    for (const given of [null, '', undefined])
      expect(entityWith(allOf(Object.keys(members), given)).facts).toEqual(nothing);
  });
  it.each([
    ['category', '<br>Emerging growth company', 'Emerging growth company'],
    [
      'category',
      'Non-accelerated filer<br>Smaller reporting company',
      'Non-accelerated filer; Smaller reporting company',
    ],
    [
      'category',
      ' Accelerated filer <BR/>\n<br /> Emerging growth company<br>',
      'Accelerated filer; Emerging growth company',
    ],
    ['category', '<br>', null],
    ['category', 5, null],
    ['category', ['Accelerated filer'], null],
    ['sic', '0100', '0100'],
    ['sic', '100', null],
    ['sic', '35711', null],
    ['sic', 3571, null],
    ['sic', {}, null],
    ['sicDescription', ' Retail-Variety\tStores ', 'Retail-Variety Stores'],
    ['stateOfIncorporation', '2M', '2M'],
    ['entityType', false, null],
    ['fiscalYearEnd', '0229', '0229'],
    ['fiscalYearEnd', '1231', '1231'],
    ['fiscalYearEnd', '1301', null],
    ['fiscalYearEnd', '0900', null],
    ['fiscalYearEnd', '09-26', null],
    ['fiscalYearEnd', 926, null],
  ])('an entity with the %s %j has the fact %j', (name, value, fact) => {
    expect(entityWith({ [name]: value }).facts).toMatchObject({ [name]: fact });
  });

  it('an entity may have anything in unused members', () => {
    const members = {
      ein: '000000000',
      lei: null,
      ownerOrg: '',
      addresses: null,
      phone: null,
      flags: {},
      website: 5,
    };
    expect(entityWith(members)).toEqual(entityWith({}));
  });

  it.each([
    [0, 1, false, true],
    [1, 0, true, false],
    [1, 1, true, true],
    [null, undefined, false, false],
    [true, false, true, false],
  ])('an entity with insider flags %j and %j is issuer %j, owner %j', (issuer, owner, isIssuer, isOwner) => {
    expect(
      entityWith({ insiderTransactionForIssuerExists: issuer, insiderTransactionForOwnerExists: owner }),
    ).toMatchObject({ isIssuer, isOwner });
  });

  it('an entity may have no filings', () => {
    for (const recent of [{}, columnsOf([])]) {
      const { columns, entity, extraPages } = parse({
        ...submissionsOf(cik, []),
        filings: { recent, files: null },
      });
      expect(toFilings(columns, entity, 'f', utc)).toEqual({ filings: [], refusals: [] });
      expect(extraPages).toEqual([]);
    }
  });

  it('a member like __proto__ does not change an entity', () => {
    const text = JSON.stringify(submissionsOf(cik, [upstreamRow(1)])).replace(
      '{"cik"',
      '{"__proto__":{"name":"Nobody","tickers":["EVIL"]},"constructor":{"prototype":{"polluted":1}},"toString":null,"cik"',
    );
    const { entity, columns } = parseSubmissions(
      Buffer.from(text.replace('"recent":{', '"recent":{"__proto__":{"form":["EVIL"]},"hasOwnProperty":[],')),
      cik,
    );
    expect(entity).toEqual(parse(submissionsOf(cik, [upstreamRow(1)])).entity);
    expect(columns.form).toEqual(['8-K']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(() =>
      parseSubmissions(Buffer.from('{"__proto__":{"cik":"1","name":"Nobody","filings":{"recent":{}}}}'), cik),
    ).toThrow(/^cik: /);
  });
});

describe('extra pages', () => {
  const rows = [upstreamRow(5, { filingDate: '2010-05-06' }), upstreamRow(4, { filingDate: '2009-01-02' })];
  const withFiles = (files: unknown) =>
    parse({ ...submissionsOf(cik, []), filings: { recent: {}, files } }).extraPages;

  it('the main file names its extra pages', () => {
    expect(
      withFiles([extraPage(cik, 1, rows), { name: 'CIK0000000001-submissions-1000.json' }]),
    ).toMatchObject([
      { name: 'CIK0000000001-submissions-001.json', filingTo: '2010-05-06', filingCount: 2 },
      { name: 'CIK0000000001-submissions-1000.json', filingTo: null, filingCount: null },
    ]);
  });
  it.each([
    '../CIK0000000001-submissions-001.json',
    'https://example.com/CIK0000000001-submissions-001.json',
    'CIK0000000001.json',
    'CIK1-submissions-001.json',
    'CIK0000000001-submissions-001.json?x',
    5,
  ])('must not have the name %j', (name) => {
    expect(() => withFiles([{ ...extraPage(cik, 1, rows), name }])).toThrow(/^filings\.files\.0\.name: /);
  });
  it('an extra page of another company is refused', () => {
    expect(() => withFiles([extraPage(cik, 1, rows), extraPage('0000000002', 1, rows)])).toThrow(
      'CIK0000000002-submissions-001.json',
    );
  });
  it('an extra page has columns without a wrapper', () => {
    expect(
      toFilings(parseExtraPage(bytes(columnsOf(rows))), entityWith({}), 'p', utc).filings.map(
        ({ filedAt }) => filedAt,
      ),
    ).toEqual(['2010-05-06', '2009-01-02']);
    expect(() => parseExtraPage(bytes(submissionsOf(cik, rows)))).toThrow(/^accessionNumber: /);
  });
});

it.each([
  '{"cik":"1"}',
  '{"cik":"1","name":"N"}',
  '{"cik":"1","name":"N","filings":{}}',
  '{"cik":"1","name":"N","filings":{"recent":null}}',
])('a file of JSON that is %s is refused', (text) =>
  expect(() => parseSubmissions(Buffer.from(text), cik)).toThrow(/^(name|filings|it)\b/),
);
