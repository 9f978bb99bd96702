import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Section16Document } from '../../src/contract/ownership-document.ts';
import { dataSetFile, readDataSet, type DataSetFiling } from '../../build/contents/data-set.ts';
import { parseOwnership } from '../../build/contents/ownership-file.ts';
import { asDataSetTells, headOf, writeDataSet, type DataSetSpelling } from '../support/data-set.ts';
import { writeLargeZip } from '../support/zip.ts';
import { needs, recordings } from '../support/needs.ts';
import { section16Tree, xmlOfTree, type XmlSpelling } from '../support/ownership-xml.ts';

const folder = mkdtempSync(join(tmpdir(), 'data-set-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'set.zip');

async function readAll(heldMaximum?: number): Promise<DataSetFiling[]> {
  const filings: DataSetFiling[] = [];
  for await (const filing of readDataSet(path, join(folder, 'runs'), heldMaximum)) filings.push(filing);
  expect(existsSync(join(folder, 'runs'))).toBe(false);
  return filings;
}

const spelling: XmlSpelling = {
  lineEnd: '',
  prefixes: ['', 'com'],
  declaration: '',
  hasMark: false,
  emptyAsPair: true,
  comment: '',
};
const accessionOf = (at: number) => `0001234567-26-${String((at * 7919) % 1_000_000).padStart(6, '0')}`;
/** Documents that are drawn, read from their XML. */
const documents = (count: number, seed: number) =>
  fc.sample(section16Tree, { numRuns: count, seed }).map((tree, at) => {
    const { document } = parseOwnership(xmlOfTree(tree, spelling));
    return [accessionOf(at), document as Section16Document] as const;
  });
const told = (filings: ReturnType<typeof documents>, hasPlanColumn: boolean) =>
  filings
    .map(([accessionNo, document]) => ({
      accessionNo,
      read: { document: asDataSetTells(document, hasPlanColumn), refused: [] },
    }))
    .sort((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1));

const asWritten: DataSetSpelling = { hasPlanColumn: true, order: (_, rows) => rows };
/** Rows by keys that are turned round; those whose order tells something stay. */
const shuffled: DataSetSpelling['order'] = (table, rows) =>
  ['OWNER_SIGNATURE', 'FOOTNOTES', 'REPORTINGOWNER'].includes(table) ? rows : rows.toReversed();

describe('a data set', () => {
  it.each([
    ['in memory', undefined, true],
    ['through runs on the disk, without the column of the plan', 20_000, false],
  ])('of rows in no order, %s, tells what the documents say', async (_, heldMaximum, hasPlanColumn) => {
    const filings = documents(80, 7);
    writeDataSet(path, filings, { hasPlanColumn, order: shuffled });
    expect(await readAll(heldMaximum)).toEqual(told(filings, hasPlanColumn));
  });

  it('a filing with a broken row, without a submission or without an owner is refused with the reason', async () => {
    const filings = documents(6, 3);
    const [cut, orphan, lonely] = filings.map(([accessionNo]) => accessionNo);
    writeDataSet(path, filings, {
      ...asWritten,
      edit(table, text) {
        const lines = text.split('\n');
        const without = (accessionNo = '') =>
          lines.filter((line) => !line.startsWith(accessionNo)).join('\n');
        if (table === 'OWNER_SIGNATURE') return `${text}${cut}\tshort\nstray\tline\n`;
        if (table === 'SUBMISSION') return without(orphan);
        return table === 'REPORTINGOWNER' ? without(lonely) : text;
      },
    });
    const read = await readAll();
    expect(
      read.flatMap((filing) => ('reason' in filing ? [[filing.accessionNo, filing.reason]] : [])),
    ).toEqual(
      [
        ['', 'a row of OWNER_SIGNATURE.tsv has 2 columns'],
        [cut, 'a row of OWNER_SIGNATURE.tsv has 2 columns'],
        [orphan, 'it is not in SUBMISSION.tsv'],
        [lonely, 'it names no owner'],
      ].sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    );
    expect(read.filter((filing) => 'read' in filing).length).toBe(3);
  });

  it('a file that lacks a table or a column, is cut off or is no zip file is refused as a whole', async () => {
    const filings = documents(3, 1);
    writeDataSet(path, filings, {
      ...asWritten,
      edit: (table, text) => (table === 'FOOTNOTES' ? null : text),
    });
    await expect(readAll()).rejects.toThrow('it has no FOOTNOTES.tsv');
    writeDataSet(path, filings, { ...asWritten, edit: (_, text) => text.replace('TRANS_CODE', 'CODE') });
    await expect(readAll()).rejects.toThrow('NONDERIV_TRANS.tsv has no TRANS_CODE');
    const { writeFileSync } = await import('node:fs');
    writeDataSet(path, filings, asWritten);
    writeFileSync(path, readFileSync(path).subarray(0, 2000));
    await expect(readAll()).rejects.toThrow();
    writeFileSync(path, '<html>Request Rate Threshold Exceeded</html>');
    await expect(readAll()).rejects.toThrow();
  });

  it('the data set of a quarter is where SEC has it', () => {
    expect(dataSetFile('2024q3')).toBe(
      'files/structureddata/data/insider-transactions-data-sets/2024q3_form345.zip',
    );
  });
});

describe('recorded filings', needs('recordings'), () => {
  const root = join(recordings, 'ownership');

  it('a data set made of the recorded documents tells what their XML says', { tags: ['slow'] }, async () => {
    const filings = readdirSync(join(root, 'filings'))
      .filter((name) => /^\d{10}-\d{2}-\d{6}\.xml$/.test(name))
      .map((name) => {
        const { document } = parseOwnership(readFileSync(join(root, 'filings', name)));
        return [basename(name, '.xml'), document as Section16Document] as const;
      });
    expect(filings.length).toBeGreaterThan(400);
    writeDataSet(path, filings, { hasPlanColumn: true, order: shuffled });
    const read = await readAll(1_000_000);
    const expected = told(filings, true);
    expect(read.length).toBe(expected.length);
    for (const [at, filing] of read.entries()) expect(filing).toEqual(expected[at]);
  });

  it("SEC's data set of 2024 Q3 is read, with the tables that its recording lacks made up", async () => {
    const recorded = join(root, 'datasets/2024q3_form345');
    const tableIn = (name: string) => readFileSync(join(recorded, `${name}.tsv`));
    const accessions = tableIn('SUBMISSION')
      .toString()
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t')[0]);
    const made = [
      ['NONDERIV_TRANS', []],
      ['FOOTNOTES', []],
      [
        'REPORTINGOWNER',
        accessions.map((accession) => [accession, '0000000077', 'Doe Jane', 'Officer', ...Array(8).fill('')]),
      ],
    ] as const;
    const names = ['SUBMISSION', 'DERIV_TRANS', 'DERIV_HOLDING', 'NONDERIV_HOLDING', 'OWNER_SIGNATURE'];
    writeLargeZip(path, [
      ...names.map((name) => ({ name: `${name}.tsv`, body: tableIn(name) })),
      ...made.map(([name, rows]) => ({
        name: `${name}.tsv`,
        body: Buffer.from([headOf(name, false), ...rows].map((row) => `${row.join('\t')}\n`).join('')),
      })),
    ]);
    const read = (await readAll(500_000)).map((filing) => ('read' in filing ? filing.read : filing.reason));
    const documentsRead = read.flatMap((each) => (typeof each === 'string' ? [] : [each]));
    expect(read.filter((each) => typeof each === 'string')).toEqual([]);
    // One filing writes the price of all as that of one: no double says the product.
    expect(documentsRead.flatMap(({ refused }) => refused)).toEqual([
      'value of transaction 1 is "123937608 times 150028886"',
    ]);
    const sum = (count: (document: Section16Document) => number) =>
      documentsRead.reduce((total, { document }) => total + count(document as Section16Document), 0);
    expect([
      documentsRead.length,
      sum(({ ownership }) => ownership.transactions.length),
      sum(({ holdings }) => holdings.length),
      sum(({ signatures }) => signatures.length),
    ]).toEqual([2727, 1338, 788 + 1455, 2976]);
  });
});
