// @module-tag slow
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import { useDirectories } from '../support/directories.ts';
import { startFaultyProxy, type Fault } from '../support/faulty-proxy.ts';
import { createRandom } from '../support/generate.ts';
import { company, filing } from '../support/made-up.ts';
import { startProgram, type Running } from '../support/programs.ts';
import { askingBy } from '../support/sample.ts';
import { startService } from '../support/service-process.ts';
import { serviceKey } from '../support/service.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
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
const isMissing = ({ language }: Poller) => language === 'Python' && !has('python');

/** Starts a poller that keeps the file of `database`. */
function start(
  { program, words }: Poller,
  database: string,
  address: string,
  more: readonly string[] = ['--once'],
  environment: Readonly<Record<string, string>> = {},
): Running {
  const settings = {
    BASE_URL: address,
    API_KEY: serviceKey,
    DATABASE: database,
    SINCE: '2026-01-01',
    TICKERS: '',
    ...environment,
  };
  return startProgram(program, [...words, ...more], {
    cwd: root,
    env: { PYTHONPATH: join(root, 'clients/python/src'), ...settings },
  });
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
 * Lets a poller make its tables while nobody answers, and puts triggers on them: one notes what is written, in the same
 * transaction. A page takes some hundred milliseconds to write, and its cursor also some, so that a kill often comes in
 * between.
 */
async function watchedDatabase(poller: Poller): Promise<string> {
  const database = join(directory(), 'filings.db');
  const { kill } = start(poller, database, 'http://127.0.0.1:1', ['--interval', '1']);
  await until(
    () =>
      existsSync(database) &&
      query<{ count: number }>(
        database,
        "SELECT count(*) AS count FROM sqlite_master WHERE name IN ('changes', 'filings', 'progress')",
      )[0]?.count === 3,
  );
  await kill();
  const opened = new DatabaseSync(database, { timeout: 5_000 });
  const counting = (steps: number) =>
    `SELECT count(*) FROM (WITH RECURSIVE each(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM each WHERE at < ${steps}) SELECT at FROM each);`;
  opened.exec(`CREATE TABLE written (number INTEGER PRIMARY KEY, sequence INTEGER);
    CREATE TRIGGER note BEFORE INSERT ON changes BEGIN INSERT INTO written (sequence) VALUES (NEW.sequence); ${counting(2_000)} END;
    CREATE TRIGGER wait BEFORE INSERT ON progress BEGIN ${counting(200_000)} END`);
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
const keptIn = (database: string): Record<string, unknown> =>
  Object.fromEntries(
    query<{ change: string }>(
      database,
      'SELECT change FROM filings JOIN changes USING (sequence, accession_no, revision)',
    ).map(({ change }) => {
      const { filing: kept, revision } = JSON.parse(change) as Change;
      return [kept.accessionNo, { revision, filing: kept }];
    }),
  );

/**
 * What one made-up batch brings: so many new filings, and known ones, by their numbers, that it says
 * something else of.
 */
interface MadeBatch {
  readonly fresh: number;
  readonly corrected: readonly number[];
}

/** A ledger that grows and is corrected, and what a copy of its snapshot must hold. */
interface Publisher {
  readonly made: MadeSnapshot;
  /** Appends a batch, and publishes it. */
  publish(batch: MadeBatch): Promise<void>;
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
  return {
    made,
    async publish({ fresh, corrected }) {
      number++;
      const added = Array.from({ length: fresh }, (_, at) => filing(known.length + at));
      const changed = corrected.map(
        (at) => (known[at] = { ...(known[at] as LedgerFiling), sizeBytes: 1_000_000 + number }),
      );
      known.push(...added);
      for (const { accessionNo } of [...added, ...changed])
        revisions.set(accessionNo, (revisions.get(accessionNo) ?? 0) + 1);
      await made.publish([...added, ...changed], number === 1 ? [company(1)] : []);
    },
    entries: () => [...revisions.values()].reduce((sum, each) => sum + each, 0),
    filings: () => known.length,
    async expected(port) {
      const get = (path: string) =>
        fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': serviceKey } });
      const found = await askingBy(get).all<Filing>('/v1/sec/latest?limit=200');
      expect(found.length).toBe(known.length);
      return Object.fromEntries(
        found.map((each) => [each.accessionNo, { revision: revisions.get(each.accessionNo), filing: each }]),
      );
    },
  };
}

describe('the pollers that the documentation shows', () => {
  it.for(pollers)('the poller is short, and names no address: $language', ({ words }) => {
    const text = readFileSync(join(root, words.at(-1) as string), 'utf8');
    expect(text.split('\n').length - 1).toBeLessThan(50);
    expect(text).not.toMatch(/https?:/);
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
        const database = await watchedDatabase(poller);
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
    // Where another try is useless it ends with the message of the service.
    for (const { poller, database } of kept) {
      const key = { API_KEY: 'not-a-good-key-at-all' };
      const refused = await start(poller, database, service.address, [], key).ended;
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/401.*unauthorized/)]);
      const unset = await start(poller, database, '', []).ended;
      expect([unset.code, unset.stderr]).toEqual([
        expect.toBeOneOf([1, 2]),
        expect.stringContaining('BASE_URL'),
      ]);
    }
    for (const fault of faults)
      expect(
        proxy.asked.some((each) => each.fault === fault),
        fault,
      ).toBe(true);
  }
});
