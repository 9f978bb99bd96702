import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WatchlistChangeBucket } from '../../src/contract/envelopes.ts';
import { feedTickersMaximum } from '../../src/contract/parameters.ts';
import type { Change } from '../../src/contract/records.ts';
import { newestCikOf, successors } from '../../src/domain/successors.ts';
import type * as z from 'zod';
import { useDirectories } from '../support/directories.ts';
import { unevenHistories } from '../support/histories.ts';
import { company, filing, cikOf, madeUp } from '../support/ledgers.ts';
import { changesOf, foldBatches } from '../support/ledger-model.ts';
import { changesOfSeveral } from '../support/list-walks.ts';
import { openPublished, publishSegments, writeHistory, type OpenSegmentsOnly } from '../support/published.ts';
import { request, type Texts } from '../support/walk.ts';

const fresh = useDirectories('changes-of-several');
const since = '1990-01-01';

interface Page {
  readonly data: readonly Change[];
  readonly meta: {
    readonly nextCursor: string;
    readonly filters: { readonly tickers: string | null };
    readonly unknown: readonly string[];
  };
}

/** Reads pages until one is not full. Returns the rows and the last cursor. */
async function toTheEnd(
  open: OpenSegmentsOnly,
  texts: Texts,
  limit: number,
  from: string | undefined,
): Promise<{ rows: Change[]; cursor: string }> {
  const rows: Change[] = [];
  let cursor = from;
  for (;;) {
    const page: Page = await request(open, 'listChanges', {
      ...texts,
      limit: String(limit),
      ...(cursor === undefined ? { since } : { cursor }),
    });
    rows.push(...page.data);
    expect(page.meta.filters.tickers).toBe(texts['tickers']);
    cursor = page.meta.nextCursor;
    if (page.data.length < limit) return { rows, cursor };
  }
}

/** Publishes a ledger, some batches at a time, and calls `look` after each publication. */
async function afterEachPublication(
  history: ReturnType<typeof madeUp>,
  isPublished: readonly boolean[],
  look: (open: OpenSegmentsOnly, published: number) => Promise<void>,
): Promise<void> {
  const [ledger, snapshots] = [fresh(), fresh()];
  await writeHistory(ledger, history);
  let segments: Awaited<ReturnType<typeof publishSegments>> = [];
  for (let at = 1; at <= history.length; at++) {
    if (isPublished[at - 1] !== true && at !== history.length) continue;
    segments = await publishSegments(ledger, snapshots, segments, at);
    const open = await openPublished(ledger, snapshots, segments);
    await look(open, at);
    await open.close();
  }
}

/** The history with a first batch that describes every company that may be asked for. */
function describedFirst(history: ReturnType<typeof madeUp>): ReturnType<typeof madeUp> {
  const [{ predecessorCik, successorCik }] = successors as [(typeof successors)[number]];
  const ciks = [...[1, 2, 3, 4].map(cikOf), predecessorCik, successorCik];
  return history.map((batch, at) =>
    at > 0
      ? batch
      : {
          ...batch,
          companies: [
            ...batch.companies,
            ...ciks
              .filter((cik) => !batch.companies.some((each) => each.cik === cik))
              .map((cik) => ({ ...company(1, null), cik })),
          ],
        },
  );
}

const anyFilter = fc.constantFrom<Texts>(
  {},
  { form: '8-K,10-K' },
  { items: '2.02,9.01' },
  { until: '2026-02-03' },
);

describe('changes of several companies', () => {
  it('one cursor that is followed across publications gives each change that concerns a company once, in order', {
    tags: ['slow'],
  }, async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(
        unevenHistories,
        fc.infiniteStream(fc.boolean()),
        fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 6 }),
        anyFilter,
        fc.integer({ min: 1, max: 12 }),
        async (drawn, published, picks, filter, limit) => {
          const history = describedFirst(drawn);
          const model = foldBatches(history);
          const described = (history[0]?.companies ?? []).map(({ cik }) => cik);
          const ciks = picks.map((at) => described[at % described.length] as string);
          const tickers = [...new Set(ciks)].join(',');
          const isPublished = history.map(() => published.next().value === true);
          const rows: Change[] = [];
          let cursor: string | undefined;
          await afterEachPublication(history, isPublished, async (open) => {
            const read = await toTheEnd(open, { ...filter, tickers }, limit, cursor);
            rows.push(...read.rows);
            cursor = read.cursor;
          });
          expect(rows).toEqual(changesOfSeveral(model, ciks, { ...filter, since }));
          found += rows.length;
        },
      ),
      { numRuns: 30 },
    );
    expect(found).toBeGreaterThan(50);
  });

  it('a cursor of the watchlist goes on with what is new to each company', {
    tags: ['slow'],
    timeout: 900_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        unevenHistories,
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 9 }),
        async (history, bucketLimit, limit) => {
          const model = foldBatches(history);
          const chains = new Map([...model.companies.keys()].map((cik) => [newestCikOf(cik), cik] as const));
          const ciks = [...chains.values()].slice(0, 5);
          if (ciks.length === 0) return;
          const tickers = ciks.join(',');
          await afterEachPublication(history, [], async (open) => {
            const { data, meta } = await request<{
              data: z.infer<typeof WatchlistChangeBucket>[];
              meta: { nextCursor: string };
            }>(open, 'listWatchlistChanges', { tickers, since, limit: String(bucketLimit) });
            const { rows } = await toTheEnd(open, { tickers }, limit, meta.nextCursor);
            const expected = new Map<number, Change>();
            ciks.forEach((cik, at) => {
              const read = data[at]?.changes.at(-1)?.sequence ?? 0;
              const isFull = data[at]?.changes.length === bucketLimit;
              for (const change of changesOf(model, { company: cik, since }))
                if (isFull && change.sequence > read) expected.set(change.sequence, change);
            });
            expect(rows).toEqual([...expected.values()].sort((a, b) => a.sequence - b.sequence));
          });
        },
      ),
      { numRuns: 20 },
    );
  });

  describe('of three companies', () => {
    const withService = (look: (open: OpenSegmentsOnly) => Promise<void>) =>
      afterEachPublication(
        madeUp({
          companies: [company(1), company(2), company(3)],
          filings: [
            filing(1, { filerCiks: [cikOf(1), cikOf(2)] }),
            filing(2, { filerCiks: [cikOf(2)] }),
            filing(3, { filerCiks: [cikOf(3)] }),
          ],
        }),
        [],
        look,
      );
    const numbers = ({ data }: Page) => data.map((change) => Number(change.filing.accessionNo.slice(-6)));

    it('a filing that names two of the companies comes once', () =>
      withService(async (open) => {
        const page = await request<Page>(open, 'listChanges', { tickers: 't1,T2, 0000000001', since });
        expect(numbers(page)).toEqual([1, 2]);
      }));

    it('unknown entries are named beside the changes of the others, and are 404 where there are no others', () =>
      withService(async (open) => {
        const page = await request<Page>(open, 'listChanges', { tickers: 'T1,NOPE,T3,0000000099', since });
        expect(numbers(page)).toEqual([1, 3]);
        expect(page.meta.unknown).toEqual(['NOPE', '0000000099']);
        const known = await request<Page>(open, 'listChanges', { tickers: 'T1,T3', since });
        expect(known.meta.unknown).toEqual([]);
        for (const tickers of ['NOPE,0000000099', '0000000099,NOPE'])
          await expect(request(open, 'listChanges', { tickers, since })).rejects.toMatchObject({
            code: 'company_not_found',
            message: `tickers: no company of this service has the ticker symbol or CIK ${tickers
              .split(',')
              .map((entry) => `"${entry}"`)
              .join(', ')}`,
          });
      }));

    it('an entry that is known later has its changes from then on, with the same cursor', async () => {
      const page = { rows: 0, cursor: '' };
      const history = madeUp(
        { companies: [company(1)], filings: [filing(1, { filerCiks: [cikOf(1)] })] },
        { companies: [company(2)], filings: [filing(2, { filerCiks: [cikOf(2)] })] },
      );
      await afterEachPublication(history, [true], async (open, published) => {
        const { rows, cursor } = await toTheEnd(
          open,
          { tickers: 'T1,T2' },
          10,
          published === 1 ? undefined : page.cursor,
        );
        expect(rows.map(({ filing: { accessionNo } }) => Number(accessionNo.slice(-6)))).toEqual([published]);
        page.cursor = cursor;
      });
    });

    it('250 entries are taken, of which the one with changes is the last', () =>
      withService(async (open) => {
        const tickers = [
          ...Array.from({ length: feedTickersMaximum - 1 }, (_, at) => cikOf(at + 100)),
          'T3',
        ].join(',');
        const page = await request<Page>(open, 'listChanges', { tickers, since });
        expect(numbers(page)).toEqual([3]);
        expect(page.meta.unknown).toHaveLength(feedTickersMaximum - 1);
      }));

    it('ticker and tickers together are refused, and so are more than 250 entries', () =>
      withService(async (open) => {
        await expect(
          request(open, 'listChanges', { tickers: 'T1', ticker: 'T1', since }),
        ).rejects.toMatchObject({
          code: 'invalid_parameter',
          message: 'ticker and tickers: give one of them; tickers takes several with commas between',
        });
        const many = Array.from({ length: feedTickersMaximum + 1 }, (_, at) => `T${at}`).join(',');
        expect(() => request(open, 'listChanges', { tickers: many, since })).toThrow(
          'tickers: must be 1 to 250',
        );
      }));
  });
});
