import { bulkName } from '../../src/contract/bulk.ts';
import { exchanges, sicCodes, stateNames } from '../../src/domain/company-codes.ts';
import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { ownershipFamilies } from '../../src/domain/event-types.ts';
import { itemTitles } from '../../src/domain/items.ts';
import { directions } from '../../src/contract/ownership.ts';
import { relationships } from '../../src/contract/transaction-filters.ts';
import { transactionCodes } from '../../src/domain/transaction-codes.ts';
import {
  accessionNosMaximum,
  limitBounds,
  tickersMaximum,
  type Parameter,
} from '../../src/contract/parameters.ts';
import { statisticsDays } from '../../src/contract/intents.ts';
import type { KnownCompany, Vocabulary } from './vocabulary.ts';

/** A valid request: what kind of request it is, and its path with its query. */
export interface MixedRequest {
  readonly kind: string;
  readonly target: string;
}

/** How long an answer may take, except for one in a hundred: 4 ms for each megabyte beyond 300 KB. */
export function allowedMs(kind: string, bytes: number): number {
  return (isOfRare(kind) ? 20 : 10) + (4 * Math.max(0, bytes - 300_000)) / 1_000_000;
}

/** Share of requests that give a parameter that may be left out. */
const optionalShare = 0.5;

/** The kinds of the largest answers, 25 companies with 200 rows each: a megabyte or more. */
export const isLargest = ({ kind }: Pick<MixedRequest, 'kind'>) => kind.startsWith('watchlist of 25 x 200');
const isOfRare = (kind: string) => kind === 'watchlist of 25 x 200, rare';

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
  const requests = new Map<string, MixedRequest>();
  for (let made = 0; requests.size < count; made++) {
    if (made > count * 20) throw new Error(`the snapshot is too small for ${count} distinct requests`);
    const [kind, make] = kinds[made % kinds.length] as (typeof kinds)[number];
    if (isLargest({ kind }) && random() >= largestShare) continue;
    const target = make();
    if (!requests.has(target)) requests.set(target, { kind, target });
  }
  return [...requests.values()];
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

type PickOne = <Value>(values: readonly Value[]) => Value;
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
    'ownership document': () => `/v1/sec/forms/${pickOf(readFilings, filings).accessionNo}/ownership`,
    'filings by number': () =>
      address('/v1/sec/filings', {
        accessionNos: Array.from({ length: accessionNosMaximum }, () => pick(filings).accessionNo).join(','),
      }),
    'counts of a company': () =>
      address('/v1/sec/counts', {
        by: pick(['form', 'eventType', 'item', 'month']),
        ticker: nameOf(pick(companies)),
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

/**
 * A request of an operation of the contract, with some of the parameters that it takes. The more there are,
 * the more often it has its turn.
 */
function anyRequest(
  vocabulary: Vocabulary,
  random: () => number,
  pick: PickOne,
  limit: () => number,
): string {
  const endpoint = pick(
    // Most filings have no document about ownership: its kind asks for those that have.
    (endpoints as readonly Endpoint[])
      .filter(({ answer }) => answer.kind !== 'ownership')
      .flatMap((each) => [each, ...each.parameters.map(() => each)]),
  );
  const query = new URLSearchParams();
  let { path } = endpoint;
  for (const { parameter, required } of endpoint.parameters) {
    if (required !== true && random() > optionalShare) continue;
    // Filters that never match together are refused, and so are items of insider filings.
    if (parameter.name === 'items' && endpoint.id === 'listInsiderTrades') continue;
    if (isFamilyFilter(parameter.name) && [...query.keys()].some(isFamilyFilter)) continue;
    if (parameter.name === 'tickers' && query.has('ticker')) continue;
    const value = valueOf(parameter, endpoint, vocabulary, random, pick, limit);
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else query.set(parameter.name, value);
  }
  // The contract asks the change feed for one of these two.
  if (endpoint.answer.kind === 'feed' && !query.has('cursor') && !query.has('since'))
    query.set('since', pick(vocabulary.filings).filedAt ?? '');
  // Counts of all companies are kept by month; the days that are drawn are seldom the first and the last of one.
  if (endpoint.answer.kind === 'counts' && !query.has('ticker'))
    for (const bound of ['since', 'until']) query.delete(bound);
  return query.size > 0 ? `${path}?${query}` : path;
}

/** Whether a filter allows the forms of some families only. */
const isFamilyFilter = (name: string) =>
  ['form', 'eventType', 'items', 'transactionCode', 'minValue'].includes(name);

function valueOf(
  { name }: Parameter,
  { answer }: Endpoint,
  vocabulary: Vocabulary,
  random: () => number,
  pick: PickOne,
  limit: () => number,
): string {
  const {
    newestFiledAt,
    companies,
    filings,
    frequentForms,
    rareForms,
    absentForms,
    eventTypes,
    absentEventTypes,
    historyCursors,
    feedCursors,
    transactionCursors,
    companyCursors,
    words,
  } = vocabulary;
  const isOfInsiders = answer.kind === 'history' && answer.insiders === true;
  // Half of them by chance, half of them as busy as they are in the news: some have a hundred times the
  // filings of others.
  const company = () =>
    random() < 0.5 ? (pick(companies).symbol ?? pick(companies).cik) : pick(filings).cik;
  switch (name) {
    case 'limit':
      return String(random() < 0.3 ? limitBounds.maximum : limit());
    case 'since':
      return `${(random() < 0.3 ? newestFiledAt : pick(filings).filedAt) ?? ''}${random() < 0.2 ? 'T12:30:00Z' : ''}`;
    case 'until':
      // Never before a `since` that the request may have, too.
      return newestFiledAt;
    case 'items':
      return pick(itemTitles)[0];
    case 'acceptedSince':
      return `${pick(filings).filedAt ?? newestFiledAt}T16:00:00-04:00`;
    case 'acceptedUntil':
      // Never before an `acceptedSince` that the request may have, too.
      return `${newestFiledAt}T23:00:00Z`;
    case 'form':
      return pick(isOfInsiders ? ['3', '4', '4/A', '5'] : [...frequentForms, ...rareForms, ...absentForms]);
    case 'owner':
      return pick(companies).cik;
    case 'by':
      return pick(['form', 'eventType', 'item', 'month']);
    case 'direction':
      return pick(directions);
    case 'relationship':
      return pick(relationships);
    case 'isDerivative':
    case 'isPlanned':
      return pick(['true', 'false']);
    case 'code':
    case 'transactionCode':
      return pick([...transactionCodes.keys()]);
    case 'minValue':
      return String(Math.round(10 ** (random() * 10)));
    case 'eventType':
      return pick(isOfInsiders ? [...ownershipFamilies] : [...eventTypes, ...absentEventTypes]);
    case 'otherTicker':
    case 'ticker':
      return random() < 0.3 ? company().toLowerCase() : company();
    case 'tickers':
      return Array.from({ length: 1 + Math.floor(random() * tickersMaximum) }, company).join(',');
    case 'q':
      return `${pick(words)} `
        .padEnd(3, 'a')
        .slice(0, 2 + Math.floor(random() * 20))
        .trim()
        .padEnd(2, 'a');
    case 'file':
      return bulkName(1);
    case 'days':
      return String(pick(statisticsDays));
    case 'corrections':
      return pick(['none', 'source,contents', 'all']);
    case 'wait':
      return '0';
    case 'accessionNo':
      return pick(filings).accessionNo;
    case 'accessionNos':
      return Array.from(
        { length: 1 + Math.floor(random() * accessionNosMaximum) },
        () => pick(filings).accessionNo,
      ).join(',');
    case 'sic':
      return random() < 0.5 ? pick(sicCodes) : Array.from({ length: 10 }, () => pick(sicCodes)).join(',');
    case 'state':
      return pick([...stateNames.keys()]);
    case 'exchange':
      return pick(Object.keys(exchanges));
    case 'exhibit':
      return pick(['EX-99.1', 'EX-31.1', 'EX-99.1,EX-10.1', 'EX-1000']);
    case 'listed':
      return String(random() < 0.5);
    case 'cursor':
      return pick(
        answer.kind === 'companies'
          ? companyCursors
          : answer.kind === 'transactions'
            ? transactionCursors
            : answer.kind === 'history'
              ? historyCursors
              : feedCursors,
      );
    case 'text':
    case 'detail':
    case 'maxTokens':
      throw new Error(`no operation takes ${name}`);
  }
}
