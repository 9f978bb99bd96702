import { beforeAll, describe, expect, it } from 'vitest';
import { companiesOf } from '../../build/fold/observation-rows.ts';
import { addressesOf } from '../../build/ledger/document-addresses.ts';
import { attributedCik, firstFiler } from '../../build/ledger/observation.ts';
import {
  FilingSummary,
  type Change,
  type Company,
  type CompanyProfile,
  type Event,
  type Filing,
} from '../../src/contract/records.ts';
import type { EndpointId } from '../../src/contract/endpoints.ts';
import type { Query } from '../../src/contract/parameters.ts';
import { allPartition, tableDefinition, tableNames } from '../../src/format/snapshot.ts';
import { useDirectories } from '../support/directories.ts';
import { batchAt, cikOf, company, filing, madeUp, type MadeUpBatch } from '../support/ledgers.ts';
import {
  openPublished,
  publishSegments,
  rowsIn,
  writeHistory,
  type ListedName,
} from '../support/published.ts';

const fresh = useDirectories('views');

type Row = { readonly key: string; readonly record: Record<string, unknown> };
/** What was published of a ledger: its rows by table, in their order, and the answers. */
interface Publication {
  /** Of lists in other orders the filings that they lead to. */
  rows(name: ListedName): Row[];
  /** The same rows as they are stored. */
  stored(name: ListedName): Row[];
  data<Data>(id: EndpointId, query?: Query): Promise<Data>;
}

async function publish(...batches: readonly MadeUpBatch[]): Promise<Publication> {
  const [ledger, directory] = [fresh(), fresh()];
  await writeHistory(ledger, madeUp(...batches));
  const entries = await publishSegments(ledger, directory, [], batches.length);
  const tables = await rowsIn(directory, entries);
  const stored = (name: ListedName) =>
    tables[name].map(({ partition, json }) => ({
      key: partition,
      record: JSON.parse(json) as Row['record'],
    }));
  const filings = new Map(
    stored('company-changes').map(({ record }) => [record['sequence'], record['filing'] as Row['record']]),
  );
  const filingOf = (record: unknown) =>
    filings.get(typeof record === 'number' ? record : (record as { sequence: number }).sequence) ?? {};
  return {
    stored,
    rows: (name) =>
      name === 'latest' || name === 'company-filings'
        ? stored(name).map(({ key, record }) => ({ key, record: filingOf(record) }))
        : stored(name),
    async data<Data>(id: EndpointId, query?: Query) {
      const open = await openPublished(ledger, directory, entries);
      try {
        return (await open.ask<{ data: Data }>(id, query)).data;
      } finally {
        await open.close();
      }
    },
  };
}

const accessionOf = ({ record }: { readonly record: unknown }) => {
  const { filing: inside, accessionNo } = record as {
    filing?: { accessionNo: string };
    accessionNo?: string;
  };
  return Number((inside?.accessionNo ?? accessionNo ?? '').slice(-6));
};
/**
 * Partitions with the numbers of the filings in them; of the tables of all companies that of all filings
 * alone.
 */
const listing = (published: Publication, name: ListedName) =>
  published
    .rows(name)
    .filter(({ key }) => name.startsWith('company-') || key === allPartition)
    .map((row) => [row.key, accessionOf(row)]);
/** The companies in the order of their ranks. */
const ranked = (published: Publication) =>
  published
    .rows('companies')
    .filter(({ key }) => key === allPartition)
    .map(({ record }) => record);
/** The numbers of filings in an answer. */
const numbersOf = async (published: Publication, id: EndpointId, query: Query = {}) =>
  (await published.data<unknown[]>(id, query)).map((record) => accessionOf({ record }));
const [one, two, three, four] = [1, 2, 3, 4].map(cikOf) as [string, string, string, string];
const insider = { subjectCik: one, filerCiks: [three], form: '4' } as const;
const nobodyListed = () => false;

describe('attribution', () => {
  it.each([
    [
      'the issuer, whoever made the number',
      { accessionNo: `${three}-26-000001`, subjectCik: one, filerCiks: [three] },
      nobodyListed,
      one,
    ],
    [
      'the only filer',
      { accessionNo: `${four}-26-000001`, subjectCik: null, filerCiks: [two] },
      nobodyListed,
      two,
    ],
    [
      'of joint filers the one whose login made the number',
      { accessionNo: `${three}-26-000001`, subjectCik: null, filerCiks: [one, two, three] },
      (cik: string) => cik === two,
      three,
    ],
    [
      'else the first that is listed',
      { accessionNo: `${four}-26-000001`, subjectCik: null, filerCiks: [one, two, three] },
      (cik: string) => cik !== one,
      two,
    ],
    [
      'else the one with the lowest CIK',
      { accessionNo: `${four}-26-000001`, subjectCik: null, filerCiks: [one, two, three] },
      nobodyListed,
      one,
    ],
  ])('a filing is attributed to %s', (_, of, isListed, cik) => {
    expect(attributedCik(of, isListed)).toBe(cik);
    if (of.subjectCik === null) expect(firstFiler(of, isListed)).toBe(cik);
  });

  it('attribution shows in cik, ticker, companyName and detailUrl alike', async () => {
    const ledger = await publish({
      companies: [company(1), company(2, null), company(3, 'AAA')],
      filings: [
        filing(1, { filerCiks: [one, two, three], accessionNo: `${two}-26-000001` }),
        filing(2, { subjectCik: three, filerCiks: [one] }),
      ],
    });
    const [joint, about] = ledger.rows('summaries').map(({ record }) => record);
    expect(joint).toMatchObject({
      cik: two,
      ticker: null,
      companyName: 'Company 2',
      detailUrl: addressesOf({ cik: two, accessionNo: `${two}-26-000001`, primaryDocument: null }).detailUrl,
    });
    expect(about).toMatchObject({ cik: three, ticker: 'AAA', companyName: 'Company 3' });
    const address = { cik: '0000320193', accessionNo: '0000320193-25-000079', primaryDocument: null };
    expect(addressesOf(address).detailUrl).toBe(
      'https://www.sec.gov/Archives/edgar/data/320193/000032019325000079/0000320193-25-000079-index.htm',
    );
  });

  it('attribution to a company without a record shows the CIK', async () => {
    const ledger = await publish({ companies: [company(1)], filings: [filing(1, { subjectCik: two })] });
    expect(await ledger.data('listLatestFilings')).toMatchObject([
      { cik: two, ticker: null, companyName: `CIK ${two}` },
    ]);
  });
});

describe('lists', () => {
  it('a company has lists from the day on which a source describes it', async () => {
    const joint = { companies: [company(1)], filings: [filing(1, { filerCiks: [one, four] })] };
    const unknown = await publish(joint);
    expect(await numbersOf(unknown, 'listCompanyFilings', { ticker: one })).toEqual([1]);
    await expect(unknown.data('listCompanyFilings', { ticker: four })).rejects.toMatchObject({
      code: 'company_not_found',
    });
    const known = await publish(joint, { companies: [company(4)] });
    expect(await numbersOf(known, 'listCompanyFilings', { ticker: four })).toEqual([1]);
    expect(await known.data<CompanyProfile>('getCompanyProfile', { ticker: four })).toMatchObject({
      filingCount: 1,
      latestIngestedAt: batchAt(1),
      updatedAt: batchAt(2),
    });
  });
  it('lists order filings of a day by acceptance, then by accession number', async () => {
    const filedAt = '2026-02-02';
    const day = await publish({
      companies: [company(1)],
      filings: [
        filing(1, { filedAt, acceptedEastern: null }),
        filing(2, { filedAt, acceptedEastern: '20260202060000' }),
        filing(3, { filedAt, acceptedEastern: '20260202060000' }),
        filing(4, { filedAt, acceptedEastern: '20260201210000' }),
      ],
    });
    expect(listing(day, 'latest').map(([, number]) => number)).toEqual([3, 2, 4, 1]);
    expect(listing(day, 'log').map(([, number]) => number)).toEqual([1, 4, 2, 3]);
  });
  it('the insider list holds insider filings alone, by issuer', async () => {
    const mixed = await publish({
      companies: [company(1), company(2), company(3, null)],
      filings: [
        filing(1, { ...insider, form: '3' }),
        filing(2, { ...insider, form: '4/A' }),
        filing(3, { ...insider, form: '5' }),
        filing(4, { ...insider, form: '144' }),
        filing(5),
        filing(6, { form: '4', filerCiks: [three] }),
        filing(7, { ...insider, subjectCik: two, filerCiks: [one] }),
      ],
    });
    expect(await numbersOf(mixed, 'listInsiderTrades')).toEqual([7, 6, 3, 2, 1]);
    const byIssuer = await Promise.all(
      [one, two, three].map((cik) => numbersOf(mixed, 'listInsiderTrades', { ticker: cik })),
    );
    expect(byIssuer).toEqual([[3, 2, 1], [7], []]);
  });
  it('the feed holds kind, time and corrections of each change', async () => {
    const kinds = await publish(
      {
        companies: [company(1)],
        filings: [filing(1), filing(2, { form: '10-Q/A' }), filing(3, { form: '8-K', items: ['2.02'] })],
      },
      { filings: [filing(1, { form: '10-K' })] },
    );
    const changes = await kinds.data<Change[]>('listChanges', { since: '2026-01-01' });
    expect(
      changes.map(({ sequence, changeType, observedAt, revision, corrected }) => [
        sequence,
        changeType,
        observedAt,
        revision,
        corrected,
      ]),
    ).toEqual([
      [1, 'new', batchAt(1), 1, undefined],
      [2, 'amended', batchAt(1), 1, undefined],
      [3, 'material_event', batchAt(1), 1, undefined],
      [4, 'amended', batchAt(2), 2, ['form', 'eventType']],
    ]);
    expect([0, 3].map((at) => changes[at]?.filing)).toMatchObject([
      { form: '10-Q', ingestedAt: batchAt(1) },
      { form: '10-K', ingestedAt: batchAt(1) },
    ]);
  });
});

describe('a successor', () => {
  const predecessorCik = '0000034088';
  const successorCik = '0002115436';
  const old = (number: number) => filing(number, { filerCiks: [predecessorCik] });
  const young = (number: number) => filing(number, { filerCiks: [successorCik] });
  const companies = [
    company(34088, null, { name: 'EXXON MOBIL CORP' }),
    company(2115436, 'XOM', { name: 'ExxonMobil Holdings Corp' }),
  ];
  let ledger: Publication;
  beforeAll(
    async () =>
      void (ledger = await publish({
        companies,
        filings: [old(1), old(2), young(3), filing(4, { filerCiks: [predecessorCik, successorCik] })],
      })),
  );

  it('a symbol and either CIK find a successor and its predecessor', async () => {
    for (const ticker of [predecessorCik, successorCik, 'XOM'])
      expect(await numbersOf(ledger, 'listCompanyFilings', { ticker })).toEqual([4, 3, 2, 1]);
    expect(await ledger.data('getCompanyProfile', { ticker: predecessorCik })).toMatchObject({
      cik: predecessorCik,
      name: 'EXXON MOBIL CORP',
    });
    expect(await ledger.data('getCompanyProfile', { ticker: 'XOM' })).toMatchObject({ cik: successorCik });
    expect(ledger.rows('symbols')).toMatchObject([
      { key: 'XOM', record: { symbol: 'XOM', cik: successorCik } },
    ]);
  });
  it('a successor has one list of both histories', async () => {
    const rows = ledger.rows('company-filings');
    expect(rows.map((row) => [row.key, accessionOf(row), row.record['cik']])).toEqual([
      [successorCik, 4, successorCik],
      [successorCik, 3, successorCik],
      [successorCik, 2, predecessorCik],
      [successorCik, 1, predecessorCik],
    ]);
    expect(
      companiesOf({
        parties: [predecessorCik, successorCik].map((cik) => ({ cik, name: null, role: null })),
      }),
    ).toEqual([successorCik]);
    expect(
      (await ledger.data<Event[]>('listCompanyEvents', { ticker: predecessorCik })).map(
        ({ ticker }) => ticker,
      ),
    ).toEqual(['XOM', 'XOM', 'XOM', 'XOM']);
  });
  it('a successor and its predecessor have profiles that name each other', () => {
    const profiles = ledger.rows('profiles').map(({ record }) => record);
    expect(profiles).toMatchObject([
      { cik: predecessorCik, filingCount: 4, relatedCiks: [successorCik], ticker: null },
      { cik: successorCik, filingCount: 4, relatedCiks: [predecessorCik], ticker: 'XOM' },
    ]);
  });
  it('a predecessor has a list also where nobody described its successor', async () => {
    const alone = await publish({
      companies: [company(34088, 'XOM')],
      filings: [old(1), filing(2, { subjectCik: successorCik, filerCiks: [one], form: '4' })],
    });
    for (const ticker of [predecessorCik, 'XOM']) {
      for (const id of ['listCompanyFilings', 'listCompanyEvents'] as const)
        expect(await numbersOf(alone, id, { ticker })).toEqual([2, 1]);
      expect(await numbersOf(alone, 'listChanges', { ticker, since: '2026-01-01' })).toEqual([1, 2]);
      expect(await numbersOf(alone, 'listInsiderTrades', { ticker })).toEqual([2]);
    }
    await expect(alone.data('getCompanyProfile', { ticker: successorCik })).rejects.toMatchObject({
      code: 'company_not_found',
    });
    expect(alone.rows('profiles').map(({ record }) => record)).toMatchObject([
      { cik: predecessorCik, filingCount: 2, relatedCiks: [], ticker: 'XOM' },
    ]);
    expect(alone.rows('symbols').map(({ record }) => record)).toMatchObject([
      { symbol: 'XOM', cik: predecessorCik },
    ]);
    expect(ranked(alone)).toMatchObject([{ cik: predecessorCik, filingCount: 2 }]);
    expect((await alone.data<Filing[]>('listLatestFilings')).map(({ cik, ticker }) => [cik, ticker])).toEqual(
      [
        [successorCik, 'XOM'],
        [predecessorCik, 'XOM'],
      ],
    );
  });
});

describe('companies', () => {
  let ledger: Publication;
  beforeAll(
    async () =>
      void (ledger = await publish(
        {
          companies: [
            company(1, 'AAA', { name: 'Zeta & Söhne', formerNames: ["O'Neil-Smith", 'Two'] }),
            company(2, null),
            company(3, 'OLD'),
            company(4, 'BRK.B', { tickers: ['BRK.B', 'BRK-A'] }),
          ],
          filings: [
            filing(1),
            filing(2, { form: '8-K' }),
            filing(3, { form: '8-K' }),
            filing(4, { ...insider }),
          ],
        },
        { companies: [company(3, null), company(5, 'OLD')], filings: [filing(5, { filerCiks: [cikOf(5)] })] },
      )),
  );

  it('profiles have counts that add up, most frequent first', () => {
    const profiles = ledger.rows('profiles').map(({ record }) => record);
    expect(profiles.map((profile) => [profile['cik'], profile['filingCount']])).toEqual([
      [one, 4],
      [two, 0],
      [three, 1],
      [four, 0],
      [cikOf(5), 1],
    ]);
    expect(profiles[0]).toMatchObject({
      forms: [
        { form: '8-K', count: 2 },
        { form: '10-Q', count: 1 },
        { form: '4', count: 1 },
      ],
      latestFilingAt: '2026-02-05',
      latestFiling: { sequence: 4 },
      latestIngestedAt: batchAt(1),
      updatedAt: batchAt(1),
      tickers: ['AAA'],
      formerNames: ["O'Neil-Smith", 'Two'],
    });
    expect(profiles[1]).toMatchObject({
      ticker: null,
      exchange: null,
      forms: [],
      latestFiling: null,
      latestFilingAt: null,
      latestIngestedAt: null,
      tickers: [],
      relatedCiks: [],
    });
    expect(profiles[2]).toMatchObject({ updatedAt: batchAt(2), latestIngestedAt: batchAt(1) });
  });
  it('a company is found by its CIK and by each of its symbols', async () => {
    const cikAt = async (ticker: string) =>
      (await ledger.data<CompanyProfile>('getCompanyProfile', { ticker })).cik;
    for (const [symbol, cik] of [
      ...[one, two, three, four, cikOf(5)].map((each) => [each, each] as const),
      ['AAA', one],
      ['brk/a', four],
      ['BRK.B', four],
      ['OLD', cikOf(5)],
    ] as const)
      expect([symbol, await cikAt(symbol)]).toEqual([symbol, cik]);
    expect(ledger.rows('symbols').map(({ key, record }) => [key, record['cik']])).toEqual([
      ['AAA', one],
      ['BRK-A', four],
      ['BRK-B', four],
      ['OLD', cikOf(5)],
    ]);
  });
  it('a company keeps a symbol that nobody else has taken', async () => {
    const dropped = await publish({ companies: [company(1, 'ATVI')] }, { companies: [company(1, null)] });
    expect(await dropped.data('getCompanyProfile', { ticker: 'ATVI' })).toMatchObject({
      cik: one,
      ticker: null,
    });
  });
  it('a symbol of digits does not hide the CIK that reads alike', async () => {
    const digits = await publish({ companies: [company(1, '2'), company(2, 'BBB'), company(3, '77')] });
    expect(await digits.data('getCompanyProfile', { ticker: two })).toMatchObject({ cik: two });
    expect(await digits.data('getCompanyProfile', { ticker: '2' })).toMatchObject({ cik: two });
    await expect(digits.data('getCompanyProfile', { ticker: cikOf(77) })).rejects.toMatchObject({
      code: 'company_not_found',
    });
    expect(digits.rows('symbols').map(({ key }) => key)).toEqual(['BBB']);
  });
  it('companies are ranked: listed ones first, then by filings, name and CIK', async () => {
    const made = await publish({
      companies: [
        company(1, null),
        company(2, 'BBB', { name: 'Zeta' }),
        company(3, 'CCC', { name: 'A' }),
        company(4, 'DDD', { name: 'A' }),
        company(5, 'EEE'),
      ],
      filings: [filing(1), filing(2), filing(3, { filerCiks: [cikOf(5)] })],
    });
    expect(ranked(made).map(({ cik }) => cik)).toEqual([cikOf(5), three, four, two, one]);
  });
  it('search finds companies by folded words, former names and own symbols', async () => {
    const found = async (q: string) =>
      (await ledger.data<Company[]>('searchCompanies', { q })).map(({ cik }) => cik);
    expect([
      await found('ZETA SÖHNE'),
      await found('sohne'),
      await found('oneil smith'),
      await found('two'),
      await found(one),
      await found('aaa'),
    ]).toEqual([[one], [one], [one], [one], [one], [one]]);
    expect([await found('OLD'), await found('BRK-A')]).toEqual([[cikOf(5)], [four]]);
    const { record } = ledger.rows('search').find(({ key }) => key === 'sohne') ?? { record: {} };
    expect(record).toEqual({ names: ['zeta sohne', 'oneil smith', 'two'] });
  });
});

describe('every table', () => {
  const hostile = company(1, 'AAA', {
    name: 'N, "Inc" \\ \u2028 🦆 <br> "filing":{',
    formerNames: ['"accessionNo":"0000000000-00-000000"'],
  });
  const ledgers: Record<string, MadeUpBatch> = {
    full: {
      companies: [hostile, company(2), company(3, null)],
      filings: [
        filing(1, { primaryDocDescription: '"filedAt":"1999-01-01","form":"X","row":null,"note":{}' }),
        filing(2, {
          ...insider,
          reportDate: null,
          acceptedEastern: null,
          sizeBytes: null,
          primaryDocument: null,
        }),
        filing(3, { form: '8-K', items: ['2.02', '9.01'], subjectCik: two }),
      ],
    },
    'without filings': { companies: [hostile] },
    'without anything': {},
  };
  it.each(Object.entries(ledgers))(
    'every table of a ledger %s holds rows of its schema',
    async (_, batch) => {
      const published = await publish(batch);
      for (const name of tableNames) {
        // A summary is shown joined with its filing.
        const schema = name === 'summaries' ? FilingSummary : tableDefinition(name).row;
        for (const { record } of published.stored(name)) {
          expect(schema.parse(record)).toEqual(record);
          expect(JSON.stringify(schema.parse(record))).toBe(JSON.stringify(record));
        }
      }
      expect(published.rows('profiles').map(({ key, record }) => [key, record['cik']])).toEqual(
        (batch.companies ?? []).map(({ cik }) => [cik, cik]),
      );
    },
  );
});
