import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import { serviceOver } from '../support/sample.ts';
import { makeSnapshot } from '../support/snapshot.ts';

const company = (number: number): LedgerCompany => ({
  cik: String(1000 + number).padStart(10, '0'),
  name: `Company ${number} Inc`,
  tickers: [`C${number}`],
  exchange: null,
  formerNames: [],
});
const companies = [0, 1, 2].map(company);

/** A filing of company `number`, filed on one of a few days: late ones come with old days. */
function filing(at: number, number: number, day: number, also: readonly number[] = []): LedgerFiling {
  return {
    accessionNo: `0000009999-26-${String(at).padStart(6, '0')}`,
    form: at % 3 === 0 ? '8-K' : '4',
    filedAt: `2026-01-${String(day + 1).padStart(2, '0')}`,
    reportDate: null,
    acceptedEastern: null,
    items: [],
    primaryDocument: null,
    primaryDocDescription: null,
    sizeBytes: at,
    isXbrl: false,
    isInlineXbrl: false,
    subjectCik: null,
    filerCiks: [number, ...also]
      .map((each) => company(each).cik)
      .filter((cik, at, all) => all.indexOf(cik) === at)
      .sort(),
  };
}

type Step =
  | {
      readonly kind: 'batch';
      readonly days: readonly number[];
      readonly correct: boolean;
      readonly join: boolean;
      readonly leave: boolean;
    }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'poll'; readonly limit: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      days: fc.array(fc.nat(27), { minLength: 0, maxLength: 12 }),
      correct: fc.boolean(),
      join: fc.boolean(),
      leave: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'rollback' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('poll' as const), limit: fc.integer({ min: 1, max: 7 }) }),
  },
);

/**
 * An entry that the feed must have: the filing as it was then, and every company that it names or was found
 * not to name.
 */
interface Entry {
  readonly filing: LedgerFiling;
  readonly revision: number;
  readonly ciks: readonly string[];
}

/**
 * Plays the steps on a service with clients that follow their cursors, and expects that each of them saw
 * every observation that matches once.
 */
async function followEverything(steps: readonly Step[], since: string): Promise<void> {
  const made = await makeSnapshot();
  try {
    const known: LedgerFiling[] = [];
    const log: Entry[] = [];
    let batches = 0;
    const observe = (filing: LedgerFiling, before?: LedgerFiling) =>
      log.push({
        filing,
        revision: log.filter((each) => each.filing.accessionNo === filing.accessionNo).length + 1,
        ciks: [...filing.filerCiks, ...(before?.filerCiks ?? [])],
      });
    const append = async (days: readonly number[], correct: boolean, join: boolean, leave: boolean) => {
      const fresh = days.map((day, at) =>
        filing(known.length + at, (known.length + at) % 3, day, at % 4 === 0 ? [0] : []),
      );
      const corrections: LedgerFiling[] = [];
      const change = (before: LedgerFiling | undefined, members: Partial<LedgerFiling>) => {
        if (!before || corrections.some(({ accessionNo }) => accessionNo === before.accessionNo)) return;
        const after = { ...before, ...members };
        corrections.push(after);
        observe(after, before);
        known.splice(known.indexOf(before), 1, after);
      };
      fresh.forEach((each) => observe(each));
      if (correct) change(known[0], { sizeBytes: 1_000_000 + batches });
      // One that was undecided: it moves in the lists. Nothing new is said of it if it is known already.
      if (correct)
        change(
          known.find((each) => each.acceptedEastern === null),
          { acceptedEastern: '20260101090000' },
        );
      // A later run finds that a known filing also names company 2: whoever follows that company must get it
      // now.
      const found = join ? known.find((each) => !each.filerCiks.includes(company(2).cik)) : undefined;
      change(found, { filerCiks: [...(found?.filerCiks ?? []), company(2).cik].sort() });
      // And that another one does not name the last of its companies: whoever follows that one must hear of
      // it.
      const left = leave ? known.find((each) => each.filerCiks.length > 1) : undefined;
      change(left, { filerCiks: left?.filerCiks.slice(0, -1) ?? [] });
      // What is carried again as it is makes no entry.
      const repeated = known.find((each) => !corrections.includes(each));
      const createdAt = new Date(Date.UTC(2026, 1, 1) + batches * 60_000).toISOString();
      await appendBatch(made.ledgerDirectory, {
        run: { target: 't', status: 'success', message: null, createdAt },
        filings: [...fresh, ...corrections, ...(repeated ? [repeated] : [])],
        companies: batches === 0 ? companies : batches === 1 ? [{ ...company(1), name: 'Renamed Inc' }] : [],
        refusals: [],
      });
      known.push(...fresh);
      batches++;
      await made.build();
    };
    await append([3, 1, 20], false, false, false);
    const service = await serviceOver(made.directory);
    const pollers = [
      '',
      '&ticker=C2',
      '&form=8-K',
      '&ticker=C0&form=4',
      '&eventType=insider_transaction',
    ].map((filter) => ({ filter, cursor: '', seen: [] as string[] }));
    const watch = {
      cursor: '',
      seen: new Map(companies.map(({ tickers }) => [tickers[0] as string, [] as string[]])),
    };
    const poll = async (limit: number) => {
      for (const poller of pollers) {
        const response = await service.get(
          `/v1/sec/changes?limit=${limit}${poller.filter}${poller.cursor === '' ? `&since=${since}` : `&cursor=${poller.cursor}`}`,
        );
        const { data, meta } = (await response.json()) as {
          data: Change[];
          meta: { nextCursor: string; since: string };
        };
        expect(meta.since).toBe(since);
        poller.seen.push(...data.map(nameOf));
        poller.cursor = meta.nextCursor;
      }
      const response = await service.get(
        `/v1/sec/watchlist/changes?tickers=C0,C1,C2&limit=${limit}${watch.cursor === '' ? `&since=${since}` : `&cursor=${watch.cursor}`}`,
      );
      const { data, meta } = (await response.json()) as {
        data: { ticker: string; changes: Change[] }[];
        meta: { nextCursor: string };
      };
      for (const { ticker, changes } of data) watch.seen.get(ticker)?.push(...changes.map(nameOf));
      watch.cursor = meta.nextCursor;
    };
    for (const each of steps) {
      if (each.kind === 'batch') await append(each.days, each.correct, each.join, each.leave);
      else if (each.kind === 'rollback') await made.rollBack().catch(() => {});
      else await poll(each.limit);
      await service.look();
    }
    await made.build(true);
    await service.look();
    for (let quiet = 0; quiet < 200 / 7; quiet++) await poll(7);
    const matching = (accepts: (each: Entry) => boolean) =>
      log
        .filter((each) => each.filing.filedAt >= since && accepts(each))
        .map(({ filing: { accessionNo }, revision }) => `${accessionNo} ${revision}`)
        .sort();
    const concerns =
      (number: number) =>
      ({ ciks }: Entry) =>
        ciks.includes(company(number).cik);
    const accepts: ((each: Entry) => boolean)[] = [
      () => true,
      concerns(2),
      ({ filing: { form } }) => form === '8-K',
      (each) => concerns(0)(each) && each.filing.form === '4',
      ({ filing: { form } }) => form === '4',
    ];
    pollers.forEach(({ seen }, at) =>
      expect(seen.toSorted()).toEqual(matching(accepts[at] as (each: Entry) => boolean)),
    );
    for (const number of [0, 1, 2])
      expect(watch.seen.get(`C${number}`)?.toSorted()).toEqual(matching(concerns(number)));
    const replayed = new Map(log.map(({ filing: { accessionNo, filerCiks } }) => [accessionNo, filerCiks]));
    const { data } = (await (await service.get(`/v1/sec/latest?limit=200`)).json()) as { data: Filing[] };
    expect(
      new Map(data.map(({ accessionNo, parties }) => [accessionNo, parties.map(({ cik }) => cik)])),
    ).toEqual(replayed);
    await service.close();
  } finally {
    await made.remove();
  }
}

const nameOf = ({ filing: { accessionNo }, revision }: Change) => `${accessionNo} ${revision}`;

describe('the change feed', () => {
  it(
    'a client that follows nextCursor gets every matching change once, across rebuilds and a rollback',
    { tags: ['slow'] },
    () =>
      followEverything(
        [
          { kind: 'poll', limit: 2 },
          { kind: 'batch', days: [5, 0, 14, 27, 20], correct: true, join: true, leave: true },
          { kind: 'poll', limit: 3 },
          { kind: 'rollback' },
          { kind: 'poll', limit: 7 },
        ],
        '2026-01-15',
      ),
  );

  /** Each walk has up to fourteen builds. */
  const walks = (numRuns: number) =>
    fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 14 }),
        fc.constantFrom('2026-01-01', '2026-01-15'),
        followEverything,
      ),
      { numRuns },
    );
  it(
    'a client that follows nextCursor gets every matching change once, in any history',
    { tags: ['slow'] },
    () => walks(2),
  );
  it(
    'a client that follows nextCursor gets every matching change once, in many histories',
    { tags: ['slow', 'nightly'], timeout: 900_000 },
    () => walks(12),
  );

  it('the feed refuses a cursor of a ledger that was put back and continued differently', {
    tags: ['slow'],
  }, async () => {
    const [first, second] = [await makeSnapshot(), await makeSnapshot()];
    const batch = (at: number, number: number, minute: number) => ({
      run: { target: 't', status: 'success', message: null, createdAt: `2026-02-01T00:0${minute}:00.000Z` },
      filings: [filing(at, number, 3)],
      companies: at === 0 ? companies : [],
      refusals: [],
    });
    for (const { ledgerDirectory } of [first, second]) await appendBatch(ledgerDirectory, batch(0, 0, 0));
    await appendBatch(first.ledgerDirectory, batch(1, 1, 1));
    await appendBatch(second.ledgerDirectory, batch(2, 2, 2));
    await first.build();
    await second.build();
    const [one, two] = [await serviceOver(first.directory), await serviceOver(second.directory)];
    const { meta } = (await (await one.get('/v1/sec/changes?since=2026-01-01')).json()) as {
      meta: { nextCursor: string };
    };
    expect((await one.get(`/v1/sec/changes?cursor=${meta.nextCursor}`)).status).toBe(200);
    const refused = await two.get(`/v1/sec/changes?cursor=${meta.nextCursor}`);
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      400,
      'invalid_cursor',
    ]);
    for (const each of [one, two]) await each.close();
    for (const each of [first, second]) await each.remove();
  });

  it('the feed of a form gives what was observed under it, also after corrections', async () => {
    const made = await makeSnapshot();
    const batch = (form: string, minute: number) => ({
      run: { target: 't', status: 'success', message: null, createdAt: `2026-02-01T00:0${minute}:00.000Z` },
      filings: [{ ...filing(0, 0, 3), form }],
      companies: minute === 0 ? companies : [],
      refusals: [],
    });
    for (const [at, form] of ['8-K', '10-Q'].entries())
      await appendBatch(made.ledgerDirectory, batch(form, at));
    await made.build();
    const service = await serviceOver(made.directory);
    for (const filter of ['form=8-K', 'eventType=current_report', 'form=8-K&ticker=C0']) {
      const { data } = (await (await service.get(`/v1/sec/changes?since=2026-01-01&${filter}`)).json()) as {
        data: Change[];
      };
      expect(data.map(({ revision, filing: { form } }) => [revision, form])).toEqual([[1, '8-K']]);
    }
    expect(
      ((await (await service.get('/v1/sec/latest?form=8-K')).json()) as { data: Filing[] }).data,
    ).toEqual([]);
    await service.close();
    await made.remove();
  });

  it('the feed answers hostile cursors with invalid_cursor', async () => {
    const made = await makeSnapshot({ filings: 30, companies: 3, batches: 1 });
    const service = await serviceOver(made.directory);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ minLength: 1 }),
          fc.base64String({ minLength: 4 }),
          fc.constantFrom('__proto__', '..', 'Zn4', 'Zn5-fn5-fg'),
        ),
        async (cursor) => {
          for (const path of [
            '/v1/sec/changes?',
            '/v1/sec/latest?',
            '/v1/sec/watchlist/changes?tickers=B&',
          ]) {
            const response = await service.get(`${path}cursor=${encodeURIComponent(cursor)}`);
            expect(response.status).toBe(400);
            expect(((await response.json()) as { error: { code: string } }).error.code).toMatch(
              /^invalid_(cursor|parameter)$/,
            );
          }
        },
      ),
      { numRuns: 60 },
    );
    await service.close();
    await made.remove();
  });
});
