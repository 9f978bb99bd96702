import { beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerContents } from '../../build/ledger/contents.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { openKnownLedger } from '../../build/ingest/known.ts';
import { quietProgress } from '../../build/work/progress.ts';
import type { ListedDocument } from '../../src/contract/filing-documents.ts';
import type { Change, Filing, FilingSummary } from '../../src/contract/records.ts';
import type { OwnershipDocument } from '../../src/contract/ownership-document.ts';
import { contents, form4, schedule13, transaction } from '../support/contents.ts';
import { useDirectories } from '../support/directories.ts';
import { cikOf, company, filing } from '../support/ledgers.ts';
import { serviceOver, type SampleService } from '../support/sample.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('contents');

interface Batch {
  readonly at: string;
  readonly filings?: readonly LedgerFiling[];
  readonly companies?: readonly LedgerCompany[];
  readonly contents?: readonly LedgerContents[];
}

/** Publishes each batch, and serves what there is in the end. */
async function servedAfter(
  ledger: string,
  snapshots: string,
  batches: readonly Batch[],
): Promise<SampleService> {
  for (const { at, filings = [], companies = [], contents: said = [] } of batches) {
    await appendBatch(ledger, {
      run: { target: '', status: 'success', message: null, createdAt: at },
      filings,
      companies,
      contents: said,
      refusals: [],
    });
    await buildQuietly(ledger, snapshots);
  }
  return serviceOver(snapshots);
}

const jsonOf = <Body>(service: SampleService, path: string) => service.json<Body>(path);
const everyChange = (service: SampleService) =>
  service.all<Change>('/v1/sec/changes?since=1990-01-01&limit=200');

describe('contents of a filing', () => {
  const ledger = fresh();
  const snapshots = fresh();
  let service: SampleService;
  const [own, late, old, early, again, schedule] = [1, 2, 3, 4, 5, 6].map((number) =>
    filing(number, {
      form: number === 6 ? 'SCHEDULE 13G' : '4',
      filedAt: number === 3 ? '2026-02-01' : '2026-03-02',
      subjectCik: cikOf(1),
      filerCiks: number === 2 ? [cikOf(21)] : [],
    }),
  ) as [LedgerFiling, LedgerFiling, LedgerFiling, LedgerFiling, LedgerFiling, LedgerFiling];
  const two = [transaction(1), transaction(2, { code: 'S', direction: 'disposed' })];
  const batches: readonly Batch[] = [
    {
      at: '2026-03-02T22:00:00.000Z',
      companies: [company(1), company(21, null, { name: 'Known to EDGAR' })],
      filings: [own, late, old, again],
      contents: [
        contents(own.accessionNo, form4([22, 23])),
        contents(early.accessionNo, form4([24])),
        contents(again.accessionNo, form4([25]), 'data_set'),
      ],
    },
    {
      at: '2026-03-03T12:00:00.000Z',
      filings: [early, { ...own, reportDate: '2026-03-01' }, schedule],
      contents: [
        contents(late.accessionNo, form4([21, 26], two)),
        contents(old.accessionNo, form4([22])),
        contents(again.accessionNo, form4([25], two)),
        contents(schedule.accessionNo, schedule13([27, 28])),
      ],
    },
    {
      at: '2026-03-04T12:00:00.000Z',
      contents: [
        contents(late.accessionNo, form4([21], two), 'data_set'),
        contents(old.accessionNo, form4([22], undefined, 'Other remarks')),
        contents(own.accessionNo, form4([23])),
      ],
    },
  ];
  beforeAll(async () => void (service = await servedAfter(ledger, snapshots, batches)));

  const documentOf = (row: LedgerFiling) =>
    jsonOf<{ data: OwnershipDocument; meta: { source: string } }>(
      service,
      `/v1/sec/forms/${row.accessionNo}/ownership`,
    );
  const filingOf = async (row: LedgerFiling) =>
    (await jsonOf<{ data: Filing }>(service, `/v1/sec/forms/${row.accessionNo}/summary`)).data;

  it('the change feed tells each filing once with its contents, and contents that come later by themselves', async () => {
    const changes = await everyChange(service);
    expect(
      changes.map(({ filing: { accessionNo, ownership }, revision, corrected, cause }) => [
        Number(accessionNo.slice(-2)),
        revision,
        ownership === null ? null : 'owners' in ownership ? ownership.owners.length : ownership.kind,
        corrected,
        cause,
      ]),
    ).toEqual([
      [3, 1, null, undefined, undefined],
      [1, 1, 2, undefined, undefined],
      [2, 1, null, undefined, undefined],
      [5, 1, 1, undefined, undefined],
      [4, 1, 1, undefined, undefined],
      [6, 1, 'schedule_13', undefined, undefined],
      [1, 2, 2, ['reportDate'], 'source'],
      [2, 2, 2, ['parties', 'ownership'], 'contents'],
      [3, 2, 1, ['parties', 'ownership'], 'history'],
      [5, 2, 1, ['ownership'], 'contents'],
      [1, 3, 1, ['parties', 'ownership'], 'contents'],
    ]);
  });

  it('the whole document is served, the newest one, and that of a data set only until the document itself was read', async () => {
    expect((await documentOf(own)).data).toEqual(form4([23]));
    expect(await documentOf(late)).toMatchObject({
      data: form4([21, 26], two),
      meta: { source: 'document' },
    });
    expect((await documentOf(old)).data).toEqual(form4([22], undefined, 'Other remarks'));
    expect(await documentOf(again)).toMatchObject({ data: form4([25], two), meta: { source: 'document' } });
    expect((await documentOf(schedule)).data).toEqual(schedule13([27, 28]));
    expect((await documentOf(early)).data).toEqual(form4([24]));
  });

  it('persons that a document names become parties, with their roles and names', async () => {
    const parties = async (row: LedgerFiling) =>
      (await filingOf(row)).parties.map(({ cik, name, role }) => [Number(cik), name, role]);
    expect(await parties(late)).toEqual([
      [1, 'Company 1', 'issuer'],
      [21, 'Known to EDGAR', 'reporting_owner'],
      [26, 'Owner 26', 'reporting_owner'],
    ]);
    // Whom only an older document named is no party any longer.
    expect(await parties(own)).toEqual([
      [1, 'Company 1', 'issuer'],
      [23, 'Owner 23', 'reporting_owner'],
    ]);
    // A person without a CIK is in `ownership` alone.
    expect(await parties(schedule)).toEqual([
      [1, 'Company 1', 'subject'],
      [27, 'Person 27', 'filed_by'],
    ]);
  });

  it('a person whom only documents name is found by the name, with the filings', async () => {
    const found = await jsonOf<{ data: { cik: string; filingCount: number }[] }>(
      service,
      '/v1/sec/companies/search?q=owner%2026',
    );
    expect(found.data).toMatchObject([{ cik: cikOf(26), name: 'Owner 26', filingCount: 1 }]);
    const listed = await jsonOf<{ data: Filing[] }>(service, `/v1/sec/company/${cikOf(26)}/filings`);
    expect(listed.data.map(({ accessionNo }) => accessionNo)).toEqual([late.accessionNo]);
    expect((await jsonOf<{ data: Filing[] }>(service, `/v1/sec/company/${cikOf(22)}/filings`)).data).toEqual([
      await filingOf(old).then(({ accessionNo }) => expect.objectContaining({ accessionNo })),
    ]);
  });

  it('a filing without contents and an unknown one are not found', async () => {
    const without = filing(30);
    const batch = { at: '2026-03-02T22:00:00.000Z', companies: [company(1)], filings: [without] };
    const lacking = await servedAfter(fresh(), fresh(), [batch]);
    const codeOf = (number: number) =>
      lacking.refusal(`/v1/sec/forms/${filing(number).accessionNo}/ownership`);
    expect(await codeOf(30)).toEqual([404, 'not_found']);
    expect(await codeOf(31)).toEqual([404, 'filing_not_found']);
  });

  it('the ledger tells the row of a filing without what its document added, and the source of contents', async () => {
    const known = await openKnownLedger(ledger, snapshots, quietProgress);
    const all = [own, late, old, early, again, schedule].map(({ accessionNo }) => accessionNo);
    const rows = await known.filings(all);
    expect(rows.get(own.accessionNo)).toEqual({ ...own, reportDate: '2026-03-01' });
    for (const row of [late, old, early, again, schedule]) expect(rows.get(row.accessionNo)).toEqual(row);
    expect([...(await known.contents(all))]).toEqual(
      all.toSorted().map((each) => [each, { ownership: 'document' }]),
    );
    await known.close();
  });
});

const documents = (...types: readonly string[]): ListedDocument[] =>
  types.map((type, at) => ({
    sequence: at + 1,
    type,
    description: at === 0 ? null : 'Ünï "text"',
    name: type === 'EX-4' ? null : `d${at}.htm`,
    size: 100 * at,
  }));

describe('the documents of a filing', () => {
  let service: SampleService;
  const of = (number: number, form: string) =>
    filing(number, { form, filedAt: number === 3 ? '2026-02-01' : '2026-03-02', filerCiks: [cikOf(1)] });
  const [report, late, old, early, none] = [
    of(1, '8-K'),
    of(2, '6-K'),
    of(3, '8-K'),
    of(4, '10-Q'),
    of(5, '8-K'),
  ] as [LedgerFiling, LedgerFiling, LedgerFiling, LedgerFiling, LedgerFiling];
  const form = filing(6, { form: '4', filedAt: '2026-03-02', subjectCik: cikOf(1), filerCiks: [cikOf(7)] });
  const listOf = ({ accessionNo }: LedgerFiling, ...types: string[]): LedgerContents => ({
    accessionNo,
    documents: documents(...types),
  });
  const batches: readonly Batch[] = [
    {
      at: '2026-03-02T22:00:00.000Z',
      companies: [company(1)],
      filings: [report, late, old, none, form],
      contents: [
        listOf(report, '8-K', 'EX-10.1', 'ex-99.1', 'EX-99.01', 'GRAPHIC', 'EX-101.SCH'),
        listOf(early, '10-Q', 'EX-99.1', 'EX-4'),
        { ...contents(form.accessionNo, form4([7])), documents: documents('4', 'EX-24') },
      ],
    },
    {
      at: '2026-03-03T12:00:00.000Z',
      filings: [early, { ...report, reportDate: '2026-03-01' }],
      contents: [listOf(late, '6-K', 'EX-99'), listOf(old, '8-K')],
    },
    { at: '2026-03-04T12:00:00.000Z', contents: [listOf(late, '6-K', 'EX-99')] },
  ];
  beforeAll(async () => void (service = await servedAfter(fresh(), fresh(), batches)));

  const summaryOf = async ({ accessionNo }: LedgerFiling) =>
    (await jsonOf<{ data: FilingSummary }>(service, `/v1/sec/forms/${accessionNo}/summary`)).data;

  it('the change feed tells exhibits with their filing, and those that come later by themselves', async () => {
    expect(
      (await everyChange(service)).map(
        ({ filing: { accessionNo, exhibits }, revision, corrected, cause }) => [
          Number(accessionNo.slice(-2)),
          revision,
          exhibits?.map(({ type }) => type) ?? null,
          corrected,
          cause,
        ],
      ),
    ).toEqual([
      [3, 1, null, undefined, undefined],
      [1, 1, ['EX-10.1', 'ex-99.1', 'EX-99.01'], undefined, undefined],
      [2, 1, null, undefined, undefined],
      [5, 1, null, undefined, undefined],
      [6, 1, ['EX-24'], undefined, undefined],
      [4, 1, ['EX-99.1', 'EX-4'], undefined, undefined],
      [1, 2, ['EX-10.1', 'ex-99.1', 'EX-99.01'], ['reportDate'], 'source'],
      [2, 2, ['EX-99'], ['exhibits'], 'contents'],
      [3, 2, [], ['exhibits'], 'history'],
    ]);
  });

  it('a summary has all that was sent, with addresses, and the press release of a current report', async () => {
    const summary = await summaryOf(report);
    const folder = summary.detailUrl?.replace(/[^/]*$/, '') ?? '';
    expect(summary.documents).toEqual(
      documents('8-K', 'EX-10.1', 'ex-99.1', 'EX-99.01', 'GRAPHIC', 'EX-101.SCH').map((each) => ({
        ...each,
        url: folder + (each.name ?? ''),
      })),
    );
    const linksOf = async (row: LedgerFiling) => {
      const { links, detailUrl } = await summaryOf(row);
      return links.pressRelease?.replace(detailUrl?.replace(/[^/]*$/, '') ?? '', '') ?? null;
    };
    expect(await Promise.all([report, late, old, early, none].map(linksOf))).toEqual([
      'd2.htm',
      'd1.htm',
      null,
      null,
      null,
    ]);
    expect((await summaryOf(early)).documents?.at(-1)).toMatchObject({ type: 'EX-4', name: null, url: null });
    expect((await summaryOf(none)).documents).toBe(null);
    expect(await summaryOf(form)).toMatchObject({
      ownership: { kind: 'section_16' },
      exhibits: [{ type: 'EX-24' }],
    });
  });
});
