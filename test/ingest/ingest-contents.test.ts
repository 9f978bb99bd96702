import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { dataSetFile } from '../../build/contents/data-set.ts';
import { parseOwnership } from '../../build/contents/ownership-file.ts';
import { ingestContents, type IngestContentsOptions } from '../../build/ingest/ingest-contents.ts';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerContents } from '../../build/ledger/contents.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { readContents } from '../../build/ledger/read.ts';
import type { Section16Document } from '../../src/contract/ownership-document.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { ok, startEdgarDouble, status, type EdgarDouble } from '../edgar/edgar-double.ts';
import { documentsOf, indexPage, indexPagePath } from '../support/index-pages.ts';
import { start } from '../support/command.ts';
import { asDataSetTells, writeDataSet } from '../support/data-set.ts';
import { useDirectories } from '../support/directories.ts';
import { settingsFor } from '../support/following.ts';
import { headsOf, refusalsOf } from '../support/heads.ts';
import { bareFiling, batchAt, cikOf } from '../support/made-up.ts';
import { ownershipFiles, ownershipXml, renderedDocument } from '../support/ownership-documents.ts';
import { until } from '../support/wait.ts';

const fresh = useDirectories('ingest-contents');
const running: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of running.splice(0).reverse()) await end();
});

const dayOf = (number: number) =>
  `2024-${number % 2 === 0 ? '08' : '11'}-${String(1 + (number % 27)).padStart(2, '0')}`;
const told = (number: number) => ({
  accessionNo: bareFiling(number).accessionNo,
  form: '4',
  issuer: { cik: cikOf(1), name: 'Made Up Inc.' },
  others: [{ cik: cikOf(2), name: 'Doe Jane' }],
  on: dayOf(number),
  number,
});
const rowOf = (number: number, members: Partial<LedgerFiling> = {}): LedgerFiling =>
  bareFiling(number, {
    form: '4',
    filedAt: dayOf(number),
    primaryDocument: renderedDocument('4'),
    sizeBytes: 1000,
    subjectCik: cikOf(1),
    filerCiks: [cikOf(2)],
    ...members,
  });
const documentOf = (number: number) =>
  parseOwnership(Buffer.from(ownershipXml(told(number)))).document as Section16Document;
const archives = '/www.sec.gov/Archives/edgar/';
const pathOf = (number: number) => `${archives}${ownershipFiles(told(number))[0]}`;

/** A ledger with filings, and an EDGAR that has the documents of those with these numbers. */
async function made(
  rows: readonly LedgerFiling[],
  documents: readonly number[],
): Promise<{
  ledger: string;
  edgar: EdgarDouble;
  run(options?: Partial<IngestContentsOptions>): Promise<string[]>;
}> {
  const [ledger, edgar] = [fresh(), await startEdgarDouble()];
  running.push(() => edgar.close());
  await appendBatch(ledger, {
    run: { target: 't', status: 'success', message: null, createdAt: batchAt(1) },
    filings: rows,
    companies: [],
    refusals: [],
  });
  for (const number of documents) edgar.route(pathOf(number), ok(ownershipXml(told(number))));
  return {
    ledger,
    edgar,
    async run(options = {}) {
      const lines: string[] = [];
      await ingestContents({
        kinds: ['ownership'],
        since: null,
        fromDataSets: false,
        ledgerDirectory: ledger,
        snapshotsDirectory: `${ledger}-snapshots`,
        settings: settingsFor(edgar),
        now: Date.now,
        progress: quietProgress,
        log: (line) => void lines.push(line),
        ...options,
      });
      return lines;
    },
  };
}

/** The contents of a ledger by accession number; none comes twice. */
async function contentsOf(ledger: string): Promise<Map<string, LedgerContents>> {
  const found = new Map<string, LedgerContents>();
  for (const { head } of await headsOf(ledger))
    for await (const { rows } of readContents(ledger, head))
      for (const each of rows) {
        expect(found.has(each.accessionNo), each.accessionNo).toBe(false);
        found.set(each.accessionNo, each);
      }
  return found;
}
const ofDocument = (number: number): LedgerContents => ({
  accessionNo: told(number).accessionNo,
  source: 'document',
  ownership: documentOf(number),
});

describe('contents that a ledger lacks', () => {
  it('each is asked for once, the newest filings first, and what cannot be read is named and asked for again', async () => {
    const { ledger, edgar, run } = await made(
      [
        ...[1, 2, 3, 4, 5].map((number) => rowOf(number)),
        rowOf(6, { form: '8-K' }),
        rowOf(7, { primaryDocument: 'a4.txt' }),
        rowOf(8, { filedAt: '2002-01-02' }),
      ],
      [1, 2, 3],
    );
    edgar.route(pathOf(4), ok('<ownershipDocument>'));
    const lines = await run({ since: '2024-01-01' });
    expect(edgar.requests.map(({ path }) => path)).toEqual([5, 3, 1, 4, 2].map(pathOf));
    expect([...(await contentsOf(ledger)).values()]).toEqual([1, 2, 3].map(ofDocument));
    const unread = [told(4).accessionNo, told(5).accessionNo];
    expect((await refusalsOf(ledger)).map(({ accessionNo }) => accessionNo).sort()).toEqual(unread);
    for (const accessionNo of unread) expect(lines.join('\n')).toContain(accessionNo);
    // The cache keeps what no batch has alone: it is asked for again by the next run.
    edgar.route(pathOf(5), ok(ownershipXml(told(5))));
    const before = edgar.requests.length;
    await run({ since: '2024-01-01' });
    // Both are on their way at the same time.
    expect(
      edgar.requests
        .slice(before)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual([4, 5].map(pathOf));
    expect((await contentsOf(ledger)).get(told(5).accessionNo)).toEqual(ofDocument(5));
  });

  it('both kinds of a filing are asked for together, the newest first, and are one line of the ledger', async () => {
    const { ledger, edgar, run } = await made([rowOf(1), rowOf(2, { form: '8-K' }), rowOf(3)], [1]);
    const listed = (number: number) => ({ accessionNo: told(number).accessionNo, form: '8-K' });
    const pageOf = (number: number) =>
      `/www.sec.gov/Archives/edgar/${indexPagePath(cikOf(1), told(number).accessionNo)}`;
    const page = (number: number) =>
      ok(indexPage(cikOf(1), told(number).accessionNo, documentsOf(listed(number))));
    for (const number of [1, 2]) edgar.route(pageOf(number), page(number));
    edgar.route(pageOf(3), ok(`<html>${told(3).accessionNo}</html>`));
    const kinds = ['ownership', 'documents'] as const;
    const lines = await run({ kinds });
    const asked = edgar.requests.map(({ path }) => path);
    // Both requests of a filing are on their way at the same time.
    expect([asked.slice(0, 2).toSorted(), asked.slice(2, 4).toSorted(), asked.slice(4)]).toEqual([
      [pageOf(3), pathOf(3)],
      [pageOf(1), pathOf(1)],
      [pageOf(2)],
    ]);
    const documents = (number: number) => documentsOf(listed(number));
    expect([...(await contentsOf(ledger)).values()]).toEqual([
      { ...ofDocument(1), documents: documents(1) },
      { accessionNo: told(2).accessionNo, documents: documents(2) },
    ]);
    expect((await headsOf(ledger)).map(({ head }) => head.format)).toEqual([1, 3]);
    expect(lines.join('\n')).toContain('it has no list of documents');
    edgar.route(pageOf(3), page(3));
    const before = edgar.requests.length;
    await run({ kinds: ['documents'] });
    expect(edgar.requests.slice(before).map(({ path }) => path)).toEqual([pageOf(3)]);
    expect((await contentsOf(ledger)).get(told(3).accessionNo)).toEqual({
      accessionNo: told(3).accessionNo,
      documents: documents(3),
    });
  });

  it('an EDGAR that gives no answers ends the run, which keeps what was read', async () => {
    const numbers = Array.from({ length: 20 }, (_, at) => at + 1);
    const { ledger, edgar, run } = await made(
      numbers.map((number) => rowOf(number)),
      [],
    );
    for (const number of numbers) edgar.route(pathOf(number), status(401));
    edgar.route(pathOf(19), ok(ownershipXml(told(19))));
    await expect(run()).rejects.toThrow(/^EDGAR gives no answers: /);
    expect([...(await contentsOf(ledger)).keys()]).toContain(told(19).accessionNo);
    expect(edgar.requests.length).toBeLessThan(numbers.length);
    for (const number of numbers) edgar.route(pathOf(number), ok(ownershipXml(told(number))));
    await run();
    expect([...(await contentsOf(ledger)).keys()], 'the next run asks for what got no answer').toHaveLength(
      20,
    );
  });

  it('a run that is killed loses nothing, and nothing is asked for twice but what was in flight', {
    tags: ['slow'],
  }, async () => {
    const numbers = Array.from({ length: 40 }, (_, at) => at + 1);
    const { ledger, edgar } = await made(
      numbers.map((number) => rowOf(number)),
      numbers,
    );
    const environment = {
      EDGAR_USER_AGENT: 'Contents Test test@example.com',
      EDGAR_DATA_URL: edgar.dataUrl,
      EDGAR_WWW_URL: edgar.wwwUrl,
      EDGAR_RPS: '10',
      SNAPSHOTS_DIR: `${ledger}-snapshots`,
      CONTENTS: 'ownership',
    };
    const words = ['ingest', '--contents', '--ledger', ledger];
    for (const stopAt of [8, 20]) {
      const { child, ended } = start(words, environment);
      await until(() => edgar.requests.length >= stopAt);
      await delay(20);
      child.kill('SIGKILL');
      await ended;
    }
    const { ended } = start(words, environment);
    expect((await ended).code).toBe(0);
    expect([...(await contentsOf(ledger)).values()]).toEqual(numbers.map(ofDocument));
    // Four documents are asked for at the same time, and two runs were killed.
    expect(edgar.requests.length - numbers.length).toBeLessThanOrEqual(8);
  });
});

it('data sets give the contents of past quarters with one download each, and documents count before them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sets-'));
  running.push(async () => rmSync(folder, { recursive: true, force: true }));
  // Even numbers were filed in the third quarter of 2024, whose data set has a filing that the ledger lacks.
  const { ledger, edgar, run } = await made(
    [1, 2, 3, 4, 6].map((number) => rowOf(number)),
    [1, 3, 6],
  );
  await appendBatch(ledger, {
    run: { target: 't', status: 'success', message: null, createdAt: batchAt(2) },
    filings: [],
    companies: [],
    contents: [ofDocument(2)],
    refusals: [],
  });
  const path = join(folder, 'set.zip');
  writeDataSet(
    path,
    [2, 4, 8].map((number) => [told(number).accessionNo, documentOf(number)]),
    { hasPlanColumn: true, order: (_, rows) => rows },
  );
  edgar.route(`/www.sec.gov/${dataSetFile('2024q3')}`, ok(readFileSync(path)));
  const lines = await run({ fromDataSets: true });
  expect(edgar.requests.map((request) => request.path)).toEqual([
    `/www.sec.gov/${dataSetFile('2024q4')}`,
    `/www.sec.gov/${dataSetFile('2024q3')}`,
    ...[3, 1, 6].map(pathOf),
  ]);
  const found = await contentsOf(ledger);
  expect([...found.keys()].sort()).toEqual([1, 2, 3, 4, 6].map((number) => told(number).accessionNo));
  expect(found.get(told(4).accessionNo)).toEqual({
    accessionNo: told(4).accessionNo,
    source: 'data_set',
    ownership: asDataSetTells(documentOf(4), true),
  });
  expect(found.get(told(2).accessionNo)).toEqual(ofDocument(2));
  expect(lines).toContain('2024q3: contents of 1 filings out of its data set');
  expect((await headsOf(ledger)).map(({ head }) => head.run.target)).toEqual([
    't',
    't',
    'contents of 2024q3',
    'contents',
  ]);
});
