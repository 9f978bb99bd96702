import { describe, expect, it } from 'vitest';
import type { Change, Filing, FilingSummary } from '../../src/contract/records.ts';
import type { OwnershipDocument } from '../../src/contract/ownership-document.ts';
import { useSample } from '../support/sample.ts';

const asBrowser = { accept: 'text/html' };

const service = useSample();

interface FilingData {
  readonly data: {
    readonly summary: FilingSummary;
    readonly ownership: OwnershipDocument | null;
    readonly changes: readonly Change[];
  } | null;
  readonly meta: { readonly detailUrl: string | null };
}
const open = (path: string) => service.get(path, { 'x-api-key': '' });
const openJson = async <Body>(path: string) => (await (await open(path)).json()) as Body;
const keyed = <Body>(path: string) => service.json<Body>(path);

describe('pages that many addresses share', () => {
  it('the data of a filing of the public sample is what the keyed operations give', async () => {
    const { data: newest } = await openJson<{ data: { columns: string[]; rows: string[][] } }>(
      '/filings/newest.json',
    );
    const accessionNos = newest.rows.map((row) => row[newest.columns.indexOf('accessionNo')] ?? '');
    const latest = await keyed<{ data: Filing[] }>('/v1/sec/latest?limit=100');
    expect(accessionNos).toEqual(latest.data.map(({ accessionNo }) => accessionNo));
    for (const accessionNo of [accessionNos[0], accessionNos.at(-1), '0001018724-26-000020']) {
      const { data } = await openJson<FilingData>(`/filing/${accessionNo}.json`);
      const summary = await keyed<{ data: FilingSummary }>(`/v1/sec/forms/${accessionNo}/summary`);
      expect(data?.summary).toEqual(summary.data);
      const ownership = await service.get(`/v1/sec/forms/${accessionNo}/ownership`);
      expect(data?.ownership).toEqual(
        ownership.status === 404 ? null : ((await ownership.json()) as { data: unknown }).data,
      );
      expect(data?.changes.map(({ revision }) => revision)).toEqual(data?.changes.map((_, at) => at + 1));
      expect(data?.changes.at(-1)?.filing.accessionNo).toBe(accessionNo);
    }
  });

  it('of a filing that is not in the public sample nothing is told without a key but where EDGAR has it', async () => {
    const { data } = await keyed<{ data: Filing[] }>('/v1/sec/company/CAT/filings?limit=1');
    const [filing] = data;
    expect(await openJson<FilingData>(`/filing/${filing?.accessionNo}.json`)).toEqual({
      data: null,
      meta: { detailUrl: filing?.detailUrl, sampleOnly: true, notInvestmentAdvice: true },
    });
  });

  it('a filing that the service does not have, and what is no accession number, are not found', async () => {
    for (const path of [
      '/filing/0000000000-00-000000.json',
      '/filing/1.json',
      '/filing/..%2f..%2fcurrent.json',
      '/filing/0001018724-26-000020.json/',
      '/explore/a/b',
    ])
      expect((await open(path)).status, path).toBe(404);
  });

  it('any accession number and any company has a page, which its script fills', async () => {
    for (const [path, shared] of [
      ['/filing/0000000000-00-000000', '/filing'],
      ['/explore/0000019617', '/explore/company'],
      ['/explore/%3Cb%3Ex', '/explore/company'],
    ] as const) {
      const page = await service.get(path, asBrowser);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await page.text()).toBe(await (await service.get(shared, asBrowser)).text());
    }
    expect(
      (await service.fetch(new Request('http://127.0.0.1/filing/0000000000-00-000000', { method: 'PUT' })))
        .status,
    ).toBe(405);
    const moved = await service.get('/live?form=4', asBrowser);
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/filings?form=4']);
  });
});
