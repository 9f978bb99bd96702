import { XMLParser } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import type { DemoResponse } from '../../src/contract/envelopes.ts';
import { feedFiles } from '../../site/discovery/feeds.ts';
import type { Overview } from '../../site/content/overview.ts';
import type { Filing } from '../../src/contract/records.ts';
import { configuredSettings, useSample } from '../support/sample.ts';

interface JsonFeed {
  readonly version: string;
  readonly feed_url: string;
  readonly items: readonly {
    readonly id: string;
    readonly url?: string;
    readonly title: string;
    readonly content_text: string;
    readonly date_published: string;
    readonly tags: readonly string[];
  }[];
}

interface AtomFeed {
  readonly feed: {
    readonly id: string;
    readonly updated: string;
    readonly link: readonly { readonly '@rel'?: string; readonly '@href': string }[];
    readonly entry: readonly {
      readonly id: string;
      readonly title: string;
      readonly updated: string;
      readonly summary: string;
      readonly link?: { readonly '@href': string };
    }[];
  };
}

const atomOf = (text: string) =>
  new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@', parseTagValue: false }).parse(
    text,
  ) as AtomFeed;

const service = useSample(configuredSettings);

const textAt = async (path: string) => (await service.get(path, { 'x-api-key': '' })).text();

describe('feeds for readers', () => {
  it('both have each filing that the demo shows once, newest first, with its sentence or items', async () => {
    const { data } = JSON.parse(await textAt('/demo')) as z.infer<typeof DemoResponse>;
    const shown = [...data.latestFilings, ...data.latestInsiderTrades];
    const feed = JSON.parse(await textAt('/feed.json')) as JsonFeed;
    const { feed: atom } = atomOf(await textAt('/feed.atom'));
    expect(feed.version).toBe('https://jsonfeed.org/version/1.1');
    expect(feed.feed_url).toBe(`${configuredSettings.baseUrl}/feed.json`);
    expect(feed.items.map(({ id }) => id).sort()).toEqual(
      [...new Set(shown.map(({ accessionNo }) => `urn:sec-accession:${accessionNo}`))].sort(),
    );
    const times = feed.items.map(({ date_published: at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(
      atom.entry.map(({ id, title, updated, summary, link }) => [
        id,
        title,
        updated,
        summary,
        link?.['@href'],
      ]),
    ).toEqual(
      feed.items.map(({ id, title, date_published: at, content_text: text, url }) => [
        id,
        title,
        at,
        text,
        url,
      ]),
    );
    expect(atom.link.find((each) => each['@rel'] === 'self')?.['@href']).toBe(atom.id);
    const trade = feed.items.find(({ content_text: text }) => /\bsold [\d,]+ shares of /.test(text));
    expect(trade?.tags).toEqual(['4', 'insider_transaction']);
  });

  it('the landing page names both', async () => {
    const page = await textAt('/index.html');
    expect(page).toContain('rel="alternate" type="application/feed+json" href="/feed.json"');
    expect(page).toContain('rel="alternate" type="application/atom+xml" href="/feed.atom"');
  });

  it('a name with markup or characters that XML lacks breaks neither', () => {
    const filing = {
      accessionNo: '0000000001-26-000001',
      companyName: 'A <b>&amp; \u0001\uD800"Co" ]]>',
      form: '8-K',
      eventType: 'current_report',
      items: ['2.02', '99.9'],
      filedAt: '2026-01-02',
      acceptedAt: null,
      ingestedAt: null,
      detailUrl: null,
      documentUrl: null,
      ownership: null,
    } as unknown as Filing;
    const undated = { ...filing, accessionNo: '0000000001-26-000002', filedAt: null, items: [] };
    const overview = {
      newestFilings: [filing, undated],
      newestInsiderFilings: [],
      newestTrade: null,
      latestRun: { createdAt: '2026-01-03T00:00:00.000Z' },
    } as unknown as Overview;
    const [json, atom] = feedFiles({ overview, settings: configuredSettings, markets: [], examples: [] }).map(
      ({ bytes }) => bytes.toString(),
    );
    const { items } = JSON.parse(json ?? '') as JsonFeed;
    expect(items.map(({ date_published: at, content_text: text }) => [at, text])).toEqual([
      ['2026-01-03T00:00:00.000Z', 'Current report'],
      ['2026-01-02T00:00:00Z', '2.02 Results of Operations and Financial Condition; 99.9'],
    ]);
    expect(items.some((each) => 'url' in each)).toBe(false);
    const { entry } = atomOf(atom ?? '').feed;
    expect(entry[1]?.title).toBe('A <b>&amp; \uFFFD\uFFFD"Co" ]]>: 8-K, Results');
  });
});
