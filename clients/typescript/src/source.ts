import type { Change, ListChangesParameters } from './generated.ts';

/** Which changes are wanted. Example: `{ form: '8-K', tickers: ['AAPL', 'MSFT'] }`. */
export type ChangeFilter = Omit<ListChangesParameters, 'cursor' | 'limit' | 'wait'>;

/** Where reading begins: behind a cursor, or at the date of the filter. Example: `{ filter: {}, cursor: null }`. */
export interface Start {
  readonly filter: ChangeFilter;
  readonly cursor: string | null;
}

/** Changes that came together, and the cursor behind them. Example: `{ changes: [], cursor: 'aH5…' }`. */
export interface ChangePage {
  readonly changes: readonly Change[];
  readonly cursor: string;
}

/**
 * Where new changes come from: pages without an end, each as soon as there is one, from `pagesByStream` or
 * `pagesByWaiting`. It gives each change once, in order, with a cursor behind each page.
 * Example: `const source: ChangeSource = (start, signal) => pagesByWaiting(client, start, signal)`.
 */
export type ChangeSource = (start: Start, signal?: AbortSignal) => AsyncIterable<ChangePage>;

/** The most rows of a page. Example: `isEnd(page)` of a page that was asked for with `limit: pageRows`. */
export const pageRows = 200;

/**
 * Whether the feed has no more behind a page of at most `pageRows` rows. A shorter page may have ended early, where filters
 * rarely match together. Example: `isEnd(await client.listChanges({ since, limit: pageRows }))`.
 */
export const isEnd = ({
  data,
  meta,
}: {
  readonly data: readonly unknown[];
  readonly meta: { readonly endedEarly?: boolean | undefined };
}): boolean => data.length < pageRows && meta.endedEarly !== true;
