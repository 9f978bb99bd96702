// @module-tag slow
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import {
  createClient,
  FilingEventsError,
  verifyFiles,
  type Change,
} from '../../clients/typescript/src/node.ts';
import { clientService, type ClientService } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { drivenLanguages, mirrorsOf, type DrivenStep } from '../support/driven-clients.ts';
import { startFaultyProxy, type FaultyProxy } from '../support/faulty-proxy.ts';
import { cikOf, company, filing } from '../support/made-up.ts';
import { listeningService, serviceKey, type ListeningService } from '../support/service.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

const directory = useDirectories('mirror');
const rowsPerFile = 40;
let served: ClientService;
let proxy: FaultyProxy;

beforeAll(async () => {
  served = await clientService(130, { logCut: { rowsPerFile: rowsPerFile, rowsPerMember: 8 } });
  // It notes what is asked.
  proxy = await startFaultyProxy(
    () => served.service.port,
    () => null,
  );
});
afterAll(async () => {
  await proxy.close();
  await served.close();
});

const languages = mirrorsOf(() => proxy.address);

function rowsOf<Row>(database: string, sql: string): Row[] {
  const opened = new DatabaseSync(database);
  try {
    return opened.prepare(sql).all() as Row[];
  } finally {
    opened.close();
  }
}

const sequencesOf = (database: string) =>
  rowsOf<{ sequence: number }>(database, 'SELECT sequence FROM changes ORDER BY sequence').map(
    ({ sequence }) => sequence,
  );
const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);
/** What was asked since the last call, without the list of files. */
let told = 0;
function askedPaths(): string[] {
  const from = told;
  told = proxy.asked.length;
  return proxy.asked
    .slice(from)
    .flatMap(({ path }) => (path === '/v1/sec/bulk' ? [] : [path.split('?')[0] ?? '']));
}

describe.each(languages)('the mirror of the client for $language', ({ update }) => {
  const database = () => join(directory(), 'filings.db');

  it('the mirror begins with the files of the log, and goes on with the feed from their end', async () => {
    const path = database();
    askedPaths();
    await update(path);
    expect(askedPaths().map((each) => each.replace(/.*changes-0*(\d+).*/, '$1'))).toEqual([
      '1',
      '41',
      '81',
      '121',
      '/v1/sec/changes',
    ]);
    expect(sequencesOf(path)).toEqual(upTo(130));
    const client = createClient({ baseUrl: served.address, apiKey: serviceKey });
    const stored = rowsOf<{ change: string }>(path, 'SELECT change FROM changes WHERE sequence = 81')[0];
    const all: Change[] = [];
    for await (const change of client.changes({ since: '2026-01-01' })) all.push(change);
    expect(JSON.parse(stored?.change ?? '')).toEqual(all[80]);
    expect(rowsOf<{ count: number }>(path, 'SELECT count(*) AS count FROM filings')).toEqual([
      { count: 130 },
    ]);
    await update(path);
    expect(askedPaths()).toEqual(['/v1/sec/changes']);
  });

  it('a mirror that was stopped among the files fetches only those that it lacks', async () => {
    const path = database();
    await update(path);
    const opened = new DatabaseSync(path);
    opened.exec('DELETE FROM changes WHERE sequence > 90; DELETE FROM progress');
    opened.close();
    askedPaths();
    await update(path);
    expect(askedPaths().map((each) => each.replace(/.*changes-0*(\d+).*/, '$1'))).toEqual([
      '81',
      '121',
      '/v1/sec/changes',
    ]);
    expect(sequencesOf(path)).toEqual(upTo(130));
  });

  it('a folder keeps the files: a closed one is fetched once, a damaged one again', async () => {
    const folder = directory();
    const path = join(folder, 'filings.db');
    await update(path, { folder });
    const names = readdirSync(folder).filter((name) => name.endsWith('.gz'));
    expect(names.length).toBe(4);
    askedPaths();
    await update(path, { folder });
    expect(askedPaths()).toEqual(['/v1/sec/changes']);
    writeFileSync(join(folder, names[0] ?? ''), 'damaged');
    rmSync(path);
    await update(path, { folder });
    expect(askedPaths()).toEqual([`/v1/sec/bulk/${names[0]}`, '/v1/sec/changes']);
    expect(sequencesOf(path)).toEqual(upTo(130));
    expect(readFileSync(join(folder, names[0] ?? '')).length).toBeGreaterThan(100);
  });

  it('mirrors that keep the same folder at once are not in the way of each other', async () => {
    const folder = directory();
    await Promise.all(Array.from({ length: 4 }, () => update(database(), { folder })));
    const client = createClient({ baseUrl: served.address, apiKey: serviceKey });
    const { data } = await client.listBulkFiles();
    expect(readdirSync(folder)).toEqual(data.map(({ name }) => name));
    expect(await verifyFiles(folder, data)).toEqual(data.map(({ name }) => ({ name, state: 'ok' })));
  });

  it('a database of the whole log is refused as one of some companies, and the other way round', async () => {
    const [whole, watched] = [database(), database()];
    await update(whole);
    await update(watched, { tickers: ['T2', 'T9'], since: '2026-01-01' });
    await expect(update(whole, { tickers: ['T1'] })).rejects.toThrow(/mirror|whole feed/);
    await expect(update(watched)).rejects.toThrow(/list of companies/);
  });

  it('a list without companies is refused, and no mirror that stays empty in silence', async () => {
    await expect(update(database(), { tickers: [] })).rejects.toThrow('tickers: must be 1 to 25');
  });
});

it('a mirror that goes on fetches once a day the files that its folder lacks', async () => {
  const folder = directory();
  const names = () => readdirSync(folder).filter((name) => name.endsWith('.gz'));
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(now);
  const client = createClient({ baseUrl: served.address, apiKey: serviceKey });
  const following = client.mirror(join(folder, 'filings.db'), { folder }).follow({ intervalSeconds: 0.05 });
  let steps = 0;
  for await (const { changes } of following) {
    steps += changes > 0 ? 0 : 1;
    if (steps === 1) for (const name of names()) rmSync(join(folder, name));
    if (steps === 3) {
      expect(names()).toEqual([]);
      clock.mockImplementation(() => now() + 24 * 3600 * 1000);
    }
    if (steps === 4) break;
  }
  expect(names().length).toBe(4);
  clock.mockRestore();
});

it('a mirror waits while replicas of the service differ in what they know of the open file', async () => {
  const { data } = await createClient({ baseUrl: served.address, apiKey: serviceKey }).listBulkFiles();
  const open = `/v1/sec/bulk/${data.at(-1)?.name}`;
  const behindUntilMs = performance.now() + 400;
  const client = createClient({
    baseUrl: served.address,
    apiKey: serviceKey,
    fetch: async (address, options) => {
      const isBehind = String(address).endsWith(open) && performance.now() < behindUntilMs;
      return isBehind ? new Response('of before') : fetch(address, options);
    },
  });
  const path = join(directory(), 'filings.db');
  for await (const step of client.mirror(path).update()) expect(step.unknown).toEqual([]);
  expect(sequencesOf(path)).toEqual(upTo(130));
});

it('a mirror on a full disk says so, and goes on when there is room', async () => {
  const database = new DatabaseSync(join(directory(), 'filings.db'));
  const mirror = createClient({ baseUrl: served.address, apiKey: serviceKey }).mirror(database);
  const update = async () => {
    for await (const step of mirror.update()) expect(step.changes).toBeGreaterThanOrEqual(0);
  };
  database.exec('PRAGMA max_page_count = 30');
  await expect(update()).rejects.toThrow('database or disk is full');
  database.exec('PRAGMA max_page_count = 10000');
  await update();
  expect(database.prepare('SELECT count(*) AS count FROM changes').all()).toEqual([{ count: 130 }]);
  database.close();
});

it('a file that is not what its digest says is no part of a mirror', async () => {
  const client = createClient({
    baseUrl: served.address,
    apiKey: serviceKey,
    fetch: async (address, options) => {
      const response = await fetch(address, options);
      return String(address).includes('changes-') ? new Response('damaged') : response;
    },
  });
  const path = join(directory(), 'filings.db');
  const update = async () => {
    for await (const step of client.mirror(path).update()) expect(step).toBeNull();
  };
  await expect(update()).rejects.toThrow(FilingEventsError);
  await expect(update()).rejects.toMatchObject({ code: 'digest_mismatch' });
  expect(sequencesOf(path)).toEqual([]);
});

it.each(languages)(
  'in $language a mirror has the columns of the export and the parties, also one of an older version',
  async ({ update }) => {
    const path = join(directory(), 'filings.db');
    const check = () => {
      const rows = rowsOf<Record<string, unknown>>(
        path,
        'SELECT filings.*, change FROM filings JOIN changes USING (sequence, accession_no, revision)',
      );
      expect(rows.length).toBeGreaterThan(129);
      for (const { change: text, ...row } of rows) {
        const { filing, sequence, revision, observedAt } = JSON.parse(String(text)) as Change;
        const { parties: _, ...members } = filing;
        const expected = Object.entries({ ...members, sequence, revision, observedAt }).map(
          ([name, value]) => [
            name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
            Array.isArray(value) ? value.join(' ') : typeof value === 'boolean' ? Number(value) : value,
          ],
        );
        expect(row).toMatchObject(Object.fromEntries(expected.filter(([name]) => String(name) in row)));
        for (const name of ['document_url', 'detail_url', 'report_date', 'size', 'observed_at', 'is_xbrl'])
          expect(Object.keys(row)).toContain(name);
      }
      const named = rowsOf<{ accession_no: string; cik: string; name: string | null; role: string | null }>(
        path,
        'SELECT accession_no, cik, name, role FROM parties ORDER BY accession_no, number',
      );
      const wanted = rows
        .map(({ change }) => (JSON.parse(String(change)) as Change).filing)
        .sort((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1))
        .flatMap(({ accessionNo, parties }) =>
          parties.map((party) => ({ accession_no: accessionNo, ...party })),
        );
      expect(named).toEqual(wanted);
      expect(named.length).toBeGreaterThan(129);
    };
    await update(path);
    check();
    // What a mirror of an older version lacks.
    const database = new DatabaseSync(path);
    database.exec('DROP TABLE parties');
    for (const name of ['observed_at', 'document_url', 'size', 'is_xbrl'])
      database.exec(`ALTER TABLE filings DROP COLUMN ${name}`);
    database.close();
    await update(path);
    check();
  },
);

describe.each(drivenLanguages)(
  'the mirror of a list of companies of the client for $language',
  ({ open }) => {
    const both = { filerCiks: [cikOf(1), cikOf(2)] };
    let made: MadeSnapshot;
    let service: ListeningService;
    beforeEach(async () => {
      made = await makeSnapshot();
      await made.publish(
        [1, 2, 3, 4].map((number) => filing(number, both)),
        [company(1), company(2)],
      );
      service = await listeningService(made.directory);
    });
    afterEach(async () => {
      await service.close();
      await made.remove();
    });

    const client = () => open({ baseUrl: `http://127.0.0.1:${service.port}` });
    async function publish(...filings: readonly LedgerFiling[]): Promise<void> {
      await made.publish(filings);
      await service.services.served.check();
    }
    const changesOf = (steps: readonly DrivenStep[]) => steps.map(({ changes }) => changes);
    /** The filings that a mirror has, each as its newest change says, and those that the service has. */
    const kept = (path: string) =>
      rowsOf<{ change: string }>(
        path,
        'SELECT change FROM filings JOIN changes USING (sequence, accession_no, revision) ORDER BY accession_no',
      ).map(({ change }) => (JSON.parse(change) as Change).filing);
    const listed = async (operation: string, parameters: object) =>
      (await client().history('rows', operation, parameters)).toSorted((a, b) =>
        a.accessionNo < b.accessionNo ? -1 : 1,
      );

    it('a list that grows has the filings of all, and no older revision is written over a newer one', async () => {
      // More than a page of the second company, then corrections of filings of both.
      await publish(...Array.from({ length: 210 }, (_, at) => filing(10 + at, { filerCiks: [cikOf(2)] })));
      await publish(filing(501), ...[1, 2, 3].map((number) => filing(number, { ...both, sizeBytes: 7 })));
      const path = join(directory(), 'filings.db');
      const update = (...tickers: string[]) => client().mirror(path, { tickers, since: '2026-01-01' });
      expect(await update('T1', 'T3')).toEqual([expect.objectContaining({ changes: 8, unknown: ['T3'] })]);
      expect(kept(path)).toEqual(await listed('listCompanyFilings', { ticker: 'T1' }));
      const database = new DatabaseSync(path);
      database.exec(
        `CREATE TRIGGER newest BEFORE UPDATE ON filings WHEN NEW.revision <= OLD.revision BEGIN SELECT RAISE(ABORT, 'an older revision'); END`,
      );
      database.close();
      // The filings of both companies come again in their first revision.
      const steps = await update('T1', 'T2');
      expect(changesOf(steps).reduce((sum, each) => sum + each, 0)).toBeGreaterThan(210);
      expect(kept(path)).toEqual(await listed('listLatestFilings', {}));
    });

    it('a list of more than 25 companies is asked for in parts, and one is added at its end', async () => {
      await publish(filing(10, { filerCiks: [cikOf(2)] }));
      const nobody = Array.from({ length: 29 }, (_, at) => `N${at}`);
      const path = join(directory(), 'filings.db');
      const update = (...tickers: string[]) => client().mirror(path, { tickers, since: '2026-01-01' });
      expect(await update('T1', ...nobody)).toEqual([
        expect.objectContaining({ changes: 4, unknown: nobody.slice(0, 24) }),
        expect.objectContaining({ changes: 0, unknown: nobody.slice(24) }),
      ]);
      expect(changesOf(await update('T1', ...nobody, 'T2'))).toEqual([0, 5]);
      expect(kept(path)).toEqual(await listed('listLatestFilings', {}));
    });

    it('a filing in which a company of the list turns out to have no part is dropped', async () => {
      const path = join(directory(), 'filings.db');
      const update = () => client().mirror(path, { tickers: ['T1'], since: '2026-01-01' });
      await update();
      expect(kept(path).length).toBe(4);
      await publish(filing(2, { filerCiks: [cikOf(2)] }));
      await update();
      expect(kept(path).length).toBe(3);
    });
  },
);
