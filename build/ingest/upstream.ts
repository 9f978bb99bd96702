import type { Cache } from '../edgar/cache.ts';
import {
  createEdgarClient,
  type AskingEdgar,
  type EdgarClientOptions,
  type EdgarCounts,
} from '../edgar/client.ts';
import { firstUnsettledDay, inferClock } from '../sources/clock.ts';
import type { LedgerFiling, Refusal } from '../ledger/ledger-rows.ts';
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
import { submissionsFile, toFilings, type Columns, type ExtraPage } from '../sources/submissions.ts';
import type { WantedContents } from '../contents/contents-kinds.ts';
import { askContents, type AskedContents } from './ask-contents.ts';
import { fetchSource, type Fetched } from './fetch.ts';
import { collectTickers } from './collect-tickers.ts';

/** Filings of a file by accession number. */
export type FileRows = ReadonlyMap<string, LedgerFiling>;

/** What a submissions file or one of its pages lists. */
export interface ListedRows {
  readonly rows: FileRows;
  /** The rows that could not be understood. */
  readonly refusals: readonly Refusal[];
}

/** The main submissions file of an entity: the entity, its newer filings, and which pages have the older ones. */
export interface EntityFile extends ListedRows {
  readonly entity: Entity;
  readonly olderPages: readonly ExtraPage[];
}

/** All requests to EDGAR, through one client and so within one rate limit. */
export interface Upstream {
  /** The page of the current-filings feed that begins with entry `start`, counted from 0. */
  feedPage(start: number): Promise<Fetched<FeedPage>>;
  entityFile(cik: string): Promise<Fetched<EntityFile>>;
  /** A page of the older filings of an entity. */
  olderPage(entity: Entity, name: string): Promise<Fetched<ListedRows>>;
  header(cik: string, accessionNo: string): Promise<Fetched<Header>>;
  contents(wanted: WantedContents): Promise<AskedContents>;
  /** The daily index of a day, and its rows when it was fetched before; null if it was not. */
  dailyIndex(
    day: string,
  ): Promise<{ readonly now: Fetched<MasterIndex>; readonly before: readonly IndexRow[] | null }>;
  /** The rows of the daily index of a day in the cache; null if it was not fetched before. */
  dailyRows(day: string): Promise<readonly IndexRow[] | null>;
  /** The index of a quarter, `2026/QTR1`. */
  quarterlyIndex(quarter: string): Promise<Fetched<MasterIndex>>;
  tickers(): ReturnType<typeof collectTickers>;
  readonly counts: Readonly<EdgarCounts>;
  close(): Promise<void>;
}

/** What `openUpstream` needs. */
export interface UpstreamOptions extends AskingEdgar, Pick<EdgarClientOptions, 'cache' | 'onAnswer'> {
  /** The fewest rows of a complete ticker file; tests lower it. */
  readonly tickerRowsMinimum?: number | undefined;
  /** The time by upstream's clock if it is known, in milliseconds since 1970. */
  readonly time: () => number;
  /** The retry limit of one file. */
  readonly attemptsMaximum: number;
}

/** Whether a file is requested again and so is worth caching: not a header or a page of the feed. */
const isKept = (url: string) => /\/submissions\/|\/files\/|\/daily-index\//.test(url);

/** Returns a cache that stores only files that are worth caching. */
function selective(cache: Cache): Cache {
  return {
    directory: cache.directory,
    read: async (url) => (isKept(url) ? cache.read(url) : undefined),
    write: async (url, entry) => (isKept(url) ? cache.write(url, entry) : undefined),
    touch: async (url, checkedAt) => (isKept(url) ? cache.touch(url, checkedAt) : undefined),
    remove: async (url) => (isKept(url) ? cache.remove(url) : undefined),
  };
}

/**
 * Opens one client for all requests. The functions reject only if further requests would make things worse,
 * or if the client is stopped.
 */
export function openUpstream(options: UpstreamOptions): Upstream {
  const { settings, time, tickerRowsMinimum } = options;
  const kept = selective(options.cache);
  const client = createEdgarClient({ ...options, cache: kept, maxAttempts: options.attemptsMaximum });
  async function dailyRows(day: string): Promise<readonly IndexRow[] | null> {
    const file = dailyIndexFile(day);
    const held = await kept.read(sources.masterIndex.url(settings, file));
    return held ? rowsOf(held.body, file) : null;
  }
  function filingsOf(entity: Entity, file: string, columns: Columns, asOfMs: number): ListedRows {
    // If the clock of this machine is ahead, rows would count as settled too early.
    const unsettledFrom = firstUnsettledDay(Math.min(asOfMs, time()));
    const { clock } = inferClock(columns, unsettledFrom);
    const { filings, refusals } = toFilings(columns, entity, file, { clock, unsettledFrom });
    const rows = new Map<string, LedgerFiling>();
    for (const filing of filings) if (!rows.has(filing.accessionNo)) rows.set(filing.accessionNo, filing);
    return { rows, refusals };
  }
  return {
    feedPage: (start) => fetchSource(client, settings, sources.currentFeed, currentFeedFile(start)),
    async entityFile(cik) {
      const file = submissionsFile(cik);
      const answer = await fetchSource(client, settings, sources.submissions, file);
      if (answer.kind === 'lost') return answer;
      const { columns, extraPages } = answer.parsed;
      const entity = { ...answer.parsed.entity, asOfMs: answer.asOfMs };
      return {
        ...answer,
        parsed: { entity, ...filingsOf(entity, file, columns, answer.asOfMs), olderPages: extraPages },
      };
    },
    async olderPage(entity, name) {
      const answer = await fetchSource(client, settings, sources.submissionsPage, name);
      if (answer.kind === 'lost') return answer;
      return { ...answer, parsed: filingsOf(entity, name, answer.parsed, answer.asOfMs) };
    },
    header: (cik, accessionNo) => fetchSource(client, settings, sources.header, headerFile(cik, accessionNo)),
    contents: (wanted) => askContents(client, settings, wanted),
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
