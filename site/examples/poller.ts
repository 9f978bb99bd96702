/*
 * Keeps an SQLite file in step with the change feed. Node 22.18 and newer need nothing else. For an older one,
 * from 20.19 on: `npm install tsx @photostructure/sqlite@1`, and run it with `npx tsx` in place of `node`.
 *
 *     node poller.ts                  runs until you stop it. The service holds each request until something is
 *                                     new (wait), so that you have it at once
 *     node poller.ts --interval 300   asks once in 300 seconds while nothing is new
 *     node poller.ts --once           reads what is new and ends, for cron
 *
 * Environment:
 *     BASE_URL, API_KEY    address of the service, and your key
 *     DATABASE             the SQLite file; filings.db if not set
 *     SINCE                filing date to begin at, YYYY-MM-DD; 30 days ago if not set. Only the first
 *                          run reads it; later runs go on by the cursor.
 *     TICKERS              tickers or CIKs, separated by commas, any number; every company if not set.
 *                          You can add one at the end and start again: you also get its filings since SINCE.
 *
 * The program writes the rows of a page and its cursor in one transaction. Kill it whenever you like: the next
 * run goes on there. If a company of TICKERS turns out to have no part in a filing, the filing is dropped. If the service refuses the cursor (invalid_cursor), its data was begun anew: move the file
 * away and begin again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

type Named = Record<'filedAt' | 'acceptedAt' | 'ticker', string | null>;
type Filing = Named &
  Record<'accessionNo' | 'form' | 'companyName', string> & { items: string[]; parties: { cik: string }[] };
type Change = { sequence: number; revision: number; filing: Filing };
type Bucket = { ticker: string; cik: string | null; status: string; changes: Change[] };
interface Answer {
  data: (Change | Bucket)[];
  meta: { count: number; nextCursor: string; newestFiledAt: string | null };
}

const { BASE_URL = '', API_KEY = '', DATABASE, SINCE, TICKERS } = process.env;
const limit = 200;
const tickersMaximum = 25; // of a request; a longer list is asked for in parts, each with a cursor of its own
/** Seconds that the service holds a request. */
const longestWait = 60;
const schema = `
CREATE TABLE IF NOT EXISTS filings (accession_no TEXT PRIMARY KEY, revision INTEGER, sequence INTEGER,
  filed_at TEXT, accepted_at TEXT, form TEXT, items TEXT, ticker TEXT, company_name TEXT, change TEXT);
CREATE TABLE IF NOT EXISTS progress (part INTEGER PRIMARY KEY, cursor TEXT, ciks TEXT)`;
// A correction has the accession number of its filing and replaces it. Each bucket of a watchlist goes on by
// itself, so an older revision can come after a newer one. Then the newer one stays.
const writeFiling = `INSERT INTO filings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (accession_no) DO UPDATE SET
  revision = excluded.revision, sequence = excluded.sequence, filed_at = excluded.filed_at,
  accepted_at = excluded.accepted_at, form = excluded.form, items = excluded.items, ticker = excluded.ticker, company_name = excluded.company_name,
  change = excluded.change WHERE excluded.revision > filings.revision`;
const writeCursor = `INSERT INTO progress VALUES (?, ?, ?) ON CONFLICT (part) DO UPDATE SET
  cursor = excluded.cursor, ciks = excluded.ciks`;

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

/**
 * Asks until there is an answer. Asks again after 429, 5xx and network errors; with --once, gives up after eight.
 */
async function ask(url: string, once: boolean): Promise<Answer> {
  const request = new Request(url, { headers: { 'x-api-key': API_KEY } });
  for (let failures = 1; ; failures++) {
    let [reason, retryAfter] = ['', 0];
    try {
      const response = await fetch(request, { signal: AbortSignal.timeout(60_000 + longestWait * 1000) });
      if (response.ok) return (await response.json()) as Answer;
      reason = `${response.status} ${await response.text()}`;
      if (response.status !== 429 && response.status < 500) fail(reason);
      retryAfter = Number(response.headers.get('retry-after')) || 0;
    } catch (error) {
      // refused, late, cut off
      reason = String((error as Error).cause ?? error);
    }
    if (once && failures === 8) fail(`given up: ${reason}`);
    const seconds = Math.max(retryAfter, Math.min(60, 2 ** failures) * (0.25 + Math.random() / 4));
    console.error(`${reason}; asking again in ${seconds.toFixed(1)} s`);
    await sleep(seconds * 1000);
  }
}

async function main(): Promise<void> {
  const options = {
    once: { type: 'boolean', default: false },
    interval: { type: 'string', default: '60' },
  } as const;
  const { once, interval } = parseArgs({ options }).values;
  if (!BASE_URL || !API_KEY || !(Number(interval) >= 0))
    fail('BASE_URL and API_KEY must be set, --interval a number');
  // Node 22.13 and newer have SQLite. For older ones, the package has the same interface.
  const sqlite = process.getBuiltinModule('node:sqlite') ?? (await import('@photostructure/sqlite'));
  const database = new (sqlite as typeof import('@photostructure/sqlite')).DatabaseSync(
    DATABASE || 'filings.db',
  );
  // In this mode, programs can read the file while this one writes.
  database.exec(`PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; ${schema}`);
  const entries = TICKERS?.split(',') ?? [''];
  const parts: string[] = [];
  while (entries.length > 0) parts.push(entries.splice(0, tickersMaximum).join(','));
  // No part of a list waits for another one.
  const wait = once || parts.length > 1 ? 0 : Math.min(longestWait, Math.floor(Number(interval)));

  /** Reads a page of a part and writes its rows and cursor. Returns how many rows there are, and whether there are more. */
  async function readPage(part: number, tickers: string): Promise<[rows: number, hasMore: boolean]> {
    const row = database.prepare('SELECT cursor FROM progress WHERE part = ?').get(part);
    const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
    const query = new URLSearchParams(row ? { cursor: String(row['cursor']) } : { since: SINCE || monthAgo });
    if (tickers) query.set('tickers', tickers);
    const path = `/v1/sec/${tickers ? 'watchlist/' : ''}changes?limit=${limit}&wait=${wait}&${query}`;
    const { data, meta } = await ask(BASE_URL.replace(/\/$/, '') + path, once);
    const buckets = tickers
      ? (data as Bucket[])
      : [{ ticker: '', cik: null, status: 'ok', changes: data as Change[] }];
    const own = buckets.flatMap(({ cik }) => cik ?? []);
    const others = database.prepare('SELECT ciks FROM progress WHERE part <> ?').all(part);
    const followed = new Set([...own, ...others.flatMap(({ ciks }) => String(ciks).split(' '))]);
    const isNamed = ({ parties }: Filing) => parties.some(({ cik }) => followed.has(cik));
    database.exec('BEGIN IMMEDIATE'); // one transaction: an error ends the program before COMMIT
    for (const change of buckets.flatMap(({ changes }) => changes)) {
      const { accessionNo, filedAt, acceptedAt, form, items, ticker, companyName } = change.filing;
      const stored = database.prepare('SELECT change FROM filings WHERE accession_no = ?').get(accessionNo);
      const before = stored && (JSON.parse(String(stored['change'])) as Change);
      if (before && isNamed(before.filing) && !isNamed(change.filing)) {
        database.prepare('DELETE FROM filings WHERE accession_no = ?').run(accessionNo);
        continue;
      }
      const columns = [filedAt, acceptedAt, form, items.join(' '), ticker, companyName];
      const numbers = [change.revision, change.sequence];
      database.prepare(writeFiling).run(accessionNo, ...numbers, ...columns, JSON.stringify(change));
    }
    database.prepare(writeCursor).run(part, meta.nextCursor, own.join(' '));
    database.exec('COMMIT');
    const unknown = buckets.flatMap((each) => (each.status === 'ok' ? [] : `; unknown: ${each.ticker}`));
    console.log(`${meta.count} changes; data up to ${meta.newestFiledAt}${unknown.join('')}`);
    return [meta.count, buckets.some(({ changes }) => changes.length === limit)];
  }

  for (let hasMore = true; hasMore || !once; ) {
    const startedMs = performance.now();
    let rows = 0;
    hasMore = false;
    for (const [at, tickers] of parts.entries()) {
      const [found, isCut] = await readPage(at + 1, tickers);
      rows += found;
      hasMore ||= isCut;
    }
    // The service may have held the request for a part of this time.
    const restMs = startedMs + Number(interval) * 1000 - performance.now();
    if (rows === 0 && !once && restMs > 0) await sleep(restMs);
  }
}

main();
