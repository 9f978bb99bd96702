import type { Change, Client, ChangeFilter } from '../../clients/typescript/src/index.ts';
import { createGate } from '../../src/fetch/gate.ts';

/** Changes behind a cursor. */
export interface FeedPage {
  readonly changes: readonly Change[];
  /** The cursor behind them. */
  readonly cursor: string;
  /** Whether there are no more at the moment. */
  readonly isLast: boolean;
}

/** The change feed of the service. Its functions reject as the client does, and ask only once. */
export interface Feed {
  /** Reads the next changes that match. */
  page(filter: ChangeFilter, cursor: string, signal?: AbortSignal): Promise<FeedPage>;
  /** The cursor behind the last change of all. */
  end(signal?: AbortSignal): Promise<string>;
  /** Resolves when something was published behind a cursor, or after a minute. */
  news(cursor: string, signal: AbortSignal): Promise<boolean>;
}

/** A page is small: each endpoint that is busy keeps one in memory. */
const pageRows = 25;
/** So many endpoints ask for pages at the same time. */
const pagesAtOnce = 8;
const waitSeconds = 60;

/**
 * Gives a question a signal of its own, which ends with it. Each timeout of the client leaves a few bytes at
 * its signal: at the signal of the program, which may live for years, they would add up.
 */
async function withOwnSignal<Result>(
  signal: AbortSignal | undefined,
  ask: (own: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const end = () => own.abort(signal?.reason);
  signal?.addEventListener('abort', end, { once: true });
  try {
    return await ask(own.signal);
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

/** Reads the feed through a client. */
export function feedOf(client: Pick<Client, 'listChanges' | 'listBulkFiles'>): Feed {
  const gate = createGate(pagesAtOnce);
  return {
    async page(filter, cursor, signal) {
      const { data, meta } = await gate.run(
        () =>
          withOwnSignal(signal, (own) =>
            client.listChanges({ ...filter, cursor, limit: pageRows }, { signal: own, retries: 0 }),
          ),
        signal,
      );
      return { changes: data, cursor: meta.nextCursor, isLast: data.length < pageRows };
    },
    end: (signal) =>
      withOwnSignal(
        signal,
        async (own) => (await client.listBulkFiles({}, { signal: own, retries: 0 })).meta.nextCursor,
      ),
    news: (cursor, signal) =>
      withOwnSignal(signal, async (own) => {
        const { data } = await client.listChanges(
          { cursor, limit: 1, wait: waitSeconds },
          { signal: own, retries: 0 },
        );
        return data.length > 0;
      }),
  };
}
