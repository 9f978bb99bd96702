import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { IngestFailed } from '../../build/ingest/ingest.ts';
import { waitsForLedger } from '../../build/ingest/append.ts';
import { batchDirectory, readBatchFile, withLedgerEnd } from '../../build/ledger/batch.ts';
import type { Observation } from '../../build/ledger/observation.ts';
import { readRefusals } from '../../build/ledger/read.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { json, ok, slow, status, throttle, undeclared, type EdgarDouble } from '../edgar/edgar-double.ts';
import { filesBelow } from '../support/files-below.ts';
import { useDirectories } from '../support/directories.ts';
import { createIngestWorld, firstRunMs, upstreamRows, type IngestWorld } from '../support/ingest-world.ts';
import { readModel, type LedgerModel } from '../support/ledger-model.ts';
import { seenProgress } from '../support/progress.ts';
import {
  accessionOf,
  columnsOf,
  easternAcceptanceOf,
  extraPage,
  submissionsOf,
  upstreamRow,
  utcAcceptance,
  type UpstreamRow,
} from '../support/submissions.ts';
import { batchNumbers } from '../support/heads.ts';
import { until } from '../support/wait.ts';

const directory = useDirectories('ingest');
const doubles: EdgarDouble[] = [];
afterAll(() => Promise.all(doubles.map((double) => double.close())));

const [one, two, three] = ['0000000001', '0000000002', '0000000003'] as const;

/**
 * A ledger, and of each filing its last row with what was observed of it last, in the order in which the
 * filings came.
 */
interface Ledger extends Omit<LedgerModel, 'filings' | 'refusals'> {
  readonly filings: readonly (LedgerFiling &
    Pick<Observation, 'sequence' | 'revision' | 'observedAt' | 'corrected'> & {
      readonly ingestedAt: string | null;
      readonly published: Observation['filing'];
    })[];
  readonly refusals: readonly string[];
}

async function readLedger(directory: string): Promise<Ledger> {
  const model = await readModel(directory);
  const filings = [...model.newest].map(
    ([accessionNo, { filing: published, sequence, revision, observedAt, corrected }]) => ({
      ...(model.rows.get(accessionNo) as LedgerFiling),
      sequence,
      revision,
      observedAt,
      corrected,
      ingestedAt: published.ingestedAt,
      published,
    }),
  );
  return { ...model, filings, refusals: model.refusals.flat() };
}

const refusalsOf = async (directory: string, batch: number) =>
  readRefusals(directory, (await readBatchFile(directory, batch)).head);

/** A world whose ticker files have two symbols, and what its ledger has. */
async function world() {
  const made = await createIngestWorld(directory, doubles, { AAA: one, BBB: two });
  return { ...made, ledger: () => readLedger(made.ledgerDirectory) };
}

const rows = upstreamRows;
const accessions = ({ filings }: Ledger) => filings.map(({ accessionNo }) => Number(accessionNo.slice(-6)));
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const filesOf = (ledgerDirectory: string, batch: number) =>
  readdirSync(batchDirectory(ledgerDirectory, batch)).sort();

describe.concurrent('a run', () => {
  it('a run records what upstream lists, and how it went', async () => {
    const { run, ledger, company, file, log } = await world();
    const page = extraPage(one, 1, rows(1, 3));
    company(one, rows(4, 6), { name: 'One, "Inc."', formerNames: [{ name: 'Old One' }] }, [page]);
    file(page.name, json(columnsOf(rows(1, 3))));
    company(two, rows(7, 8), { tickers: [], exchanges: [] });
    const result = await run('aaa,2');
    expect(result).toMatchObject({
      batch: 1,
      added: 8,
      corrected: 0,
      refusals: [],
      run: { target: 'AAA,0000000002', status: 'success', message: null },
    });
    expect(result.run.createdAt).toMatch(/^2026-03-22T12:00:/);
    const state = await ledger();
    expect(accessions(state)).toEqual(numbers(1, 8));
    expect(state.filings[0]).toEqual({
      accessionNo: accessionOf(1),
      form: '8-K',
      filedAt: '2026-03-02',
      reportDate: '2026-03-02',
      acceptedEastern: '20260302160000',
      items: ['8.01'],
      primaryDocument: 'd1.htm',
      primaryDocDescription: '8-K',
      sizeBytes: 1001,
      isXbrl: true,
      isInlineXbrl: true,
      subjectCik: null,
      filerCiks: [one],
      sequence: 1,
      revision: 1,
      corrected: [],
      observedAt: result.run.createdAt,
      ingestedAt: result.run.createdAt,
      published: expect.objectContaining({
        cik: one,
        ticker: 'T1',
        companyName: 'One, "Inc."',
        parties: [{ cik: one, name: 'One, "Inc."', role: 'filer' }],
      }),
    });
    expect([...state.companies.values()]).toMatchObject([
      { cik: one, name: 'One, "Inc."', tickers: ['T1', 'AAA'], exchange: 'NYSE', formerNames: ['Old One'] },
      { cik: two, tickers: ['BBB'], exchange: 'NYSE' },
    ]);
    expect(log.at(-1)).toBe('5 requests, 0 not modified, 0 tried again, 0 throttled');
  });

  it('a run counts the files that it has to fetch, pages included', async () => {
    const { run, company, file } = await world();
    const pages = [1, 2, 3].map((number) => extraPage(one, number, rows(number, number)));
    company(one, rows(4, 4), {}, pages);
    for (const [at, { name }] of pages.entries()) file(name, json(columnsOf(rows(at + 1, at + 1))));
    file(pages[2]?.name as string, status(404));
    file('CIK0000000003.json', status(404));
    const { progress, works } = seenProgress();
    await run('AAA,BBB,3', { progress });
    // Two ticker files, three main files, two of which are not there, and three pages, one of which is not
    // there.
    expect(works.filter(({ name }) => name === 'fetching')).toEqual([
      { name: 'fetching', totals: expect.anything(), isAll: true, done: 8 },
    ]);
    const totals = works.find(({ name }) => name === 'fetching')?.totals ?? [];
    expect([totals.slice(0, 2), totals.at(-1)]).toEqual([[2, 5], 8]);
  });

  it('a run with nothing new asks conditionally, and writes a batch without rows', async () => {
    const { run, ledger, company, ledgerDirectory, edgar, log } = await world();
    company(one, rows(1, 3));
    const first = await run('AAA');
    const requests = edgar.requests.length;
    const second = await run('AAA');
    expect(second).toMatchObject({ batch: 2, added: 0, corrected: 0, run: { status: 'success' } });
    expect(filesOf(ledgerDirectory, 2)).toEqual(['batch.json']);
    expect(edgar.requests.slice(requests).map(({ headers }) => typeof headers['if-none-match'])).toEqual([
      'string',
      'string',
      'string',
    ]);
    expect(log.at(-1)).toBe('3 requests, 3 not modified, 0 tried again, 0 throttled');
    const state = await ledger();
    expect(state.latestRun).toEqual(second.run);
    expect(state.filings.every(({ ingestedAt }) => ingestedAt === first.run.createdAt)).toBe(true);
  });

  it('a run records only what changed, and keeps when a filing was first seen', async () => {
    const { run, ledger, company, ledgerDirectory } = await world();
    company(one, rows(1, 4));
    company(two, rows(5, 6));
    const first = await run('AAA,BBB');
    company(
      one,
      [
        upstreamRow(7),
        ...rows(3, 4),
        upstreamRow(2, { form: '8-K/A', size: 99, filingDate: '2026-03-04' }),
        upstreamRow(1),
      ],
      { name: 'New Name' },
    );
    const second = await run('AAA,BBB');
    expect(second).toMatchObject({ added: 1, corrected: 1 });
    expect(filesOf(ledgerDirectory, 2)).toEqual(['batch.json', 'companies.csv', 'filings-1.csv']);
    expect(
      readFileSync(join(batchDirectory(ledgerDirectory, 2), 'filings-1.csv'), 'utf8')
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual([accessionOf(2), accessionOf(7)]);
    const state = await ledger();
    expect(accessions(state)).toEqual([...numbers(1, 6), 7]);
    expect(state.filings[1]).toMatchObject({
      form: '8-K/A',
      sizeBytes: 99,
      filedAt: '2026-03-04',
      sequence: 8,
      revision: 2,
      observedAt: second.run.createdAt,
      ingestedAt: first.run.createdAt,
    });
    expect(state.filings[6]).toMatchObject({ sequence: 7, revision: 1, ingestedAt: second.run.createdAt });
    expect(state.companies.get(one)).toMatchObject({ name: 'New Name', updatedAt: second.run.createdAt });
    expect(state.companies.get(two)).toMatchObject({ updatedAt: first.run.createdAt });
  });

  it('a run keeps filings that upstream does not list any more', async () => {
    const { run, ledger, company } = await world();
    company(one, rows(1, 4));
    await run('AAA');
    company(one, rows(4, 5));
    expect(await run('AAA')).toMatchObject({ added: 1, corrected: 0 });
    expect(accessions(await ledger())).toEqual(numbers(1, 5));
  });

  it('a run since a day leaves older pages and rows, and keeps what is known', {
    tags: ['slow'],
  }, async () => {
    const { run, ledger, company, file, asked } = await world();
    const old = { filingDate: '2010-05-06' };
    const late = { filingDate: '2026-02-20' };
    const [near, far] = [extraPage(one, 1, rows(3, 4, late)), extraPage(one, 2, rows(1, 2, old))];
    file(near.name, json(columnsOf(rows(3, 4, late))));
    file(far.name, json(columnsOf(rows(1, 2, old))));
    company(one, rows(5, 8), {}, [near, far]);
    expect(await run('AAA', { since: '2026-03-08' })).toMatchObject({
      added: 2,
      run: { target: 'AAA since 2026-03-08', status: 'success' },
    });
    // Pages hold rows that are later than the newest day that they claim, so a page that is only a little
    // older is asked for.
    expect(asked()).toEqual(['CIK0000000001.json', near.name]);
    await run('AAA');
    expect(accessions(await ledger())).toEqual([7, 8, 1, 2, 3, 4, 5, 6]);
    asked();
    company(one, rows(5, 9), {}, [near, far]);
    expect(await run('AAA', { since: '2026-03-08' })).toMatchObject({ added: 1, corrected: 0 });
    expect(asked()).not.toContain(far.name);
    expect((await ledger()).filings.length).toBe(9);
  });

  it('a run takes the first row of an accession number that a company lists twice', async () => {
    const { run, ledger, company, file } = await world();
    const page = extraPage(one, 1, [upstreamRow(2, { form: '10-K' })]);
    company(
      one,
      [
        upstreamRow(1, { form: 'SC 13E3', fileNumber: '' }),
        upstreamRow(1, { form: 'SC TO-I', fileNumber: '' }),
        ...rows(2, 3),
      ],
      {},
      [page],
    );
    file(page.name, json(columnsOf([upstreamRow(2, { form: '10-K' })])));
    expect(await run('AAA')).toMatchObject({ added: 3, run: { status: 'success' } });
    expect((await ledger()).filings.map(({ form }) => form)).toEqual(['SC 13E3', '8-K', '8-K']);
  });
});

/** What a run refuses: company, file, accession number and reason. */
type Refused = readonly [cik: string, file: string, accessionNo: string, reason: string | RegExp];

describe.concurrent('losses are named, and the rest is kept:', () => {
  const page = extraPage(one, 1, rows(1, 4));
  const withPage = ({ company, file }: IngestWorld, from: number, to: number) => {
    company(one, rows(5, 6), {}, [page]);
    file(page.name, json(columnsOf(rows(from, to))));
  };
  const mainFile = (cik: string) => `CIK${cik}.json`;

  const losses: readonly {
    lost: string;
    serve: (world: IngestWorld) => void;
    refused: readonly Refused[];
    kept: readonly number[];
    message?: string | RegExp;
    universe?: string;
    /** What the next run finds, after upstream has been mended so. */
    mended?: { serve: (world: IngestWorld) => void; kept: readonly number[] };
  }[] = [
    {
      lost: 'an absent company and an absent page',
      serve: ({ company }) => company(one, rows(5, 6), {}, [page]),
      refused: [
        [one, page.name, '', 'not there (404)'],
        [two, mainFile(two), '', 'not there (404)'],
      ],
      kept: [5, 6],
      message: `2 lost: ${page.name} not there (404); CIK0000000002.json not there (404)`,
    },
    {
      lost: 'a page that is JSON and yet not whole',
      serve: (world) => withPage(world, 3, 4),
      universe: 'AAA',
      refused: [[one, page.name, '', 'it has 2 filings, not the 4 that CIK0000000001.json says']],
      kept: [3, 4, 5, 6],
      mended: { serve: (world) => withPage(world, 1, 4), kept: [3, 4, 5, 6, 1, 2] },
    },
    {
      lost: 'nothing of a page that holds more than the main file says',
      serve: (world) => withPage(world, 0, 4),
      universe: 'AAA',
      refused: [],
      kept: [0, 1, 2, 3, 4, 5, 6],
    },
    {
      lost: 'rows that cannot be understood',
      serve: ({ company }) =>
        company(one, [
          ...rows(3, 4),
          upstreamRow(2, { form: '8-K|x' }),
          { ...upstreamRow(1), accessionNumber: 'one' },
        ]),
      universe: 'AAA',
      refused: [
        [one, mainFile(one), accessionOf(2), 'form "8-K|X"'],
        [one, mainFile(one), 'one', 'accession number "one"'],
      ],
      kept: [3, 4],
      message: new RegExp(`CIK0000000001.json ${accessionOf(2)} form "8-K\\|X"`),
    },
    {
      lost: 'a symbol that nobody has',
      serve: ({ company }) => company(one, rows(1, 2)),
      universe: 'AAA,NOPE',
      refused: [['', '', '', 'nobody has the symbol NOPE']],
      kept: [1, 2],
      message: '1 lost: nobody has the symbol NOPE',
    },
    {
      lost: 'texts that no row can hold',
      serve({ company }) {
        company(one, [upstreamRow(1), upstreamRow(2, { primaryDocDescription: 'x'.repeat(20_000) })]);
        company(two, rows(3, 4), { formerNames: [{ name: 'y'.repeat(20_000) }] });
      },
      refused: [
        ['', '', accessionOf(2), /^its texts have 20\d{3} characters, the most is 16384$/],
        [two, mainFile(two), '', /^its texts have 40\d{3} characters, the most is 16384$/],
      ],
      kept: [1, 3, 4],
    },
    {
      lost: 'more than a message has room for',
      serve: ({ company }) =>
        company(one, [upstreamRow(50), ...numbers(1, 20).map((number) => upstreamRow(number, { form: '' }))]),
      universe: 'AAA',
      refused: numbers(1, 20).map((number) => [one, mainFile(one), accessionOf(number), 'form ""']),
      kept: [50],
      message: /^20 lost: .*; and 10 more in refusals\.csv$/,
    },
  ];
  for (const { lost, serve, refused, kept, message, universe = 'AAA,BBB', mended } of losses)
    it(lost, async () => {
      const made = await world();
      serve(made);
      const { refusals, run } = await made.run(universe);
      const expected = refused.map(([cik, file, accessionNo, reason]) => ({
        cik,
        file,
        accessionNo,
        reason: typeof reason === 'string' ? reason : (expect.stringMatching(reason) as string),
      }));
      expect(refusals).toEqual(expected);
      expect(await refusalsOf(made.ledgerDirectory, 1)).toEqual(expected);
      expect(run.status).toBe(refused.length === 0 ? 'success' : 'partial');
      if (message !== undefined) expect(run.message).toMatch(message);
      expect(accessions(await made.ledger())).toEqual(kept);
      if (!mended) return;
      mended.serve(made);
      expect(await made.run(universe)).toMatchObject({
        refusals: [],
        run: { status: 'success', message: null },
      });
      expect(accessions(await made.ledger())).toEqual(mended.kept);
    });

  it('if the ticker files are missing, that is the message, and not that nobody has a symbol', async () => {
    const { run, company, edgar } = await world();
    company(one, rows(1, 2));
    for (const name of ['company_tickers_exchange.json', 'company_tickers.json'])
      edgar.route(`/www.sec.gov/files/${name}`, status(404));
    await expect(run('AAA')).rejects.toThrow(
      /^no company could be read: 3 lost: company_tickers\.json not there \(404\); company_tickers_exchange\.json not there \(404\); the symbol AAA cannot be looked up without the ticker files$/,
    );
  });

  it('ticker files that are cut off leave the last good ones in use', { tags: ['slow'] }, async () => {
    const { run, company, edgar } = await world();
    company(one, rows(1, 2));
    await run('AAA');
    for (const name of ['company_tickers_exchange.json', 'company_tickers.json'])
      edgar.route(`/www.sec.gov/files/${name}`, ok('{"fields":["cik","na'));
    const { refusals, added, run: record } = await run('AAA');
    expect([added, record.status]).toEqual([0, 'partial']);
    expect(refusals.map(({ file, reason }) => [file, reason])).toEqual([
      ['company_tickers.json', expect.stringContaining('JSON')],
      ['company_tickers_exchange.json', expect.stringContaining('JSON')],
    ]);
  });

  it('absent ticker files leave the symbols of the ledger in use', async () => {
    const { run, company, edgar, ledgerDirectory, ledger } = await world();
    company(one, rows(1, 2), { tickers: [], exchanges: [] });
    await run('AAA');
    for (const name of ['company_tickers_exchange.json', 'company_tickers.json'])
      edgar.route(`/www.sec.gov/files/${name}`, status(404));
    writeFileSync(join(ledgerDirectory, '.cache', 'gone'), '');
    for (const name of filesBelow(join(ledgerDirectory, '.cache')))
      writeFileSync(join(ledgerDirectory, '.cache', name), 'rotten');
    expect(await run('aaa')).toMatchObject({
      added: 0,
      run: {
        status: 'partial',
        message:
          '2 lost: company_tickers.json not there (404); company_tickers_exchange.json not there (404)',
      },
    });
    expect((await ledger()).companies.get(one)?.tickers).toEqual(['AAA']);
  });
});

describe.concurrent('a run that cannot go on', () => {
  it('a run that could read no company writes no batch', async () => {
    const { run, ledgerDirectory } = await world();
    await expect(run('AAA,NOPE')).rejects.toThrow(IngestFailed);
    await expect(run('AAA,NOPE')).rejects.toThrow(
      /^no company could be read: 2 lost: CIK0000000001\.json not there \(404\); nobody has the symbol NOPE$/,
    );
    expect(await batchNumbers(ledgerDirectory)).toEqual([]);
  });

  it('a run stops where upstream does not accept its User-Agent', async () => {
    const { run, company, file, ledgerDirectory, asked } = await world();
    for (const cik of [one, two, three]) company(cik, rows(1, 2));
    file('CIK0000000001.json', undeclared());
    await expect(run('1,2,3,4,5,6,7,8,9')).rejects.toThrow('user_agent_rejected');
    expect(await batchNumbers(ledgerDirectory)).toEqual([]);
    expect(asked().length).toBeLessThan(6);
  });

  it('a run stops when told to, and the next one goes on', async () => {
    const { run, company, file, ledgerDirectory, ledger, asked } = await world();
    const stop = new AbortController();
    let begun = 0;
    // On a busy machine the second request may come before the first one.
    const stopAfterBoth = () => void (++begun === 2 && setTimeout(() => stop.abort(), 200));
    file('CIK0000000001.json', (request, response) => {
      response.once('finish', stopAfterBoth);
      return json(submissionsOf(one, rows(1, 2)))(request, response);
    });
    file('CIK0000000002.json', stopAfterBoth);
    await expect(run('AAA,BBB', { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(await batchNumbers(ledgerDirectory)).toEqual([]);
    expect(asked().sort()).toEqual(['CIK0000000001.json', 'CIK0000000002.json']);
    company(two, rows(3, 4));
    expect(await run('AAA,BBB', { now: () => firstRunMs + 3_600_000 + performance.now() })).toMatchObject({
      added: 4,
    });
    expect(asked()).toEqual(['CIK0000000002.json']);
    expect((await ledger()).filings.length).toBe(4);
  });

  it('a run asks for everything again after a stopped run of another day or universe', {
    tags: ['slow'],
  }, async () => {
    const { run, company, file, asked } = await world();
    company(one, rows(1, 2));
    for (const universe of ['AAA,BBB', 'AAA']) {
      const stop = new AbortController();
      file('CIK0000000002.json', () => stop.abort());
      await expect(run('AAA,BBB', { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
      company(two, rows(3, 4));
      asked();
      await run(universe);
      expect(asked()).toContain('CIK0000000001.json');
    }
  });

  it('a run does not begin over a broken ledger', async () => {
    const { run, company, ledgerDirectory, edgar } = await world();
    company(one, rows(1, 2));
    await run('AAA');
    const requests = edgar.requests.length;
    writeFileSync(join(batchDirectory(ledgerDirectory, 1), 'filings-1.csv'), 'x', { flag: 'a' });
    await expect(run('AAA')).rejects.toThrow('filings-1.csv');
    expect(edgar.requests.length).toBe(requests);
  });
});

describe.concurrent('upstream that', () => {
  it('a run keeps what it had when upstream blocks it for good', async () => {
    const { run, company, file, ledger } = await world();
    company(one, rows(1, 2));
    for (const cik of [two, three]) file(`CIK${cik}.json`, throttle());
    expect(await run('AAA,BBB,3', { coolDownMs: 20 })).toMatchObject({
      added: 2,
      refusals: [
        { file: 'CIK0000000002.json', reason: expect.stringContaining('throttled') },
        { file: 'CIK0000000003.json' },
      ],
      run: { status: 'partial' },
    });
    expect(accessions(await ledger())).toEqual([1, 2]);
  });

  it('answers in another order give the same batch', async () => {
    const contents = [];
    for (const isHeld of [false, true]) {
      const { run, file, ledgerDirectory } = await world();
      let release = () => {};
      const released = new Promise<void>((resolve) => void (release = resolve));
      for (const cik of [one, two, three]) {
        const answer = json(
          submissionsOf(
            cik,
            [
              ...rows(1, 3, { primaryDocument: cik, items: '' }),
              upstreamRow(9, { form: 'X Y', filingDate: 'soon' }),
            ],
            { tickers: ['SAME'] },
          ),
        );
        if (cik === one && isHeld) file(`CIK${cik}.json`, slow(released, answer));
        else if (cik === three)
          file(
            `CIK${cik}.json`,
            (request, response) => (response.once('close', release), answer(request, response)),
          );
        else file(`CIK${cik}.json`, answer);
      }
      const { run: record } = await run('1,2,3');
      contents.push([
        record.message,
        ...filesOf(ledgerDirectory, 1)
          .filter((name) => name.endsWith('.csv'))
          .map((name) => readFileSync(join(batchDirectory(ledgerDirectory, 1), name), 'utf8')),
      ]);
    }
    expect(contents[0]?.length).toBe(4);
    expect(contents[1]).toEqual(contents[0]);
  });
});

describe.concurrent('a filing of several companies', () => {
  const insider = (number: number, members: Partial<UpstreamRow> = {}) =>
    upstreamRow(number, { form: '4', items: '', fileNumber: '', act: '', ...members });

  it('a filing found later to name another company is corrected, with a sequence of its own', async () => {
    const { run, ledger, company } = await world();
    company(two, [insider(1), upstreamRow(3)], {
      insiderTransactionForIssuerExists: 0,
      insiderTransactionForOwnerExists: 1,
    });
    const first = await run('BBB');
    company(one, [insider(1), insider(2)]);
    expect(await run('AAA,BBB')).toMatchObject({ added: 1, corrected: 1 });
    const state = await ledger();
    expect(state.filings[0]).toMatchObject({
      subjectCik: one,
      filerCiks: [two],
      sequence: 4,
      revision: 2,
      ingestedAt: first.run.createdAt,
    });
    expect(state.filings[0]?.corrected).toEqual([
      'companyName',
      'ticker',
      'detailUrl',
      'cik',
      'documentUrl',
      'parties',
    ]);
    expect(state.observations.map(({ filing, sequence }) => [filing.accessionNo, sequence])).toEqual([
      [accessionOf(1), 1],
      [accessionOf(3), 2],
      [accessionOf(2), 3],
      [accessionOf(1), 4],
    ]);
  });

  it('a shared filing decides the clock of an undecided file', async () => {
    const { run, ledger, company } = await world();
    const at = (time: string) => ({
      filingDate: '2026-03-03',
      acceptanceDateTime: `2026-03-03T${time}:00.000Z`,
    });
    company(one, [
      upstreamRow(1, at('19:00')),
      upstreamRow(2, { filingDate: '2026-03-04', acceptanceDateTime: utcAcceptance('2026-03-04') }),
      upstreamRow(3, { filingDate: '2026-03-05', acceptanceDateTime: utcAcceptance('2026-03-05') }),
    ]);
    company(two, [upstreamRow(1, at('14:00')), upstreamRow(5, at('15:30'))]);
    company(three, [upstreamRow(1, at('19:00')), upstreamRow(6, at('15:30'))]);
    await run('AAA,BBB,3');
    const times = new Map(
      (await ledger()).filings.map(({ accessionNo, acceptedEastern }) => [accessionNo, acceptedEastern]),
    );
    // Read as UTC, 19:00 is 14:00 Eastern: company 2 writes Eastern time, company 3 UTC.
    expect([1, 5, 6].map((number) => times.get(accessionOf(number)))).toEqual([
      '20260303140000',
      '20260303153000',
      '20260303103000',
    ]);
  });

  it('a shared filing has no time until something decides it', { tags: ['slow'] }, async () => {
    const { run, ledger, company } = await world();
    const undecided = upstreamRow(1, {
      filingDate: '2026-03-03',
      acceptanceDateTime: '2026-03-03T15:00:00.000Z',
    });
    company(one, [undecided]);
    await run('AAA');
    expect((await ledger()).filings[0]?.acceptedEastern).toBeNull();
    const decisive = [4, 5].map((number) =>
      upstreamRow(number, {
        filingDate: `2026-03-1${number}`,
        acceptanceDateTime: easternAcceptanceOf(`2026-03-1${number}`),
      }),
    );
    company(one, [...decisive, undecided]);
    expect(await run('AAA')).toMatchObject({ added: 2, corrected: 1 });
    expect((await ledger()).filings[0]).toMatchObject({
      acceptedEastern: '20260303150000',
      revision: 2,
      corrected: ['acceptanceDateTime', 'acceptedAt'],
    });
    // A time that is known stays where the file decides nothing any more.
    company(one, [undecided]);
    expect(await run('AAA')).toMatchObject({ corrected: 0 });
  });

  it('a shared filing keeps its time when its file changes from one clock to the other', async () => {
    const { run, ledger, company } = await world();
    const days = ['2026-03-03', '2026-03-04', '2026-03-05'];
    company(
      one,
      days.map((filingDate, at) =>
        upstreamRow(at, { filingDate, acceptanceDateTime: utcAcceptance(filingDate) }),
      ),
    );
    await run('AAA');
    const before = (await ledger()).filings;
    company(
      one,
      days
        .map((filingDate, at) =>
          upstreamRow(at, { filingDate, acceptanceDateTime: `${filingDate}T16:00:00.000Z` }),
        )
        .concat(
          days.map((filingDate, at) =>
            upstreamRow(at + 10, { filingDate, acceptanceDateTime: easternAcceptanceOf(filingDate) }),
          ),
        ),
    );
    expect(await run('AAA')).toMatchObject({ added: 3, corrected: 0 });
    expect((await ledger()).filings.slice(0, 3)).toEqual(before);
  });
});

describe.concurrent('symbols', () => {
  const [predecessor, successor] = ['0000034088', '0002115436'] as const;

  it('a symbol that moves to a successor leads to it, and both histories are asked for', async () => {
    const { run, ledger, company, tickers, asked } = await world();
    tickers({ XOM: predecessor });
    company(predecessor, rows(1, 3), { tickers: ['XOM'] });
    company(successor, [], { tickers: [], exchanges: [] });
    await run('XOM');
    expect((await ledger()).symbols.get('XOM')?.cik).toBe(predecessor);
    tickers({ XOM: successor });
    company(predecessor, rows(1, 3), { tickers: [], exchanges: [] });
    company(successor, rows(4, 5), { tickers: ['XOM'] });
    asked();
    expect(await run('XOM')).toMatchObject({ added: 2, corrected: 0 });
    expect(asked().sort()).toEqual([`CIK${predecessor}.json`, `CIK${successor}.json`]);
    const state = await ledger();
    expect(state.symbols.get('XOM')?.cik).toBe(successor);
    expect([state.companies.get(predecessor)?.tickers, state.companies.get(successor)?.tickers]).toEqual([
      [],
      ['XOM'],
    ]);
    expect(state.filings.map(({ filerCiks }) => filerCiks[0])).toEqual([
      predecessor,
      predecessor,
      predecessor,
      successor,
      successor,
    ]);
  });
});

describe.concurrent('two runs at the same time', () => {
  it('of two runs at once the later one compares again with what the earlier one has appended', async () => {
    const { run, company, ledger, ledgerDirectory, log } = await world();
    company(one, rows(1, 2));
    // Both have compared before one of them can append.
    const written = await withLedgerEnd(ledgerDirectory, async () => {
      const runs = Promise.all([run('AAA'), run('AAA')]);
      await until(() => log.filter((line) => line === waitsForLedger).length === 2);
      return { runs };
    }).then(({ runs }) => runs);
    expect(written.map(({ batch, added, corrected }) => [batch, added, corrected]).sort()).toEqual([
      [1, 2, 0],
      [2, 0, 0],
    ]);
    expect(log.filter((line) => line.includes('comparing again'))).toHaveLength(1);
    const state = await ledger();
    expect(state.batches.map(({ number, changes }) => [number, changes])).toEqual([
      [1, 2],
      [2, 0],
    ]);
    expect(accessions(state)).toEqual([1, 2]);
    expect(readdirSync(join(ledgerDirectory, 'batches')).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});
