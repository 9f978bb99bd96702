import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { feedLogOf } from '../../src/answers/read-list.ts';
import { changeCauses, type Change } from '../../src/contract/records.ts';
import { encodeFeedCursor } from '../../src/query/cursor.ts';
import { contents, form4 } from '../support/contents.ts';
import { appendCorrected, correctedCauses } from '../support/corrected.ts';
import { useDirectories } from '../support/directories.ts';
import { company, filing, madeUp } from '../support/ledgers.ts';
import { openHistory, openPublished } from '../support/published.ts';
import { serviceOver, type SampleService } from '../support/sample.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { countingReads, partsIn } from '../support/table.ts';
import { request, type Texts } from '../support/walk.ts';

const fresh = useDirectories('corrections');

describe('the parameter corrections', () => {
  let service: SampleService;
  beforeAll(async () => {
    const [ledger, snapshots] = [fresh(), fresh()];
    await appendCorrected(ledger);
    await buildQuietly(ledger, snapshots);
    service = await serviceOver(snapshots);
  });

  interface Page {
    readonly data: readonly Change[];
    readonly meta: { readonly nextCursor: string; readonly filters: { readonly corrections: string | null } };
  }
  const page = (query: string) => service.json<Page>(`/v1/sec/changes?${query}`);

  /** The changes that a client gets that follows the cursor to the end, and the last cursor. */
  async function followed(query: string, limit: number): Promise<{ changes: Change[]; cursor: string }> {
    const changes: Change[] = [];
    for (let place = 'since=1990-01-01'; ; ) {
      const { data, meta } = await page(`${place}&${query}&limit=${limit}`);
      changes.push(...data);
      place = `cursor=${meta.nextCursor}`;
      if (data.length < limit) return { changes, cursor: meta.nextCursor };
    }
  }

  const causesOf = (changes: readonly Change[]) => changes.map(({ cause }) => cause ?? null);
  const expected = (wanted: readonly string[]) =>
    correctedCauses.filter((cause) => cause === null || wanted.includes(cause));

  it('without it all corrections come, and so they do with all', async () => {
    for (const query of ['', 'corrections=all', 'corrections=ALL', `corrections=${changeCauses.join(',')}`])
      expect(causesOf((await followed(query, 3)).changes)).toEqual(correctedCauses);
    expect((await page('since=1990-01-01&corrections=all')).meta.filters.corrections).toBeNull();
  });

  it('only first entries and the named causes come, from the feed of all, of companies and of forms, and the cursor ends where all do', () =>
    fc.assert(
      fc.asyncProperty(
        fc.subarray([...changeCauses]),
        fc.constantFrom('', '&ticker=T1', `&tickers=T1`, '&form=8-K,4', '&eventType=current_report'),
        fc.integer({ min: 1, max: 8 }),
        async (causes, filter, limit) => {
          const corrections = causes.length === 0 ? 'none' : causes.join(',');
          const { changes, cursor } = await followed(`corrections=${corrections}${filter}`, limit);
          const all = (await followed(filter.slice(1), 200)).changes;
          expect(changes).toEqual(
            all.filter(({ cause }) => cause === undefined || (causes as string[]).includes(cause)),
          );
          // What was left out is behind the cursor.
          expect((await page(`cursor=${cursor}`)).data).toEqual([]);
        },
      ),
      { numRuns: 40 },
    ));

  it('the meta says it, and the watchlist and streams take it', async () => {
    const filters = (await page('since=1990-01-01&corrections=contents,source')).meta.filters;
    expect(filters.corrections).toBe('source,contents');
    expect((await page('since=1990-01-01&corrections=none')).meta.filters.corrections).toBe('none');
    const watchlist = await service.json<{ data: { changes: Change[] }[] }>(
      '/v1/sec/watchlist/changes?tickers=T1&since=1990-01-01&corrections=history',
    );
    expect(causesOf(watchlist.data[0]?.changes ?? [])).toEqual(expected(['history']));
  });

  it.each(['none', 'all', 'source', 'contents,history'])(
    'the header Link leads to the rows that corrections=%s has behind a page',
    async (corrections) => {
      for (const path of [
        '/v1/sec/changes?since=1990-01-01',
        '/v1/sec/watchlist/changes?since=1990-01-01&tickers=T1',
      ]) {
        const response = await service.get(`${path}&corrections=${corrections}&limit=1`);
        const { meta } = (await response.json()) as Page;
        const next = /^<([^<>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1] ?? '';
        const followedTo = await service.json<Page>(next);
        const asked = await service.json<Page>(
          `${path}&corrections=${corrections}&limit=1&cursor=${meta.nextCursor}`,
        );
        expect([path, followedTo]).toEqual([path, asked]);
      }
    },
  );

  it.each(['', 'some', 'all,none', 'none,source', 'source,', 'source;rules'])(
    'corrections=%s is refused with what is allowed',
    async (value) => {
      const response = await service.get(`/v1/sec/changes?since=1990-01-01&corrections=${value}`);
      expect(response.status).toBe(400);
      const { error } = (await response.json()) as { error: { message: string } };
      expect(error.message).toMatch(
        /^corrections: must be all, none, or causes with commas between: source, contents, history, rules, /,
      );
    },
  );
});

describe('a correction of many filings', () => {
  /** Filings, and a batch that corrects all of them; then a new filing, and what a document says of another one. */
  const history = (count: number) => {
    const all = Array.from({ length: count }, (_, at) => filing(at + 1, { form: '8-K', items: ['2.02'] }));
    const corrected = all.map((each) => ({ ...each, sizeBytes: 7 }));
    const batches = madeUp(
      { filings: all, companies: [company(1)] },
      { filings: corrected },
      { filings: [filing(count + 1, { form: '8-K', items: ['2.02'] })] },
    );
    const { accessionNo = '' } = all[0] ?? {};
    return batches.map((batch, at) =>
      at < 2 ? batch : { ...batch, contents: [contents(accessionNo, form4([22]))] },
    );
  };
  const opened = async (count: number) => {
    const { ledger, directory, entries } = await openHistory(fresh(), history(count));
    const parts = countingReads(partsIn(directory));
    return { parts, count, open: () => openPublished(ledger, directory, entries, parts) };
  };
  let made: Awaited<ReturnType<typeof opened>>[];
  beforeAll(async () => void (made = await Promise.all([opened(200), opened(1000)])));

  it.each<[string, Texts]>([
    ['all companies', {}],
    ['a form', { form: '8-K' }],
    ['an item', { items: '2.02' }],
    ['all companies on a day', { since: '2026-01-01' }],
    ['a company', { ticker: 'T1' }],
    ['a company and an item', { ticker: 'T1', items: '2.02' }],
  ])(
    'who leaves it out passes it with a few reads in the feed of %s, however long it is',
    async (_, texts) => {
      const found = await Promise.all(
        made.map(async ({ parts, count, open }) => {
          const { snapshot, ask } = await open();
          const cursor = await encodeFeedCursor(feedLogOf(snapshot), { since: '1990-01-01' }, count);
          parts.reads.length = 0;
          const query = { ...texts, cursor, corrections: 'history,contents' };
          const { data } = await request<{ data: Change[] }>({ ask }, 'listChanges', query);
          return {
            behind: data.map(({ sequence }) => sequence - 2 * count),
            reads: parts.reads.filter(({ part }) => !part.includes('.index.')).length,
          };
        }),
      );
      for (const { behind, reads } of found) {
        expect(behind).toEqual([1, 2]);
        expect(reads).toBeLessThan(12);
      }
    },
  );
});
