import { filingsCounted } from '../../src/answers/counts-answer.ts';
import { directions } from '../../src/contract/ownership.ts';
import { accessionNosMaximum, limitBounds, tickersMaximum } from '../../src/contract/parameters.ts';
import { relationships } from '../../src/contract/transaction-filters.ts';
import { sicCodes } from '../../src/domain/company-codes.ts';
import { itemTitles } from '../../src/domain/items.ts';
import { createRandom } from '../support/generate.ts';
import { distinct, type PickOne } from './addresses.ts';
import { anyRequest } from './any-request.ts';
import { readVocabulary, type KnownCompany, type Vocabulary } from './vocabulary.ts';

/** A valid request: what kind of request it is, and its path with its query. */
export interface MixedRequest {
  readonly kind: string;
  readonly target: string;
}

/** How long an answer may take, except for one in a hundred: 4 ms for each megabyte beyond 300 KB. */
export function allowedMs({ kind }: MixedRequest, bytes: number): number {
  const least = kind === 'watchlist of 25 x 200, rare' ? 20 : 10;
  return least + (4 * Math.max(0, bytes - 300_000)) / 1_000_000;
}

/** What can be asked of a snapshot. */
export interface Drawn {
  readonly vocabulary: Vocabulary;
  readonly requests: readonly MixedRequest[];
  /** Their addresses. */
  readonly targets: readonly string[];
}

/** Reads what the current snapshot of a directory knows, and makes so many mixed requests of it. */
export async function drawRequests(
  snapshots: string,
  count: number,
  seed: number,
  largestShare = 1,
): Promise<Drawn> {
  const random = createRandom(seed);
  const vocabulary = await readVocabulary(snapshots, random);
  const requests = mixedRequests(vocabulary, count, random, largestShare);
  return { vocabulary, requests, targets: requests.map(({ target }) => target) };
}

/** What no client asks for often takes megabytes of answer. */
export const largestShareOfClients = 0.02;

/** The kinds of the largest answers, 25 companies with 200 rows each: a megabyte or more. */
export const isLargest = (kind: string) => kind.startsWith('watchlist of 25 x 200');

/**
 * Distinct valid requests, of each kind in turn: what takes long, or could, and whatever the contract
 * allows. The kinds of the largest answers take the given share of their turns. A kind that has no more
 * different ones leaves its turn to the others. Throws if there are not as many.
 */
export function mixedRequests(
  vocabulary: Vocabulary,
  count: number,
  random: () => number,
  largestShare = 1,
): MixedRequest[] {
  const kinds = Object.entries(kindsOf(vocabulary, random));
  const makers = kinds.map(([kind, make]) => () => {
    if (isLargest(kind) && random() >= largestShare) return null;
    return { kind, target: make() };
  });
  return distinct(count, makers, ({ target }) => target);
}

/** Distinct valid requests of each kind, one kind after the other: so many of each, or as many as there are. */
export function requestsOfEachKind(
  vocabulary: Vocabulary,
  count: number,
  random: () => number,
): MixedRequest[] {
  return Object.entries(kindsOf(vocabulary, random)).flatMap(([kind, make]) => {
    const targets = new Set<string>();
    for (let made = 0; targets.size < count && made < count * 20; made++) targets.add(make());
    return [...targets].map((target) => ({ kind, target }));
  });
}

type Parameters = Readonly<Record<string, string | number>>;

/** What makes a request of each kind. */
function kindsOf(vocabulary: Vocabulary, random: () => number): Record<string, () => string> {
  const {
    companies,
    busy,
    rare: rareCompanies,
    listed,
    frequentForms,
    rareForms,
    absentForms,
    eventTypes,
    absentEventTypes,
    filings,
    insiderFilings,
    readFilings,
    historyCursors,
    feedCursors,
    transactionCursors,
    companyCursors,
    words,
  } = vocabulary;
  // Empty groups of small snapshots leave their turn to another group.
  const pick: PickOne = (values) => values[Math.floor(random() * values.length)] as (typeof values)[number];
  const pickOf = <Value>(values: readonly Value[], instead: readonly Value[]) =>
    pick(values.length > 0 ? values : instead);
  const limit = () => 1 + Math.floor(random() * limitBounds.maximum);
  const day = () => pick(filings).filedAt ?? vocabulary.newestFiledAt;
  const item = () => pick(itemTitles)[0];
  // The bounds of two days of the history, in their order.
  const between = () => {
    const [since = '', until = ''] = [day(), day()].sort();
    return { since, until };
  };
  const nameOf = ({ cik, symbol }: KnownCompany) => (symbol !== null && random() < 0.5 ? symbol : cik);
  const frequent = () => pickOf(frequentForms, rareForms);
  const rare = () => pickOf(rareForms, frequentForms);
  const absent = () => pickOf(absentForms, rareForms);
  const watchlist = (among: readonly KnownCompany[]) =>
    Array.from({ length: tickersMaximum }, () => nameOf(pick(among))).join(',');
  const latest = (more: Parameters) => address('/v1/sec/latest', { limit: limit(), ...more });
  const changes = (more: Parameters) => address('/v1/sec/changes', { limit: limit(), ...more });
  const watched = (more: Parameters) =>
    address('/v1/sec/watchlist/changes', { limit: limitBounds.maximum, ...more });
  const issuer = () => pickOf(insiderFilings, filings).cik;
  const transactions = (more: Parameters) =>
    address('/v1/sec/insider-transactions', { limit: limit(), ...more });
  // Most codes of the ledger are one of these.
  const code = () => pick(['A', 'M', 'S', 'F', 'P', 'G', 'D']);
  const search = (q: string) =>
    address('/v1/sec/companies/search', { q: q.slice(0, 100).trim().padEnd(2, 'a'), limit: limit() });
  return {
    'latest, frequent form': () => latest({ form: frequent(), cursor: pick(historyCursors) }),
    'latest, rare form': () => latest({ form: rare() }),
    'latest, absent form': () => latest({ form: absent() }),
    'latest, deep cursor': () => latest({ cursor: pick(historyCursors) }),
    'latest, deep cursor, rare form': () => latest({ form: rare(), cursor: pick(historyCursors) }),
    'changes, frequent form': () => changes({ since: day(), form: frequent() }),
    'changes, rare form': () => changes({ since: day(), form: rare() }),
    'changes, absent form': () => changes({ since: day(), form: absent() }),
    'changes, event family': () => changes({ since: day(), eventType: pick(eventTypes) }),
    'changes, absent event family': () =>
      changes({ since: day(), eventType: pickOf(absentEventTypes, eventTypes) }),
    'changes, deep cursor': () => changes({ cursor: pick(feedCursors) }),
    'changes, deep cursor, event family': () =>
      changes({ cursor: pick(feedCursors), eventType: pick(eventTypes) }),
    'changes, deep cursor, form of another day': () =>
      changes({ cursor: pick(feedCursors), since: day(), form: pick([frequent, rare, absent])() }),
    'changes of a company': () => changes({ since: day(), ticker: nameOf(pick(companies)) }),
    'changes of a busy company, form': () =>
      changes({ since: day(), ticker: nameOf(pick(busy)), form: pick([frequent, rare, absent])() }),
    'watchlist of 25 x 200': () => watched({ tickers: watchlist(pick([listed, companies])), since: day() }),
    'watchlist of 25 x 200, busy': () => watched({ tickers: watchlist(busy), since: day() }),
    'watchlist of 25 x 200, rare': () => watched({ tickers: watchlist(rareCompanies), since: day() }),
    'watchlist of 25 x 200, deep cursor': () =>
      watched({ tickers: watchlist(pick([listed, companies])), cursor: pick(feedCursors) }),
    'filings of a company': () =>
      address(`/v1/sec/company/${nameOf(pick(companies))}/filings`, { limit: limit() }),
    'events of a busy company, deep cursor': () =>
      address(`/v1/sec/company/${nameOf(pick(busy))}/events`, {
        limit: limit(),
        cursor: pick(historyCursors),
      }),
    profile: () => `/v1/sec/company/${nameOf(pick(companies))}/profile`,
    summary: () => `/v1/sec/forms/${pick(filings).accessionNo}/summary`,
    'insider filings, deep cursor': () =>
      address('/v1/sec/insider-trades', { limit: limit(), cursor: pick(historyCursors) }),
    'filings of a busy company, form': () =>
      address(`/v1/sec/company/${nameOf(pick(busy))}/filings`, {
        limit: limit(),
        form: pick([frequent, rare, absent])(),
      }),
    'filings of a busy company, items of some days': () =>
      address(`/v1/sec/company/${nameOf(pick(busy))}/filings`, {
        limit: limit(),
        items: item(),
        ...between(),
      }),
    'latest, items of a form': () => latest({ form: '8-K/A', items: `${item()},${item()}` }),
    'latest, items of some days': () => latest({ items: item(), ...between() }),
    'changes, items of a form': () => changes({ since: day(), form: '8-K/A', items: item() }),
    'changes of some days, form': () => changes({ form: pick([frequent, rare])(), ...between() }),
    'changes of a busy company of some days, form': () =>
      changes({ ticker: nameOf(pick(busy)), form: pick([frequent, rare])(), ...between() }),
    'watchlist of 25 x 200, busy, items': () =>
      watched({ tickers: watchlist(busy), since: day(), items: item() }),
    'insider filings of an issuer, form of some days': () =>
      address('/v1/sec/insider-trades', {
        limit: limit(),
        ticker: issuer(),
        form: '4',
        ...between(),
      }),
    'insider filings of an issuer': () =>
      address('/v1/sec/insider-trades', { limit: limit(), ticker: issuer() }),
    'insider transactions, deep cursor': () => transactions({ cursor: pick(transactionCursors) }),
    'insider transactions of an issuer': () => transactions({ ticker: issuer() }),
    'insider transactions of an owner': () => transactions({ owner: pick(rareCompanies).cik }),
    'insider transactions of a watchlist': () => transactions({ tickers: watchlist(listed) }),
    'insider transactions, a code of some days': () => transactions({ code: code(), ...between() }),
    'insider transactions, a code from a value': () =>
      transactions({ code: code(), minValue: pick([1e4, 1e5, 9e5, 1e7]), cursor: pick(transactionCursors) }),
    'insider transactions, all filters': () =>
      transactions({
        code: code(),
        direction: pick(directions),
        relationship: pick(relationships),
        isDerivative: pick(['true', 'false']),
        isPlanned: pick(['true', 'false']),
        minValue: 10_000,
        ...between(),
      }),
    ...(readFilings.length === 0
      ? {}
      : { 'ownership document': () => `/v1/sec/forms/${pick(readFilings).accessionNo}/ownership` }),
    'filings by number': () =>
      address('/v1/sec/filings', {
        accessionNos: Array.from({ length: accessionNosMaximum }, () => pick(filings).accessionNo).join(','),
      }),
    'counts of a company': () =>
      address('/v1/sec/counts', {
        by: pick(['form', 'eventType', 'item', 'month']),
        ticker: nameOf(pick(companies.filter(({ filingCount }) => filingCount <= filingsCounted))),
        ...between(),
      }),
    'search, a name': () => search(pick(companies).name),
    'search, one word': () => search(pick(pick(companies).name.split(' '))),
    'search, two words': () =>
      search(`${pick(pick(companies).name.split(' '))} ${pick(pick(companies).name.split(' '))}`),
    'search, beginnings': () => search(beginnings(pick(companies).name, random)),
    'search, misspelt': () => search(misspelt(pick(companies).name, random)),
    'search, common words': () => search(`${pick(words.slice(0, 30))} ${pick(words.slice(0, 30))}`),
    'search, one common word': () => search(pick(words.slice(0, 100))),
    'search, two letters': () => search(pick(words).slice(0, 2)),
    'companies, all': () => address('/v1/sec/companies', { limit: limit(), cursor: pick(companyCursors) }),
    'companies, one industry': () => address('/v1/sec/companies', { limit: limit(), sic: pick(sicCodes) }),
    'companies, two filters that rarely match together': () =>
      address('/v1/sec/companies', {
        limit: limit(),
        state: pick(['DE', 'NV']),
        listed: pick(['true', 'false']),
        sic: Array.from({ length: 10 }, () => pick(sicCodes)).join(','),
      }),
    'any parameters': () => anyRequest(vocabulary, random, pick, limit),
  };
}

function address(path: string, parameters: Parameters): string {
  return `${path}?${new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** The beginning of each word of a name, up to three of them. */
function beginnings(name: string, random: () => number): string {
  return name
    .split(' ')
    .slice(0, 1 + Math.floor(random() * 3))
    .map((word) => word.slice(0, 1 + Math.floor(random() * word.length)))
    .join(' ');
}

/** A name one of whose letters is another one. */
function misspelt(name: string, random: () => number): string {
  const at = Math.floor(random() * name.length);
  return `${name.slice(0, at)}${String.fromCharCode(97 + Math.floor(random() * 26))}${name.slice(at + 1)}`;
}

/** What clients ask most, each with another one of its kind. */
export function usualRequests({
  companies,
  busy,
  filings,
  newestFiledAt,
  feedCursors,
}: Vocabulary): [string, string][] {
  const [first, second] = [companies[0]?.cik, companies[1]?.cik];
  const both = busy
    .slice(0, 2)
    .map(({ cik }) => cik)
    .join(',');
  return [
    ['/v1/sec/latest?limit=50', '/v1/sec/latest?limit=40'],
    ['/v1/sec/latest?limit=50&form=8-K', '/v1/sec/latest?limit=40&form=8-K'],
    [`/v1/sec/changes?since=${newestFiledAt}&limit=50`, `/v1/sec/changes?since=${newestFiledAt}&limit=40`],
    [
      `/v1/sec/changes?cursor=${feedCursors[0]}&limit=50`,
      `/v1/sec/changes?cursor=${feedCursors[0]}&limit=40`,
    ],
    [`/v1/sec/company/${first}/filings?limit=50`, `/v1/sec/company/${first}/filings?limit=40`],
    [`/v1/sec/company/${first}/events?limit=50`, `/v1/sec/company/${first}/events?limit=40`],
    [`/v1/sec/company/${first}/profile`, `/v1/sec/company/${second}/profile`],
    [`/v1/sec/forms/${filings[0]?.accessionNo}/summary`, `/v1/sec/forms/${filings[0]?.accessionNo}/summary?`],
    ['/v1/sec/insider-trades?limit=50', '/v1/sec/insider-trades?limit=40'],
    [
      `/v1/sec/companies/search?q=${encodeURIComponent(companies[0]?.name ?? '')}`,
      `/v1/sec/companies/search?q=${encodeURIComponent(companies[0]?.name ?? '')}&limit=5`,
    ],
    [
      `/v1/sec/watchlist/changes?tickers=${both}&since=${newestFiledAt}&limit=50`,
      `/v1/sec/watchlist/changes?tickers=${both}&since=${newestFiledAt}&limit=40`,
    ],
    ['/v1/sec/stats', '/v1/sec/bulk'],
  ];
}
