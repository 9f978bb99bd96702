import { appendBatch } from '../../build/ledger/batch.ts';
import type { ChangeCause } from '../../src/contract/records.ts';
import { contents, form4 } from './contents.ts';
import { cikOf, company, filing } from './made-up.ts';

const run = (createdAt: string) => ({ target: '', status: 'success', message: null, createdAt });

/** The causes of the changes in the ledger of `appendCorrected`, in their order; null for a first entry. */
export const correctedCauses: readonly (ChangeCause | null)[] = [
  null,
  null,
  null,
  null,
  null,
  null,
  ...(['source', 'source', 'contents', 'contents', 'history'] as const),
  null,
];

/**
 * Appends six filings of company 1 to a ledger, then corrections of them: two by EDGAR, two by what documents say, one by
 * what the document of an old filing says. Then a new filing, after which nothing is corrected any more.
 */
export async function appendCorrected(ledger: string): Promise<void> {
  const filings = [1, 2, 3, 4, 5, 6].map((number) =>
    filing(number, {
      form: number < 3 ? '8-K' : '4',
      filedAt: number === 6 ? '2026-02-01' : '2026-03-02',
      subjectCik: number < 3 ? null : cikOf(1),
      filerCiks: number < 3 ? [cikOf(1)] : [],
    }),
  );
  const bySource = filings.slice(0, 2).map((each) => ({ ...each, reportDate: '2026-03-01' }));
  await appendBatch(ledger, {
    run: run('2026-03-02T22:00:00.000Z'),
    filings,
    companies: [company(1)],
    refusals: [],
  });
  await appendBatch(ledger, {
    run: run('2026-03-03T12:00:00.000Z'),
    filings: bySource,
    companies: [],
    contents: filings.slice(3).map(({ accessionNo }) => contents(accessionNo, form4([22]))),
    refusals: [],
  });
  await appendBatch(ledger, {
    run: run('2026-03-04T12:00:00.000Z'),
    filings: [filing(7, { form: '8-K', filedAt: '2026-03-04', filerCiks: [cikOf(1)] })],
    companies: [],
    refusals: [],
  });
}
