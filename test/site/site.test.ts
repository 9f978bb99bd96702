import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { beforeAll, describe, expect, it } from 'vitest';
import { catalogOf } from '../../site/catalog/catalog-files.ts';
import type { Overview } from '../../site/content/overview.ts';
import { siteFiles } from '../../site/site-files.ts';
import { changelogPage } from '../../site/pages/docs/changelog.ts';
import { pageHeaders } from '../../site/pages/parts/page-headers.ts';
import { newsText } from '../../site/pages/parts/news-panel.ts';
import { arrivalFacts } from '../../site/pages/parts/arrival.ts';
import { ageText } from '../../site/pages/parts/family-words.ts';
import { filingRow, type ShownFiling } from '../../site/pages/parts/filings-table.ts';
import { timeline } from '../../site/pages/parts/timeline.ts';
import type { PublicFile, PublicInput } from '../../site/content/public-file.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { defaultAddress } from '../../src/contract/product.ts';
import { Filing } from '../../src/contract/records.ts';
import { paths, Routes, type SnapshotSettings } from '../../src/format/snapshot.ts';
import { subscribePage } from '../../site/pages/subscribe.ts';
import { textOfHtml } from '../support/html.ts';
import { bareFiling, company } from '../support/made-up.ts';
import { overviewOf } from '../support/overview.ts';
import { configuredSettings, useSample } from '../support/sample.ts';
import { manifestOf } from '../support/whole.ts';
import { valuesIn } from '../support/values.ts';

const asBrowser = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };

const service = useSample(configuredSettings);
let routes: Routes;
const pages = new Map<string, string>();
beforeAll(async () => {
  const { routes: list } = await manifestOf(service.snapshots);
  const text = (sha256: string) => readFileSync(join(service.snapshots, paths.file(sha256)), 'utf8');
  routes = Routes.parse(JSON.parse(text(list.sha256)));
  for (const [path, { contentType, file }] of Object.entries(routes))
    if (contentType.startsWith('text/html')) pages.set(path, text(file.sha256));
});

const all = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, found = '']) => found.replaceAll('&amp;', '&'));

/**
 * The site over a ledger of one company and one filing. What a run says of itself, and symbols and exchanges
 * that no ledger takes, are put in behind it.
 */
async function siteOver(name: string, filings: boolean): Promise<PublicFile[]> {
  const { overview } = await overviewOf({
    companies: [company(1, 'ABX', { name, exchange: 'XCHG', formerNames: [name] })],
    filings: filings
      ? [bareFiling(1, { filedAt: '2026-08-18', items: ['2.02'], primaryDocDescription: name })]
      : [],
  });
  const hostile = JSON.parse(
    JSON.stringify(overview).replaceAll('"ABX"', '"A<B"').replaceAll('"XCHG"', '"<x>"'),
  ) as Overview;
  const latestRun = {
    target: '<b>all</b>',
    status: 'partial',
    message: '"lost" <i>one</i>',
    createdAt: '2026-08-19T01:02:03.000Z',
  } as const;
  const input: PublicInput = {
    overview: { ...hostile, latestRun },
    settings: { baseUrl: null, marketplaceUrl: null },
    markets: [],
    examples: [],
  };
  return siteFiles({ ...input, catalog: catalogOf(input), demo: {}, reference: {} });
}

describe('the explorer', () => {
  const named = (cik: string, ...tickers: string[]) => ({ ...company(1), cik, tickers });
  const explored = async (...companies: ReturnType<typeof named>[]) =>
    (await overviewOf({ companies })).overview.shownCompanies.map(({ symbol, company: { cik } }) => [
      symbol,
      cik,
    ]);
  const [one, two, digits] = ['0000000001', '0000000002', '0000000003'] as const;

  it('the explorer gives each company an address, which also works in the interface', async () => {
    expect(await explored(named(one, 'BRK-B'), named(two, 'BRK.B'), named(digits, '1'))).toEqual([
      [one, one],
      ['BRK-B', two],
      [digits, digits],
    ]);
    expect(await explored(named(one, 'OLD', 'KEPT'), named(two, 'OLD'))).toEqual([
      ['KEPT', one],
      ['OLD', two],
    ]);
  });
  it('the explorer shows a company with two symbols once', async () =>
    expect(await explored(named(one, 'AAPL', 'MSFT'))).toEqual([['AAPL', one]]));
  it('the explorer shows a predecessor as its successor', async () => {
    expect(await explored(named('0000034088', 'XOM'), named('0002115436', 'XOM'))).toEqual([
      ['XOM', '0002115436'],
    ]);
    expect(await explored(named('0000034088', 'XOM'))).toEqual([['XOM', '0000034088']]);
  });
});

describe('how long ago something was', () => {
  it.each([
    [0, 'just now'],
    [-5000, 'just now'],
    [1000, '1 second ago'],
    [59_999, '59 seconds ago'],
    [60_000, '1 minute ago'],
    [3_600_000, '1 hour ago'],
    [47 * 3_600_000, '47 hours ago'],
    [48 * 3_600_000, '2 days ago'],
    [400 * 86_400_000, '400 days ago'],
  ])('%d ms: %s', (ms, text) => expect(ageText(ms)).toBe(text));
  it('the age is that of the filing that EDGAR accepted last, or its date', () => {
    const filing = (acceptedAt: string | null) =>
      ({ acceptedAt, ingestedAt: '2026-08-18T01:02:03.000Z' }) as Filing;
    const facts = arrivalFacts({
      newestFiledAt: '2026-08-18',
      newestFilings: [filing(null), filing('2026-08-17T16:00:00-04:00'), filing('2026-08-17T17:40:00-04:00')],
    });
    expect(facts.map(([name, value]) => [name, (value as { text: string }).text])).toEqual([
      [
        'newest filing listed',
        '<time datetime="2026-08-17T17:40:00-04:00">17 Aug 2026, 21:40 UTC</time><span class="age" data-since="2026-08-17T17:40:00-04:00"></span>',
      ],
      [
        'and served here',
        '<time datetime="2026-08-18T01:02:03.000Z">18 Aug 2026, 01:02 UTC</time><span class="age" data-since="2026-08-18T01:02:03.000Z"></span>',
      ],
    ]);
    expect(arrivalFacts({ newestFiledAt: '2026-08-18', newestFilings: [filing(null)] })).toEqual([
      ['newest filing', '18 Aug 2026'],
    ]);
    expect(arrivalFacts({ newestFiledAt: null, newestFilings: [] })).toEqual([['newest filing', 'none']]);
  });
});

describe('what the explorer shows of a filing', () => {
  const [own, other, hidden] = ['0000000001', '0000000002', '0000000003'] as const;
  const shown: ShownFiling = {
    accessionNo: '0000000001-26-000001',
    form: '4',
    eventType: 'insider_transaction',
    items: [],
    filedAt: '2026-08-18',
    acceptanceDateTime: null,
    detailUrl: 'javascript:alert(1)',
    documentUrl: 'http://elsewhere.example/',
    parties: [{ cik: own, name: 'Own', role: 'issuer' }],
  };
  const textOf = (filing: Partial<ShownFiling>, viewed: Parameters<typeof filingRow>[1] = [own]) =>
    filingRow({ ...shown, ...filing }, viewed).text;

  it('the explorer links only to http and https', () =>
    expect(textOf({})).not.toMatch(/javascript|elsewhere|<a [^>]*href="(?!\/filing\/)/));
  it('the explorer names the other parties of a filing', () => {
    expect(textOf({})).not.toContain('Own');
    const parties = [
      ...(shown.parties ?? []),
      { cik: other, name: '<b>Other', role: 'reporting_owner' as const },
      { cik: hidden, name: null, role: null },
    ];
    expect(textOf({ parties })).toContain(
      `<ul class="parties"><li><a href="/explore/${other}"><bdi>&lt;b&gt;Other</bdi></a> <span class="faint">reporting owner</span></li><li>CIK ${hidden}</li></ul>`,
    );
    expect(textOf({ parties }, null)).not.toContain('Other');
  });
  it('the explorer marks corrections, and filings that no longer name the company', () => {
    expect(textOf({ revision: 1 })).not.toContain('class="mark"');
    expect(textOf({ revision: 3, corrected: ['size', 'form'] })).toContain(
      '<span class="mark">corrected</span> <span class="faint">revision 3: size, form</span>',
    );
    expect(textOf({}, [other])).toContain('no longer names this company');
    // Filings of a predecessor stand in the same list.
    expect(textOf({}, [other, own])).not.toContain('no longer');
  });
  it('the explorer says how much is new', () => {
    const change = (revision: number) => ({ revision }) as Parameters<typeof newsText>[1][number];
    expect(newsText('2026-08-18T01:02:03.000Z', [], true)).toBe(
      'Nothing is new since you were here on 18 Aug 2026, 01:02 UTC.',
    );
    expect(newsText('2026-08-18T01:02:03.000Z', [change(1), change(2), change(1)], true)).toBe(
      '3 changes since you were here on 18 Aug 2026, 01:02 UTC: 2 new filings, 1 correction.',
    );
    expect(newsText('2026-08-18T01:02:03.000Z', [change(2)], false)).toBe(
      'The first change since you were here on 18 Aug 2026, 01:02 UTC: 1 correction. There are more: look again.',
    );
  });
  it.each([
    [1, 'Aug<tspan class="year"> 2025'],
    [4, 'Jul'],
    [9, '2020'],
    [33, '2000'],
  ])('the explorer draws %i years of filings with few labels', (years, name) => {
    const drawn = timeline([
      { filedAt: '2026-08-01', eventType: 'other_filing' },
      { filedAt: `${2026 - years}-08-01`, eventType: 'other_filing' },
    ]).text;
    const names = all(drawn, /<text class="month[^>]*>(.*?)<\/text>/g);
    expect(names.length).toBeGreaterThan(3);
    expect(names.length).toBeLessThanOrEqual(14);
    expect(names.join('|')).toContain(name);
  });
});

describe('the site', () => {
  it('the site has its pages', () => {
    for (const path of valuesIn(`
      /index.html | /explore | /explore/AAPL | /explore/company | /filing | /filings | /docs
      /docs/reference | /docs/filters | /docs/polling | /docs/clients | /docs/webhooks | /docs/verify
      /docs/changelog | /status | /completeness | /subscribe | /404.html | /markets
      /markets/consumer-product-safety`))
      expect([...pages.keys()]).toContain(path);
  });

  it('an entry of the changelog is one entry of its page, whatever hyphens it has', () => {
    const text = '## [Unreleased]\n\n- `keys -- add` and\n  `revoke` say it.\n- Another - one.\n';
    expect(changelogPage(text).body.text).toBe(
      '<h2>Unreleased</h2><ul><li><code>keys -- add</code> and <code>revoke</code> say it.</li><li>Another - one.</li></ul>',
    );
  });

  it('every operation has a page, which the index, the search, the sitemap and llms.txt name', async () => {
    const index = pages.get('/docs/reference') ?? '';
    const sections =
      await service.json<
        {
          path: string;
          heading: string;
        }[]
      >('/docs/search.json');
    const sitemap = await (await service.get('/sitemap.xml')).text();
    const introduction = await (await service.get('/llms.txt')).text();
    for (const { id, path, summary } of endpoints) {
      const page = `/docs/reference/${id}`;
      expect(pages.get(page), id).toContain(`<code>${path}</code>`);
      // Older links have the operation after `#`.
      expect(all(index, new RegExp(`<li id="${id}"><a href="([^"]+)">`, 'g')), id).toEqual([page]);
      expect(sections.filter((section) => section.path === page)).toMatchObject([{ heading: summary }]);
      for (const text of [sitemap, introduction])
        expect(text, id).toContain(`${configuredSettings.baseUrl}${page}`);
    }
    for (const [path, status, location] of [
      ['/docs/reference/getNothing', 404, null],
      ['/docs/reference/getstats', 404, null],
      ['/docs/reference/getStats/', 308, '/docs/reference/getStats'],
    ] as const) {
      const response = await service.get(path, asBrowser);
      expect([path, response.status, response.headers.get('location')]).toEqual([path, status, location]);
    }
  });

  it('each page is well formed, with one h1, and nothing that its policy forbids', () => {
    for (const [path, text] of pages) {
      expect(text.startsWith('<!doctype html>\n<html lang="en">'), path).toBe(true);
      expect(all(text, /<h1>/g).length, path).toBe(1);
      expect(all(text, /<title>([^<]+)<\/title>/g).length, path).toBe(1);
      expect(all(text, /<meta name="description" content="([^"]+)"/g).length, path).toBe(1);
      expect(all(text, /<(style|[^>]+ style=|[^>]+ on\w+=)/g), path).toEqual([]);
      expect(
        all(text, /<script(?![^>]*( src="\/assets\/|type="application\/ld\+json"))([^>]*)/g),
        path,
      ).toEqual([]);
      const names = all(text, / id="([^"]*)"/g);
      expect(
        names.filter((name, at) => names.indexOf(name) !== at),
        path,
      ).toEqual([]);
      expect(text, path).not.toMatch(/undefined|\[object|NaN/);
    }
  });

  it('each page names itself for search engines and previews', () => {
    for (const [path, text] of pages) {
      const address = ['/404.html', '/filing', '/explore/company'].includes(path)
        ? []
        : [`${configuredSettings.baseUrl}${path === '/index.html' ? '/' : path}`];
      expect(all(text, /<link rel="canonical" href="([^"]+)"/g), path).toEqual(address);
    }
    const landing = pages.get('/index.html') ?? '';
    const [linkedData] = all(landing, /<script type="application\/ld\+json">(.*?)<\/script>/gs);
    expect(JSON.parse(linkedData ?? '')).toMatchObject({
      '@type': 'Dataset',
      url: 'https://filings.example.com/',
    });
    expect(
      all(landing, /property="og:image" content="https:\/\/filings\.example\.com(\/assets\/preview\.png)"/g)
        .length,
    ).toBe(1);
  });

  it('the site has no dead links', async () => {
    const dead: string[] = [];
    const known = new Map<string, number>();
    for (const [path, text] of pages) {
      for (const link of all(text, / (?:href|src|action|data-source)="([^"]*)"/g)) {
        if (/^(https:\/\/www\.sec\.gov\/|https:\/\/market\.example\/|mailto:)/.test(link)) continue;
        const [target = '', anchor] = link.replace(configuredSettings.baseUrl, '').split('#');
        if (target !== '' && !target.startsWith('/')) dead.push(`${path}: ${link}`);
        // Forms of the reference lead to operations; the one that asks for a path is filled in first.
        if (target.includes('{')) continue;
        if (target !== '' && !known.has(target))
          known.set(target, (await service.get(target, asBrowser)).status);
        const isGood =
          target === '' ||
          [200, 303].includes(known.get(target) ?? 0) ||
          (known.get(target) === 400 && target.startsWith('/v1/'));
        const there = target === '' ? text : (pages.get(target) ?? '');
        if (!isGood || (anchor && !there.includes(` id="${anchor}"`)))
          dead.push(`${path}: ${link} ${known.get(target)}`);
      }
    }
    expect(dead).toEqual([]);
    expect(known.size).toBeGreaterThan(40);
  });

  it('requests on the site give filings', async () => {
    const requests = [...new Set(all(pages.get('/docs/filters') ?? '', /(\/v1\/sec\/[^"<?]+\?[^"\s]+)"/g))];
    expect(requests.length).toBe(6);
    for (const request of requests) {
      const { data } = await service.json<{ data: readonly unknown[] }>(request);
      expect(data.length, request).toBeGreaterThan(0);
    }
  });

  it('every page is under 40 KB with its scripts, and what a browser needs to paint it under 30 KB', () => {
    const sent = (path: string) => {
      const { br = null, file } = routes[path] ?? {};
      return (br ?? file)?.bytes ?? Number.NaN;
    };
    const assets = (text: string, pattern: RegExp) =>
      all(text, pattern).reduce((sum, asset) => sum + sent(asset), 0);
    const heavy = [...pages]
      .map(([path, text]) => {
        const style = assets(text, /<link rel="stylesheet" href="([^"]+)"/g);
        return {
          path,
          // Browsers paint before they run a deferred script that does not block it.
          first: sent(path) + style + assets(text, /<script src="([^"]+)" defer blocking/g),
          whole: sent(path) + style + assets(text, /<script src="([^"]+)"/g),
        };
      })
      .sort((a, b) => b.whole - a.whole);
    console.log(
      `The heaviest pages with style and scripts, as they are sent: ${heavy
        .slice(0, 4)
        .map(({ path, first, whole }) => `${path} ${first} of ${whole}`)
        .join(', ')} bytes`,
    );
    for (const { path, first, whole } of heavy) {
      expect(first, path).toBeLessThan(30_000);
      expect(whole, path).toBeLessThan(40_000);
    }
    const data = Object.keys(routes).filter((each) => each.startsWith('/explore/data/'));
    expect(data).not.toEqual([]);
    for (const path of data) expect(sent(path), path).toBeLessThan(30_000);
  });

  it('pages are served with their headers, and assets are cached for ever', async () => {
    for (const path of ['/', '/docs', '/explore/AAPL', '/nothing-here']) {
      const response = await service.get(path, asBrowser);
      expect(response.status).toBe(path === '/nothing-here' ? 404 : 200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      for (const [name, value] of Object.entries(pageHeaders))
        expect(response.headers.get(name), `${path} ${name}`).toBe(value);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
    const [style = ''] = all(pages.get('/index.html') ?? '', /<link rel="stylesheet" href="([^"]+)"/g);
    expect((await service.get(style)).headers.get('cache-control')).toBe(
      'public, max-age=31536000, immutable',
    );
    const moved = await service.get('/docs/polling/', asBrowser);
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/docs/polling']);
    expect((await service.get('//docs/', asBrowser)).status).toBe(404);
    expect((await service.get('/', { accept: '*/*' })).headers.get('content-type')).toBe('application/json');
    expect(
      (await service.get('/nothing-here', { accept: 'application/json' })).headers.get('content-type'),
    ).toBe('application/json');
  });

  it('the site shows the data of the API', async () => {
    const { data, meta } = await service.json<{
      data: { columns: string[]; rows: unknown[][] };
      meta: { count: number; sampleOnly: boolean };
    }>('/explore/data/AAPL.json');
    const filings = (
      await service.json<{ data: Record<string, unknown>[] }>('/v1/sec/company/AAPL/filings?limit=200')
    ).data;
    expect(data.columns).toEqual(Object.keys(Filing.shape));
    expect(data.rows).toEqual(
      filings.map((filing) =>
        data.columns.map((name) =>
          name === 'items'
            ? (filing[name] as string[]).join(' ')
            : name === 'parties'
              ? JSON.stringify(filing[name])
              : filing[name],
        ),
      ),
    );
    expect(meta).toMatchObject({ count: filings.length, sampleOnly: true });
    // Cells of such a file are those of samples, which catalog.test.ts compares with their rows.
    const csv = await (await service.get('/explore/data/AAPL.csv')).text();
    const [head, first, ...others] = Papa.parse<string[]>(csv.trim()).data;
    expect([head, others.length + 1]).toEqual([data.columns, filings.length]);
    expect(csv).toMatch(/=""0000320193""/);
    expect(first?.[data.columns.indexOf('parties')]).toMatch(/^Apple Inc\.? \(/i);
  });

  it('every address in copied text is marked, so that the script can replace it', async () => {
    const plain = (await siteOver('Somebody Inc.', true))
      .filter(({ contentType }) => contentType.startsWith('text/html'))
      .map(({ path, bytes }) => [path, bytes.toString()] as const);
    let marked = 0;
    for (const [address, path, text] of [
      ...[...pages].map((page) => [configuredSettings.baseUrl, ...page] as const),
      ...plain.map((page) => [defaultAddress, ...page] as const),
    ]) {
      // Answers are shown as they were given; what the head says is for search engines.
      const requests = all(text, /<pre [^>]*aria-label="(?!Answer"|One entry)[^"]*">(.*?)<\/pre>/gs);
      for (const request of requests) {
        marked += all(request, new RegExp(`<span data-origin>(${address})</span>`, 'g')).length;
        expect(request.replaceAll(`<span data-origin>${address}</span>`, ''), path).not.toContain(address);
      }
    }
    expect(marked).toBeGreaterThan(150);
    for (const [path, text] of plain)
      expect(
        text.replace(/<head>.*?<\/head>/s, '').replaceAll(`<span data-origin>${defaultAddress}</span>`, ''),
        path,
      ).not.toContain(defaultAddress);
  });

  it('the site serves the programs that it shows as plain text', async () => {
    for (const [page, name, folder = ''] of [
      ['polling', 'poller.py'],
      ['polling', 'poller.ts'],
      ['clients', 'follow.py'],
      ['clients', 'follow.ts'],
      ['webhooks', 'receiver.mjs', 'webhooks/'],
      ['webhooks', 'receiver.py', 'webhooks/'],
    ]) {
      const shown = pages.get(`/docs/${page}`) ?? '';
      const path = `/examples/${name}`;
      const response = await service.get(path, asBrowser);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/plain; charset=utf-8',
      ]);
      const text = await response.text();
      expect(text).toBe(
        readFileSync(new URL(`../../site/examples/${folder}${name}`, import.meta.url), 'utf8'),
      );
      const [code = ''] = all(
        shown,
        new RegExp(`<pre [^>]*aria-label="${name?.replace('.', '\\.')}"><code>(.*?)</code>`, 'gs'),
      );
      expect(textOfHtml(code)).toBe(text);
      expect(shown).toContain(`href="${path}"`);
    }
  });

  it('the instructions to verify a file work', async () => {
    const response = await service.get('/demo');
    const digest = createHash('sha256')
      .update(Buffer.from(await response.arrayBuffer()))
      .digest('hex');
    expect(response.headers.get('etag')).toBe(`"${digest.slice(0, 32)}"`);
    expect(pages.get('/docs/verify')).toContain('cut -c1-32');
  });

  it('samples have commas between thousands in amounts, and none in years and identifiers', async () => {
    const { markets } = await service.json<{
      markets: { slug: string; sampleDatasets: { slug: string }[] }[];
    }>('/markets.json');
    const isName = (column: string) => /(year|id|code|number)$/i.test(column);
    const written = (column: string, value: unknown) =>
      typeof value !== 'number'
        ? null
        : isName(column)
          ? String(value)
          : value.toLocaleString('en-US', { maximumFractionDigits: 20 });
    const [years, amounts]: [string[], string[]] = [[], []];
    for (const { slug: market, sampleDatasets } of markets) {
      const tables = all(
        pages.get(`/markets/${market}`) ?? '',
        /<table class="sortable">.*?<tbody>(.*?)<\/tbody>/gs,
      );
      expect(tables.length, market).toBe(sampleDatasets.length);
      for (const [at, { slug }] of sampleDatasets.entries()) {
        const { data } = await service.json<{ data: Record<string, unknown>[] }>(
          `/markets/${market}/${slug}.json`,
        );
        const shown = all(tables[at] ?? '', /<tr>(.*?)<\/tr>/gs).map((row) =>
          all(row, /<td[^>]*>(.*?)<\/td>/gs),
        );
        expect(shown.length).toBe(data.length);
        for (const [line, row] of data.entries()) {
          for (const [cell, [column, value]] of Object.entries(row).entries()) {
            const text = written(column, value);
            if (text === null) continue;
            expect([market, slug, column, shown[line]?.[cell]]).toEqual([market, slug, column, text]);
            (isName(column) ? years : amounts).push(text);
          }
        }
      }
    }
    expect(years).toContain('2024');
    expect(amounts).toEqual(expect.arrayContaining(['48,210', '91,833.5', '-5,420']));
  });

  it('the page about keys promises what the operator offers, and nothing else', () => {
    const [contactEmail, marketplaceUrl] = ['data@example.com', 'https://market.example/filings'];
    const plans = [{ name: 'Small', price: 'free', requests: '100 a month', includes: [] }];
    const base = { baseUrl: null, marketplaceUrl: null };
    const shown = (settings: SnapshotSettings) => {
      const { title, body } = subscribePage(settings);
      const { text } = body;
      return [
        title,
        text.includes('<h2>Plans</h2>'),
        text.includes('>Small<'),
        text.includes(`href="${marketplaceUrl}"`),
        text.includes('Through the marketplace'),
        text.includes(`mailto:${contactEmail}`),
      ];
    };
    expect(shown(base)).toEqual(['Get a key', false, false, false, false, false]);
    expect(shown({ ...base, contactEmail })).toEqual(['Get a key', false, false, false, false, true]);
    expect(shown({ ...base, marketplaceUrl })).toEqual(['Plans and keys', true, false, true, true, false]);
    expect(shown({ ...base, plans, contactEmail })).toEqual([
      'Plans and keys',
      true,
      true,
      false,
      false,
      true,
    ]);
    expect(shown({ ...base, plans, marketplaceUrl })).toEqual([
      'Plans and keys',
      true,
      true,
      true,
      true,
      false,
    ]);
    for (const settings of [base, { ...base, marketplaceUrl }, { ...base, baseUrl: 'https://x.example' }])
      expect(subscribePage(settings).body.text).not.toMatch(/free tier|mailto:/);
  });

  it('every configuration of an assistant names its type', () => {
    const configurations = [...pages].flatMap(([path, page]) =>
      page
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll('&quot;', '"')
        .split('"mcpServers"')
        .slice(1)
        .map((text) => [path, /^[^}]*?"type": "http"/.test(text)] as const),
    );
    expect(configurations.length).toBeGreaterThan(1);
    for (const [path, hasType] of configurations) expect([path, hasType]).toEqual([path, true]);
  });

  it('the site offers the plans of the settings', () => {
    expect(pages.get('/subscribe')).toContain('<h3>Trial &amp; error</h3><p class="price">free</p>');
    expect(pages.get('/subscribe')).toContain('href="https://market.example/filings"');
  });

  it('the site escapes any name of a company', async () => {
    const name = `</title><script>alert("1")</script><img src=x onerror=alert(1)> & 'Sons' "Ltd"`;
    const hostile = (await siteOver(name, true)).filter(({ contentType }) =>
      contentType.startsWith('text/html'),
    );
    expect(hostile.length).toBeGreaterThan(10);
    for (const { path, bytes } of hostile)
      expect(bytes.toString(), path).not.toMatch(/<script>|<img|<b>all|<i>one|A<B/);
    expect(hostile.map(({ bytes }) => bytes.toString()).join('')).toContain(
      '&lt;script&gt;alert(&quot;1&quot;)',
    );
  });

  it('the site of an empty snapshot is complete, and is the same bytes each time', {
    tags: ['slow'],
  }, async () => {
    const empty = await siteOver('Nobody Inc.', false);
    for (const { path, bytes, contentType } of empty)
      if (contentType.startsWith('text/'))
        expect(bytes.toString(), path).not.toMatch(/NaN|Infinity|undefined/);
    expect(await siteOver('Nobody Inc.', false)).toEqual(empty);
    expect(await siteOver('Somebody Inc.', true)).toEqual(await siteOver('Somebody Inc.', true));
  });
});
