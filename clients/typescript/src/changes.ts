import {
  changeKey,
  changesBehind,
  memoryCursor,
  parsePosition,
  positionText,
  type CursorStore,
} from './cursor.ts';
import type { Change, Operations } from './generated.ts';
import { createParts, filtersOfParts, type PartsClient } from './parts.ts';
import { isEnd, pageRows, type ChangeFilter, type ChangePage, type ChangeSource } from './source.ts';
import type { RequestOptions } from './transport.ts';
import { pagesByWaiting } from './waiting.ts';

/** How changes are followed. Example: `{ cursor: fileCursor('state') }`. */
export interface FollowOptions {
  /** Where the follower keeps how far it is; in memory if not set. */
  readonly cursor?: CursorStore | undefined;
  /** Ends the loop with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The changes that match a filter, oldest first. As an iterable it gives those that there are now, and ends.
 * Example: `for await (const change of client.changes({ since: '2026-08-01' })) console.log(change.filing.form)`.
 */
export interface Changes extends AsyncIterable<Change> {
  /** The same, in the pages in which they come. Example: `for await (const { changes } of all.pages()) …`. */
  pages(options?: RequestOptions): AsyncIterable<ChangePage>;
  /**
   * Goes on for ever, from where the store of the cursor says; if that is empty, from `since`; without that, from now
   * on. The cursor is saved when the loop asks for the next change: one whose handling was cut comes again, and no
   * other one. Failures that pass are waited for. Throws `invalid_cursor` if the feed no longer has what was handled
   * last. Example: `for await (const change of all.follow()) …`.
   */
  follow(options?: FollowOptions): AsyncIterable<Change>;
}

type Feed = Pick<Operations<RequestOptions>, 'listChanges' | 'listBulkFiles'>;

/** What changes are made of. Example: `{ feed: client, source, tellUnknown }`. */
export interface ChangesClient extends PartsClient {
  readonly feed: Feed;
  readonly source: ChangeSource;
}

/** Makes the changes of a client. Example: `createChanges({ feed: client, source, tellUnknown }, { form: '8-K' })`. */
export function createChanges(client: ChangesClient, filter: ChangeFilter): Changes {
  const { feed, source, tellUnknown } = client;
  const filters = filtersOfParts(filter);
  const endOf = async (signal: AbortSignal | undefined) =>
    (await feed.listBulkFiles({}, { signal, retries: Infinity })).meta.nextCursor;

  async function* pages(options?: RequestOptions): AsyncGenerator<ChangePage> {
    if (filters.length > 1) return yield* createParts(client, filters, null, null).changes(options);
    for (let cursor: string | undefined, isLast = false; !isLast; ) {
      const page = await feed.listChanges({ ...filter, cursor, limit: pageRows }, options);
      tellUnknown(page.meta.unknown);
      cursor = page.meta.nextCursor;
      isLast = isEnd(page);
      yield { changes: page.data, cursor };
    }
  }

  async function* follow({
    cursor: store = memoryCursor(),
    signal,
  }: FollowOptions = {}): AsyncGenerator<Change> {
    const saved = await store.load();
    if (filters.length > 1) return yield* followParts(store, saved, signal);
    const position = saved === null ? { cursor: null, sequence: 0 } : parsePosition(firstLineOf(saved));
    let { cursor } = position;
    let isAtPosition = position.sequence === 0;
    if (saved === null && filter.since === undefined) {
      cursor = await endOf(signal);
      await store.save(cursor);
    }
    // A stream does not say which entries are unknown.
    if (filter.tickers !== undefined) {
      const asked = { ...filter, cursor: cursor ?? undefined, limit: 1 };
      tellUnknown((await feed.listChanges(asked, { signal, retries: Infinity })).meta.unknown);
    }
    for await (const page of source({ filter, cursor }, signal)) {
      const changes = isAtPosition ? page.changes : changesBehind(page.changes, position);
      isAtPosition = changes !== null;
      for (const change of changes ?? []) {
        yield change;
        const { sequence } = change;
        if (change !== page.changes.at(-1))
          await store.save(positionText({ cursor, sequence, change: changeKey(change) }));
      }
      // Before the last change that was handled, the position that was loaded still holds.
      if (cursor !== page.cursor && isAtPosition) await store.save(page.cursor);
      cursor = page.cursor;
    }
  }

  /** Reads all parts whenever something is published that the filter has for anybody. */
  async function* followParts(
    store: CursorStore,
    saved: string | null,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Change> {
    const end = await endOf(signal);
    const parts = createParts(client, filters, saved, filter.since === undefined ? end : null);
    const { tickers: _, since: __, ...ofAnybody } = filter;
    const news = pagesByWaiting(feed, { filter: ofAnybody, cursor: end }, signal)[Symbol.asyncIterator]();
    for (;;) {
      await store.save(parts.text());
      for await (const page of parts.changes({ signal, retries: Infinity })) {
        yield* page.changes;
        await store.save(page.cursor);
      }
      await news.next();
    }
  }

  return { pages, follow, [Symbol.asyncIterator]: () => flat(pages()) };
}

/** A list that had more than one part has a line for each. */
const firstLineOf = (saved: string) => saved.split('\n')[0] ?? '';

async function* flat(pages: AsyncIterable<ChangePage>): AsyncGenerator<Change> {
  for await (const { changes } of pages) yield* changes;
}
