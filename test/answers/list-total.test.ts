import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EndpointId } from '../../src/contract/endpoints.ts';
import { newestCikOf } from '../../src/domain/successors.ts';
import { useDirectories } from '../support/directories.ts';
import { unevenHistories } from '../support/histories.ts';
import { filingsOf, insiderFilingsOf } from '../support/ledger-model.ts';
import { openHistory } from '../support/published.ts';
import { request, type Texts } from '../support/walk.ts';

const fresh = useDirectories('totals');

/** Filters, and whether counts of them are kept: of all filings, and of one company. */
const filters: readonly (readonly [texts: Texts, ofAll: boolean, ofCompany: boolean])[] = [
  [{}, true, true],
  [{ form: '8-K,10-K' }, true, true],
  [{ eventType: 'current_report' }, true, true],
  [{ items: '2.02' }, true, false],
  [{ since: '2026-01-15', until: '2026-02-03' }, true, false],
  [{ since: '2026-02-01', until: '2026-02-03', eventType: 'current_report' }, true, false],
  [{ since: '2026-02-02', form: '8-K' }, false, false],
  [{ since: '2026-01-01', until: '2026-01-31', form: '8-K', items: '9.01' }, true, false],
  [{ listed: 'true' }, false, false],
  [{ since: '1990-01-01' }, true, false],
];

it('the total of a list is the number of its rows, or null where no count is kept', async () => {
  let counted = 0;
  await fc.assert(
    fc.asyncProperty(unevenHistories, async (history) => {
      const { model, open } = await openHistory(fresh(), history);
      const totalOf = async (id: EndpointId, texts: Texts) =>
        (await request<{ meta: { total: number | null } }>(open, id, { ...texts, limit: '1' })).meta.total;
      // Of no filings every total is 0, also over years.
      fc.pre(filingsOf(model).length > 0);
      const [cik] = [...model.companies.keys()];
      for (const [texts, ofAll, ofCompany] of filters) {
        const total = await totalOf('listLatestFilings', texts);
        expect(total, JSON.stringify(texts)).toBe(ofAll ? filingsOf(model, texts).length : null);
        counted += total ?? 0;
        if (cik === undefined) continue;
        expect(await totalOf('listCompanyFilings', { ...texts, ticker: cik })).toBe(
          // Counts lie with the newest company of a succession, which the ledger may not have.
          ofCompany && model.companies.has(newestCikOf(cik))
            ? filingsOf(model, { ...texts, company: cik }).length
            : null,
        );
      }
      expect(await totalOf('listInsiderTrades', {})).toBe(insiderFilingsOf(model).length);
      if (cik !== undefined) expect(await totalOf('listInsiderTrades', { ticker: cik })).toBe(null);
      await open.close();
    }),
    { numRuns: 15 },
  );
  expect(counted).toBeGreaterThan(50);
});
