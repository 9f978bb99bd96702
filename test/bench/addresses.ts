import type { Known } from './walk.ts';

/** What a client asks: an address, or a tool with its arguments and the address that gives the same. */
export interface Call {
  readonly tool: string;
  readonly given: Readonly<Record<string, string | number>>;
  readonly target: string;
}

/** The address that the first row of the bounds is about. */
export const latest = '/v1/sec/latest?limit=50';

/** Picks one of some values. */
export type PickOne = <Value>(values: readonly Value[]) => Value;
const picker =
  (random: () => number): PickOne =>
  (values) =>
    values[Math.floor(random() * values.length)] as (typeof values)[number];

/** Addresses that users poll: newest filings, some forms, companies, feeds and watchlists. */
export function polledAddresses(known: Known, count: number, random: () => number): string[] {
  const pick = picker(random);
  const kinds = [
    () => `/v1/sec/latest?limit=50&form=${encodeURIComponent(pick(known.forms))}`,
    () => `/v1/sec/company/${pick(known.ciks)}/filings?limit=50`,
    () => `/v1/sec/changes?since=${pick(known.days)}&limit=50`,
    () =>
      `/v1/sec/watchlist/changes?tickers=${pick(known.ciks)},${pick(known.ciks)}&since=${pick(known.days)}&limit=10`,
  ];
  return [latest, ...distinct(count - 1, kinds, (target) => target)];
}

/** Distinct pages of about 50 rows from all over the history. */
export function newPages(known: Known, count: number, random: () => number): string[] {
  const pick = picker(random);
  // Those that are polled have 50.
  const limit = () => (random() < 0.5 ? 40 : 51) + Math.floor(random() * 10);
  const form = () => `&form=${encodeURIComponent(pick(known.forms))}`;
  const kinds = [
    () => `/v1/sec/latest?limit=${limit()}&cursor=${pick(known.latestCursors)}${pick(['', form()])}`,
    () => `/v1/sec/changes?since=${pick(known.days)}&limit=${limit()}`,
    () => `/v1/sec/changes?since=${pick(known.days)}&limit=${limit()}${form()}`,
    () => `/v1/sec/changes?since=${pick(known.days)}&ticker=${pick(known.ciks)}&limit=${limit()}`,
    () => `/v1/sec/company/${pick(known.ciks)}/${pick(['filings', 'events'])}?limit=${limit()}`,
  ];
  return distinct(count, kinds, (target) => target);
}

/** Distinct calls of tools: watchlists and summaries in turn. */
export function toolCalls(known: Known, count: number, random: () => number): Call[] {
  const pick = picker(random);
  const kinds = [
    (): Call => {
      const given = { tickers: `${pick(known.ciks)},${pick(known.ciks)}`, since: pick(known.days), limit: 5 };
      return {
        tool: 'sec_watchlist_changes',
        given,
        target: `/v1/sec/watchlist/changes?tickers=${given.tickers}&since=${given.since}&limit=5`,
      };
    },
    (): Call => {
      const accessionNo = pick(known.accessionNos);
      return {
        tool: 'sec_filing_summary',
        given: { accessionNo },
        target: `/v1/sec/forms/${accessionNo}/summary`,
      };
    },
  ];
  return distinct(count, kinds, ({ target }) => target);
}

/**
 * Makes values of each kind in turn until there are enough distinct ones; a kind that gives null leaves its turn to the others.
 * Throws if there are no more.
 */
export function distinct<Value>(
  count: number,
  kinds: readonly (() => Value | null)[],
  keyOf: (value: Value) => string,
): Value[] {
  const values = new Map<string, Value>();
  for (let made = 0; values.size < count; made++) {
    if (made > count * 20) throw new Error(`the snapshot is too small for ${count} distinct requests`);
    const value = (kinds[made % kinds.length] as () => Value | null)();
    if (value !== null && !values.has(keyOf(value))) values.set(keyOf(value), value);
  }
  return [...values.values()];
}
