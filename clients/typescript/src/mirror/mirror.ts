import { FilingEventsError } from '../errors.ts';
import type { Change, Operations } from '../generated.ts';
import { pageRows } from '../source.ts';
import { sleep } from '../pauses.ts';
import type { RequestOptions } from '../transport.ts';
import { changesIn, fetchFile, hasGrown, pauseBeforeListing } from './files.ts';
import { openSqlite, type SqliteDatabase } from './sqlite.ts';
import { createStore, replacedLog, type MirrorStore } from './store.ts';

/** What is mirrored. Example: `{ tickers: ['AAPL', 'MSFT'] }`. */
export interface MirrorOptions {
  /**
   * Only these companies, any number of them. One that is added at the end later is mirrored from the beginning,
   * too. Without it, the whole log.
   */
  readonly tickers?: readonly string[] | undefined;
  /** Filing date to begin at, `YYYY-MM-DD`; the first one if not set. Only the first run reads it. */
  readonly since?: string | undefined;
  /**
   * Keeps the files of the whole log in a folder. A closed one is fetched once; a mirror that goes on looks for new ones
   * once a day.
   */
  readonly folder?: string | undefined;
}

/** Something was read. Example: `{ changes: 2, newestFiledAt: '2026-08-31', unknown: [] }`. */
export interface MirrorStep {
  readonly changes: number;
  /** The newest filing date of the service, whatever is mirrored. */
  readonly newestFiledAt: string | null;
  /** Entries of the list of companies that the service does not know. */
  readonly unknown: readonly string[];
}

/** How a mirror goes on. Example: `{ intervalSeconds: 300 }`. */
export interface MirrorFollowOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * While nothing is new, the service is asked once in this time. 60 if not set, 3,600 at most. Up to 60 seconds of it
   * the service holds the request, so that what is new is here at once; not where a list has more than 25 companies.
   */
  readonly intervalSeconds?: number | undefined;
}

/**
 * Keeps a database in step with the log: `changes` has each entry, `filings` the newest one of each filing, with
 * corrections applied. Rows and cursor are written together: kill it whenever you like. Its functions throw
 * `mirror_mismatch` if the service no longer has what is in the database.
 * Example: `for await (const { changes } of client.mirror('filings.db').follow()) console.log(changes)`.
 */
export interface Mirror {
  /** Reads what is new, and ends. Gives a step for each file and page. */
  update(options?: RequestOptions): AsyncIterable<MirrorStep>;
  /** Goes on for ever. Failures that pass are waited for. */
  follow(options?: MirrorFollowOptions): AsyncIterable<MirrorStep>;
}

/** The operations that a mirror needs. Example: `const client: MirrorClient = createClient({ baseUrl })`. */
export type MirrorClient = Pick<
  Operations<RequestOptions>,
  'listChanges' | 'listWatchlistChanges' | 'listBulkFiles' | 'getBulkFile'
>;

/** The most companies of a request. A longer list is asked for in parts, each with a cursor of its own. */
const tickersMaximum = 25;
const longestWait = 60;
/** How often a mirror that goes on looks for files of the log that its folder lacks: one is closed in some days. */
const filesEveryMs = 24 * 3600 * 1000;
const firstDay = '1993-01-01';

interface Page extends MirrorStep {
  readonly hasMore: boolean;
}

/** Makes a mirror. Example: `createMirror(client, 'filings.db', { tickers: ['AAPL'] })`. */
export function createMirror(
  client: MirrorClient,
  database: string | SqliteDatabase,
  { tickers, since, folder }: MirrorOptions = {},
): Mirror {
  const parts = tickers === undefined ? [null] : partsOf(tickers);
  let opened: Promise<MirrorStore> | undefined;
  const open = () =>
    (opened ??= (async () =>
      createStore(typeof database === 'string' ? await openSqlite(database) : database))());

  /** Reads the files of the log into a database that has no cursor yet. */
  async function* readFiles(store: MirrorStore, options: RequestOptions): AsyncGenerator<MirrorStep> {
    for (let listings = 1; ; listings++) {
      const { data, meta } = await client.listBulkFiles({}, options);
      // The last row of the database is read again, with its file: the store notices if the log has another one there.
      const known = Math.min(store.lastSequence(), data.at(-1)?.lastSequence ?? 0);
      try {
        for (const file of data) {
          const isStored = file.lastSequence < known || store.cursorOf(0) !== null;
          if (isStored && folder === undefined) continue;
          const bytes = await fetchFile(client, file, folder, options);
          if (isStored) continue;
          const before = store.lastSequence();
          for await (const changes of changesIn(bytes, file))
            store.write({
              part: 0,
              changes: changes.filter(({ sequence }) => sequence >= known),
              cursor: null,
              ciks: [],
            });
          const changes = store.lastSequence() - before;
          yield { changes, newestFiledAt: meta.newestFiledAt, unknown: [] };
        }
        if (store.cursorOf(0) === null)
          store.write({ part: 0, changes: [], cursor: meta.nextCursor, ciks: [] });
        return;
      } catch (error) {
        await pauseBeforeListing(error, listings, options.signal);
      }
    }
  }

  /** Reads a page behind the cursor of a part, which the service refuses if its log no longer has what was read. */
  async function readPage(
    store: MirrorStore,
    at: number,
    part: readonly string[] | null,
    wait: number,
    options: RequestOptions,
  ): Promise<Page> {
    const number = part === null ? 0 : at + 1;
    const cursor = store.cursorOf(number);
    const asked = {
      ...(cursor === null ? { since: since ?? firstDay } : { cursor }),
      limit: pageRows,
      wait,
    };
    const replaced = (error: unknown) => {
      const isReplaced = error instanceof FilingEventsError && error.code === 'invalid_cursor';
      throw isReplaced ? replacedLog(error.message) : error;
    };
    if (part === null) {
      const { data, meta } = await client.listChanges(asked, options).catch(replaced);
      store.write({ part: 0, changes: data, cursor: meta.nextCursor, ciks: [] });
      return { changes: data.length, newestFiledAt: meta.newestFiledAt, unknown: [], hasMore: isFull(data) };
    }
    const { data, meta } = await client
      .listWatchlistChanges({ ...asked, tickers: part }, options)
      .catch(replaced);
    store.write({
      part: number,
      changes: data.flatMap(({ changes }) => changes),
      cursor: meta.nextCursor,
      ciks: data.flatMap(({ cik }) => cik ?? []),
    });
    return {
      changes: meta.count,
      newestFiledAt: meta.newestFiledAt,
      unknown: data.flatMap(({ status, ticker }) => (status === 'ok' ? [] : [ticker])),
      hasMore: data.some(({ changes }) => isFull(changes)),
    };
  }

  /** Begins with the files where that is possible: they are faster than pages. */
  async function* begin(store: MirrorStore, options: RequestOptions): AsyncGenerator<MirrorStep> {
    const isWhole = parts[0] === null && since === undefined;
    if (isWhole && (folder !== undefined || store.cursorOf(0) === null)) yield* readFiles(store, options);
  }

  /** What grew too fast to be fetched is fetched the next time. */
  async function* beginUnlessGrown(store: MirrorStore, options: RequestOptions): AsyncGenerator<MirrorStep> {
    try {
      yield* begin(store, options);
    } catch (error) {
      if (!hasGrown(error)) throw error;
    }
  }

  async function* update(options: RequestOptions = {}): AsyncGenerator<MirrorStep> {
    const store = await open();
    yield* begin(store, options);
    for (let hasMore = true; hasMore; ) {
      hasMore = false;
      for (const [at, part] of parts.entries()) {
        const page = await readPage(store, at, part, 0, options);
        hasMore ||= page.hasMore;
        yield page;
      }
    }
  }

  async function* follow({
    signal,
    intervalSeconds = 60,
  }: MirrorFollowOptions = {}): AsyncGenerator<MirrorStep> {
    const store = await open();
    const options = { signal, retries: Infinity };
    yield* begin(store, options);
    // No part of a list waits for another one.
    const wait = parts.length > 1 ? 0 : Math.min(longestWait, Math.floor(intervalSeconds));
    for (let filesMs = performance.now(); ; ) {
      const startedMs = performance.now();
      if (startedMs - filesMs >= filesEveryMs) {
        filesMs = startedMs;
        yield* beginUnlessGrown(store, options);
      }
      let found = 0;
      for (const [at, part] of parts.entries()) {
        const page = await readPage(store, at, part, wait, options);
        found += page.changes;
        yield page;
      }
      // The service may have held the request for a part of this time.
      const rest = intervalSeconds - (performance.now() - startedMs) / 1000;
      if (found === 0 && rest > 0) await sleep(rest, signal);
    }
  }

  return { update, follow };
}

const isFull = (changes: readonly Change[]) => changes.length === pageRows;

function partsOf(tickers: readonly string[]): (readonly string[])[] {
  // The service refuses a list without companies: without a request nobody would be told.
  const parts = [tickers.slice(0, tickersMaximum)];
  for (let at = tickersMaximum; at < tickers.length; at += tickersMaximum)
    parts.push(tickers.slice(at, at + tickersMaximum));
  return parts;
}
