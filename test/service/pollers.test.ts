// @module-tag slow
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import { useDirectories } from '../support/directories.ts';
import { startFaultyProxy, type Fault } from '../support/faulty-proxy.ts';
import { createRandom } from '../support/generate.ts';
import { batchAt, cikOf, company, filing } from '../support/made-up.ts';
import { startService } from '../support/service-process.ts';
import { listeningService, serviceKey, type ListeningService } from '../support/service.ts';
import { copyOf, makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { until } from '../support/wait.ts';
import { has } from '../support/needs.ts';
import { often } from '../support/often.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = useDirectories('pollers');

interface Poller {
  readonly language: string;
  readonly program: string;
  readonly words: readonly string[];
}

const pollers: readonly Poller[] = [
  { language: 'Python', program: 'python3', words: ['site/examples/poller.py'] },
  {
    language: 'TypeScript',
    program: process.execPath,
    words: ['--import', 'tsx', 'site/examples/poller.ts'],
  },
];
const missingNote = 'python3';
const isMissing = ({ language }: Poller) => language === 'Python' && !has('python');

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

const started: ChildProcess[] = [];

/** Starts a poller that keeps the file of `database`. */
function start(
  { program, words }: Poller,
  database: string,
  address: string,
  more: readonly string[] = ['--once'],
  environment: Readonly<Record<string, string>> = {},
): Run {
  const settings = {
    BASE_URL: address,
    API_KEY: serviceKey,
    DATABASE: database,
    SINCE: '2026-01-01',
    TICKERS: '',
    ...environment,
  };
  const child = spawn(program, [...words, ...more], {
    cwd: root,
    env: { ...process.env, PYTHONPATH: join(root, 'clients/python/src'), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => void (output[name] += text));
  return {
    child,
    ended: new Promise((resolve) => void child.once('close', (code) => resolve({ code, ...output }))),
  };
}

/** Starts a service over a directory in a process of its own. */
const startServer = (snapshots: string) =>
  startService({ API_KEYS: serviceKey, SNAPSHOTS_DIR: snapshots, INTENTS_DIR: join(directory(), 'intents') });

/** Asks a database, and closes it. */
function query<Row>(database: string, sql: string): Row[] {
  const opened = new DatabaseSync(database, { timeout: 5_000 });
  try {
    return opened.prepare(sql).all() as Row[];
  } finally {
    opened.close();
  }
}

/**
 * Lets a poller make its tables while nobody answers, and puts triggers on them: one notes what is written,
 * in the same transaction, and another one refuses to write an older revision over a newer one. With `isSlow`
 * a page takes some hundred milliseconds to write, and its cursor also some, so that a kill often comes in
 * between.
 */
async function watchedDatabase(poller: Poller, isSlow = false): Promise<string> {
  const database = join(directory(), 'filings.db');
  const { child, ended } = start(poller, database, 'http://127.0.0.1:1', ['--interval', '1']);
  await until(
    () =>
      existsSync(database) &&
      query<{ count: number }>(
        database,
        "SELECT count(*) AS count FROM sqlite_master WHERE name IN ('changes', 'filings', 'progress')",
      )[0]?.count === 3,
  );
  child.kill('SIGKILL');
  await ended;
  const opened = new DatabaseSync(database, { timeout: 5_000 });
  const counting = (steps: number) =>
    isSlow
      ? `SELECT count(*) FROM (WITH RECURSIVE each(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM each WHERE at < ${steps}) SELECT at FROM each);`
      : '';
  opened.exec(`CREATE TABLE written (number INTEGER PRIMARY KEY, sequence INTEGER);
    CREATE TRIGGER note BEFORE INSERT ON changes BEGIN INSERT INTO written (sequence) VALUES (NEW.sequence); ${counting(2_000)} END;
    CREATE TRIGGER wait BEFORE INSERT ON progress BEGIN ${counting(200_000) || 'SELECT 1;'} END;
    CREATE TRIGGER newest BEFORE UPDATE ON filings WHEN NEW.revision <= OLD.revision BEGIN SELECT RAISE(ABORT, 'an older revision'); END`);
  opened.close();
  return database;
}

/** The sequences that were written, in the order of writing. */
const writtenIn = (database: string) =>
  query<{ sequence: number }>(database, 'SELECT sequence FROM written ORDER BY number').map(
    ({ sequence }) => sequence,
  );
const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

/** What the database says of each filing: revision and all that is known. */
function keptIn(database: string): Record<string, unknown> {
  const rows = query<{
    accession_no: string;
    revision: number;
    form: string;
    filed_at: string;
    accepted_at: string | null;
    items: string;
    ticker: string;
    company_name: string;
    change: string;
  }>(database, 'SELECT * FROM filings JOIN changes USING (sequence, accession_no, revision)');
  return Object.fromEntries(
    rows.map((row) => {
      const { filing: kept, revision } = JSON.parse(row.change) as Change;
      expect(row).toMatchObject({
        accession_no: kept.accessionNo,
        revision,
        form: kept.form,
        filed_at: kept.filedAt,
        accepted_at: kept.acceptedAt,
        items: kept.items.join(' '),
        ticker: kept.ticker,
        company_name: kept.companyName,
      });
      return [row.accession_no, { revision, filing: kept }];
    }),
  );
}

/**
 * What one made-up batch brings: so many new filings, and known ones, by their numbers, that it says
 * something else of.
 */
interface MadeBatch {
  readonly fresh: number;
  readonly corrected: readonly number[];
  /** What the new ones have in common. */
  readonly members?: Partial<LedgerFiling>;
  /** What is now said of the known ones. */
  readonly corrections?: Partial<LedgerFiling>;
}

/** A ledger that grows and is corrected, and what a copy of its snapshot must hold. */
interface Publisher {
  readonly made: MadeSnapshot;
  /** Appends batches, and publishes them together. */
  publish(...batches: readonly MadeBatch[]): Promise<void>;
  /** How many entries the feed has. */
  entries(): number;
  filings(): number;
  /**
   * What a copy of the snapshot must hold now: every filing as the lists of a service over it have it, and
   * how often it was observed.
   */
  expected(port: number): Promise<Record<string, unknown>>;
}

async function makePublisher(): Promise<Publisher> {
  const made = await makeSnapshot();
  const known: LedgerFiling[] = [];
  const revisions = new Map<string, number>();
  let number = 0;
  const append = async ({ fresh, corrected, members, corrections }: MadeBatch) => {
    number++;
    const added = Array.from({ length: fresh }, (_, at) => filing(known.length + at, members));
    const changed = corrected.map(
      (at) => (known[at] = { ...(known[at] as LedgerFiling), sizeBytes: 1_000_000 + number, ...corrections }),
    );
    known.push(...added);
    for (const { accessionNo } of [...added, ...changed])
      revisions.set(accessionNo, (revisions.get(accessionNo) ?? 0) + 1);
    const run = { target: 'made up', status: 'success', message: null, createdAt: batchAt(number) } as const;
    await appendBatch(made.ledgerDirectory, {
      run,
      filings: [...added, ...changed],
      companies: number === 1 ? [company(1), company(2)] : [],
      refusals: [],
    });
  };
  return {
    made,
    async publish(...batches) {
      for (const batch of batches) await append(batch);
      await made.build();
    },
    entries: () => [...revisions.values()].reduce((sum, each) => sum + each, 0),
    filings: () => known.length,
    async expected(port) {
      const found: Filing[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const response = await fetch(
          `http://127.0.0.1:${port}/v1/sec/latest?limit=200${cursor && `&cursor=${cursor}`}`,
          { headers: { 'x-api-key': serviceKey } },
        );
        const { data, meta } = (await response.json()) as {
          data: Filing[];
          meta: { nextCursor: string | null };
        };
        found.push(...data);
        cursor = meta.nextCursor;
      }
      expect(found.length).toBe(known.length);
      return Object.fromEntries(
        found.map((each) => [each.accessionNo, { revision: revisions.get(each.accessionNo), filing: each }]),
      );
    },
  };
}

afterAll(() => {
  // Ends processes that a failed test has left.
  for (const child of started) child.kill('SIGKILL');
});

describe('the pollers that the documentation shows', () => {
  it.for(pollers)('the poller is short, and names no address: $language', ({ words }) => {
    const text = readFileSync(join(root, words.at(-1) as string), 'utf8');
    expect(text.split('\n').length - 1).toBeLessThan(50);
    expect(text).not.toMatch(/https?:/);
  });

  describe('over a service that publishes', () => {
    let publisher: Publisher;
    let before: MadeSnapshot;
    let services: ListeningService[];
    let contents: Record<string, unknown>[];

    /** Two snapshots of one ledger, one after the other, each with a service of its own. */
    beforeAll(async () => {
      publisher = await makePublisher();
      await publisher.publish({ fresh: 450, corrected: [] });
      before = await copyOf(publisher.made);
      const first = await listeningService(before.directory);
      const contentBefore = await publisher.expected(first.port);
      // New ones, corrections, and two that are corrected twice.
      await publisher.publish(
        { fresh: 3, corrected: [0, 1, 200, 449] },
        { fresh: 3, corrected: [0, 1, 450] },
      );
      const second = await listeningService(publisher.made.directory);
      services = [first, second];
      contents = [contentBefore, await publisher.expected(second.port)];
    });
    afterAll(async () => {
      for (const service of services) await service.close();
      for (const made of [before, publisher.made]) await made.remove();
    });

    it.concurrent.for(pollers)(
      'the poller keeps every filing as its newest entry says, through 429 and cut answers: $language',
      async (poller, { skip }) => {
        skip(isMissing(poller), missingNote);
        const faults: (Fault | null)[] = ['limited', null, 'cut'];
        let served = 0;
        const proxy = await startFaultyProxy(
          () => services[served]?.port ?? 0,
          () => faults.shift() ?? null,
        );
        const database = await watchedDatabase(poller);
        for (; served < services.length; served++) {
          const { code, stderr } = await start(poller, database, proxy.address).ended;
          expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
          expect(keptIn(database)).toEqual(contents[served]);
        }
        await proxy.close();
        expect(writtenIn(database)).toEqual(upTo(publisher.entries()));
        expect(proxy.asked.map(({ path, fault }) => [fault, /[?&](cursor|since)=/.exec(path)?.[1]])).toEqual([
          ['limited', 'since'],
          [null, 'since'],
          ['cut', 'cursor'],
          [null, 'cursor'],
          [null, 'cursor'],
          [null, 'cursor'],
        ]);
        const [limited, again] = proxy.asked;
        expect((again?.atMs ?? 0) - (limited?.atMs ?? 0)).toBeGreaterThan(1_990);
      },
    );

    it.concurrent.for(pollers)(
      'the poller ends with the message of the service where another try is useless: $language',
      async (poller, { skip }) => {
        skip(isMissing(poller), missingNote);
        const database = join(directory(), 'filings.db');
        const refused = await start(poller, database, `http://127.0.0.1:${services[0]?.port}`, [], {
          API_KEY: 'not-a-good-key-at-all',
        }).ended;
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/401.*unauthorized/)]);
        const unset = await start(poller, database, '', []).ended;
        expect([unset.code, unset.stderr]).toEqual([
          expect.toBeOneOf([1, 2]),
          expect.stringContaining('BASE_URL'),
        ]);
      },
    );
  });

  it('the pollers follow a growing watchlist, and never write an older revision over a newer one', async () => {
    const publisher = await makePublisher();
    // Filings of both companies, then more than a page of the second one, then corrections of the first ones.
    await publisher.publish(
      { fresh: 5, corrected: [], members: { filerCiks: [cikOf(1), cikOf(2)] } },
      { fresh: 210, corrected: [], members: { filerCiks: [cikOf(2)] } },
      { fresh: 2, corrected: [0, 1, 4], members: { filerCiks: [cikOf(1)] } },
    );
    const service = await listeningService(publisher.made.directory);
    const all = await publisher.expected(service.port);
    const ofFirst = Object.fromEntries(
      Object.entries(all).filter(([, each]) => JSON.stringify(each).includes(cikOf(1))),
    );
    expect(Object.keys(ofFirst).length).toBe(7);
    for (const poller of pollers.filter((each) => !isMissing(each))) {
      const database = await watchedDatabase(poller);
      const follow = (TICKERS: string) =>
        start(poller, database, `http://127.0.0.1:${service.port}`, ['--once'], { TICKERS }).ended;
      expect(await follow('T1,T3')).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^10 changes; data up to 2026-02-\d\d; unknown: T3\n$/),
        stderr: expect.any(String),
      });
      expect(keptIn(database)).toEqual(ofFirst);
      // The filings of both companies come again in their first revision.
      expect(await follow('T1,T2')).toMatchObject({ code: 0 });
      expect(keptIn(database)).toEqual(all);
      expect(writtenIn(database).length).toBe(10 + 5 + 210 + 3);
    }
    await service.close();
    await publisher.made.remove();
  });

  it('the pollers ask for a list of more than 25 companies in parts, and add one at its end', async () => {
    const publisher = await makePublisher();
    await publisher.publish(
      { fresh: 4, corrected: [], members: { filerCiks: [cikOf(1)] } },
      { fresh: 3, corrected: [0], members: { filerCiks: [cikOf(2)] } },
    );
    const service = await listeningService(publisher.made.directory);
    const nobody = Array.from({ length: 29 }, (_, at) => `N${at}`);
    await Promise.all(
      pollers
        .filter((each) => !isMissing(each))
        .map(async (poller) => {
          const database = join(directory(), 'filings.db');
          const follow = (...entries: string[]) =>
            start(poller, database, `http://127.0.0.1:${service.port}`, ['--once'], {
              TICKERS: entries.join(','),
            }).ended;
          expect(await follow('T1', ...nobody)).toMatchObject({
            code: 0,
            stdout: expect.stringMatching(/^5 changes;.*unknown: N23\n0 changes;.*unknown: N24.*N28\n$/),
          });
          expect(Object.keys(keptIn(database)).length).toBe(4);
          expect(await follow('T1', ...nobody, 'T2')).toMatchObject({
            code: 0,
            stdout: expect.stringMatching(/^0 changes;.*\n3 changes;/),
          });
          expect(keptIn(database)).toEqual(await publisher.expected(service.port));
        }),
    );
    await service.close();
    await publisher.made.remove();
  });

  it('the pollers drop a filing in which a followed company turns out to have no part', async () => {
    const publisher = await makePublisher();
    const ofBoth = { filerCiks: [cikOf(1), cikOf(2)] };
    await publisher.publish({ fresh: 3, corrected: [], members: ofBoth });
    const services = [await listeningService((await copyOf(publisher.made)).directory)];
    await publisher.publish({ fresh: 0, corrected: [1], corrections: { filerCiks: [cikOf(2)] } });
    services.push(await listeningService(publisher.made.directory));
    for (const poller of pollers.filter((each) => !isMissing(each))) {
      const database = await watchedDatabase(poller);
      const kept: number[] = [];
      for (const { port } of services) {
        const run = start(poller, database, `http://127.0.0.1:${port}`, ['--once'], { TICKERS: 'T1' });
        expect(await run.ended).toMatchObject({ code: 0 });
        kept.push(Object.keys(keptIn(database)).length);
      }
      expect(kept).toEqual([3, 2]);
    }
    for (const service of services) await service.close();
    await publisher.made.remove();
  });

  // Each publication, of which every third comes with a restart, and some kills take seconds on a machine that may be busy.
  for (const { times, options } of often(3, 7, 60_000))
    it(
      `the pollers miss and repeat nothing through refusals, restarts and kills: ${times} publications`,
      options,
      () => outliveKills(times),
    );

  async function outliveKills(publications: number): Promise<void> {
    const random = createRandom(10);
    const publisher = await makePublisher();
    await publisher.publish({ fresh: 500, corrected: [] });
    let service = await startServer(publisher.made.directory);
    // Every fifth request meets the next of them.
    const faults: Fault[] = ['limited', 'cut', 'unavailable', 'lost'];
    let asked = 0;
    const proxy = await startFaultyProxy(
      () => Number(new URL(service.address).port),
      () => (++asked % 5 === 0 ? (faults[(asked / 5) % faults.length] as Fault) : null),
    );
    const there = pollers.filter((each) => !isMissing(each));
    const kept = await Promise.all(
      there.map(async (poller) => {
        const startedMs = performance.now();
        const database = await watchedDatabase(poller, true);
        return {
          poller,
          database,
          startsMs: performance.now() - startedMs,
          stops: new Set<number>(),
          kills: 0,
        };
      }),
    );

    let isOver = false;
    const killing = kept.map(async (each) => {
      let livesMs = each.startsMs + 1_500;
      for (let written = 0; !isOver || (each.stops.size < 4 && written < publisher.entries()); ) {
        const { child, ended } = start(each.poller, each.database, proxy.address, ['--interval', '0.05']);
        const timer = setTimeout(() => child.kill('SIGKILL'), random() * livesMs);
        const { code, stderr } = await ended;
        clearTimeout(timer);
        // It never ends by itself.
        expect([code, code === null ? '' : stderr]).toEqual([null, '']);
        const before = written;
        written = writtenIn(each.database).length;
        // On a busy machine it has to live longer to write anything.
        if (written === before && written < publisher.entries()) livesMs *= 1.25;
        each.kills++;
        each.stops.add(written);
      }
    });
    for (let batch = 0; batch < publications; batch++) {
      const corrected = new Set(Array.from({ length: 40 }, () => Math.floor(random() * publisher.filings())));
      await publisher.publish({ fresh: 100 + Math.floor(random() * 500), corrected: [...corrected] });
      if (batch % 3 === 1) {
        await proxy.down();
        await service.stop();
        service = await startServer(publisher.made.directory);
        await proxy.up();
      }
      await pause(500 + random() * 2_500);
    }
    isOver = true;
    await Promise.all(killing);

    await until(async () => (await service.health())['filingCount'] === publisher.filings());
    const expected = await publisher.expected(Number(new URL(service.address).port));
    for (const { poller, database, stops, kills } of kept) {
      const { code, stderr } = await start(poller, database, proxy.address).ended;
      expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
      expect(keptIn(database)).toEqual(expected);
      expect(writtenIn(database)).toEqual(upTo(publisher.entries()));
      console.log(
        `${poller.language}: ${kills} kills, at ${stops.size} different ends of the feed of ${publisher.entries()} entries`,
      );
      expect(kills).toBeGreaterThan(publications - 2);
      expect(stops.size).toBeGreaterThan(1);
    }
    for (const fault of faults)
      expect(
        proxy.asked.some((each) => each.fault === fault),
        fault,
      ).toBe(true);
    await proxy.close();
    await service.stop();
    await publisher.made.remove();
  }
});
