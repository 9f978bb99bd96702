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

/** The most rows of a page. Example: `data.length < pageRows` at the end of the feed. */
export const pageRows = 200;
