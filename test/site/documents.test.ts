import { beforeAll, describe, expect, it } from 'vitest';
import { marketsOf } from '../../site/catalog/catalog-files.ts';
import { demoDocument, healthDocument, rootDocument, statsDocument } from '../../site/documents/documents.ts';
import { freshnessOf } from '../../site/content/freshness.ts';
import { contractAccession, examplePaths } from '../../site/content/examples.ts';
import { overviewLimits, type Overview } from '../../site/content/overview.ts';
import { publicFiles } from '../../site/public-files.ts';
import { bucketsOf } from '../../site/pages/parts/chart.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { DemoResponse, RootResponse, StatsResponse } from '../../src/contract/envelopes.ts';
import { HealthResponse } from '../../src/contract/health.ts';
import { program } from '../../src/format/program.ts';
import { productVersion, staleAfterHoursDefault } from '../../src/contract/product.ts';
import { batchAt, cikOf, company, filing, type MadeUpBatch } from '../support/ledgers.ts';
import { overviewOf, overviewOfChanged } from '../support/overview.ts';
import { rewrite } from '../support/rewrite.ts';
import { configuredSettings } from '../support/sample.ts';
import { valuesIn } from '../support/values.ts';

const [one, three] = [cikOf(1), cikOf(3)];
const insider = { subjectCik: one, filerCiks: [three], form: '4' } as const;
/** The day that lies so many days before the newest of the filings made up here. */
const dayBefore = (days: number) =>
  new Date(Date.UTC(2026, 1, 20) - days * 86_400_000).toISOString().slice(0, 10);

const many: MadeUpBatch = {
  companies: [company(1), company(3, null)],
  filings: Array.from({ length: 30 }, (_, at) => filing(at, at % 2 === 0 ? {} : { ...insider })),
};
const [madeOfMany, madeOfNothing] = [await overviewOf(many), await overviewOf({})];

describe('documents', () => {
  const { latest } = madeOfMany;
  const settings = { baseUrl: null, marketplaceUrl: null };
  const overviews = { full: madeOfMany.overview, empty: madeOfNothing.overview };

  it.each(Object.entries(overviews))('documents keep to their schemas (%s)', (_, overview) => {
    const runtime = {
      status: 'ok',
      stale: false,
      sample: false,
      snapshotId: '20260301-0123456789abcdef',
      program,
      heartbeat: null,
      pointerSignature: null,
      unreachableSince: null,
    };
    const health = { ...healthDocument(overview, settings), ...runtime };
    expect(HealthResponse.parse(health)).toEqual(health);
    const { data, meta } = statsDocument(overview, settings);
    const stats = { data, meta: { ...meta, stale: false, sample: false } };
    expect(StatsResponse.parse(stats)).toEqual(stats);
    const demo = demoDocument(overview, settings);
    expect(DemoResponse.parse(demo)).toEqual(demo);
    expect(RootResponse.parse(rootDocument(overview, 'sec-filings'))).toEqual(
      rootDocument(overview, 'sec-filings'),
    );
  });

  it('documents count filings and companies', () => {
    expect(healthDocument(overviews.full, settings)).toMatchObject({
      companyCount: 2,
      filingCount: 30,
      version: productVersion,
      latestIngestRun: { target: 'made up', status: 'success', createdAt: batchAt(1) },
    });
    expect(healthDocument(overviews.full, settings).latestIngestRun).not.toHaveProperty('message');
    const { data } = statsDocument(overviews.full, settings);
    expect(data).toMatchObject({
      forms: [
        { form: '10-Q', count: 15 },
        { form: '4', count: 15 },
      ],
      eventTypes: [{ count: 15 }, { count: 15 }],
      latestIngestRun: { message: null },
    });
    expect(data.latestFiling).toEqual(latest[0]);
    expect(statsDocument(overviews.empty, settings).data).toMatchObject({
      companyCount: 0,
      filingCount: 0,
      forms: [],
      eventTypes: [],
      latestFiling: null,
    });
  });
  it('documents say when the data was fetched, and from when it is stale', () => {
    expect(freshnessOf(overviews.full, {})).toEqual(
      freshnessOf(overviews.full, { staleAfterHours: staleAfterHoursDefault }),
    );
    const fetchedAt = (createdAt: string) => ({ latestRun: { ...overviews.full.latestRun, createdAt } });
    // Friday, 20 November 2026, 22:30 in New York: an hour and a half of it, Monday, and half of Tuesday.
    const friday = fetchedAt('2026-11-21T03:30:00.000Z');
    expect(freshnessOf(friday, {})).toEqual({
      dataFetchedAt: '2026-11-21T03:30:00.000Z',
      staleAfter: '2026-11-24T15:30:00.000Z',
    });
    expect(freshnessOf(friday, { staleAfterHours: 1 }).staleAfter).toBe('2026-11-21T04:30:00.000Z');
    expect(freshnessOf(friday, { staleAfterHours: 2 }).staleAfter).toBe('2026-11-23T05:30:00.000Z');
    // The evening before Thanksgiving Day, which does not count.
    expect(freshnessOf(fetchedAt('2026-11-26T03:30:00.000Z'), {}).staleAfter).toBe(
      '2026-11-30T15:30:00.000Z',
    );
  });
  it('the demo shows the newest filings, and every keyed operation', () => {
    const { data, meta } = demoDocument(overviews.full, settings);
    expect(data.latestFilings).toEqual(latest.slice(0, data.latestFilings.length));
    expect(data.latestFilings.length).toBeGreaterThan(0);
    expect([...new Set(data.latestInsiderTrades.map(({ form }) => form))]).toEqual(['4']);
    expect(data.sampleQueries.map(({ endpoint }) => endpoint)).toEqual(
      endpoints.filter(({ path }) => path.startsWith('/v1/')).map(examplePaths(overviews.full)),
    );
    expect(meta).toMatchObject({ docsUrl: '/docs', subscribeUrl: '/subscribe' });
  });
  it('documents link to the addresses of the settings', () => {
    expect(
      demoDocument(overviews.full, { baseUrl: 'https://example.com/api', marketplaceUrl: null }).meta,
    ).toMatchObject({
      docsUrl: 'https://example.com/api/docs',
      subscribeUrl: 'https://example.com/api/subscribe',
    });
    expect(
      demoDocument(overviews.full, { baseUrl: null, marketplaceUrl: 'https://market.example' }).meta,
    ).toMatchObject({ docsUrl: '/docs', subscribeUrl: 'https://market.example' });
  });
});

/** A ledger that grows with a number: companies, filings of several forms, days and batches. */
function grownLedger(size: number): MadeUpBatch[] {
  const forms = ['10-Q', '4', '8-K', '424B2', 'SC 13G'] as const;
  const batches = Array.from(
    { length: size },
    (_, batch): MadeUpBatch => ({
      companies: Array.from({ length: 20 }, (_, at) => company(batch * 20 + at + 1)),
      filings: Array.from({ length: 100 }, (_, at) => {
        const number = batch * 100 + at;
        const form = forms[number % forms.length] as string;
        return filing(number, {
          form,
          items: form === '8-K' ? ['2.02'] : [],
          filerCiks: [cikOf(1 + (number % (size * 20)))],
          filedAt: dayBefore(number % 500),
        });
      }),
    }),
  );
  return batches;
}

const [small, large] = [await overviewOf(...grownLedger(8)), await overviewOf(...grownLedger(16))];

describe('an overview', () => {
  it('an overview does not grow with the ledger', () => {
    const lengths = (value: unknown, path = ''): [string, number][] => {
      if (value === null || typeof value !== 'object') return [];
      const inner = Object.entries(value).flatMap(([name, each]) =>
        lengths(each, `${path}.${Array.isArray(value) ? '' : name}`),
      );
      return Array.isArray(value) ? [[path, value.length], ...inner] : inner;
    };
    const most = (overview: Overview) => {
      const found = new Map<string, number>();
      for (const [path, length] of lengths(overview)) found.set(path, Math.max(length, found.get(path) ?? 0));
      // Days grow until each one has each family.
      return Object.fromEntries([...found].filter(([path]) => path !== '.days'));
    };
    expect(most(large.overview)).toMatchObject({
      ...most(small.overview),
      '.batches': overviewLimits.batches,
    });
    expect(most(large.overview)).toMatchObject({
      '.newestFilings': 100,
      '.newestInsiderFilings': 100,
      '.newestReports': 9,
      '.listedCompanies': 100,
      '.shownCompanies': 12,
      '.exampleCompanies': 2,
    });
    const { days } = large.overview;
    expect(new Set(days.map(({ filedAt }) => filedAt)).size).toBe(overviewLimits.days);
    expect(days.length).toBeLessThanOrEqual(overviewLimits.days * 5);
  });

  it('an overview shows a company’s newest filings, and says how many more there are', async () => {
    const {
      overview: {
        shownCompanies: [shown],
      },
    } = await overviewOf({
      companies: [company(1)],
      filings: Array.from({ length: 450 }, (_, at) => filing(at)),
    });
    expect([shown?.filings.length, shown?.company.filingCount]).toEqual([400, 450]);
  });

  it('an overview counts the filings of each day and family of a year', () => {
    const filings = large.latest;
    const expected = new Map<string, number>();
    for (const { filedAt, eventType } of filings)
      if ((filedAt ?? '') > dayBefore(365))
        expected.set(`${filedAt} ${eventType}`, (expected.get(`${filedAt} ${eventType}`) ?? 0) + 1);
    const { days, newestFiledAt, oldestFiledAt } = large.overview;
    expect(days.map(({ filedAt, eventType, count }) => [`${filedAt} ${eventType}`, count])).toEqual(
      [...expected].sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    expect([days[0]?.filedAt, newestFiledAt, oldestFiledAt]).toEqual([
      dayBefore(364),
      dayBefore(0),
      dayBefore(499),
    ]);
    const singly = filings.map(({ filedAt, eventType }) => ({ filedAt, eventType, count: 1 }));
    expect(bucketsOf(days, dayBefore(0), 180, 1)).toEqual(bucketsOf(singly, dayBefore(0), 180, 1));
  });

  it('an overview has the newest filings, insider filings, and reports that name items', async () => {
    const { newestFilings, newestInsiderFilings, newestReports } = large.overview;
    const filings = large.latest;
    expect(newestFilings).toEqual(filings.slice(0, 100));
    expect(newestInsiderFilings).toEqual(filings.filter(({ form }) => form === '4').slice(0, 100));
    expect(newestReports).toEqual(filings.filter(({ form }) => form === '8-K').slice(0, 9));
    const { overview } = await overviewOf({
      companies: [company(1)],
      filings: [filing(1, { form: '8-K' }), filing(2, { form: '10-Q', items: ['2.02'] })],
    });
    expect(overview.newestReports).toEqual([]);
  });

  it('an overview ranks companies: those with a symbol, then by filings, name and CIK', async () => {
    const companies = [
      company(1, null),
      company(2, 'B', { name: 'Same' }),
      company(3, 'C', { name: 'Same' }),
      company(4, 'D'),
      company(5, 'E', { name: 'Another' }),
    ];
    const {
      overview: { listedCompanies, shownCompanies },
    } = await overviewOf({
      companies,
      filings: [filing(1), filing(2), filing(3, { filerCiks: [cikOf(4)] })],
    });
    expect(listedCompanies.map(({ ticker }) => ticker)).toEqual(['D', 'E', 'B', 'C']);
    expect(shownCompanies.map(({ symbol }) => symbol)).toEqual(['D', 'E', 'B', 'C']);
    const { overview: nobody } = await overviewOf({
      companies: [company(1, null), company(2, null)],
      filings: [filing(1, { filerCiks: [cikOf(2)] })],
    });
    expect([nobody.listedCompanies, nobody.shownCompanies.map(({ symbol }) => symbol)]).toEqual([
      [],
      [cikOf(2), one],
    ]);
  });

  it('examples name the companies of the contract, or others of the ledger', async () => {
    const named = async (...tickers: (string | null)[]) => {
      const { overview } = await overviewOf({
        companies: tickers.map((ticker, at) => company(at + 1, ticker)),
        filings: [filing(1, { filerCiks: [cikOf(2)] })],
      });
      return overview.exampleCompanies.map(({ ticker, cik }) => ticker ?? cik);
    };
    expect(await named('X', 'MSFT', 'AAPL')).toEqual(['AAPL', 'MSFT']);
    expect(await named('X', 'MSFT')).toEqual(['X', 'MSFT']);
    expect(await named('X', 'AAPL', 'Y')).toEqual(['AAPL', 'X']);
    expect(await named('X', 'Y')).toEqual(['Y', 'X']);
    expect(await named(null, null)).toEqual([cikOf(2), one]);
    expect(await named()).toEqual([]);
    const filingNamed = async (...filings: ReturnType<typeof filing>[]) =>
      (await overviewOf({ filings })).overview.exampleAccession;
    expect(await filingNamed(filing(5), filing(6, { accessionNo: contractAccession }))).toBe(
      contractAccession,
    );
    expect([await filingNamed(filing(5), filing(6)), await filingNamed()]).toEqual([
      filing(5).accessionNo,
      null,
    ]);
  });

  it('an overview tells what the newest batches added, and the first refusals', async () => {
    expect(large.overview.batches.map(({ number, changes }) => [number, changes])).toEqual(
      Array.from({ length: 12 }, (_, at) => [16 - at, 100]),
    );
    const { overview } = await overviewOf({ filings: [filing(1)] }, {}, { filings: [filing(2), filing(3)] });
    expect(overview.batches.map(({ number, changes }) => [number, changes])).toEqual([
      [3, 2],
      [2, 0],
      [1, 1],
    ]);
    // Rows that do not fit come from a program with other rules.
    const { overview: odd } = await overviewOfChanged(
      [{ filings: [filing(100)] }, { filings: Array.from({ length: 20 }, (_, at) => filing(at)) }],
      (ledger) => rewrite(ledger, 2, 'filings-1.csv', (text) => text.replaceAll(',10-Q,', ',odd,')),
    );
    expect(odd.refusals).toEqual({
      count: 20,
      first: Array.from({ length: 12 }, (_, at) =>
        expect.stringMatching(
          new RegExp(`^000002/filings-1\\.csv ${filing(at).accessionNo} \\(row ${at + 2}\\): form`),
        ),
      ),
    });
  });
});

describe('public files', () => {
  const companies = [company(1, 'AAPL'), company(2, 'MSFT'), company(3, null)];
  // As many as samples have rows: until then, the catalog counts them.
  const filings = Array.from({ length: 101 }, (_, at) =>
    filing(at, { filerCiks: [cikOf(2)], filedAt: dayBefore(at % 2) }),
  );
  const filesOver = (overview: Overview) =>
    new Map(
      publicFiles({ overview, settings: configuredSettings, markets: marketsOf(overview), examples: [] }).map(
        ({ path, bytes }) => [path, bytes.toString('latin1')],
      ),
    );
  const madeOf = async (...batches: MadeUpBatch[]) =>
    filesOver((await overviewOf({ companies, filings }, ...batches)).overview);
  let before: ReadonlyMap<string, string>;
  beforeAll(async () => void (before = await madeOf()));
  const changedBy = async (...batches: MadeUpBatch[]) =>
    [...(await madeOf(...batches))]
      .filter(([path, text]) => before.get(path) !== text)
      .map(([path]) => path)
      .sort();
  const always = valuesIn(`
    /.well-known/openapi.json | /completeness | /demo | /docs/reference/getDemo | /index.html
    /openapi.json | /sitemap.xml | /status`);

  it('a new filing changes only public files that count or list filings', { tags: ['slow'] }, async () => {
    expect(before.size).toBeGreaterThan(100);
    const market = ['', '/datapackage.json', '/latest-filings.csv', '/latest-filings.json'].map(
      (path) => `/markets/sec-filings${path}`,
    );
    const newest = ['/feed.atom', '/feed.json', '/filings', '/filings/newest.json'];
    const lists = [...always, '/assets/preview.png', '/dcat.json', ...newest, ...market];
    expect(
      await changedBy({ filings: [filing(200, { filerCiks: [three], filedAt: dayBefore(0) })] }),
    ).toEqual(lists.sort());
    const ofApple = [
      '/explore',
      '/explore/AAPL',
      '/explore/data/AAPL.csv',
      '/explore/data/AAPL.json',
      '/markets/sec-filings/companies.csv',
      '/markets/sec-filings/companies.json',
    ];
    expect(await changedBy({ filings: [filing(200, { filedAt: dayBefore(0) })] })).toEqual(
      [...lists, ...ofApple].sort(),
    );
  });
  it('a run that found nothing changes public files only where they say when it was', async () =>
    expect(await changedBy({})).toEqual(always));
  it('the contact of security.txt expires after six to eight months', () => {
    for (const createdAt of [
      '2026-01-01T00:00:00.000Z',
      '2026-08-31T23:59:59.999Z',
      '2028-02-29T12:00:00.000Z',
    ]) {
      const { overview } = madeOfNothing;
      const text =
        filesOver({ ...overview, latestRun: { ...overview.latestRun, createdAt } }).get(
          '/.well-known/security.txt',
        ) ?? '';
      const days =
        (Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '') - Date.parse(createdAt)) / 86_400_000;
      expect(days).toBeGreaterThan(180);
      expect(days).toBeLessThan(245);
    }
  });
});

describe('names that filers chose', () => {
  it('a name that turns the direction of a line turns nothing around it in a page', async () => {
    const name = (number: number) => `Name ${number} \u202eexe.gnp`;
    const { overview } = await overviewOf({
      companies: [
        company(1, 'T1', { name: name(1), formerNames: [name(2)] }),
        company(3, null, { name: name(3) }),
      ],
      filings: Array.from({ length: 30 }, (_, at) => filing(at, at % 2 === 0 ? {} : { ...insider })),
    });
    const settings = { baseUrl: null, marketplaceUrl: null };
    const files = publicFiles({ overview, settings, markets: marketsOf(overview), examples: [] });
    const pages = files.filter(({ contentType }) => contentType.startsWith('text/html'));
    const found = new Map<string, number>();
    for (const { path, bytes } of pages) {
      // `pre`, and a cell without anything else, keep their text to themselves; a title and attributes take no markup.
      const shown = String(bytes)
        .replaceAll(/<(script|title|pre|textarea)\b[^]*?<\/\1>|<td[^>]*>[^<]*<\/td>/g, '')
        .replaceAll(/<(?!\/?bdi>)[^>]*>/g, '');
      const names = shown.match(/Name \d \u202e/g) ?? [];
      const isolated = shown.match(/<bdi>Name \d \u202eexe\.gnp<\/bdi>/g) ?? [];
      expect([path, names.length]).toEqual([path, isolated.length]);
      if (names.length > 0) found.set(path, names.length);
    }
    expect([...found.keys()]).toEqual(expect.arrayContaining(['/index.html', '/explore', '/explore/T1']));
  });
});
