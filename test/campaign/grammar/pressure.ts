import type { Random } from '../random.ts';
import { toolPost, type Facts, type Header, type HostileRequest } from '../request.ts';

/** Requests of a script of this kind at most: each makes megabytes, or waits. */
const heavyMaximum = 4;

/**
 * Requests that are allowed and cost much: the greatest watchlists, compressed or not, ten of them in one batch,
 * requests that are held, and floods of keys that are wrong or have used up their limit.
 */
export function pressureRequests(random: Random, facts: Facts): HostileRequest[] {
  const several = (make: () => HostileRequest, maximum: number) =>
    Array.from({ length: random.integer(1, maximum) }, make);
  return random.weighted<() => HostileRequest[]>([
    [3, () => several(() => get(facts, watchlistOf(random, facts), encodingOf(random)), heavyMaximum)],
    [3, () => [batch(random, facts)]],
    [2, () => several(() => get(facts, heldOf(random)), 2)],
    [4, () => several(() => get(facts, '/v1/sec/latest?limit=1', keyOf(random)), 32)],
    [3, () => several(() => limited(random, facts), 32)],
  ])();
}

/** Each has a target of its own, so that no answer comes from a cache. */
const sinceOf = (random: Random) => `20${random.integer(10, 24)}-01-01T00:00:00.${random.integer(100, 999)}Z`;

const watchlistOf = (random: Random, { companies }: Facts) =>
  `/v1/sec/watchlist/changes?limit=200&tickers=${companies.join(',')}&since=${sinceOf(random)}`;

/** Nothing is filed so late, so the request is held. */
const heldOf = (random: Random) =>
  `/v1/sec/changes?since=2090-0${random.integer(1, 9)}-01&wait=${random.integer(1, 2)}`;

const encodingOf = (random: Random): Header[] =>
  random.choose<Header[]>([[['Accept-Encoding', 'gzip']], [['Accept-Encoding', 'br, gzip']], []]);

const keyOf = (random: Random): Header[] => [
  ['x-api-key', `wrong-${random.integer(0, 2 ** 31)}-${'k'.repeat(20)}`],
];

function get({ port, key }: Facts, target: string, own: readonly Header[] = []): HostileRequest {
  const isKeyed = own.some(([name]) => name === 'x-api-key');
  return {
    kind: `pressure: ${target.split('?')[0]}`,
    method: 'GET',
    target,
    headers: [['Host', `127.0.0.1:${port}`], ...(isKeyed ? [] : [['x-api-key', key] as const]), ...own],
    body: null,
    message: null,
    surface: 'rest',
    operation: `get ${target.split('?')[0]}`,
    wants: isKeyed ? 'refusal' : 'either',
    isOdd: false,
  };
}

/** A request with the key that has a limit: by REST, or calls in a batch, each of which counts. */
function limited(random: Random, facts: Facts): HostileRequest {
  const own: Header[] = [['x-api-key', facts.limitedKey]];
  if (random.chance(0.7))
    return { ...get(facts, `/v1/sec/latest?limit=${random.integer(1, 200)}`, own), wants: 'either' };
  const call = { name: 'sec_company_search', arguments: { q: 'a' } };
  return posted(facts, 'pressure: limited batch', Array(10).fill(call), own);
}

function batch(random: Random, facts: Facts): HostileRequest {
  const call = () => ({
    name: 'sec_watchlist_changes',
    arguments: { tickers: facts.companies.join(','), limit: 200, since: sinceOf(random) },
  });
  return posted(facts, 'pressure: batch', Array.from({ length: random.integer(1, 10) }, call), [
    ['x-api-key', facts.key],
    ...encodingOf(random),
  ]);
}

function posted(
  { port }: Facts,
  kind: string,
  calls: readonly object[],
  own: readonly Header[],
): HostileRequest {
  const message = Buffer.from(
    JSON.stringify(calls.map((params, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }))),
  );
  return toolPost(port, kind, message, own);
}
