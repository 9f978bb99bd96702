import Papa from 'papaparse';
import { beforeAll, describe, expect, it } from 'vitest';
import { candidateMarkets } from '../../site/catalog/markets.ts';
import { csvFileOf } from '../../site/content/csv-file.ts';
import { cellsOf, sheetCellsOf } from '../../site/content/sheet.ts';
import { Catalog } from '../../src/contract/catalog.ts';
import { ErrorResponse } from '../../src/contract/errors.ts';
import { Company, Filing } from '../../src/contract/records.ts';
import { SampleResponse } from '../../src/contract/intents.ts';
import { publicCaching } from '../../src/http/send.ts';
import { preparePart } from '../../src/http/range.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { configuredSettings, useSample } from '../support/sample.ts';
import { faultsOf, schemaFile } from '../support/schemas.ts';
import { valuesIn } from '../support/values.ts';

const base = configuredSettings.baseUrl;
const service = useSample(configuredSettings);
let catalog: Catalog;
beforeAll(async () => {
  catalog = Catalog.parse(await (await service.get('/markets.json', { 'x-api-key': '' })).json());
});

const pathOf = (url: string) => url.slice(base.length).replace(/#.*$/, '');

describe('the catalog', () => {
  it('the catalog keeps to its schema at both of its paths', async () => {
    const text = await (await service.get('/markets.json')).text();
    expect(Catalog.parse(JSON.parse(text))).toEqual(JSON.parse(text));
    expect(await (await service.get('/.well-known/markets.json')).text()).toBe(text);
  });

  it('the catalog offers every market once, and counts them', () => {
    expect(catalog.markets.map(({ slug }) => slug)).toEqual([
      'sec-filings',
      ...candidateMarkets.map(({ slug }) => slug),
    ]);
    expect(catalog.markets.length).toBe(15);
    expect(catalog.markets.filter(({ stage }) => stage === 'live').map(({ slug }) => slug)).toEqual([
      'sec-filings',
    ]);
    const sum = (count: (market: Catalog['markets'][number]) => number) =>
      catalog.markets.reduce((total, market) => total + count(market), 0);
    expect(catalog.summary).toEqual({
      marketCount: 15,
      dataFeedCount: sum(({ dataFeeds }) => dataFeeds.length),
      datasetSampleCount: sum(({ sampleDatasets }) => sampleDatasets.length),
      workflowCount: sum(({ workflows }) => workflows.length),
    });
    for (const { dataFeeds, workflows, sampleDatasets } of catalog.markets)
      expect(Math.min(dataFeeds.length, workflows.length, sampleDatasets.length + 1)).toBeGreaterThan(1);
  });

  it('each workflow of the catalog answers at its path', async () => {
    for (const { workflows } of catalog.markets)
      for (const { sampleEndpoint } of workflows)
        expect([sampleEndpoint, (await service.get(sampleEndpoint)).status]).toEqual([sampleEndpoint, 200]);
  });
});

/** The text of a cell that is written so that a spreadsheet shows it as it is. */
const unquoted = (cell: string) => /^="(.*)"$/.exec(cell)?.[1] ?? cell;

describe('samples', () => {
  it('each sample has the same rows as JSON and as CSV, and enough of them', async () => {
    for (const { slug: market, sampleDatasets } of catalog.markets) {
      for (const { slug, url, csvUrl, rowCount } of sampleDatasets) {
        const { data, meta } = SampleResponse.parse(await (await service.get(pathOf(url))).json());
        expect(meta).toEqual({
          count: rowCount,
          market,
          dataset: slug,
          sampleOnly: true,
          notInvestmentAdvice: true,
        });
        expect(rowCount).toBeGreaterThanOrEqual(25);
        const text = await (await service.get(pathOf(csvUrl))).text();
        expect(text.endsWith('\r\n')).toBe(true);
        const parsed = Papa.parse<string[]>(text.trimEnd(), { delimiter: ',', newline: '\r\n' });
        expect(parsed.errors).toEqual([]);
        const [header = [], ...rows] = parsed.data;
        expect(header).toEqual(Object.keys(data[0] ?? {}));
        expect(
          rows.map((row) => row.map((cell, at) => (header[at] === 'parties' ? '' : unquoted(cell)))),
        ).toEqual(
          data.map((row) =>
            Object.entries(row).map(([name, value]) =>
              value === null || name === 'parties' ? '' : String(value),
            ),
          ),
        );
      }
    }
  });

  it('a sample that is an extract of the snapshot keeps every column of the record', async () => {
    const extracts = { 'latest-filings': Filing, 'latest-insider-filings': Filing, companies: Company };
    const live = catalog.markets.find(({ slug }) => slug === 'sec-filings');
    expect(live?.sampleDatasets.map(({ slug }) => slug)).toEqual(Object.keys(extracts));
    for (const { slug, csvUrl } of live?.sampleDatasets ?? []) {
      const [header] = (await (await service.get(pathOf(csvUrl))).text()).split('\r\n');
      expect(header?.split(',')).toEqual(Object.keys(extracts[slug as keyof typeof extracts].shape));
    }
    const [header] = (await (await service.get('/explore/data/AAPL.csv')).text()).split('\r\n');
    expect(header?.split(',')).toEqual(Object.keys(Filing.shape));
  });

  it('the sample of recalls has the specified members', async () => {
    const { data } = SampleResponse.parse(await (await service.get('/v1/products/cpsc/recalls')).json());
    for (const row of data)
      expect(Object.keys(row)).toEqual(
        valuesIn(`
        recallDate | recallId | productName | category | hazard | remedy | units | manufacturer
        sourceUrl`),
      );
  });

  it('a data package that its schema accepts describes the samples, whose values are as it says', async () => {
    const ofType = {
      string: /^(?![='])/,
      integer: /^-?\d+$/,
      number: /^-?\d+(\.\d+)?$/,
      boolean: /^(true|false)$/,
      date: /^\d{4}-\d\d-\d\d$/,
      year: /^\d{4}$/,
    };
    const validate = schemaFile('datapackage.json');
    for (const { slug, dataPackageUrl, sampleDatasets } of catalog.markets) {
      const descriptor = await service.json<{
        resources: {
          path: string;
          bytes: number;
          hash: string;
          dialect: { property: 'data' };
          schema: { fields: { name: string; type: keyof typeof ofType; description: string }[] };
        }[];
      }>(pathOf(dataPackageUrl));
      expect(faultsOf(validate, descriptor)).toEqual([]);
      expect(descriptor.resources.length).toBe(sampleDatasets.length);
      for (const { path, bytes, hash, dialect, schema } of descriptor.resources) {
        const file = Buffer.from(await (await service.get(`/markets/${slug}/${path}`)).arrayBuffer());
        expect([file.length, `sha256:${sha256Of(file)}`]).toEqual([bytes, hash]);
        for (const { description } of schema.fields) expect(description).not.toBe('');
        const rows = (JSON.parse(file.toString()) as Record<'data', Record<string, unknown>[]>)[
          dialect.property
        ];
        expect(rows.length).toBeGreaterThan(0);
        for (const row of rows) {
          expect(Object.keys(row)).toEqual(schema.fields.map(({ name }) => name));
          for (const { name, type } of schema.fields)
            if (row[name] !== null) expect(String(row[name]), `${path} ${name}`).toMatch(ofType[type]);
          if ('cik' in row) expect(row['cik']).toMatch(/^\d{10}$/);
        }
      }
    }
  });

  it('a sample is a download with file name, ETag, digest, long caching and ranges', async () => {
    const path = pathOf(catalog.markets[1]?.sampleDatasets[0]?.csvUrl ?? '');
    const whole = await service.get(path, { 'x-api-key': '' });
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(whole.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(whole.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.csv"$/);
    expect(whole.headers.get('cache-control')).toContain('s-maxage=86400');
    expect(whole.headers.get('repr-digest')).toBe(
      `sha-256=:${Buffer.from(sha256Of(bytes), 'hex').toString('base64')}:`,
    );
    const etag = whole.headers.get('etag') ?? '';
    const part = await service.get(path, { range: 'bytes=10-19', 'accept-encoding': 'gzip' });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      `bytes 10-19/${bytes.length}`,
      bytes.toString('utf8', 10, 20),
    ]);
    expect((await service.get(path, { range: 'bytes=10-19', 'if-range': etag })).status).toBe(206);
    for (const other of ['"other"', '*', `W/${etag}`, `"other", ${etag}`, 'Sat, 01 Aug 2026 00:00:00 GMT'])
      expect([other, (await service.get(path, { range: 'bytes=10-19', 'if-range': other })).status]).toEqual([
        other,
        200,
      ]);
    expect((await service.get(path, { range: 'bytes=10-19', 'if-none-match': etag })).status).toBe(304);
    expect((await service.get(path, { range: 'bytes=10-19', 'if-none-match': '"other"' })).status).toBe(200);
    expect((await service.get(path, { range: 'bytes=10-19' }, 'HEAD')).status).toBe(200);
    const beyond = await service.get(path, { range: `bytes=${bytes.length}-` });
    expect([beyond.status, beyond.headers.get('content-range'), beyond.headers.get('cache-control')]).toEqual(
      [416, `bytes */${bytes.length}`, 'no-store'],
    );
  });
});

describe('ranges', () => {
  const answer = { contentType: 'text/plain', etag: '"a"', body: () => Buffer.from('0123456789') };
  it.each<[string, number, string]>([
    ['bytes=0-0', 206, '0'],
    ['bytes=0-', 206, '0123456789'],
    ['Bytes=0-1', 206, '01'],
    [`bytes=0-${'9'.repeat(400)}`, 206, '0123456789'],
    [`bytes=${'9'.repeat(400)}-`, 416, ''],
    ['bytes=-3', 206, '789'],
    ['bytes=-30', 206, '0123456789'],
    ['bytes=8-99', 206, '89'],
    ['bytes=10-', 416, ''],
    ['bytes=-0', 416, ''],
  ])('%s', (range, status, text) => {
    if (status === 416)
      return expect(() => preparePart({ method: 'GET', headers: { range } }, answer, publicCaching)).toThrow(
        'Range: must begin before byte 10',
      );
    const part = preparePart({ method: 'GET', headers: { range } }, answer, publicCaching);
    return expect([part?.status, part?.body?.toString()]).toEqual([status, text]);
  });
  it.each(['bytes=5-2', 'bytes=-', 'bytes=1-2,4-5', 'items=0-1', 'bytes=a-b', ''])(
    'the range %s is ignored',
    (range) => expect(preparePart({ method: 'GET', headers: { range } }, answer, publicCaching)).toBeNull(),
  );
});

describe('sample-only paths', () => {
  const samples = () =>
    candidateMarkets.flatMap((market) =>
      market.workflows.map((workflow) => ({ ...workflow, market: market.slug })),
    );

  it('a sample-only path answers any caller with a key with its sample', async () => {
    for (const { path, parameters, market, dataset } of samples()) {
      const query = parameters.map(({ name, example }) => `${name}=${encodeURIComponent(example)}`).join('&');
      const [plain, asked, open] = [
        await service.get(path),
        await service.get(`${path}?${query}`),
        await service.get(`${path}?${query}`, { 'x-api-key': '' }),
      ];
      expect([plain.status, asked.status, open.status]).toEqual([200, 200, 401]);
      const text = await plain.text();
      expect(await asked.text()).toBe(text);
      expect(SampleResponse.parse(JSON.parse(text)).meta).toMatchObject({
        market,
        dataset,
        sampleOnly: true,
      });
      expect(plain.headers.get('cache-control')).toBe('private, no-cache');
      expect(plain.headers.get('content-disposition')).toBeNull();
      expect((await service.get(path, { 'if-none-match': plain.headers.get('etag') ?? '' })).status).toBe(
        304,
      );
    }
  });

  it('a sample-only path checks its parameters', async () => {
    for (const query of [
      'nonsense=1',
      'since=2026-02-30',
      'since=',
      'manufacturer=',
      `manufacturer=${'x'.repeat(101)}`,
      'since=2026-08-01&since=2026-08-01',
      'manufacturer=a%00b',
    ]) {
      const response = await service.get(`/v1/products/cpsc/recall-alerts?${query}`);
      expect([query, response.status]).toEqual([query, 400]);
      expect(ErrorResponse.parse(await response.json()).error.message).toContain(query.split('=')[0]);
    }
    expect((await service.get('/v1/products/cpsc/recall-alerts', {}, 'POST')).status).toBe(405);
    expect((await service.get('/v1/products/cpsc/nothing')).status).toBe(404);
  });

  it('sample-only paths have a schema document of their own, which the catalog names', async () => {
    const { openapiUrl } = Catalog.parse(await (await service.get('/markets.json')).json());
    const { paths } = await service.json<{ paths: Record<string, { get?: { security: unknown[] } }> }>(
      openapiUrl,
    );
    for (const { path } of samples()) expect(paths[path]?.get?.security.length).toBe(3);
    const main = await service.json<{ paths: object }>('/openapi.json');
    expect(Object.keys(main.paths)).toContain('/validate/{market}/{action}');
  });
});

describe('CSV', () => {
  it('CSV has a cell for each member: lists with spaces between, objects as JSON', () => {
    const record = {
      a: 'x',
      b: null,
      c: 5,
      d: false,
      e: ['2.02', '9.01'],
      f: [],
      g: [{ cik: '1', role: null }],
      h: { k: 'v' },
    };
    expect(cellsOf(record, ['e', 'a', 'b', 'c', 'd', 'f', 'g', 'h', 'absent'])).toEqual([
      '2.02 9.01',
      'x',
      null,
      5,
      false,
      '',
      '[{"cik":"1","role":null}]',
      '{"k":"v"}',
      null,
    ]);
  });

  it('CSV opened by a spreadsheet keeps CIKs, times and items, and names parties', () => {
    const rowOf = (name: string, text: string) =>
      Papa.parse<string[]>(csvFileOf([name], [[text]]).trimEnd(), { delimiter: ',' }).data[1]?.[0];
    for (const text of ['0000320193', '20251212180201', '5.10', '0.50', '1e5', '123456789012'])
      expect(rowOf('a', text)).toBe(`="${text}"`);
    for (const text of ['2.02', '144', '10-K', '8-K', '2025-12-12', '2.02 9.01', '0000320193-25-000079', 'x'])
      expect(rowOf('a', text)).toBe(text);
    const parties = [
      { cik: '0000320193', name: 'Apple Inc.', role: 'issuer' },
      { cik: '0001214156', name: null, role: 'reporting_owner' },
      { cik: '1', name: 'One', role: null },
    ] as const;
    expect(sheetCellsOf({ parties }, ['parties'])).toEqual([
      'Apple Inc. (issuer); 0001214156 (reporting_owner); One',
    ]);
  });

  it('CSV is safe in a spreadsheet, and leaves numbers alone', () => {
    const names = ['a', 'b'];
    expect(
      csvFileOf(names, [
        ['=1+1', -5],
        ['@x', 1.5],
        ['a"b,c\nd', null],
        ['-x', true],
      ]),
    ).toBe('\ufeffa,b\r\n\'=1+1,-5\r\n\'@x,1.5\r\n"a""b,c\nd",\r\n\'-x,true\r\n');
    expect(csvFileOf(names, [])).toBe('\ufeffa,b\r\n');
    const cellOf = (text: string) => Papa.parse<string[]>(csvFileOf(['a'], [[text]]).trimEnd()).data[1]?.[0];
    for (const sign of '=+-@＝＋－＠﹦﹢﹣﹫⁼⁺')
      for (const before of ['', ' ', '\u00a0', '\u3000', '\u200b', '\u202e', '\ufeff', '\u001b'])
        expect(cellOf(`${before}${sign}cmd|' /C calc'!A0`)).toBe(`'${before}${sign}cmd|' /C calc'!A0`);
    for (const text of ['\tx', '\rx', '\nx']) expect(cellOf(text)).toBe(`'${text}`);
    for (const text of ['A=1', 'Ａ＝1', 'Yahoo! ＠ Japan', '株式会社', "'=1"])
      expect(cellOf(text)).toBe(text);
  });
});
