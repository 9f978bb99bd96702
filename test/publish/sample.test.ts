import { beforeAll, describe, expect, it } from 'vitest';
import { easternOffsetHours } from '../../src/time/eastern.ts';
import { healthAnswer, statsPage } from '../../src/answers/document-answers.ts';
import { pageAnswer } from '../../src/render/json.ts';
import { coverageOf } from '../../src/snapshot/coverage.ts';
import { coverageText } from '../../src/render/text.ts';
import { StatsResponse } from '../../src/contract/envelopes.ts';
import { HealthResponse } from '../../src/contract/health.ts';
import { productVersion } from '../../src/contract/product.ts';
import { rulesNumber } from '../../src/domain/rules.ts';
import { snapshotFormat } from '../../src/format/snapshot.ts';
import type { Change, Company, Filing } from '../../src/contract/records.ts';
import type { ReconciledDay } from '../../src/contract/reconciled-days.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { readModel } from '../support/ledger-model.ts';
import { sampleLedger, useSample } from '../support/sample.ts';
import { openCurrent } from '../support/snapshots.ts';

/** The day in New York at an instant, `YYYY-MM-DD`. */
const easternDate = (instant: string) =>
  new Date(Date.parse(instant) - easternOffsetHours(Date.parse(instant) / 1000) * 3_600_000)
    .toISOString()
    .slice(0, 10);

describe('the embedded sample', () => {
  it('the sample has an acceptance time for each of its newest filings', async () => {
    const { filings } = await readModel(sampleLedger);
    expect(filings.length).toBeGreaterThan(4000);
    expect(filings.slice(0, 200).filter(({ acceptanceDateTime }) => acceptanceDateTime === null)).toEqual([]);
  });

  it('the sample was fetched soon after its newest filings', async () => {
    const { filings, latestRun } = await readModel(sampleLedger);
    expect(
      filings.filter(
        ({ ingestedAt, filedAt }) =>
          ingestedAt === null || filedAt === null || filedAt > easternDate(ingestedAt),
      ),
    ).toEqual([]);
    expect(Date.parse(latestRun.createdAt) - Date.parse(filings[0]?.filedAt ?? '')).toBeLessThan(
      3 * 86_400_000,
    );
  });
});

describe('what is served of a sample', () => {
  const service = useSample();
  let snapshot: Snapshot;
  beforeAll(async () => void ({ snapshot } = await openCurrent(service.snapshots)));

  const health = (atMs: number) =>
    HealthResponse.parse(JSON.parse(healthAnswer(snapshot, atMs).body().toString()));
  const stats = async (atMs: number) =>
    StatsResponse.parse(
      JSON.parse((await pageAnswer(statsPage(snapshot, atMs), () => null)).body().toString()),
    );

  it('health and statistics of a sample say so, and when it was recorded', async () => {
    expect(snapshot.manifest.sample).toBe(true);
    const { createdAt } = (await readModel(sampleLedger)).latestRun;
    const asked = HealthResponse.parse(await (await service.get('/health')).json());
    expect(asked).toMatchObject({ sample: true, dataFetchedAt: createdAt, latestIngestRun: { createdAt } });
    const { meta } = StatsResponse.parse(await (await service.get('/v1/sec/stats')).json());
    expect(meta).toMatchObject({ sample: true, dataFetchedAt: createdAt, generatedAt: createdAt });
    expect(snapshot.id.startsWith(createdAt.slice(0, 10).replaceAll('-', ''))).toBe(true);
  });

  it('a sample says that it is one, and never that it is stale', async () => {
    const staleMs = Date.parse(health(0).staleAfter ?? '');
    for (const atMs of [staleMs - 1, staleMs, staleMs + 1e9]) {
      expect(health(atMs)).toMatchObject({ status: 'ok', stale: false, sample: true });
      expect((await stats(atMs)).meta).toMatchObject({ stale: false, sample: true });
      const text = coverageText(coverageOf(snapshot, atMs));
      expect(text).toContain('a sample for trying out, no live data');
      expect(text).not.toContain('stale');
      const live = { ...snapshot, manifest: { ...snapshot.manifest, sample: undefined } } as Snapshot;
      expect(coverageOf(live, atMs).isStale).toBe(atMs >= staleMs);
    }
  });

  it('health says which program answers', () => {
    expect(health(0).program).toEqual({
      release: productVersion,
      format: snapshotFormat,
      rules: rulesNumber,
      commit: null,
    });
  });

  it('every page of a sample says so once, with the day of the recording', async () => {
    const pages = Object.entries(snapshot.routes).filter(([, { contentType }]) =>
      contentType.startsWith('text/html'),
    );
    expect(pages.length).toBeGreaterThan(30);
    for (const [path, { file }] of pages) {
      const text = (await snapshot.file(file)).toString();
      expect([
        path,
        text.split('This is a sample, recorded on 18 Aug 2026, and not live data').length - 1,
      ]).toEqual([path, 1]);
    }
    const landing = await (await service.get('/', { accept: 'text/html' })).text();
    expect(landing).toMatch(/<dt>newest filing listed<\/dt><dd><time datetime="2026-08-17T/);
    expect(landing).toMatch(/<dt>and served here<\/dt><dd><time[^>]*>18 Aug 2026, /);
    expect(await (await service.get('/status', { accept: 'text/html' })).text()).toContain(
      '<dt>sample recorded</dt>',
    );
  });

  const dataOf = async <Data>(path: string) => (await service.json<{ readonly data: Data }>(path)).data;

  it('a person is found, and leads to filings that tell their role', async () => {
    for (const [name, issuer] of [
      ['reid hoffman', 'MSFT'],
      ['hill elliott', 'NKE'],
    ] as const) {
      const [person] = await dataOf<Company[]>(`/v1/sec/companies/search?q=${name.replace(' ', '+')}`);
      expect(person).toMatchObject({ ticker: null, filingCount: 1 });
      const [filed] = await dataOf<Filing[]>(`/v1/sec/company/${person?.cik}/filings`);
      expect(filed).toMatchObject({ form: '4', ticker: issuer });
      expect(filed?.parties.map(({ cik, role }) => [cik, role])).toEqual([
        [filed?.cik, 'issuer'],
        [person?.cik, 'reporting_owner'],
      ]);
    }
  });

  it('the sample has every role of a party', async () => {
    const { filings } = await readModel(sampleLedger);
    const roles = new Set(filings.flatMap(({ parties }) => parties.map(({ role }) => role)));
    expect([...roles]).toEqual(
      expect.arrayContaining(['filer', 'issuer', 'reporting_owner', 'subject', 'filed_by']),
    );
  });

  it.each([
    ['documents', 'NKE', '2025-12-12', ['primaryDocument', 'documentUrl', 'size']],
    ['an acceptance time', 'AMZN', '2026-04-24', ['acceptanceDateTime', 'acceptedAt']],
    ['parties', 'MSFT', '2025-12-12', ['parties']],
  ])('the sample has corrections of %s', async (_, ticker, day, members) => {
    const changes = await dataOf<Change[]>(
      `/v1/sec/changes?ticker=${ticker}&since=${day}&until=${day}&limit=200`,
    );
    const corrections = changes.filter(({ revision }) => revision === 2);
    expect(corrections.length).toBeGreaterThan(0);
    for (const { corrected } of corrections) expect(corrected).toEqual(expect.arrayContaining(members));
  });

  it('one day of the sample is proven complete', async () => {
    const [day, ...others] = await dataOf<ReconciledDay[]>('/reconciliation.json');
    expect(others).toEqual([]);
    expect(day).toMatchObject({ day: '2025-12-12', fetched: 0, missing: 0, different: 0, open: 0 });
    expect([day?.listed, day?.found]).toEqual([37, 37]);
    const page = await (await service.get('/completeness', { accept: 'text/html' })).text();
    expect(page).toContain('On 12 Dec 2025, every filing that EDGAR lists for a company of the universe');
    expect(page).toContain('Nothing: every filing of every compared day is served as EDGAR lists it.');
  });

  it('every row of the first page of a sample has an acceptance time', async () => {
    const { data } = await service.json<{ data: { latestFilings: Filing[]; latestInsiderTrades: Filing[] } }>(
      '/demo',
    );
    for (const { accessionNo, acceptanceDateTime } of [...data.latestFilings, ...data.latestInsiderTrades])
      expect([accessionNo, acceptanceDateTime]).toEqual([accessionNo, expect.stringMatching(/^\d{14}$/)]);
  });
});
