import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  exhibitsOf,
  parseIndexPage,
  parseSubmissionDocuments,
  pressReleaseOf,
} from '../../build/contents/filing-documents.ts';
import { has, needs, recordings } from '../support/needs.ts';

const accessionNo = '0001234567-26-000009';
const folder = '/Archives/edgar/data/1234/000123456726000009';
const row = (sequence: string, description: string, name: string, type: string, size: string) =>
  `<tr class="x"><td scope="row">${sequence}</td><td scope="row">${description}</td><td scope="row">${name}</td><td>${type}</td><td>${size}</td></tr>`;
const link = (name: string, text = name) => `<a href="${folder}/${name}">${text}</a>`;
const page = (rows: readonly string[], data: readonly string[] = [], end = '<div class="filerDiv"></div>') =>
  `<html>SEC Accession No. ${accessionNo}
  <table class="tableFile" summary="Document Format Files"><tr><th>Seq</th></tr>${rows.join('\n')}</table>
  <table class="tableFile" summary="Data Files"><tr><th>Seq</th></tr>${data.join('\n')}</table>${end}`;
const eightK = page(
  [
    row('1', '8-K', `<a href="/ix?doc=${folder}/a.htm">a.htm</a> &nbsp;<span>iXBRL</span>`, '8-K', '12345'),
    row('2', 'PRESS &amp; <b>RELEASE</b>', link('ex99.htm'), 'EX-99.1', '678'),
    row('3', '', link('logo.jpg'), 'GRAPHIC', '9'),
    row('&nbsp;', 'Complete submission text file', link(`${accessionNo}.txt`), '&nbsp;', '99999'),
  ],
  [
    row('4', 'SCHEMA', link('a.xsd'), 'EX-101.SCH', '7'),
    row('15', '<b>EXTRACTED</b> XBRL', link('a_htm.xml'), 'XML', '6'),
  ],
);
const parse = (html: string) => parseIndexPage(Buffer.from(html), accessionNo);

describe('the index page of a filing', () => {
  it('lists what the filer sent, with types and sizes', () => {
    const documents = parse(eightK);
    expect(documents).toEqual([
      {
        sequence: 1,
        type: '8-K',
        description: '8-K',
        name: 'a.htm',
        size: 12345,
        url: `https://www.sec.gov${folder}/a.htm`,
      },
      {
        sequence: 2,
        type: 'EX-99.1',
        description: 'PRESS & RELEASE',
        name: 'ex99.htm',
        size: 678,
        url: `https://www.sec.gov${folder}/ex99.htm`,
      },
      {
        sequence: 3,
        type: 'GRAPHIC',
        description: null,
        name: 'logo.jpg',
        size: 9,
        url: `https://www.sec.gov${folder}/logo.jpg`,
      },
      {
        sequence: 4,
        type: 'EX-101.SCH',
        description: 'SCHEMA',
        name: 'a.xsd',
        size: 7,
        url: `https://www.sec.gov${folder}/a.xsd`,
      },
    ]);
    expect(exhibitsOf(documents)).toEqual([{ type: 'EX-99.1', name: 'ex99.htm' }]);
    expect(pressReleaseOf('8-K/A', documents)).toBe(`https://www.sec.gov${folder}/ex99.htm`);
    expect(pressReleaseOf('10-K', documents)).toBe(null);
  });

  it('names no file where the page has none, and leaves out what EDGAR renders', () => {
    const documents = parse(
      page([
        row('1', 'FORM 4', link('xslF345X05/form4.xml', 'form4.html'), '4', '&nbsp;'),
        row('1', 'FORM 4', link('form4.xml'), '4', '7585'),
        row('2', 'LETTER', '<a href="/Archives/edgar/data/1234/"></a>', 'EX-24', ''),
      ]),
    );
    expect(documents.map(({ name, url, size }) => [name, url, size])).toEqual([
      ['form4.xml', `https://www.sec.gov${folder}/form4.xml`, 7585],
      [null, null, null],
    ]);
  });

  it.each([
    [
      'a page of another filing',
      eightK.replaceAll(accessionNo, '0001234567-26-000010'),
      /not about the filing/,
    ],
    ['a page without a list', `<html>${accessionNo}</html>`, /no list of documents/],
    ['a page that ends in a table', eightK.slice(0, eightK.indexOf('</table>')), /cut off/],
    [
      'a page that ends between tables',
      eightK.slice(0, eightK.indexOf('<table class="tableFile" summary="Data')),
      /cut off/,
    ],
  ])('%s is refused', (_, html, reason) => {
    expect(() => parse(html)).toThrow(reason);
  });
});

describe('the heads of a submission', () => {
  it('list its documents without sizes, whatever stands within them', () => {
    const text = [
      '<SEC-DOCUMENT>x',
      '<DOCUMENT>',
      '<TYPE>8-K',
      '<SEQUENCE>1',
      '<FILENAME>a.htm',
      '<DESCRIPTION>FORM 8-K',
      '<TEXT>',
      '<TYPE>EX-1',
      '</TEXT>',
      '</DOCUMENT>',
      '<DOCUMENT>',
      '<TYPE>XML',
      '<FILENAME>R1.htm',
      '<TEXT>',
      '</DOCUMENT>',
      '',
    ].join('\n');
    expect(parseSubmissionDocuments(Buffer.from(text), `https://www.sec.gov${folder}`)).toEqual([
      {
        sequence: 1,
        type: '8-K',
        description: 'FORM 8-K',
        name: 'a.htm',
        size: null,
        url: `https://www.sec.gov${folder}/a.htm`,
      },
    ]);
    expect(() => parseSubmissionDocuments(Buffer.from('<html>Slow down</html>'), '')).toThrow('no documents');
  });
});

describe('recorded lists', needs('recordings'), () => {
  const root = join(recordings, 'ownership/lists');
  const names = has('recordings') ? readdirSync(root) : [];
  const read = (name: string) => readFileSync(join(root, name));
  const accessionsOf = (end: string) =>
    names.flatMap((name) => (name.endsWith(end) ? [name.slice(0, '##########-##-######'.length)] : []));

  it('each index page lists as many documents as it has rows of the filer, each with a type', () => {
    const accessions = accessionsOf('-index.html').filter((each) =>
      /<table class="tableFile"/.test(String(read(`${each}-index.html`))),
    );
    expect(accessions.length).toBeGreaterThan(60);
    for (const each of accessions) {
      const html = String(read(`${each}-index.html`));
      const documents = parseIndexPage(Buffer.from(html), each);
      const rows = html.match(/<td scope="row">[^]*?<\/tr>/g) ?? [];
      const made = rows.filter((text) =>
        /Complete submission text file|EXTRACTED|\/xsl[^"]*\.xml"/.test(text),
      );
      expect(documents.length, each).toBe(rows.length - made.length);
      expect(
        documents.filter(({ type, sequence }) => type === '' || sequence === null),
        each,
      ).toEqual([]);
    }
  });

  it('the heads of a submission and of its page list the same documents', () => {
    // Some recordings end before the first document, or lack its lines.
    const listed = (name: string) => {
      try {
        return parseSubmissionDocuments(read(name), 'x');
      } catch (error) {
        return (error as Error).message;
      }
    };
    const heads = accessionsOf('.head.txt');
    const lists = new Map(heads.map((each) => [each, listed(`${each}.head.txt`)]));
    expect(heads.length).toBeGreaterThan(100);
    expect([...lists.values()].filter((list) => typeof list === 'string').length).toBeLessThan(8);
    const others = accessionsOf('-index-headers.html').filter((each) => Array.isArray(lists.get(each)));
    expect(others.length).toBeGreaterThan(1);
    for (const each of others) expect(listed(`${each}-index-headers.html`), each).toEqual(lists.get(each));
  });
});
