import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerContents } from '../../build/ledger/contents.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { ListedDocument } from '../../src/contract/filing-documents.ts';
import type { Change, FilingSummary } from '../../src/contract/records.ts';
import { contents, form4 } from '../support/contents.ts';
import { useDirectories } from '../support/directories.ts';
import { cikOf, company, filing } from '../support/ledgers.ts';
import { serviceOver, type SampleService } from '../support/sample.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('documents');

const documents = (...types: readonly string[]): ListedDocument[] =>
  types.map((type, at) => ({
    sequence: at + 1,
    type,
    description: at === 0 ? null : 'Ünï "text"',
    name: type === 'EX-4' ? null : `d${at}.htm`,
    size: 100 * at,
  }));

describe('the documents of a filing', () => {
  const [ledger, snapshots] = [fresh(), fresh()];
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
  const batches: readonly (readonly [string, readonly LedgerFiling[], readonly LedgerContents[]])[] = [
    [
      '2026-03-02T22:00:00.000Z',
      [report, late, old, none, form],
      [
        listOf(report, '8-K', 'EX-10.1', 'ex-99.1', 'EX-99.01', 'GRAPHIC', 'EX-101.SCH'),
        listOf(early, '10-Q', 'EX-99.1', 'EX-4'),
        { ...contents(form.accessionNo, form4([7])), documents: documents('4', 'EX-24') },
      ],
    ],
    [
      '2026-03-03T12:00:00.000Z',
      [early, { ...report, reportDate: '2026-03-01' }],
      [listOf(late, '6-K', 'EX-99'), listOf(old, '8-K')],
    ],
    ['2026-03-04T12:00:00.000Z', [], [listOf(late, '6-K', 'EX-99')]],
  ];
  beforeAll(async () => {
    for (const [at, filings, said] of batches) {
      await appendBatch(ledger, {
        run: { target: '', status: 'success', message: null, createdAt: at },
        filings,
        companies: [company(1)],
        contents: said,
        refusals: [],
      });
      await buildQuietly(ledger, snapshots);
    }
    service = await serviceOver(snapshots);
  });
  afterAll(() => service.close());

  const summaryOf = async ({ accessionNo }: LedgerFiling) =>
    ((await (await service.get(`/v1/sec/forms/${accessionNo}/summary`)).json()) as { data: FilingSummary })
      .data;

  it('the change feed tells exhibits with their filing, and those that come later by themselves', async () => {
    const answer = await service.get('/v1/sec/changes?since=2026-01-01&limit=200');
    const { data } = (await answer.json()) as { data: Change[] };
    expect(
      data.map(({ filing: { accessionNo, exhibits }, revision, corrected, cause }) => [
        Number(accessionNo.slice(-2)),
        revision,
        exhibits?.map(({ type }) => type) ?? null,
        corrected,
        cause,
      ]),
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
