import { describe, expect, it } from 'vitest';
import type { Section16Document } from '../../src/contract/ownership-document.ts';
import { mayHaveOwnership, ownershipFile, parseOwnership } from '../../build/contents/ownership-file.ts';
import { xmlBounds } from '../../build/contents/xml-document.ts';

const row = (values: string) =>
  `<nonDerivativeTransaction><securityTitle><value>Common Stock</value></securityTitle>${values}</nonDerivativeTransaction>`;
const sale = row(
  `<transactionDate><value>2026-06-30</value></transactionDate>
  <transactionCoding><transactionFormType>4</transactionFormType><transactionCode>S</transactionCode>
  <equitySwapInvolved>0</equitySwapInvolved><footnoteId id="F2"/></transactionCoding>
  <transactionAmounts><transactionShares><value>1000</value></transactionShares>
  <transactionPricePerShare><value>12.505</value><footnoteId id="F1"/></transactionPricePerShare>
  <transactionAcquiredDisposedCode><value>D</value></transactionAcquiredDisposedCode></transactionAmounts>
  <postTransactionAmounts><sharesOwnedFollowingTransaction><value>.5</value></sharesOwnedFollowingTransaction>
  </postTransactionAmounts>
  <ownershipNature><directOrIndirectOwnership><value>I</value></directOrIndirectOwnership>
  <natureOfOwnership><value>By
     Trust</value></natureOfOwnership></ownershipNature>`,
);
/** A Form 4 that nobody filed. */
const form4 = (rows = sale, more = '') =>
  `<ownershipDocument><schemaVersion>X0508</schemaVersion><documentType>4</documentType>
  <periodOfReport>2026-06-30-05:00</periodOfReport>
  <issuer><issuerCik>1234</issuerCik><issuerName>Made Up &amp; Co</issuerName><issuerTradingSymbol>MADE</issuerTradingSymbol></issuer>
  <reportingOwner><reportingOwnerId><rptOwnerCik>0000000077</rptOwnerCik><rptOwnerName>Doe Jane</rptOwnerName></reportingOwnerId>
  <reportingOwnerRelationship><isOfficer>true</isOfficer><officerTitle>CFO</officerTitle></reportingOwnerRelationship></reportingOwner>
  <aff10b5One>1</aff10b5One><nonDerivativeTable>${rows}</nonDerivativeTable><derivativeTable></derivativeTable>
  <footnotes><footnote id="F1">A mean.</footnote><footnote id="F2">A sale.</footnote></footnotes>${more}
  <remarks/><ownerSignature><signatureName>/s/ Jane Doe</signatureName><signatureDate>2026-07-01</signatureDate></ownerSignature>
  </ownershipDocument>`;

const parse = (xml: string | Buffer) => parseOwnership(Buffer.from(xml as string));
const transactionsOf = (xml: string | Buffer) => {
  const { document, refused } = parse(xml);
  return { transactions: (document as Section16Document).ownership.transactions, refused };
};
const withShares = (shares: string) => form4(sale.replace('<value>1000</value>', `<value>${shares}</value>`));

describe('a document about ownership', () => {
  it.each([
    ['1e5', null],
    ['1,000', null],
    ['$5', null],
    ['12345678901234567', null],
    ['999999999999.9999', 999999999999.9999],
    ['-5', -5],
    ['0', 0],
    ['', null],
  ])('%j shares are the number that a double says exactly, or null and named', (given, expected) => {
    const { transactions, refused } = transactionsOf(withShares(given));
    expect(transactions[0]?.shares).toBe(expected);
    expect(refused).toEqual(
      expected === null && given !== '' ? [`shares of transaction 1 is ${JSON.stringify(given)}`] : [],
    );
  });

  it('a price that only a footnote tells is null, and a price of 0 is 0', () => {
    const priced = (price: string) =>
      transactionsOf(form4(sale.replace('<value>12.505</value>', price))).transactions.map((each) => [
        each.price,
        each.value,
      ]);
    expect([priced(''), priced('<value></value>'), priced('<value>0.00</value>')]).toEqual([
      [[null, null]],
      [[null, null]],
      [[0, 0]],
    ]);
  });

  it.each([
    ['a flag', '<aff10b5One>1</aff10b5One>', '<aff10b5One>yes</aff10b5One>', 'isPlanned is "yes"'],
    ['a day', '2026-06-30-05:00', '2026-02-30', 'periodOfReport is "2026-02-30"'],
    ['a code', '<transactionCode>S<', '<transactionCode>SS<', 'code of transaction 1 is "SS"'],
  ])('%s that cannot be is null, and named', (_, from, to, reason) => {
    expect(parse(form4().replace(from, to)).refused).toEqual([reason]);
  });

  it('elements of another namespace do not count, whatever they are called', () => {
    const foreign = `<x:issuer xmlns:x="http://example.com/x"><x:issuerCik>9</x:issuerCik></x:issuer>`;
    expect(parse(form4(sale, foreign))).toEqual(parse(form4()));
  });
});

const inLatin1 = (xml: string) => Buffer.from(xml.replace('Doe Jane', 'Doe Jan\xe9'), 'latin1');
const utf16 = (xml: string) => Buffer.from(`\ufeff${xml}`, 'utf16le');

describe('hostile documents', () => {
  const nameIn = (xml: Buffer) => (parse(xml).document as Section16Document).ownership.owners[0]?.name;

  it('the encoding is the one that the document declares, or the one that its bytes show', () => {
    const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>${form4()}`;
    expect([
      nameIn(Buffer.from(form4().replace('Jane', 'Jané'))),
      nameIn(Buffer.from(`\ufeff${form4().replace('Jane', 'Jané')}`)),
      nameIn(inLatin1(form4())),
      nameIn(inLatin1(declared('ISO-8859-1'))),
      nameIn(inLatin1(declared('UTF-8'))),
      nameIn(utf16(form4().replace('Jane', 'Jané'))),
      nameIn(utf16(form4().replace('Jane', 'Jané')).swap16()),
    ]).toEqual(Array(7).fill('Doe Jané'));
    expect(() => parse(declared('EBCDIC-1'))).toThrow('it is in the encoding "ebcdic-1"');
  });

  it('quotation marks and dashes are those of Windows-1252, whatever the version of Node', () => {
    const bytes = (declaration: string) =>
      Buffer.from(
        `${declaration}${form4().replace('Doe Jane', '\x93Doe\x94 \x96 Jane\x92s \x80')}`,
        'latin1',
      );
    for (const declaration of [
      '',
      ...['UTF-8', 'ISO-8859-1', 'us-ascii', 'windows-1252'].map(
        (encoding) => `<?xml version="1.0" encoding="${encoding}"?>`,
      ),
    ])
      expect(nameIn(bytes(declaration)), declaration).toBe('“Doe” – Jane’s €');
  });

  it('line ends, zero bytes, invisible characters and bare ampersands change no value', () => {
    const plain = parse(form4());
    expect(parse(form4().replaceAll('\n', '\r\n'))).toEqual(plain);
    expect(parse(form4().replace('By\n', 'By\0\n').replace('Doe Jane', 'Doe Ja\u200bne'))).toEqual(plain);
    expect(parse(`\n  <?xml version="1.0"?>${form4()}`)).toEqual(plain);
    expect(parse(form4().replace('Up &amp; Co', 'Up & Co'))).toEqual(plain);
    expect(nameIn(Buffer.from(form4().replace('Doe Jane', 'Doe &me;&#13;&#10;Jane &amp;#167;')))).toBe(
      'Doe &me; Jane &#167;',
    );
  });

  it('a reference to a character of Windows-1252 is that character', () => {
    expect(
      ['&#146;', '&#0146;', '&#x92;', '&#8217;', '&amp;#146;', '&#129;', '&#127;s&#159;'].map((reference) =>
        nameIn(Buffer.from(form4().replace('Doe Jane', `Doe${reference}s`))),
      ),
    ).toEqual(['Doe’s', 'Doe’s', 'Doe’s', 'Doe’s', 'Doe&#146;s', 'Doe s', 'Doe sŸs']);
  });

  const laughs = `<!DOCTYPE x [${Array.from({ length: 9 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`).join('')}]>`;
  const levels = (count: number) => '<a>'.repeat(count) + '</a>'.repeat(count);
  it.each([
    ['a billion laughs', `${laughs}${form4().replace('Doe Jane', '&a9;')}`, /document type/],
    [
      'one long entity, many times',
      `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(100_000)}">]><a>${'&a;'.repeat(100_000)}</a>`,
      /document type/,
    ],
    [
      'an entity of another file',
      `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${form4()}`,
      /document type/,
    ],
    ['ten thousand levels', levels(10_000), /more than 16 levels/],
    ['many elements', `<a>${'<b/>'.repeat(xmlBounds.elements)}</a>`, /more than 20000 elements/],
    ['an end that lacks', form4().slice(0, -30), /unclosed tag|not XML/],
    ['tags that cross', form4().replace('</issuerCik>', '</issuerName>'), /not XML/],
    ['two issuers', form4(sale, '<issuer><issuerCik>9</issuerCik></issuer>'), /issuer twice/],
    ['no issuer', form4().replace(/<issuer>[^]*<\/issuer>/, ''), /no CIK/],
    ['no owner', form4().replace(/<reportingOwner>[^]*<\/reportingOwner>/, ''), /no owner/],
    ['a Form 8', form4().replace('>4<', '>8<'), /document type is "8"/],
    ['a page', '<!DOCTYPE html><html><body>Request rate</body></html>', /document type/],
    ['nothing', '', /it is/],
    ['JSON', '{"a":1}', /not XML/],
    ['an unknown root', '<edgarSubmission xmlns="http://example.com/x"/>', /no document about ownership/],
    ['a character that is none', form4().replace('Doe Jane', '&#0;'), /not XML/],
    [
      'a submission of text',
      '<SEC-DOCUMENT>x\n<DOCUMENT>\n<TYPE>4\n<TEXT>\nText\n</TEXT>\n</DOCUMENT>\n<XML></XML>',
      /no XML/,
    ],
    ['a submission that was cut off', `<SEC-DOCUMENT>x\n<DOCUMENT>\n<XML>${form4()}`, /cut off/],
  ])('%s is refused with the reason', (_, xml, reason) => {
    expect(() => parse(xml)).toThrow(reason);
  });

  it('a hundred megabytes and attributes without end are refused at once', () => {
    const started = process.cpuUsage().user;
    expect(() => parseOwnership(Buffer.alloc(100 * 1024 * 1024, '<a>'))).toThrow(/the most is 4194304/);
    const attributes = Array.from({ length: 100_000 }, (_, at) => `a${at}="${at}"`).join(' ');
    const refused = /more than 32 attributes/;
    expect(() => parse(form4().replace('<ownershipDocument', `<ownershipDocument ${attributes}`))).toThrow(
      refused,
    );
    const namespaces = Array.from({ length: 50_000 }, (_, at) => `xmlns:a${at}="u${at}"`).join(' ');
    expect(() => parse(form4().replace('<issuer>', `<issuer ${namespaces}>`))).toThrow(refused);
    expect(() => parse('&'.repeat(400_000))).toThrow(/not XML/);
    expect(() => parse('<![CDATA['.repeat(400_000))).toThrow(/not XML/);
    expect((process.cpuUsage().user - started) / 1e6).toBeLessThan(5);
  });
});

describe('the file of a document', () => {
  const filing = (form: string, primaryDocument: string | null) => ({
    accessionNo: '0001234567-26-000009',
    form,
    primaryDocument,
    subjectCik: '0000001234',
    filerCiks: ['0000000077'],
  });

  it.each([
    ['4', 'xslF345X05/form4.xml', 'data/1234/000123456726000009/form4.xml'],
    ['5/A', 'form5.xml', 'data/1234/000123456726000009/form5.xml'],
    ['144', 'xsl144X01/primary_doc.xml', 'data/1234/000123456726000009/primary_doc.xml'],
    ['SCHEDULE 13D/A', 'xslSCHEDULE_13D_X01/primary_doc.xml', 'data/1234/000123456726000009/primary_doc.xml'],
    ['4', null, 'data/1234/0001234567-26-000009.txt'],
    ['4', 'form4.html', null],
    ['4', '9999999997-03-000001.paper', null],
    ['4', '../../../x.xml', null],
    ['SC 13D', 'x.xml', null],
    ['8-K', 'x.xml', null],
  ])('a filing of form %s whose document is %s has it at %s', (form, document, path) => {
    expect(ownershipFile(filing(form, document))).toBe(path);
  });

  it('a filing that names no subject company is found under another one', () => {
    expect(ownershipFile({ ...filing('4', 'a.xml'), subjectCik: null })).toBe(
      'data/77/000123456726000009/a.xml',
    );
    expect(['3', '4/A', '144/A', 'SCHEDULE 13G', '10-K', 'SC 13G/A'].map(mayHaveOwnership)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
