import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type * as z from 'zod';
import { WatchlistChangesResponse } from '../../src/contract/envelopes.ts';
import { cursorCharactersMaximum } from '../../src/contract/parameters.ts';
import { paths } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { serviceOver, type SampleService } from '../support/sample.ts';
import { copyOf, makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { bareFiling } from '../support/made-up.ts';

const cikOf = (number: number) => String(1000 + number).padStart(10, '0');
const company = (number: number, ...tickers: string[]): LedgerCompany => ({
  cik: cikOf(number),
  name: `Company ${number} Inc`,
  tickers,
  exchange: null,
  formerNames: [],
});
const companies = [company(0, 'AA', 'AA-B'), company(1, 'BB'), company(2, 'CC')];

function filing(at: number, filedAt: string, ...numbers: number[]): LedgerFiling {
  return bareFiling(at, { form: '4', filedAt, filerCiks: numbers.map(cikOf).sort() });
}

let first: MadeSnapshot;
let made: MadeSnapshot;
let service: SampleService;
let batches: number;

/** The first batch is of 31 May, and each further one of the day after. */
const firstBatch = 92;
const append = (filings: readonly LedgerFiling[], added: readonly LedgerCompany[] = []) =>
  made.publish(filings, added, batches++);

/** Makes the snapshot that all tests begin with. Each test changes a copy of it. */
async function makeFirst(): Promise<void> {
  batches = firstBatch;
  made = first = await makeSnapshot();
  // Company 0: filings 1, 2, 3 and the joint 6; company 1: 4, 5 and 6; company 2: none.
  await append(
    [
      filing(1, '2026-01-10', 0),
      filing(2, '2026-03-01', 0),
      filing(3, '2026-03-02', 0),
      filing(4, '2026-02-20', 1),
      filing(5, '2026-03-03', 1),
      filing(6, '2026-03-04', 0, 1),
    ],
    companies,
  );
}

async function begin(): Promise<void> {
  batches = firstBatch + 1;
  made = await copyOf(first);
  service = await serviceOver(made.directory);
}

async function ask(query: string): Promise<z.infer<typeof WatchlistChangesResponse>> {
  const response = await service.get(`/v1/sec/watchlist/changes?${query}`);
  const body: unknown = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(200);
  return WatchlistChangesResponse.parse(body);
}

type Bucket = z.infer<typeof WatchlistChangesResponse>['data'][number];
const numbersOf = ({ changes }: Pick<Bucket, 'changes'>) =>
  changes.map(({ filing: { accessionNo } }) => Number(accessionNo.slice(-6)));
const numbers = ({ data }: { readonly data: Bucket[] }) =>
  Object.fromEntries(data.map((bucket) => [bucket.ticker, numbersOf(bucket)]));

describe('a watchlist', () => {
  beforeAll(makeFirst);
  beforeEach(begin);

  it('a watchlist has a bucket for each entry in the order asked, oldest change first', async () => {
    const { data, meta } = await ask(`tickers=bb,NOPE,${cikOf(0)},CC&since=2026-03-01`);
    expect(data.map(({ changes: _changes, nextCursor: _nextCursor, ...rest }) => rest)).toEqual([
      {
        ticker: 'bb',
        entries: ['bb'],
        cik: cikOf(1),
        companyName: 'Company 1 Inc',
        status: 'ok',
        count: 2,
        nextSince: '2026-03-04',
      },
      {
        ticker: 'NOPE',
        entries: ['NOPE'],
        cik: null,
        companyName: null,
        status: 'unknown_company',
        count: 0,
        nextSince: null,
      },
      {
        ticker: cikOf(0),
        entries: [cikOf(0)],
        cik: cikOf(0),
        companyName: 'Company 0 Inc',
        status: 'ok',
        count: 3,
        nextSince: '2026-03-04',
      },
      {
        ticker: 'CC',
        entries: ['CC'],
        cik: cikOf(2),
        companyName: 'Company 2 Inc',
        status: 'ok',
        count: 0,
        nextSince: null,
      },
    ]);
    expect(data.map(numbersOf)).toEqual([[5, 6], [], [2, 3, 6], []]);
    expect(meta).toMatchObject({
      count: 5,
      tickerCount: 4,
      since: '2026-03-01',
      nextSince: '2026-03-04',
      notInvestmentAdvice: true,
    });
  });

  it('a watchlist has one bucket for each company, whatever entries name it, in the order asked', async () => {
    const answer = await ask(`tickers=aa-b,BB,AA.B,AA,${cikOf(0)},${Number(cikOf(0))}&since=2026-03-02`);
    expect(numbers(answer)).toEqual({ 'aa-b': [3, 6], BB: [5, 6] });
    expect(answer.data.map(({ entries }) => entries)).toEqual([['aa-b', 'AA', cikOf(0)], ['BB']]);
    // Each change counts once for each company that it names.
    expect([answer.meta.count, answer.meta.tickerCount]).toEqual([4, 2]);
    expect(numbers(await ask(`tickers=AA,AA-B&cursor=${answer.meta.nextCursor}`))).toEqual({ AA: [] });
  });

  it('a watchlist of unknown entries alone is answered at once, also with wait', async () => {
    const answer = await ask('tickers=NOPE,NIX&wait=60');
    expect(answer.data.map(({ status }) => status)).toEqual(['unknown_company', 'unknown_company']);
  });

  it('a watchlist without since begins 30 days before the newest filing, and applies the limit to each entry', async () => {
    const answer = await ask('tickers=AA,BB&limit=2');
    expect(answer.meta.since).toBe('2026-02-02');
    expect(numbers(answer)).toEqual({ AA: [2, 3], BB: [4, 5] });
    expect(answer.data.map(({ nextSince }) => nextSince)).toEqual(['2026-03-02', '2026-03-03']);
  });

  it('a filing with a date of the far future does not move the window: it ends with the newest batch', async () => {
    await append([filing(7, '2029-12-31', 2)]);
    await service.look();
    expect((await ask('tickers=AA,CC')).meta).toMatchObject({ since: '2026-05-02', count: 1 });
  });

  it.each(['0001-01-01', '0001-01-30', '0001-01-31'])(
    'a watchlist with until=%s begins on a day of the calendar, and its cursors are taken',
    async (until) => {
      const answer = await ask(`tickers=AA,BB&until=${until}`);
      expect([answer.meta.since, answer.meta.filters.since]).toEqual(['0001-01-01', '0001-01-01']);
      for (const cursor of [answer.meta.nextCursor, answer.data[0]?.nextCursor])
        expect((await ask(`tickers=AA,BB&cursor=${cursor}`)).meta).toMatchObject({
          since: '0001-01-01',
          count: 0,
        });
    },
  );

  it('a watchlist with until begins 30 days before until, and its cursor remembers both dates', async () => {
    const answer = await ask('tickers=AA,BB&until=2026-03-01&limit=1');
    expect(answer.meta.since).toBe('2026-01-30');
    expect(numbers(answer)).toEqual({ AA: [2], BB: [4] });
    const rest = await ask(`tickers=AA,BB&cursor=${answer.meta.nextCursor}`);
    expect([rest.meta.since, numbers(rest)]).toEqual(['2026-01-30', { AA: [], BB: [] }]);
    // An `until` of the request replaces that of the cursor.
    expect(numbers(await ask(`tickers=AA,BB&cursor=${answer.meta.nextCursor}&until=2026-03-03`))).toEqual({
      AA: [3],
      BB: [5],
    });
    expect((await ask('tickers=AA&until=2026-12-31')).meta.since).toBe('2026-02-02');
    const response = await service.get(
      `/v1/sec/watchlist/changes?tickers=AA&cursor=${answer.meta.nextCursor}&until=2026-01-29`,
    );
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('until: must not be before since, 2026-01-30'),
    ]);
  });

  it('a watchlist gives the same bytes after any earlier request', async () => {
    const path = '/v1/sec/watchlist/changes?tickers=AA,BB,CC,NOPE&since=2026-01-01&limit=2';
    const etags = new Set<string | null>();
    // The blocks that the earlier request has read are in memory, so their rows arrive first.
    for (const read of ['', 'AA', 'BB', 'CC', 'AA,CC', 'BB,AA']) {
      const fresh = await serviceOver(made.directory);
      if (read !== '') await fresh.get(`/v1/sec/watchlist/changes?tickers=${read}&since=2026-01-01`);
      etags.add((await fresh.get(path)).headers.get('etag'));
    }
    expect(etags.size).toBe(1);
  });

  it('the cursor of a bucket works for the watchlist and for the feed of the company', async () => {
    const { data } = await ask('tickers=AA,BB&since=2026-01-01&limit=1');
    const cursorOf = (ticker: string) =>
      data.find((bucket) => bucket.ticker === ticker)?.nextCursor as string;
    expect(numbers(await ask(`tickers=AA&cursor=${cursorOf('AA')}`))).toEqual({ AA: [2, 3, 6] });
    const response = await service.get(`/v1/sec/changes?ticker=BB&cursor=${cursorOf('BB')}`);
    expect(numbersOf({ changes: ((await response.json()) as { data: Bucket['changes'] }).data })).toEqual([
      5, 6,
    ]);
  });

  it('an unknown entry gets all its changes as soon as the service knows the company', async () => {
    const first = await ask('tickers=AA,NEW&since=2026-03-01');
    await append([filing(7, '2026-03-05', 3)], [company(3, 'NEW')]);
    await service.look();
    const second = await ask(`tickers=AA,NEW&cursor=${first.meta.nextCursor}`);
    expect(numbers(second)).toEqual({ AA: [], NEW: [7] });
    expect(second.data[1]?.status).toBe('ok');
  });

  it('a watchlist goes on across a change to a successor', { tags: ['slow'] }, async () => {
    const [old, young] = ['0000034088', '0002115436'] as const;
    const by = (at: number, ...ciks: string[]) => ({ ...filing(at, '2026-03-05'), filerCiks: ciks });
    await append([by(7, old), by(8, old)], [{ ...company(3, 'XOM'), cik: old }]);
    await service.look();
    const first = await ask('tickers=XOM,AA&since=2026-03-05&limit=1');
    expect(numbers(first)).toEqual({ XOM: [7], AA: [] });
    await append([by(9, young), by(7, old, young)], [{ ...company(4, 'XOM'), cik: young }]);
    await service.look();
    const second = await ask(`tickers=XOM,${old},${young},AA&cursor=${first.meta.nextCursor}`);
    // All three name one chain of companies.
    expect(numbers(second)).toEqual({ XOM: [8, 9, 7], AA: [] });
    expect(second.data[0]?.entries).toEqual(['XOM', old, young]);
    expect(second.data[0]?.companyName).toBe('Company 4 Inc');
    const response = await service.get(`/v1/sec/changes?ticker=XOM&cursor=${first.meta.nextCursor}`);
    expect(numbersOf({ changes: ((await response.json()) as { data: Bucket['changes'] }).data })).toEqual([
      8, 9, 7,
    ]);
    expect(numbers(await ask(`tickers=XOM&cursor=${second.meta.nextCursor}`))).toEqual({ XOM: [] });
    // A cursor of an older snapshot goes on from there.
    await made.rollBack();
    await service.look();
    expect(numbers(await ask(`tickers=XOM&cursor=${second.meta.nextCursor}`))).toEqual({ XOM: [] });
  });

  it('a watchlist keeps its positions while an older snapshot is served', { tags: ['slow'] }, async () => {
    await append([filing(7, '2026-03-05', 0), filing(8, '2026-03-06', 0)]);
    await append([filing(9, '2026-03-07', 1)]);
    await service.look();
    // The client has read AA up to the middle of batch 2, and BB to the end of batch 3.
    const ahead = await ask('tickers=AA,BB&since=2026-03-01&limit=4');
    expect(numbers(ahead)).toEqual({ AA: [2, 3, 6, 7], BB: [5, 6, 9] });
    await made.rollBack();
    await made.rollBack();
    await service.look();
    const behind = await ask(`tickers=AA,BB&cursor=${ahead.meta.nextCursor}`);
    expect(numbers(behind)).toEqual({ AA: [], BB: [] });
    await made.build(true);
    await service.look();
    expect(numbers(await ask(`tickers=AA,BB&cursor=${behind.meta.nextCursor}`))).toEqual({ AA: [8], BB: [] });
    expect(numbers(await ask(`tickers=AA&cursor=${behind.data[0]?.nextCursor}`))).toEqual({ AA: [8] });
    expect(numbers(await ask(`tickers=BB&cursor=${behind.data[1]?.nextCursor}`))).toEqual({ BB: [] });
  });
});

describe('a client that follows one cursor through many watchlists', () => {
  // Long numbers: the cursor has room for fewer of them.
  const everybody = Array.from({ length: 200 }, (_, at) => String(9_999_000_000 + at));
  const core = everybody.slice(0, 12);
  const others = everybody.slice(core.length);
  /** The requests of one client: the companies that it asks for beside the core, and the limit. */
  const asked = fc.array(
    fc.tuple(fc.shuffledSubarray(others, { minLength: 13, maxLength: 13 }), fc.integer({ min: 1, max: 3 })),
    { minLength: 30, maxLength: 40, size: 'max' },
  );
  const inTurn = Array.from(
    { length: 60 },
    (_, at) =>
      [
        Array.from({ length: 13 }, (_each, each) => others[(at * 13 + each) % others.length] as string),
        1 + (at % 3),
      ] as [string[], number],
  );
  /** Three batches: a filing of each company, then of every second one, then two of each. */
  const batchesOf = [everybody, everybody.filter((_, at) => at % 2 === 0), [...everybody, ...everybody]];
  const directories: string[] = [];

  beforeAll(async () => {
    batches = firstBatch;
    made = await makeSnapshot();
    let at = 0;
    for (const ciks of batchesOf) {
      const companies = batches === firstBatch ? everybody.map((cik) => ({ ...company(0), cik })) : [];
      await append(
        ciks.map((cik) => ({ ...filing(++at, '2026-03-01'), filerCiks: [cik] })),
        companies,
      );
      directories.push(
        (JSON.parse(readFileSync(join(made.directory, 'current.json'), 'utf8')) as { snapshotId: string })
          .snapshotId,
      );
    }
  });

  it('a client that follows one cursor through many watchlists sees each change of the entries that stay once', async () => {
    const services = await Promise.all(directories.map((id) => serveOnly(id)));
    const all = new Map<string, number[]>();
    for (let at = 0, number = 0; at < batchesOf.length; at++)
      for (const cik of batchesOf[at] ?? []) all.set(cik, [...(all.get(cik) ?? []), ++number]);

    let longest = 0;
    await fc.assert(
      fc.asyncProperty(asked, async (requests) => {
        const seen = new Map<string, number[]>();
        /** Companies outside the core. Those of the last request are at the end. */
        let order: string[] = [];
        let cursor = '';
        const request = async (service: SampleService, ciks: readonly string[], limit: number) => {
          const response = await service.get(
            `/v1/sec/watchlist/changes?tickers=${ciks.join(',')}&limit=${limit}&${cursor === '' ? 'since=2026-01-01' : `cursor=${cursor}`}`,
          );
          const body = (await response.json()) as z.infer<typeof WatchlistChangesResponse>;
          expect(response.status, JSON.stringify(body)).toBe(200);
          for (const { ticker, changes } of body.data) {
            const numbers = numbersOf({ changes });
            const before = seen.get(ticker) ?? [];
            const expected = all.get(ticker) ?? [];
            const goesOn =
              JSON.stringify(numbers) ===
              JSON.stringify(expected.slice(before.length, before.length + numbers.length));
            if (goesOn) seen.set(ticker, [...before, ...numbers]);
            else {
              // The cursor has forgotten this company, so the company begins again like a new one. A cursor
              // forgets only companies that the client has not asked for lately.
              expect(order.slice(-58)).not.toContain(ticker);
              expect(core).not.toContain(ticker);
              expect(numbers).toEqual(expected.slice(0, numbers.length));
              seen.set(ticker, numbers);
            }
          }
          order = [
            ...order.filter((each) => !ciks.includes(each)),
            ...ciks.filter((each) => !core.includes(each)),
          ];
          cursor = body.meta.nextCursor;
          longest = Math.max(longest, cursor.length);
        };
        for (const [at, [beside, limit]] of requests.entries()) {
          const service = services[Math.floor((at * services.length) / requests.length)] as SampleService;
          await request(service, [...core, ...beside], limit);
        }
        for (let round = 0; round < 5; round++) await request(services[2] as SampleService, core, 200);
        for (const cik of core) expect(seen.get(cik)).toEqual(all.get(cik));
      }),
      { numRuns: 6, endOnFailure: true, examples: [[inTurn]] },
    );
    // The cursor forgets companies only when it is as long as it may be.
    expect(longest).toBeGreaterThan(cursorCharactersMaximum - 40);
    expect(longest).toBeLessThanOrEqual(cursorCharactersMaximum);
  });

  /** A service that serves one of the snapshots for ever. */
  async function serveOnly(id: string): Promise<SampleService> {
    const pointer = join(made.directory, 'current.json');
    const current = JSON.parse(readFileSync(pointer, 'utf8')) as object;
    const manifestSha256 = sha256Of(readFileSync(join(made.directory, paths.manifest(id))));
    const own = join(made.directory, `only-${id}`);
    mkdirSync(own);
    for (const shared of ['manifests', 'segments', 'files'])
      symlinkSync(join(made.directory, shared), join(own, shared));
    writeFileSync(
      join(own, 'current.json'),
      JSON.stringify({ ...current, snapshotId: id, manifestSha256, previous: [] }),
    );
    return serviceOver(own);
  }
});
