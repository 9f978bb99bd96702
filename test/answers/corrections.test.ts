import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeCauses, type Change, type ChangeCause } from '../../src/contract/records.ts';
import type { AskedList, Said } from '../support/lists.ts';
import { ciks, observationsOf, readList, sourceOf, writeObservations } from '../support/lists.ts';
import { appendCorrected, correctedCauses } from '../support/corrected.ts';
import { useDirectories } from '../support/directories.ts';
import { serviceOver, type SampleService } from '../support/sample.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { countingReads, partsIn } from '../support/table.ts';

const fresh = useDirectories('corrections');

describe('the parameter corrections', () => {
  let service: SampleService;
  beforeAll(async () => {
    const [ledger, snapshots] = [fresh(), fresh()];
    await appendCorrected(ledger);
    await buildQuietly(ledger, snapshots);
    service = await serviceOver(snapshots);
  });
  afterAll(() => service.close());

  interface Page {
    readonly data: readonly Change[];
    readonly meta: { readonly nextCursor: string; readonly filters: { readonly corrections: string | null } };
  }
  const page = async (query: string): Promise<Page> =>
    (await (await service.get(`/v1/sec/changes?${query}`)).json()) as Page;

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
    const watchlist = (await (
      await service.get('/v1/sec/watchlist/changes?tickers=T1&since=1990-01-01&corrections=history')
    ).json()) as { data: { changes: Change[] }[] };
    expect(causesOf(watchlist.data[0]?.changes ?? [])).toEqual(expected(['history']));
  });

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

describe('a restatement of many filings', () => {
  /** Filings, and a batch that restates all of them; then a new filing, and one that EDGAR corrects. */
  const history = (count: number): Said[][] => {
    const said = (number: number, cause: ChangeCause, text: string): Said => ({
      number,
      form: '8-K',
      items: ['2.02'],
      filedAt: '2026-01-01',
      acceptanceDateTime: null,
      company: { sic: null, exchange: null, ticker: null },
      parties: [ciks[0]],
      text,
      cause,
    });
    const all = Array.from({ length: count }, (_, at) => at + 1);
    return [
      all.map((number) => said(number, 'source', '')),
      all.map((number) => said(number, 'rules', 'restated')),
      [said(count + 1, 'source', ''), said(1, 'source', 'again')],
    ];
  };
  const opened = async (count: number) => {
    const directory = fresh();
    const observations = observationsOf(history(count));
    const entries = await writeObservations(directory, observations);
    const parts = countingReads(partsIn(directory));
    return { parts, count, source: await sourceOf(directory, entries, observations, parts, 0) };
  };
  let made: Awaited<ReturnType<typeof opened>>[];
  beforeAll(async () => void (made = [await opened(200), await opened(2500)]));

  const asked: Readonly<Record<string, Partial<AskedList>>> = {
    'all companies': { company: null },
    'a form': { company: null, form: ['8-K'] },
    'an item': { company: null, items: ['2.02'] },
    'all companies on a day': { company: null, since: '2026-01-01' },
    'a company': { company: ciks[0], table: 'company-changes' },
    'a company and an item': { company: ciks[0], table: 'company-changes', items: ['2.02'] },
  };

  it.each(Object.entries(asked))(
    'who leaves it out passes it with a few reads in the feed of %s, however long it is',
    async (_, members) => {
      const found = await Promise.all(
        made.map(async ({ parts, count, source }) => {
          parts.reads.length = 0;
          const rows = await readList(source, {
            table: 'changes',
            company: null,
            after: String(count),
            limit: 50,
            corrections: ['source'],
            ...members,
          });
          return {
            behind: rows.map(({ sort }) => Number(sort) - 2 * count),
            reads: parts.reads.filter(({ part }) => !part.includes('.index.')).length,
          };
        }),
      );
      for (const { behind, reads } of found) {
        expect(behind).toEqual([1, 2]);
        expect(reads).toBeLessThan(8);
      }
    },
  );
});
