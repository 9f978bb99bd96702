import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { limitBounds, tickersMaximum, type Parameter } from '../../src/contract/parameters.ts';
import { historyOrder } from '../../src/contract/snapshot.ts';
import { statisticsDays } from '../../src/contract/validation.ts';
import { encodeHistoryCursor } from '../../src/cursor.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A valid request: the operation it asks, and its path with its query. */
export interface MixedRequest {
  readonly id: string;
  readonly path: string;
}

/** Share of requests that give a parameter that may be left out, and of those that go on where an answer ended. */
const optionalShare = 0.5;
const followShare = 0.3;

/**
 * Makes a stream of valid requests of every operation of the contract, with every parameter. `next` gets the answer to
 * the request before, whose cursor it sometimes follows. The same vocabulary and numbers give the same requests.
 */
export function createMix(vocabulary: Vocabulary, random: () => number): { next(answered?: MixedRequest, body?: string): MixedRequest } {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  // The more parameters an operation has, the more there is to ask it.
  const turns = (endpoints as readonly Endpoint[]).flatMap((endpoint) => [endpoint, ...endpoint.parameters.map(() => endpoint)]);
  let turn = 0;
  return {
    next(answered, body) {
      const cursor = body === undefined ? null : lastCursor(body);
      if (answered && cursor !== null && random() < followShare) return { id: answered.id, path: follow(answered.path, cursor) };
      const endpoint = turns[turn++ % turns.length] as Endpoint;
      return { id: endpoint.id, path: makePath(endpoint, vocabulary, random, pick) };
    },
  };
}

type Pick = <Value>(values: readonly Value[]) => Value;

function makePath(endpoint: Endpoint, vocabulary: Vocabulary, random: () => number, pick: Pick): string {
  const query = new URLSearchParams();
  let { path } = endpoint;
  for (const { parameter, required } of endpoint.parameters) {
    if (!required && random() > optionalShare) continue;
    const value = makeValue(parameter, endpoint, vocabulary, random, pick);
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else query.set(parameter.name, value);
  }
  // The contract asks the change feed for one of these two.
  if (endpoint.answer.kind === 'feed' && !query.has('cursor') && !query.has('since')) query.set('since', pick(vocabulary.filings).filedAt ?? '');
  return query.size > 0 ? `${path}?${query}` : path;
}

function makeValue({ name }: Parameter, { answer }: Endpoint, vocabulary: Vocabulary, random: () => number, pick: Pick): string {
  const { manifest, symbols, names, forms, eventTypes, filings, feedCursors } = vocabulary;
  // Half of them by chance, half of them as busy as they are in the news: some have a hundred times the filings of others.
  const symbol = () => (random() < 0.5 ? pick(symbols) : pick(filings).cik);
  const filedAt = () => (random() < 0.3 ? manifest.newestFiledAt : pick(filings).filedAt) ?? '';
  switch (name) {
    case 'limit':
      return String(random() < 0.3 ? limitBounds.maximum : limitBounds.minimum + Math.floor(random() * limitBounds.maximum));
    case 'since':
      return random() < 0.2 ? `${filedAt()}T12:30:00Z` : filedAt();
    case 'form':
      return random() < 0.1 ? '1-E AD' : pick(forms);
    case 'eventType':
      return random() < 0.1 ? 'crowdfunding' : pick(eventTypes);
    case 'ticker':
      return random() < 0.3 ? symbol().toLowerCase() : symbol();
    case 'tickers':
      return Array.from({ length: random() < 0.3 ? tickersMaximum : 1 + Math.floor(random() * tickersMaximum) }, symbol).join(',');
    case 'q':
      return searchText(pick(names), pick(symbols), random);
    case 'days':
      return String(pick(statisticsDays));
    case 'accessionNo':
      return pick(filings).accessionNo;
    case 'cursor':
      if (answer.kind === 'history') return encodeHistoryCursor(manifest.ledger.id, historyOrder(pick(filings)));
      return pick(feedCursors);
  }
}

/** A whole name, the beginning of one, two letters of it, a symbol, or something that no company is called. */
function searchText(name: string, symbol: string, random: () => number): string {
  const kind = random();
  if (kind < 0.2) return name;
  if (kind < 0.5) return name.slice(0, 2 + Math.floor(random() * (name.length - 2))).trim();
  if (kind < 0.7) return name.slice(0, 2);
  return kind < 0.9 && symbol.length > 1 ? symbol : 'zzyzx of nowhere';
}

/** The cursor of the whole answer stands behind those of its parts. */
function lastCursor(body: string): string | null {
  return /"nextCursor":"([^"]+)"[^[\]]*$/.exec(body.slice(-4000))?.[1] ?? null;
}

function follow(path: string, cursor: string): string {
  const [bare = '', query] = path.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  return `${bare}?${parameters}`;
}
