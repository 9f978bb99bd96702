import { newestCikOf } from '../../src/domain/successors.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useDirectories } from '../support/directories.ts';
import { unevenHistories } from '../support/histories.ts';
import { madeUp } from '../support/ledgers.ts';
import { filingsOf, foldBatches, insiderFilingsOf, type ModelFilter } from '../support/ledger-model.ts';
import { openPublished, publishSegments, writeHistory, type OpenSegmentsOnly } from '../support/published.ts';
import { request, type Texts } from '../support/walk.ts';
import type { EndpointId } from '../../src/contract/endpoints.ts';

const fresh = useDirectories('totals');

async function totalOf(open: OpenSegmentsOnly, id: EndpointId, texts: Texts): Promise<number | null> {
  const { meta } = await request<{ meta: { total: number | null } }>(open, id, { ...texts, limit: '1' });
  return meta.total;
}

/** Filters, and whether counts of them are kept: of all filings, and of one company. */
const filters: readonly {
  readonly texts: Texts;
  readonly filter: ModelFilter;
  readonly isCounted: { readonly all: boolean; readonly company: boolean };
}[] = [
  { texts: {}, filter: {}, isCounted: { all: true, company: true } },
  {
    texts: { form: '8-K,10-K' },
    filter: { form: ['8-K', '10-K'] },
    isCounted: { all: true, company: true },
  },
  {
    texts: { eventType: 'current_report' },
    filter: { eventType: ['current_report'] },
    isCounted: { all: true, company: true },
  },
  { texts: { items: '2.02' }, filter: { items: ['2.02'] }, isCounted: { all: true, company: false } },
  {
    texts: { since: '2026-01-15', until: '2026-02-03' },
    filter: { since: '2026-01-15', until: '2026-02-03' },
    isCounted: { all: true, company: false },
  },
  {
    texts: { since: '2026-02-01', until: '2026-02-03', eventType: 'current_report' },
    filter: { since: '2026-02-01', until: '2026-02-03', eventType: ['current_report'] },
    isCounted: { all: true, company: false },
  },
  {
    texts: { since: '2026-02-02', form: '8-K' },
    filter: { since: '2026-02-02', form: ['8-K'] },
    isCounted: { all: false, company: false },
  },
  {
    texts: { since: '2026-01-01', until: '2026-01-31', form: '8-K', items: '9.01' },
    filter: { since: '2026-01-01', until: '2026-01-31', form: ['8-K'], items: ['9.01'] },
    isCounted: { all: true, company: false },
  },
  {
    texts: { listed: 'true' },
    filter: {},
    isCounted: { all: false, company: false },
  },
  {
    texts: { since: '1990-01-01' },
    filter: { since: '1990-01-01' },
    isCounted: { all: true, company: false },
  },
];

it('the total of a list is the number of its rows, or null where no count is kept', async () => {
  let counted = 0;
  await fc.assert(
    fc.asyncProperty(unevenHistories, async (history: ReturnType<typeof madeUp>) => {
      const model = foldBatches(history);
      // Of no filings every total is 0, also over years.
      fc.pre(filingsOf(model).length > 0);
      const [ledger, snapshots] = [fresh(), fresh()];
      await writeHistory(ledger, history);
      const open = await openPublished(
        ledger,
        snapshots,
        await publishSegments(ledger, snapshots, [], history.length),
      );
      try {
        const [cik] = [...model.companies.keys()];
        for (const { texts, filter, isCounted } of filters) {
          const total = await totalOf(open, 'listLatestFilings', texts);
          expect(total, JSON.stringify(texts)).toBe(isCounted.all ? filingsOf(model, filter).length : null);
          counted += total ?? 0;
          if (cik === undefined) continue;
          expect(await totalOf(open, 'listCompanyFilings', { ...texts, ticker: cik })).toBe(
            // Counts lie with the newest company of a succession, which the ledger may not have.
            isCounted.company && model.companies.has(newestCikOf(cik))
              ? filingsOf(model, { ...filter, company: cik }).length
              : null,
          );
        }
        expect(await totalOf(open, 'listInsiderTrades', {})).toBe(insiderFilingsOf(model).length);
        if (cik !== undefined) expect(await totalOf(open, 'listInsiderTrades', { ticker: cik })).toBe(null);
      } finally {
        await open.close();
      }
    }),
    { numRuns: 15 },
  );
  expect(counted).toBeGreaterThan(50);
});
