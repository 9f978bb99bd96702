import type { LineLog } from '../../src/log/levels.ts';
import type { Cache } from '../edgar/cache.ts';
import { createEdgarClient, type EdgarCounts, type EdgarSettings } from '../edgar/client.ts';
import { firstUnsettledDay, inferClock } from '../sources/clock.ts';
import type { LedgerFiling } from '../ledger/rows.ts';
import { quietProgress } from '../work/progress.ts';
import { currentFeedFile, type FeedPage } from '../sources/current-feed.ts';
import { headerFile, type Header } from '../sources/header.ts';
import {
  dailyIndexFile,
  quarterlyIndexFile,
  type IndexRow,
  type MasterIndex,
} from '../sources/master-index.ts';
import { sources } from '../sources/registry.ts';
import type { Entity } from '../sources/roles.ts';
import { submissionsFile, toFilings } from '../sources/submissions.ts';
import { fetchSource, type Fetched } from './fetch.ts';
import { collectTickers } from './tickers.ts';

/** The main submissions file of an entity: who it is, and its filings by accession number. */
export interface EntityFile {
  readonly entity: Entity;
  readonly rows: ReadonlyMap<string, LedgerFiling>;
}

/** Everything that is asked of EDGAR, through one client: one limit of requests for all of it. */
export interface Upstream {
  /** A page of the current-filings feed that begins with an entry, counted from 0. */
  feedPage(start: number): Promise<Fetched<FeedPage>>;
  entityFile(cik: string): Promise<Fetched<EntityFile>>;
  header(cik: string, accessionNo: string): Promise<Fetched<Header>>;
  /** The index of a day, and the rows that it had when it was fetched before; null if that is not known. */
  dailyIndex(
    day: string,
  ): Promise<{ readonly now: Fetched<MasterIndex>; readonly before: readonly IndexRow[] | null }>;
  /** The rows of the index of a day, as it was fetched before; null if it was not. */
  dailyRows(day: string): Promise<readonly IndexRow[] | null>;
  /** The index of a quarter, `2026/QTR1`. */
  quarterlyIndex(quarter: string): Promise<Fetched<MasterIndex>>;
  tickers(): ReturnType<typeof collectTickers>;
  readonly counts: Readonly<EdgarCounts>;
  close(): Promise<void>;
}

/** What it is made of. */
export interface UpstreamOptions {
  readonly settings: EdgarSettings;
  readonly cache: Cache;
  readonly now: () => number;
  readonly log: LineLog;
  /** Told of each request that was sent: its status, null if there was no whole answer. */
  readonly onAnswer?: (url: URL, status: number | null) => void;
  readonly signal?: AbortSignal;
  /** How long all requests rest after upstream's throttle page, in milliseconds. */
  readonly coolDownMs?: number;
  /** Fewest rows of a whole ticker file; tests lower it. */
  readonly tickerRowsMinimum?: number;
  /** The time as upstream has it, in milliseconds since 1970, as far as it is known. */
  readonly time: () => number;
  /** How often one file is asked for before it is given up for now. */
  readonly attemptsMaximum: number;
}

/** Files that are asked for again, and so are worth keeping: a header or a page of the feed is not. */
const isKept = (url: string) => /\/submissions\/|\/files\/|\/daily-index\//.test(url);

/** A cache that holds nothing but what is worth it. */
function selective(cache: Cache): Cache {
  return {
    read: async (url) => (isKept(url) ? cache.read(url) : undefined),
    write: async (url, entry) => (isKept(url) ? cache.write(url, entry) : undefined),
    touch: async (url, checkedAt) => (isKept(url) ? cache.touch(url, checkedAt) : undefined),
    remove: async (url) => (isKept(url) ? cache.remove(url) : undefined),
  };
}

/**
 * Opens a client for all that is asked. Its functions reject only where asking on would make things worse,
 * and when it is stopped.
 */
export function openUpstream({
  settings,
  cache,
  now,
  time,
  log,
  signal,
  coolDownMs,
  tickerRowsMinimum,
  attemptsMaximum,
  onAnswer,
}: UpstreamOptions): Upstream {
  const kept = selective(cache);
  const client = createEdgarClient({
    settings,
    cache: kept,
    now,
    log,
    maxAttempts: attemptsMaximum,
    ...(signal ? { signal } : {}),
    ...(onAnswer ? { onAnswer } : {}),
    ...(coolDownMs === undefined ? {} : { coolDownMs }),
  });
  async function dailyRows(day: string): Promise<readonly IndexRow[] | null> {
    const file = dailyIndexFile(day);
    const held = await kept.read(sources.masterIndex.url(settings, file));
    return held ? rowsOf(held.body, file) : null;
  }
  return {
    feedPage: (start) => fetchSource(client, settings, sources.currentFeed, currentFeedFile(start)),
    async entityFile(cik) {
      const file = submissionsFile(cik);
      const answer = await fetchSource(client, settings, sources.submissions, file);
      if (answer.kind === 'lost') return answer;
      const { entity, columns } = answer.parsed;
      // A clock of this machine that is ahead would take rows for settled that are not.
      const { filings } = toFilings(columns, entity, file, {
        clock: inferClock(columns).clock,
        unsettledFrom: firstUnsettledDay(Math.min(answer.asOfMs, time())),
      });
      const rows = new Map<string, LedgerFiling>();
      for (const filing of filings) if (!rows.has(filing.accessionNo)) rows.set(filing.accessionNo, filing);
      return { ...answer, parsed: { entity, rows } };
    },
    header: (cik, accessionNo) => fetchSource(client, settings, sources.header, headerFile(cik, accessionNo)),
    async dailyIndex(day) {
      const before = await dailyRows(day);
      return { now: await fetchSource(client, settings, sources.masterIndex, dailyIndexFile(day)), before };
    },
    dailyRows,
    quarterlyIndex: (quarter) =>
      fetchSource(client, settings, sources.masterIndex, quarterlyIndexFile(quarter)),
    tickers: () => collectTickers(client, kept, settings, quietProgress, tickerRowsMinimum),
    counts: client.counts,
    close: () => client.close(),
  };
}

function rowsOf(body: Buffer, file: string): readonly IndexRow[] | null {
  try {
    return sources.masterIndex.parse(body, file).rows;
  } catch {
    return null;
  }
}
