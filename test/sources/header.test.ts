import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerFile, parseHeader } from '../../build/sources/header.ts';
import { sources } from '../../build/sources/registry.ts';

const accessionNo = '0000000001-26-000001';
const section = (tag: string, name: string, cik: string, data = 'COMPANY-DATA') =>
  `<${tag}>\n<${data}>\n<CONFORMED-NAME>${name}\n<CIK>${cik}\n</${data}>\n<FILING-VALUES>\n<FORM-TYPE>4\n</FILING-VALUES>\n<FORMER-COMPANY>\n<FORMER-CONFORMED-NAME>Older Name\n</FORMER-COMPANY>\n</${tag}>\n`;
const filer = section('FILER', 'Made Up & Co. <Ltd>', '0000000001');
const tagged = (
  sections = filer,
  items = '<ITEMS>2.02\n<ITEMS>9.01\n',
) => `<SEC-HEADER>${accessionNo}.hdr.sgml : 20260302
<ACCEPTANCE-DATETIME>20260302160000
<ACCESSION-NUMBER>${accessionNo}
<TYPE>8-K
<PUBLIC-DOCUMENT-COUNT>3
<PERIOD>20260301
${items}<FILING-DATE>20260302
<DATE-OF-FILING-DATE-CHANGE>20260302
${sections}</SEC-HEADER>
`;
const worded = `<SEC-DOCUMENT>${accessionNo}.txt : 20260302
<SEC-HEADER>${accessionNo}.hdr.sgml : 20260302
<ACCEPTANCE-DATETIME>20260302160000
ACCESSION NUMBER:\t\t${accessionNo}
CONFORMED SUBMISSION TYPE:\tSC 13D/A
PUBLIC DOCUMENT COUNT:\t\t1
FILED AS OF DATE:\t\t20260302

SUBJECT COMPANY:\t

\tCOMPANY DATA:\t
\t\tCOMPANY CONFORMED NAME:\t\t\tSubject: Inc.
\t\tCENTRAL INDEX KEY:\t\t\t0000000002
\tFORMER COMPANY:
\t\tFORMER CONFORMED NAME:\tOlder

FILED BY:\t\t

\tCOMPANY DATA:\t
\t\tCOMPANY CONFORMED NAME:\t\t\tDoe Jane
\t\tCENTRAL INDEX KEY:\t\t\t0000000003
</SEC-HEADER>
<DOCUMENT>
<TYPE>SC 13D/A
`;
const parse = (text: string) => parseHeader(Buffer.from(text, 'latin1'), accessionNo);

describe('a header of tags', () => {
  it('a header has every member', () => {
    expect(parse(tagged())).toEqual({
      accessionNo,
      form: '8-K',
      filedAt: '2026-03-02',
      reportDate: '2026-03-01',
      acceptedEastern: '20260302160000',
      items: ['2.02', '9.01'],
      parties: [{ cik: '0000000001', name: 'Made Up & Co. <Ltd>', role: 'filer' }],
    });
  });
  it.each([
    ['FILER', 'filer'],
    ['ISSUER', 'issuer'],
    ['REPORTING-OWNER', 'reporting_owner'],
    ['SUBJECT-COMPANY', 'subject'],
    ['FILED-BY', 'filed_by'],
    ['FILED-FOR', 'filer'],
    ['DEPOSITOR', null],
  ])('a header names the entity of %s as %j', (tag, role) => {
    expect(parse(tagged(section(tag, 'N', '2', 'OWNER-DATA')))).toMatchObject({
      parties: [{ cik: '0000000002', name: 'N', role }],
    });
  });
  it('a header names each entity once for each of its roles', () => {
    const { parties } = parse(
      tagged(
        [
          section('REPORTING-OWNER', 'Doe Jane', '3', 'OWNER-DATA'),
          section('REPORTING-OWNER', 'Roe Max', '4', 'OWNER-DATA'),
          section('ISSUER', 'I', '5'),
          section('ISSUER', 'I', '5'),
        ].join(''),
      ),
    );
    expect(parties.map(({ name, role }) => `${name} ${role}`)).toEqual([
      'Doe Jane reporting_owner',
      'Roe Max reporting_owner',
      'I issuer',
    ]);
  });
  it('a header reads owners of series and former names as no entities', () => {
    expect(
      parse(tagged(`${filer}<SERIES>\n<OWNER-CIK>0000000009\n<SERIES-NAME>S\n</SERIES>\n`)).parties,
    ).toHaveLength(1);
  });
  it('a header names everybody in its sections, whatever they are called and in any order', () => {
    const known = new Map<string, string | null>([
      ['FILER', 'filer'],
      ['ISSUER', 'issuer'],
      ['FILED-BY', 'filed_by'],
      ['FILED_BY', 'filed_by'],
      ['UNDERWRITER', null],
    ]);
    const tag = fc.oneof(
      fc.constantFrom(...known.keys(), 'ISSUING_ENTITY', 'ISSUING-ENTITY', 'SPONSOR', 'SPONSOR2'),
      fc.stringMatching(/^Z[A-Z0-9_-]{2,12}$/),
    );
    const wordsOf = (name: string, at: number) =>
      `${name.replaceAll('-', ' ')}:\t\n\n\tCOMPANY DATA:\t\n\t\tCOMPANY CONFORMED NAME:\t\t\tN${at}\n\t\tCENTRAL INDEX KEY:\t\t\t${at + 1}\n\tBUSINESS ADDRESS:\t\n\t\tCITY:\tX\n`;
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1, maxLength: 8 }), fc.boolean(), (names, isOwner) => {
        const expected = names.map((name, at) => ({
          cik: String(at + 1).padStart(10, '0'),
          name: `N${at}`,
          role: known.get(name) ?? null,
        }));
        const group = isOwner ? 'OWNER-DATA' : 'COMPANY-DATA';
        const tags = names.map((name, at) => section(name, `N${at}`, String(at + 1), group)).join('');
        expect(parse(tagged(tags)).parties).toEqual(expected);
        expect(parse(tagged(names.map(wordsOf).join(''))).parties).toEqual(expected);
      }),
    );
  });
  it('an entity has no second part without a role beside the one that it has', () => {
    for (const sections of [
      [section('ISSUING_ENTITY', 'N', '1'), filer],
      [filer, section('ISSUING_ENTITY', 'N', '1')],
    ])
      expect(parse(tagged(sections.join(''))).parties.map(({ role }) => role)).toEqual(['filer']);
  });
  it('a company that a merger of funds names by its CIK alone is no party', () => {
    const merger =
      '<SERIES-AND-CLASSES-MERGER-DATA>\n<MERGER>\n<ACQUIRING-DATA>\n<CIK>0000000008\n</ACQUIRING-DATA>\n<TARGET-DATA>\n<CIK>0000000009\n</TARGET-DATA>\n</MERGER>\n</SERIES-AND-CLASSES-MERGER-DATA>\n';
    for (const sections of [merger + filer, filer + merger])
      expect(parse(tagged(sections)).parties).toHaveLength(1);
  });
  it('a header may be in SUBMISSION, with CRLF, in any order, with documents after it', () => {
    const other = tagged()
      .replace(/<SEC-HEADER>.*/, '<SUBMISSION>')
      .replace('</SEC-HEADER>', '<DOCUMENT>\n<TYPE>EX-99\n<CIK>7')
      .replace('<ACCEPTANCE-DATETIME>20260302160000\n', '')
      .replace('<FILER>', '<ACCEPTANCE-DATETIME>20260302160000\n<FILER>');
    expect(parse(other.replaceAll('\n', '\r\n'))).toEqual(parse(tagged()));
  });
  it('a header may lack a period, an acceptance time and items', () => {
    expect(
      parse(
        tagged(filer, '')
          .replace(/<PERIOD>.*\n/, '')
          .replace(/<ACCEPTANCE-DATETIME>.*\n/, ''),
      ),
    ).toMatchObject({ reportDate: null, acceptedEastern: null, items: [] });
  });
  it.each(['', '20260302', '20260302000000', '20260230160000', '20260302250000', '2026030216000', 'x'])(
    'a header with the acceptance time %j has none',
    (stamp) => {
      expect(
        parse(tagged().replace('<ACCEPTANCE-DATETIME>20260302160000', `<ACCEPTANCE-DATETIME>${stamp}`)),
      ).toMatchObject({ acceptedEastern: null });
    },
  );
  it('a header is read as latin-1', () =>
    expect(parse(tagged(section('FILER', 'Zürich', '1'))).parties[0]?.name).toBe('Zürich'));
});

describe('a header of words', () => {
  it('has every member', () => {
    expect(parse(worded)).toEqual({
      accessionNo,
      form: 'SC 13D/A',
      filedAt: '2026-03-02',
      reportDate: null,
      acceptedEastern: '20260302160000',
      items: [],
      parties: [
        { cik: '0000000002', name: 'Subject: Inc.', role: 'subject' },
        { cik: '0000000003', name: 'Doe Jane', role: 'filed_by' },
      ],
    });
  });
  it('a header with items in words has no item codes', () => {
    expect(
      parse(
        worded.replace('SC 13D/A', '8-K').replace('FILED AS', 'ITEM INFORMATION:\t\tOther Events\nFILED AS'),
      ),
    ).toMatchObject({ form: '8-K', items: null });
  });
});

describe('a header is refused', () => {
  it('a header that is cut off anywhere is refused', () => {
    for (const text of [tagged(), worded.slice(0, worded.indexOf('<DOCUMENT>'))]) {
      for (let end = 0; end < text.length - '</SEC-HEADER>\n'.length; end += 5)
        expect(() => parse(text.slice(0, end)), `cut at ${end}`).toThrow();
    }
  });
  it.each([
    [
      'that is about another filing',
      tagged().replaceAll(accessionNo, '0000000001-26-000002'),
      'it is about 0000000001-26-000002',
    ],
    [
      'without an accession number',
      tagged().replace(/<ACCESSION-NUMBER>.*\n/, ''),
      'it has no accession number',
    ],
    ['without a form', tagged().replace('<TYPE>8-K\n', ''), 'form ""'],
    ['without a filing date', tagged().replace(/<FILING-DATE>.*\n/, ''), 'filing date ""'],
    [
      'of a day that does not exist',
      tagged().replace('<FILING-DATE>20260302', '<FILING-DATE>20260230'),
      'filing date "20260230"',
    ],
    ['that names nobody', tagged(''), 'it names no entity'],
    ['with an entity without a CIK', tagged(filer + section('FILED-BY', 'N', '')), 'FILED-BY has the CIK ""'],
    ['with a CIK that is none', tagged(section('FILER', 'N', '12x')), 'FILER has the CIK "12x"'],
    [
      'with an entity in an unknown section without its CIK',
      tagged(`${filer}<NEIGHBOUR>\n<CONFORMED-NAME>N\n</NEIGHBOUR>\n`),
      'NEIGHBOUR has the CIK ""',
    ],
    ['that is something else', '<html>', 'it is not an SGML header'],
  ])('%s', (_, text, reason) => expect(() => parse(text)).toThrow(reason));
});

it('a header has an address, and must name the same filing', () => {
  const settings = { userAgent: '', dataUrl: '', wwwUrl: 'https://www.sec.gov', requestsPerSecond: 1 };
  const file = headerFile('0000320193', accessionNo);
  expect(sources.header.url(settings, file)).toBe(
    `https://www.sec.gov/Archives/edgar/data/320193/000000000126000001/${accessionNo}.hdr.sgml`,
  );
  expect(sources.header.parse(Buffer.from(tagged()), file).accessionNo).toBe(accessionNo);
  expect(() => sources.header.parse(Buffer.from(tagged()), headerFile('1', '0000000001-26-000009'))).toThrow(
    'it is about 0000000001-26-000001',
  );
});
