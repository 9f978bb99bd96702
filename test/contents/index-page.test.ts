import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseIndexPage } from '../../build/contents/index-page.ts';
import { exhibitsOf, pressReleaseName } from '../../src/domain/exhibits.ts';
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
    expect(
      documents.map(({ sequence, type, description, name, size }) => [
        sequence,
        type,
        description,
        name,
        size,
      ]),
    ).toEqual([
      [1, '8-K', '8-K', 'a.htm', 12345],
      [2, 'EX-99.1', 'PRESS & RELEASE', 'ex99.htm', 678],
      [3, 'GRAPHIC', null, 'logo.jpg', 9],
      [4, 'EX-101.SCH', 'SCHEMA', 'a.xsd', 7],
    ]);
    expect(exhibitsOf(documents)).toEqual([{ type: 'EX-99.1', name: 'ex99.htm' }]);
    const exhibits = exhibitsOf(documents);
    const releaseOf = (eventType: string) => pressReleaseName({ eventType, exhibits });
    expect(['current_report', 'foreign_current_report', 'annual_report'].map(releaseOf)).toEqual([
      'ex99.htm',
      'ex99.htm',
      null,
    ]);
    expect(pressReleaseName({ eventType: 'current_report', exhibits: null })).toBe(null);
  });

  it('is read without quotes and ends of cells, as a browser may save it', () => {
    const minified = eightK
      .replaceAll('</td>', '')
      .replaceAll('</tr>', '')
      .replace(/(href|class)="(\S*?)"/g, '$1=$2');
    expect(minified).toContain('href=/');
    expect(parse(minified.replaceAll('filerDiv"', 'filerDiv'))).toEqual(parse(eightK));
  });

  it('names no file where the page has none, and leaves out what EDGAR renders', () => {
    const documents = parse(
      page([
        row('1', 'FORM 4', link('xslF345X05/form4.xml', 'form4.html'), '4', '&nbsp;'),
        row('1', 'FORM 4', link('form4.xml'), '4', '7585'),
        row('2', 'LETTER', '<a href="/Archives/edgar/data/1234/"></a>', 'EX-24', ''),
      ]),
    );
    expect(documents.map(({ name, size }) => [name, size])).toEqual([
      ['form4.xml', 7585],
      [null, null],
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
    ['a list of nothing', page([]), /empty/],
    [
      'a list of thousands',
      page(Array.from({ length: 2001 }, (_, at) => row(String(at), '', link('a.htm'), 'EX-1', '1'))),
      /more than 2000/,
    ],
    ['a cell without end', page([row('1', 'x'.repeat(5000), link('a.htm'), '8-K', '1')]), /too long/],
  ])('%s is refused', (_, html, reason) => {
    expect(() => parse(html)).toThrow(reason);
  });

  it.each([
    ['a folder above', `${folder}/../x.htm`],
    ['a folder within', `${folder}/x/y.htm`],
    ['the folder of another filing', `${folder.replace('000009', '000010')}/x.htm`],
    ['another host', `https://example.com${folder}/x.htm`],
    ['a script', 'javascript:alert(1)'],
    ['a name of dots', `${folder}/..`],
    ['an encoded slash', `${folder}/..%2fx.htm`],
  ])('a document that links %s has no name', (_, address) => {
    expect(parse(page([row('1', '', `<a href="${address}">x</a>`, '8-K', '1')]))).toEqual([
      { sequence: 1, type: '8-K', description: null, name: null, size: 1 },
    ]);
  });

  it('texts lose what steers terminals, turns their direction, or is a tag', () => {
    const [document] = parse(
      page([row('1', 'A\u202eB<script>x</script>&#x1b;[2J', link('a.htm'), 'EX-99.1\u200b', '1')]),
    );
    expect(document).toMatchObject({ type: 'EX-99.1', description: 'ABx [2J' });
  });

  it('a reference to a character of Windows-1252 is that character, as in a browser', () => {
    const [document] = parse(
      page([row('1', 'FOUNDER&#146;S &#147;PLAN&#x94;', link('a.htm'), 'EX-10', '1')]),
    );
    expect(document?.description).toBe('FOUNDER’S “PLAN”');
  });

  it('a hostile page takes time with its length alone', () => {
    const cell = `<td>${'<a '.repeat(1300)}</td>`;
    const started = performance.now();
    expect(parse(page(Array.from({ length: 60 }, () => `<tr>${cell.repeat(5)}</tr>`)))).toHaveLength(60);
    expect(() => parse(page(['<tr>'.repeat(100_000)]))).toThrow('empty');
    expect(() => parse(page(['<'.repeat(500_000)]))).toThrow('empty');
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe('recorded lists', needs('recordings'), () => {
  const root = join(recordings, 'ownership/lists');
  const files = has('recordings')
    ? readdirSync(root).filter((name) => /^\d{10}-\d{2}-\d{6}-index\.html?$/.test(name))
    : [];
  const accessionOf = (name: string) => name.slice(0, '##########-##-######'.length);

  /** Reads a page as naively as possible: the cells of its rows, from the raw bytes. */
  function readNaively(html: string, accession: string) {
    const text = (cell: string) =>
      cell
        .replace(/<[^>]*>/g, '')
        .replaceAll('&nbsp;', ' ')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&')
        .replace(/\s+/g, ' ')
        .trim();
    const number = (cell: string) => (text(cell) === '' ? null : Number(text(cell)));
    return html.split('<tr').flatMap((inner) => {
      const cells = inner
        .split('<td')
        .slice(1)
        .map((cell) => cell.slice(cell.indexOf('>') + 1).split('</t')[0] ?? '');
      if (cells.length !== 5) return [];
      const [sequence = '', description = '', document = '', type = '', size = ''] = cells;
      if (text(description) === 'Complete submission text file') return [];
      if (['XML', 'ZIP', 'EXCEL', 'JSON'].includes(text(type))) return [];
      const address = document.split('href=')[1]?.split('>')[0]?.replaceAll('"', '') ?? '';
      if (address.includes('/xsl')) return [];
      const file = address.split(`/${accession.replaceAll('-', '')}/`)[1] ?? '';
      return [
        {
          sequence: number(sequence),
          type: text(type),
          description: text(description) || null,
          name: file || null,
          size: number(size),
        },
      ];
    });
  }

  it('each page says what a naive reading of it says', () => {
    expect(files.length).toBeGreaterThan(60);
    let exhibits = 0;
    for (const name of files) {
      const body = readFileSync(join(root, name));
      const documents = parseIndexPage(body, accessionOf(name));
      expect(documents, name).toEqual(readNaively(body.toString(), accessionOf(name)));
      expect(
        documents.every(({ type, sequence }) => type !== '' && sequence !== null),
        name,
      ).toBe(true);
      exhibits += exhibitsOf(documents).length;
    }
    expect(exhibits).toBeGreaterThan(300);
  });
});
