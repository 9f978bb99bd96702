import {
  changeKey,
  changesBehind,
  memoryCursor,
  parsePosition,
  positionText,
  type CursorStore,
} from './cursor.ts';
import type { Change, Operations } from './generated.ts';
import { pageRows, type ChangeFilter, type ChangePage, type ChangeSource } from './source.ts';
import type { RequestOptions } from './transport.ts';

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

/** Makes the changes of a client. Example: `createChanges(client, { form: '8-K' }, source)`. */
export function createChanges(feed: Feed, filter: ChangeFilter, source: ChangeSource): Changes {
  async function* pages(options?: RequestOptions): AsyncGenerator<ChangePage> {
    for (let cursor: string | undefined, isLast = false; !isLast; ) {
      const { data, meta } = await feed.listChanges({ ...filter, cursor, limit: pageRows }, options);
      cursor = meta.nextCursor;
      isLast = data.length < pageRows;
      yield { changes: data, cursor };
    }
  }

  async function* follow({
    cursor: store = memoryCursor(),
    signal,
  }: FollowOptions = {}): AsyncGenerator<Change> {
    const saved = await store.load();
    const position = saved === null ? { cursor: null, sequence: 0 } : parsePosition(saved);
    let { cursor } = position;
    let isAtPosition = position.sequence === 0;
    if (saved === null && filter.since === undefined) {
      cursor = (await feed.listBulkFiles({}, { signal, retries: Infinity })).meta.nextCursor;
      await store.save(cursor);
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

  return { pages, follow, [Symbol.asyncIterator]: () => flat(pages()) };
}

async function* flat(pages: AsyncIterable<ChangePage>): AsyncGenerator<Change> {
  for await (const { changes } of pages) yield* changes;
}
