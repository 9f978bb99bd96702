import { describe, expect, it } from 'vitest';
import {
  currentFeedFile,
  filingsOfFeed,
  parseCurrentFeed,
  whyOutdated,
  type FeedEntry,
} from '../../build/sources/current-feed.ts';
import { sources } from '../../build/sources/registry.ts';
import { entryXml, feedPage, upstreamEntry, type UpstreamEntry } from '../support/feed.ts';

const pageOf = (...entries: Partial<UpstreamEntry>[]) =>
  parseCurrentFeed(feedPage(entries.map((entry) => entryXml(upstreamEntry(entry)))));
const one = (entry: Partial<UpstreamEntry>) => pageOf(entry).entries[0];
/** Parses an entry after a change of its text. */
const changed = (from: string | RegExp, to: string) =>
  parseCurrentFeed(feedPage([entryXml(upstreamEntry()).replace(from, to)]));

describe('an entry', () => {
  it('an entry of the feed has every member', () => {
    expect(
      pageOf({
        items: [
          ['2.02', 'Results of Operations'],
          ['9.01', 'Financial Statements: and Exhibits'],
        ],
      }),
    ).toEqual({
      madeAtMs: Date.parse('2026-03-02T16:01:00-05:00'),
      entries: [
        {
          accessionNo: '0000000001-26-000001',
          form: '8-K',
          filedAt: '2026-03-02',
          items: ['2.02', '9.01'],
          party: { cik: '0000000001', name: 'Made Up Inc.', role: 'filer' },
          accepted: {
            written: '2026-03-02T16:00:00-05:00',
            atMs: Date.parse('2026-03-02T16:00:00-05:00'),
            eastern: '20260302160000',
          },
        },
      ],
      refused: [],
    });
  });

  it.each([
    ['Filer', 'filer'],
    ['Issuer', 'issuer'],
    ['Reporting', 'reporting_owner'],
    ['Subject', 'subject'],
    ['Filed by', 'filed_by'],
    ['FILED BY', 'filed_by'],
    ['Depositor', null],
    ['Securitizer', null],
    ['', null],
  ])('the role %j of the feed is read as %j', (role, expected) =>
    expect(one({ role })).toMatchObject({ party: { role: expected } }),
  );

  it.each([
    'Grayscale Bittensor Trust (TAO)',
    'Marshall Wace Funds LP - MW Americas (US) Fund II',
    'Café Zürich N.V. ÿ',
    'A&B <Holdings> "C" D\'Or',
    'X (0000000002) (Filer)',
    'AT&amp;T',
    '/DE/ {} $ # @ ! ` \\',
    '&lt;script&gt;',
  ])('an entry of the feed keeps the name %j', (name) =>
    expect(one({ name })).toMatchObject({ party: { name, cik: '0000000001' } }),
  );

  it.each([
    ['2026-03-02T16:00:00-05:00', '20260302160000'],
    ['2026-07-02T16:00:00-04:00', '20260702160000'],
    // Whatever the offset, the instant counts.
    ['2026-03-02T21:00:00Z', '20260302160000'],
    ['2026-03-02T21:00:00.123+00:00', '20260302160000'],
    ['2026-03-02T17:00:00-0400', '20260302160000'],
    ['2026-03-03T02:30:00+05:30', '20260302160000'],
    // The hour that comes twice, and the one that does not come.
    ['2025-11-02T01:30:00-04:00', '20251102013000'],
    ['2025-11-02T01:30:00-05:00', '20251102013000'],
    ['2026-03-08T02:30:00-05:00', '20260308033000'],
  ])('an entry accepted at %s has the Eastern time %s', (updated, eastern) => {
    const page = parseCurrentFeed(
      feedPage([entryXml(upstreamEntry({ updated }))], '2026-12-31T23:00:00-05:00'),
    );
    expect(page.entries[0]?.accepted).toMatchObject({ written: updated, eastern });
  });
  it.each([
    '',
    '2026-03-02',
    '2026-03-02T16:00:00',
    '2026-02-30T16:00:00-05:00',
    '1026-03-02T16:00:00-05:00',
    '2026-03-02T00:00:00-05:00',
    'yesterday',
  ])('an entry accepted at %j has no acceptance time', (updated) => {
    expect(one({ updated })).toMatchObject({ accepted: null });
  });

  it.each([
    ['8-K', ['2.02', '9.01'], ['2.02', '9.01']],
    ['8-K/A', ['5', '7'], ['8.01', '9.01']],
    ['D', ['06b', '3C', '3C.7'], []],
    ['1-U', ['1', '9.1'], []],
    ['8-K', [], []],
    ['8-K', ['2.02', '2.02', 'x'], ['2.02']],
  ])('an entry of form %s with items %j has %j', (form, codes, expected) =>
    expect(one({ form, items: codes.map((code) => [code, 'A title'] as const) })).toMatchObject({
      items: expected,
    }),
  );

  it('an entry of a longer form is not taken for the form that was asked for', () => {
    // `type=4` upstream gives 424B2, too.
    expect(currentFeedFile(0)).toContain('type=&');
    expect(
      pageOf({ form: '4' }, { form: '424B2' }, { form: '4/A' }, { form: 'sc  13d' }).entries.map(
        ({ form }) => form,
      ),
    ).toEqual(['4', '424B2', '4/A', 'SC 13D']);
  });

  it.each([
    ['no accession number', /<id>.*<\/id>/, '', 'accession number ""'],
    [
      'a broken accession number',
      /accession-number=\S+?</,
      'accession-number=0000000001-26-00001<',
      'accession number "0000000001-26-00001"',
    ],
    [
      'two accession numbers',
      /AccNo:&lt;\/b&gt; \S+/,
      'AccNo:&lt;/b&gt; 0000000001-26-000009',
      'it also names 0000000001-26-000009',
    ],
    [
      'a link to another filing',
      '-26-000001-index',
      '-26-000009-index',
      'it also names 0000000001-26-000009',
    ],
    ['no form', / term="8-K"/, '', 'form ""'],
    ['two forms', 'term="8-K"', 'term="8-K/A"', 'title "8-K - Made Up'],
    ['no CIK', ' (0000000001)', '', 'title'],
    ['a CIK of nine digits', '(0000000001)', '(000000001)', 'title'],
    ['no title', /<title>8-K.*<\/title>/, '', 'title ""'],
    ['no filing date', /Filed:&lt;\/b&gt; \S+/, '', 'filing date ""'],
    [
      'a day that does not exist',
      'Filed:&lt;/b&gt; 2026-03-02',
      'Filed:&lt;/b&gt; 2026-02-30',
      'filing date "2026-02-30"',
    ],
    [
      'a time after the page was made',
      '2026-03-02T16:00:00',
      '2026-03-03T16:00:00',
      'after the page was made',
    ],
    [
      'members inside others',
      /<summary[^]*<\/summary>/,
      '<summary><b><i>2026</i></b></summary>',
      'filing date ""',
    ],
    ['nothing at all', /<title>[^]*<\/id>/, '', 'accession number ""'],
  ])('an entry with %s is refused, and the others are taken', (_, from, to, reason) => {
    const page = parseCurrentFeed(
      feedPage([
        entryXml(upstreamEntry()).replace(from, to),
        entryXml(upstreamEntry({ accessionNo: '0000000001-26-000002' })),
      ]),
    );
    expect(page.entries.map(({ accessionNo }) => accessionNo)).toEqual(['0000000001-26-000002']);
    expect(page.refused).toHaveLength(1);
    expect(page.refused[0]?.reason).toContain(reason);
  });

  it('a feed with a document type, which could bring text in, is refused', () => {
    const page = feedPage([entryXml(upstreamEntry({ name: 'NAME' })).replace('NAME', '&evil;')])
      .toString('latin1')
      .replace('<feed', '<!DOCTYPE feed [<!ENTITY evil "Evil Inc.">]>\n<feed');
    expect(() => parseCurrentFeed(Buffer.from(page))).toThrow('it has a document type');
  });
  it('an entry may hold comments and CDATA', () => {
    expect(
      changed(
        '<title>8-K - Made Up Inc. (0000000001) (Filer)</title>',
        '<!-- <title>x</title> --><title><![CDATA[8-K - Made Up Inc. (0000000001) (Filer)]]></title>',
      ).entries,
    ).toHaveLength(1);
  });
});

describe('a page', () => {
  it('a page of the feed may be empty', () =>
    expect(parseCurrentFeed(feedPage([]))).toMatchObject({ entries: [], refused: [] }));
  it.each([
    ['without a time', '<feed><entry></entry></feed>'],
    ['of no time', '<feed><updated>now</updated></feed>'],
  ])('a feed %s is refused', (_, text) =>
    expect(() => parseCurrentFeed(Buffer.from(text))).toThrow(/it is not|it was made at/),
  );
  it('a page of the feed is read in its encoding', () => {
    const utf8 = Buffer.from(
      feedPage([entryXml(upstreamEntry({ name: 'Zürich AG' }))])
        .toString('latin1')
        .replace('ISO-8859-1', 'UTF-8'),
    );
    expect(parseCurrentFeed(utf8).entries[0]?.party.name).toBe('Zürich AG');
  });
  it('a page older than one seen before is outdated, whatever this clock says', () => {
    const seenMs = Date.parse('2026-03-02T21:01:00Z');
    expect(whyOutdated(parseCurrentFeed(feedPage([])), seenMs)).toBeNull();
    expect(whyOutdated(parseCurrentFeed(feedPage([], '2026-03-02T15:59:30-05:00')), seenMs)).toBeNull();
    expect(whyOutdated(parseCurrentFeed(feedPage([], '2026-03-01T16:01:00-05:00')), seenMs)).toBe(
      'it was made at 2026-03-01T21:01:00.000Z, a page seen before at 2026-03-02T21:01:00.000Z',
    );
  });
  it('a page of the feed has an address', () => {
    const settings = { userAgent: '', dataUrl: '', wwwUrl: 'https://www.sec.gov/', requestsPerSecond: 1 };
    expect(sources.currentFeed.url(settings, currentFeedFile(200))).toBe(
      'https://www.sec.gov/cgi-bin/browse-edgar?action=getcurrent&count=100&start=200&type=&owner=include&output=atom',
    );
  });
});

describe('filings of the feed', () => {
  const entries = (...list: Partial<UpstreamEntry>[]): FeedEntry[] => pageOf(...list).entries;
  const [a, b] = ['0000000001-26-000001', '0000000001-26-000002'];
  it('a filing of the feed has all its roles, each once, however pages shift', () => {
    const listed = entries(
      { accessionNo: b, form: '4', role: 'Reporting', cik: '0000000002', name: 'Doe Jane' },
      { accessionNo: b, form: '4', role: 'Issuer' },
      { accessionNo: a },
      { accessionNo: b, form: '4', role: 'Issuer' },
      { accessionNo: b, form: '4', role: 'Filer' },
    );
    expect(filingsOfFeed(listed)).toMatchObject([
      {
        accessionNo: b,
        form: '4',
        parties: [
          { cik: '0000000002', role: 'reporting_owner' },
          { cik: '0000000001', role: 'issuer' },
          { cik: '0000000001', role: 'filer' },
        ],
      },
      { accessionNo: a, form: '8-K', parties: [{ cik: '0000000001', role: 'filer' }] },
    ]);
  });
  it('a filing of the feed has the form that is listed first, and a time if any entry has one', () => {
    expect(filingsOfFeed(entries({ form: 'SC 13E3', updated: '' }, { form: 'SC TO-I' }))).toMatchObject([
      { form: 'SC 13E3', accepted: { eastern: '20260302160000' }, parties: [{ role: 'filer' }] },
    ]);
  });
  it('a feed without entries has no filings', () => expect(filingsOfFeed([])).toEqual([]));
});
