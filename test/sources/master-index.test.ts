import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchSource } from '../../build/ingest/fetch.ts';
import {
  dailyIndexFile,
  filingsOfIndex,
  goneFromIndex,
  parseMasterIndex,
  quarterlyIndexFile,
} from '../../build/sources/master-index.ts';
import { sources } from '../../build/sources/registry.ts';
import { accessDenied, ok, throttle } from '../edgar/edgar-double.ts';
import { startHarness, type Harness } from '../edgar/edgar-harness.ts';

const day = '2026-03-02';
const daily = dailyIndexFile(day);
const quarterly = quarterlyIndexFile('2026/QTR1');
const row = (cik: number, number: number, { name = 'Made Up Inc.', form = '8-K', date = '20260302' } = {}) =>
  `${cik}|${name}|${form}|${date}|edgar/data/${cik}/0000000001-26-${String(number).padStart(6, '0')}.txt`;
const dailyText = (...rows: string[]) =>
  `Description:           Daily Index of EDGAR Dissemination Feed\nLast Data Received:    Mar  2, 2026\nComments:              webmaster@sec.gov\nAnonymous FTP:         ftp://ftp.sec.gov/edgar/\n \nCIK|Company Name|Form Type|Date Filed|File Name\n${'-'.repeat(80)}\n${rows.join('\n')}\n`;
const quarterlyText = (...rows: string[]) =>
  `Description:           Master Index of EDGAR Dissemination Feed\nLast Data Received:    March 2, 2026\nComments:              webmaster@sec.gov\nCloud HTTP:            https://www.sec.gov/Archives/\n\n\n\n\nCIK|Company Name|Form Type|Date Filed|Filename\n${'-'.repeat(80)}\n${rows.join('\n')}`;
const parse = (text: string, file = daily) => parseMasterIndex(Buffer.from(text, 'latin1'), file);

describe('a master index', () => {
  it('the index of a day has one row for each filing and entity', () => {
    const made = { name: 'Made Up Inc.', form: '8-K', accessionNo: '0000000001-26-000001' };
    expect(
      parse(
        dailyText(
          row(1, 1),
          row(20, 1, { name: 'Café | Söhne' }),
          row(3, 2, { form: 'sc  13d', date: '20260227' }),
        ),
      ),
    ).toEqual({
      through: day,
      rows: [
        { ...made, cik: '0000000001', filedAt: day },
        { ...made, cik: '0000000020', filedAt: day, name: 'Café | Söhne' },
        {
          ...made,
          cik: '0000000003',
          form: 'SC 13D',
          filedAt: '2026-02-27',
          accessionNo: '0000000001-26-000002',
        },
      ],
      refused: [],
    });
  });
  it('the index of a quarter writes days with hyphens, and has no line feed at its end', () => {
    expect(
      parse(quarterlyText(row(1, 1, { date: '2026-01-02' }), row(1, 2, { date: day })), quarterly),
    ).toMatchObject({ through: day, rows: [{ filedAt: '2026-01-02' }, { filedAt: day }] });
  });
  it('an index may have CRLF', () =>
    expect(parse(dailyText(row(1, 1)).replaceAll('\n', '\r\n')).rows).toHaveLength(1));
  it('an index has an address', () => {
    const settings = { userAgent: '', dataUrl: '', wwwUrl: 'https://www.sec.gov', requestsPerSecond: 1 };
    expect(sources.masterIndex.url(settings, dailyIndexFile('2025-12-12'))).toBe(
      'https://www.sec.gov/Archives/edgar/daily-index/2025/QTR4/master.20251212.idx',
    );
    expect(sources.masterIndex.url(settings, quarterlyIndexFile('2025/QTR1'))).toBe(
      'https://www.sec.gov/Archives/edgar/full-index/2025/QTR1/master.idx',
    );
    expect(dailyIndexFile('2025-04-01')).toContain('QTR2');
  });

  it.each([
    ['four fields', '1|8-K|20260302|edgar/data/1/0000000001-26-000009.txt', 'it has 4 fields'],
    ['no accession number', '1|N|8-K|20260302|edgar/data/1/0000000001-26-00009.txt', 'file name'],
    [
      'another CIK in its file name',
      '1|N|8-K|20260302|edgar/data/2/0000000001-26-000009.txt',
      'CIK "1" and file name',
    ],
    ['the CIK 0', '0|N|8-K|20260302|edgar/data/0/0000000001-26-000009.txt', 'CIK "0"'],
    ['no CIK', '|N|8-K|20260302|edgar/data/1/0000000001-26-000009.txt', 'CIK ""'],
    ['no name', '1||8-K|20260302|edgar/data/1/0000000001-26-000009.txt', 'it has no name'],
    ['no form', '1|N||20260302|edgar/data/1/0000000001-26-000009.txt', 'form ""'],
    [
      'a day that does not exist',
      '1|N|8-K|20260230|edgar/data/1/0000000001-26-000009.txt',
      'filing date "20260230"',
    ],
    ['words', 'what is this', 'it has 1 fields'],
  ])('an index leaves a row with %s out, and takes the others', (_, broken, reason) => {
    const { rows, refused } = parse(dailyText(row(1, 1), broken, row(1, 2)));
    expect(rows.map(({ accessionNo }) => accessionNo)).toEqual([
      '0000000001-26-000001',
      '0000000001-26-000002',
    ]);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reason).toContain(reason);
  });

  it('an index that is cut off within its head or a row is refused', () => {
    const text = dailyText(row(1, 1), row(1, 2), row(1, 3)).trimEnd();
    const rowEnds = new Set([...text.matchAll(/\.txt/g)].map(({ index }) => index + '.txt'.length));
    for (let end = 0; end < text.length; end++) {
      // A cut between rows leaves what a smaller whole index would be.
      if (rowEnds.has(end) || rowEnds.has(end - 1))
        expect(parse(text.slice(0, end)).rows.length).toBeGreaterThan(0);
      else expect(() => parse(text.slice(0, end)), `cut at ${end}`).toThrow();
    }
  });
  it.each([
    [
      'a company index',
      dailyText(row(1, 1)).replace('CIK|Company Name|Form Type', 'Company Name      Form Type   CIK'),
      'it is not a master index',
    ],
    ['without rows', dailyText(), 'it lists no filing'],
    ['of another day', dailyText(row(1, 1)).replace('Mar  2', 'Mar  3'), 'it goes through 2026-03-03'],
    [
      'of no day',
      dailyText(row(1, 1)).replace('Mar  2, 2026', ''),
      'it does not say through which day it goes',
    ],
    [
      'of a month that is none',
      dailyText(row(1, 1)).replace('Mar', 'Mai'),
      'it does not say through which day it goes',
    ],
  ])('an index that is %s is refused', (_, text, reason) => expect(() => parse(text)).toThrow(reason));
  it('an index of another quarter is refused', () => {
    expect(() => parse(quarterlyText(row(1, 1)), quarterlyIndexFile('2025/QTR4'))).toThrow(
      'it goes through 2026-03-02',
    );
  });
});

describe('filings of an index', () => {
  it('a filing of an index has every entity once, in the order of the index', () => {
    const { rows } = parse(
      dailyText(
        row(30, 1),
        row(1, 2),
        row(4, 1, { name: 'Four' }),
        row(30, 1, { form: '8-K/A', name: 'Other' }),
      ),
    );
    expect(filingsOfIndex(rows)).toEqual([
      {
        accessionNo: '0000000001-26-000001',
        form: '8-K',
        forms: ['8-K', '8-K/A'],
        filedAt: day,
        entities: [
          { cik: '0000000030', name: 'Made Up Inc.' },
          { cik: '0000000004', name: 'Four' },
        ],
      },
      {
        accessionNo: '0000000001-26-000002',
        form: '8-K',
        forms: ['8-K'],
        filedAt: day,
        entities: [{ cik: '0000000001', name: 'Made Up Inc.' }],
      },
    ]);
  });
  it('a filing that an index does not list any more is gone', () => {
    const before = parse(dailyText(row(1, 1), row(2, 1), row(1, 2), row(1, 3))).rows;
    expect(goneFromIndex(before, parse(dailyText(row(2, 1), row(1, 2))).rows)).toEqual([
      '0000000001-26-000003',
    ]);
    expect(goneFromIndex(before, before)).toEqual([]);
  });
});

describe('fetching an index', () => {
  let harness: Harness;
  beforeAll(async () => void (harness = await startHarness()));
  afterAll(() => harness.close());
  it('an absent index is told apart from a throttled one', async () => {
    const client = harness.client();
    harness.edgar.route(
      `/www.sec.gov/Archives/edgar/${daily}`,
      accessDenied(),
      throttle(),
      ok(dailyText(row(1, 1))),
    );
    expect(await fetchSource(client, harness.settings, sources.masterIndex, daily)).toEqual({
      kind: 'lost',
      reason: 'not there (403)',
      cause: 'absent',
    });
    expect(await fetchSource(client, harness.settings, sources.masterIndex, daily)).toMatchObject({
      kind: 'ok',
      parsed: { through: day },
    });
    expect(client.counts.throttled).toBe(1);
  });
});
