import { describe, expect, it } from 'vitest';
import {
  CompanyProfileResponse,
  EventListResponse,
  FilingListResponse,
  FilingSummaryResponse,
} from '../../src/contract/envelopes.ts';
import { itemTitle, parseItems } from '../../src/domain/items.ts';
import { Filing, FilingSummary } from '../../src/contract/records.ts';
import { ProfileRow } from '../../src/format/profile-rows.ts';
import { useDirectories } from '../support/directories.ts';
import { company, filing, madeUp, type MadeUpBatch } from '../support/ledgers.ts';
import { publishedRows } from '../support/published.ts';
import { useSample } from '../support/sample.ts';

const service = useSample();

const json = async (path: string): Promise<unknown> => (await service.get(path)).json();
const summaryOf = async (accessionNo: string) =>
  FilingSummaryResponse.parse(await json(`/v1/sec/forms/${accessionNo}/summary`)).data;
const walk = async (path: string) => FilingListResponse.parse(await json(path)).data;

const fresh = useDirectories('members');
const rowsOf = (batch: MadeUpBatch) => publishedRows(fresh(), madeUp(batch));

/** The summary that is made of one filing. */
async function summaryRow(members: Parameters<typeof filing>[1]): Promise<FilingSummary> {
  const {
    summaries: [row],
  } = await rowsOf({ filings: [filing(1, members)], companies: [company(1)] });
  return FilingSummary.parse(JSON.parse(row?.json ?? ''));
}

describe('a filing', () => {
  it('a filing has its acceptance as EDGAR writes it, and as the instant', async () => {
    const filings = await walk('/v1/sec/latest?limit=200');
    expect(filings.length).toBe(200);
    for (const { acceptanceDateTime: stamp, acceptedAt } of filings) {
      expect(acceptedAt?.slice(0, 19).replace(/\D/g, '') ?? null).toBe(stamp);
      expect(acceptedAt?.slice(19) ?? '-04:00').toBe('-04:00');
    }
    const winter = await summaryRow({ acceptedEastern: '20260210163012' });
    expect(winter).toMatchObject({
      acceptanceDateTime: '20260210163012',
      acceptedAt: '2026-02-10T16:30:12-05:00',
    });
    expect(await summaryRow({ acceptedEastern: null })).toMatchObject({
      acceptanceDateTime: null,
      acceptedAt: null,
    });
  });

  it('the documentUrl of a filing leads to what a person reads', async () => {
    const filings = await walk('/v1/sec/company/AAPL/filings?limit=200');
    for (const { documentUrl, primaryDocument, detailUrl } of filings) {
      expect(documentUrl).toBe(
        primaryDocument === null
          ? null
          : `${detailUrl?.slice(0, detailUrl.lastIndexOf('/'))}/${primaryDocument}`,
      );
    }
    expect(await summaryRow({ primaryDocument: null })).toMatchObject({
      primaryDocument: null,
      documentUrl: null,
    });
  });
});

describe('a summary', () => {
  it('the summary of a Form 4 links to the page for people and to the data', async () => {
    const [{ accessionNo = '' } = {}] = await walk('/v1/sec/insider-trades?ticker=AAPL&limit=1');
    const { documentUrl, detailUrl, primaryDocument, links, itemTitles } = await summaryOf(accessionNo);
    expect(primaryDocument).toMatch(/^xslF345X0\d\/[^/]+\.xml$/);
    expect(links).toMatchObject({ index: detailUrl, document: documentUrl });
    expect(documentUrl).toContain('/xslF345X0');
    expect(links.xml).toBe(documentUrl?.replace(/\/xslF345X0\d\//, '/'));
    expect(itemTitles).toEqual([]);
  });

  it('a summary has the titles of its items, and null for a code without one', async () => {
    const titles = async (raw: string) =>
      (await summaryRow({ form: '8-K', items: parseItems('current_report', raw) })).itemTitles;
    expect(await titles('9.01,2.02')).toEqual([
      'Financial Statements and Exhibits',
      'Results of Operations and Financial Condition',
    ]);
    expect(await titles('12,7,9')).toEqual([
      'Results of Operations and Financial Condition',
      'Financial Statements and Exhibits',
      'Regulation FD Disclosure',
    ]);
    expect(await titles('7.77,8.01')).toEqual([null, 'Other Events']);
    expect(await titles('')).toEqual([]);
  });

  it('each summary of a current report has as many titles as items', async () => {
    const events = EventListResponse.parse(await json('/v1/sec/company/MSFT/events?limit=200')).data.filter(
      ({ items }) => items.length > 0,
    );
    expect(events.length).toBeGreaterThan(3);
    for (const { accessionNo, items } of events)
      expect((await summaryOf(accessionNo)).itemTitles).toEqual(items.map((item) => itemTitle(item) ?? null));
  });

  it('a summary begins with the members of the filing', async () => {
    const {
      summary: _summary,
      itemTitles: _titles,
      links: _links,
      notInvestmentAdvice: _notAdvice,
      documents: _documents,
      ...rest
    } = await summaryRow({});
    expect(Object.keys(rest)).toEqual(Object.keys(Filing.shape));
  });
});

describe('a profile', () => {
  it("a profile has the facts of the company's own file", async () => {
    expect(CompanyProfileResponse.parse(await json('/v1/sec/company/AAPL/profile')).data).toMatchObject({
      sic: '3571',
      sicDescription: 'Electronic Computers',
      category: 'Large accelerated filer',
      entityType: 'operating',
      stateOfIncorporation: 'CA',
      fiscalYearEnd: '0926',
    });
    expect(CompanyProfileResponse.parse(await json('/v1/sec/company/0001731289/profile')).data).toMatchObject(
      { sic: '3711', category: 'Non-accelerated filer; Smaller reporting company' },
    );
  });

  it('a profile has null for facts that no source gives', async () => {
    const {
      profiles: [row],
    } = await rowsOf({ companies: [company(1)] });
    expect(ProfileRow.parse(JSON.parse(row?.json ?? ''))).toMatchObject({
      sic: null,
      sicDescription: null,
      category: null,
      entityType: null,
      stateOfIncorporation: null,
      fiscalYearEnd: null,
    });
  });
});

describe('the meta of every list of filings', () => {
  it.each([
    '/v1/sec/latest',
    '/v1/sec/latest?form=10-K&limit=1',
    '/v1/sec/company/AAPL/filings',
    '/v1/sec/company/AAPL/events',
    '/v1/sec/insider-trades',
    '/v1/sec/insider-trades?ticker=MSFT',
    '/v1/sec/changes?since=2026-08-01',
    '/v1/sec/changes?since=2027-01-01',
    '/v1/sec/watchlist/changes?tickers=AAPL',
    '/v1/sec/watchlist/changes?tickers=NOPE&since=2027-01-01',
  ])('the meta of a list says up to which day the snapshot reaches: %s', async (path) => {
    const { meta } = (await json(path)) as { meta: { newestFiledAt: string } };
    const [newest] = await walk('/v1/sec/latest?limit=1');
    expect(meta.newestFiledAt).toBe(newest?.filedAt);
  });
});
