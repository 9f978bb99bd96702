import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressesOf, linksOf, type AddressedFiling } from '../../build/ledger/document-addresses.ts';
import { eventTypeOfForm } from '../../src/domain/event-types.ts';
import { FilingLinks } from '../../src/contract/records.ts';
import { anyAccession, day, hostileText, someCik } from '../support/arbitraries.ts';
import { recordings } from '../support/replay.ts';
import { needs } from '../support/needs.ts';

const folder = 'https://www.sec.gov/Archives/edgar/data/320193/000032019325000079';

/** A filing of Apple with another form, document or date. */
function addressed(
  form: string,
  primaryDocument: string | null,
  members: Partial<AddressedFiling> = {},
): AddressedFiling {
  return {
    accessionNo: '0000320193-25-000079',
    cik: '0000320193',
    eventType: eventTypeOfForm(form),
    filedAt: '2025-10-31',
    primaryDocument,
    exhibits: null,
    ...members,
  };
}

describe('the addresses of a filing', () => {
  it('a filing has the addresses of its folder, its files and its complete text', () => {
    expect(linksOf(addressed('10-K', 'aapl-20250927.htm'))).toEqual({
      index: `${folder}/0000320193-25-000079-index.htm`,
      document: `${folder}/aapl-20250927.htm`,
      text: 'https://www.sec.gov/Archives/edgar/data/320193/0000320193-25-000079.txt',
      header: `${folder}/0000320193-25-000079.hdr.sgml`,
      xml: null,
      pressRelease: null,
    });
    const address = { cik: '0000320193', accessionNo: '0000320193-25-000079', primaryDocument: null };
    expect(addressesOf(address).detailUrl).toBe(`${folder}/0000320193-25-000079-index.htm`);
  });

  it('the press release of a current report is its first exhibit 99 with one of three types', () => {
    const exhibits = ['EX-10.1', 'EX-99.2', 'EX-99.01', 'EX-99.1'].map((type) => ({
      type,
      name: `${type}.htm`,
    }));
    const releaseOf = (form: string) => linksOf({ ...addressed(form, null), exhibits }).pressRelease;
    expect([releaseOf('8-K/A'), releaseOf('6-K')]).toEqual(Array(2).fill(`${folder}/EX-99.01.htm`));
    expect([releaseOf('10-K'), linksOf({ ...addressed('8-K', null), exhibits: [] }).pressRelease]).toEqual([
      null,
      null,
    ]);
  });

  it.each([
    [
      '4',
      'xslF345X06/wk-form4_1786569187.xml',
      'xslF345X06/wk-form4_1786569187.xml',
      'wk-form4_1786569187.xml',
    ],
    ['4/A', 'xslF345X03/doc4.xml', 'xslF345X03/doc4.xml', 'doc4.xml'],
    ['3', 'xslF345X02/primary_doc.xml', 'xslF345X02/primary_doc.xml', 'primary_doc.xml'],
    ['5', 'xslF345X01/edgardoc.xml', 'xslF345X01/edgardoc.xml', 'edgardoc.xml'],
    ['4', 'form4.xml', 'form4.xml', null],
    ['4', 'edgar.htm', 'edgar.htm', null],
    ['4', null, null, null],
    ['144', 'xsl144X01/primary_doc.xml', 'xsl144X01/primary_doc.xml', null],
    ['SCHEDULE 13G', 'xslSCHEDULE_13G_X02/primary_doc.xml', 'xslSCHEDULE_13G_X02/primary_doc.xml', null],
    ['13F-HR', 'xslForm13F_X02/primary_doc.xml', 'xslForm13F_X02/primary_doc.xml', null],
    ['8-K', 'R1.HTM', 'R1.HTM', null],
    ['8-K', 'a b#c?d%.htm', 'a%20b%23c%3Fd%25.htm', null],
    ['8-K', 'ünï.htm', '%C3%BCn%C3%AF.htm', null],
    ['10-Q', '0001.txt', null, null],
    ['10-Q', '0001.htm', '0001.htm', null],
    ['10-Q', '0000950131-99-004925-d1.html', '0000950131-99-004925-d1.html', null],
    ['11-K', '9999999997-17-007455.paper', null, null],
    ['8-K', '../../1/secret.htm', null, null],
    ['8-K', './a.htm', null, null],
    ['8-K', '/a.htm', null, null],
    ['8-K', 'a//b.htm', null, null],
    ['8-K', '', null, null],
  ])('Form %s with %j leads to the document %j and the XML %j', (form, name, document, xml) => {
    const filing = addressed(form, name);
    const links = linksOf(filing);
    expect(links).toMatchObject({
      document: document && `${folder}/${document}`,
      xml: xml && `${folder}/${xml}`,
    });
    expect(addressesOf(filing).documentUrl).toBe(links.document);
  });

  it.each([
    ['2010-01-01', '0000320193-10-000001', true],
    ['2009-12-31', '0000320193-09-000001', false],
    [null, '0000320193-25-000079', false],
    ['2017-06-29', '9999999997-17-007455', false],
    ['2025-05-01', '9999999995-25-001582', true],
  ])(
    'a filing of %s with the accession number %s has a header file: %j',
    (filedAt, accessionNo, hasHeader) => {
      expect(linksOf(addressed('10-K', 'a.htm', { filedAt, accessionNo })).header !== null).toBe(hasHeader);
    },
  );

  it('the addresses of a filing stay in its folder, whatever its document is called', () => {
    fc.assert(
      fc.property(
        anyAccession,
        someCik,
        fc.constantFrom('4', '8-K', '144'),
        fc.option(
          fc
            .array(fc.oneof(hostileText, fc.constantFrom('xslF345X05', 'a.xml', '..')), {
              minLength: 1,
              maxLength: 3,
            })
            .map((parts) => parts.join('/')),
        ),
        day,
        (accessionNo, cik, form, primaryDocument, filedAt) => {
          const links = linksOf({
            accessionNo,
            cik,
            eventType: eventTypeOfForm(form),
            filedAt,
            primaryDocument,
            exhibits: null,
          });
          FilingLinks.parse(links);
          const own = `https://www.sec.gov/Archives/edgar/data/${Number(cik)}/${accessionNo.replaceAll('-', '')}/`;
          for (const url of [links.index, links.document, links.header, links.xml]) {
            if (url === null) continue;
            expect(url).toMatch(/^[!-~]+$/);
            // A browser resolves the address: one that leaves the folder begins differently.
            expect(new URL(url).href.startsWith(own)).toBe(true);
            expect([new URL(url).search, new URL(url).hash]).toEqual(['', '']);
          }
          expect(links.text).toBe(
            `https://www.sec.gov/Archives/edgar/data/${Number(cik)}/${accessionNo}.txt`,
          );
        },
      ),
    );
  });

  const index = join(
    recordings,
    'indexes/www.sec.gov/Archives/edgar/daily-index/2020/QTR1/master.20200103.idx',
  );
  it("the complete text of a filing has the address that EDGAR's index names", needs('recordings'), () => {
    const rows = readFileSync(index, 'latin1')
      .split('\n')
      .map((line) => line.split('|'))
      .filter((fields) => fields.length === 5 && /^\d+$/.test(fields[0] ?? ''));
    expect(rows.length).toBeGreaterThan(1000);
    for (const [cik = '', , form = '', , path = ''] of rows) {
      const accessionNo = path.slice(path.lastIndexOf('/') + 1, -'.txt'.length);
      expect(
        linksOf({
          accessionNo,
          cik: cik.padStart(10, '0'),
          eventType: eventTypeOfForm(form),
          filedAt: '2020-01-03',
          primaryDocument: null,
          exhibits: null,
        }).text,
      ).toBe(`https://www.sec.gov/Archives/${path.trim()}`);
    }
  });
});
