import { filingsCounted } from '../../src/answers/counts-answer.ts';
import { bulkName } from '../../src/contract/bulk.ts';
import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { statisticsDays } from '../../src/contract/intents.ts';
import { directions } from '../../src/contract/ownership.ts';
import {
  accessionNosMaximum,
  limitBounds,
  tickersMaximum,
  type Parameter,
} from '../../src/contract/parameters.ts';
import { relationships } from '../../src/contract/transaction-filters.ts';
import { exchanges, sicCodes, stateNames } from '../../src/domain/company-codes.ts';
import { ownershipFamilies } from '../../src/domain/event-types.ts';
import { itemTitles } from '../../src/domain/items.ts';
import { transactionCodes } from '../../src/domain/transaction-codes.ts';
import type { PickOne } from './addresses.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Share of requests that give a parameter that may be left out. */
const optionalShare = 0.5;

/**
 * A request of an operation of the contract, with some of the parameters that it takes. The more there are,
 * the more often it has its turn.
 */
export function anyRequest(
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
  const values = valuesOf(endpoint, vocabulary, random, pick, limit);
  const query = new URLSearchParams();
  let { path } = endpoint;
  for (const { parameter, required } of endpoint.parameters) {
    if (required !== true && random() > optionalShare) continue;
    // Filters that never match together are refused, and so are items of insider filings.
    if (parameter.name === 'items' && endpoint.id === 'listInsiderTrades') continue;
    if (isFamilyFilter(parameter.name) && [...query.keys()].some(isFamilyFilter)) continue;
    if (parameter.name === 'tickers' && query.has('ticker')) continue;
    const value = values[parameter.name]();
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else query.set(parameter.name, value);
  }
  // The contract asks the change feed for one of these two.
  if (endpoint.answer.kind === 'feed' && !query.has('cursor') && !query.has('since'))
    query.set('since', pick(vocabulary.filings).filedAt ?? '');
  // Counts of all companies are kept by month; the days that are drawn are seldom the first and the last of one.
  if (endpoint.answer.kind === 'counts' && !query.has('ticker'))
    for (const bound of ['since', 'until']) query.delete(bound);
  // Those of a company with more filings are kept by form alone.
  if (endpoint.answer.kind === 'counts' && query.has('ticker'))
    query.set(
      'ticker',
      pick(vocabulary.companies.filter(({ filingCount }) => filingCount <= filingsCounted)).cik,
    );
  return query.size > 0 ? `${path}?${query}` : path;
}

/** Whether a filter allows the forms of some families only. */
const isFamilyFilter = (name: string) =>
  ['form', 'eventType', 'items', 'transactionCode', 'minValue'].includes(name);

/** What gives a value of each parameter of an operation. */
function valuesOf(
  { answer }: Endpoint,
  vocabulary: Vocabulary,
  random: () => number,
  pick: PickOne,
  limit: () => number,
): Readonly<Record<Parameter['name'], () => string>> {
  const { newestFiledAt, companies, filings, words } = vocabulary;
  const isOfInsiders = answer.kind === 'history' && answer.insiders === true;
  // Half of them by chance, half of them as busy as they are in the news: some have a hundred times the
  // filings of others.
  const company = () =>
    random() < 0.5 ? (pick(companies).symbol ?? pick(companies).cik) : pick(filings).cik;
  const ticker = () => (random() < 0.3 ? company().toLowerCase() : company());
  const accessionNo = () => pick(filings).accessionNo;
  const code = () => pick([...transactionCodes.keys()]);
  const flag = () => pick(['true', 'false']);
  const several = (count: number, value: () => string) => Array.from({ length: count }, value).join(',');
  const upTo = (maximum: number) => 1 + Math.floor(random() * maximum);
  const forms = [...vocabulary.frequentForms, ...vocabulary.rareForms, ...vocabulary.absentForms];
  const eventTypes = [...vocabulary.eventTypes, ...vocabulary.absentEventTypes];
  const cursorsOf: Readonly<Record<string, readonly string[]>> = {
    companies: vocabulary.companyCursors,
    transactions: vocabulary.transactionCursors,
    history: vocabulary.historyCursors,
  };
  const notTaken = () => {
    throw new Error('no operation takes this parameter');
  };
  return {
    limit: () => String(random() < 0.3 ? limitBounds.maximum : limit()),
    since: () =>
      `${(random() < 0.3 ? newestFiledAt : pick(filings).filedAt) ?? ''}${random() < 0.2 ? 'T12:30:00Z' : ''}`,
    // Never before a `since` or an `acceptedSince` that the request may have, too.
    until: () => newestFiledAt,
    acceptedSince: () => `${pick(filings).filedAt ?? newestFiledAt}T16:00:00-04:00`,
    acceptedUntil: () => `${newestFiledAt}T23:00:00Z`,
    items: () => pick(itemTitles)[0],
    form: () => pick(isOfInsiders ? ['3', '4', '4/A', '5'] : forms),
    eventType: () => pick(isOfInsiders ? [...ownershipFamilies] : eventTypes),
    owner: () => pick(companies).cik,
    by: () => pick(['form', 'eventType', 'item', 'month']),
    direction: () => pick(directions),
    relationship: () => pick(relationships),
    isDerivative: flag,
    isPlanned: flag,
    listed: flag,
    code,
    transactionCode: code,
    minValue: () => String(Math.round(10 ** (random() * 10))),
    ticker,
    otherTicker: ticker,
    tickers: () => several(upTo(tickersMaximum), company),
    q: () =>
      `${pick(words)} `
        .padEnd(3, 'a')
        .slice(0, 2 + Math.floor(random() * 20))
        .trim()
        .padEnd(2, 'a'),
    file: () => bulkName(1),
    days: () => String(pick(statisticsDays)),
    corrections: () => pick(['none', 'source,contents', 'all']),
    wait: () => '0',
    accessionNo,
    accessionNos: () => several(upTo(accessionNosMaximum), accessionNo),
    sic: () => (random() < 0.5 ? pick(sicCodes) : several(10, () => pick(sicCodes))),
    state: () => pick([...stateNames.keys()]),
    exchange: () => pick(Object.keys(exchanges)),
    exhibit: () => pick(['EX-99.1', 'EX-31.1', 'EX-99.1,EX-10.1', 'EX-1000']),
    cursor: () => pick(cursorsOf[answer.kind] ?? vocabulary.feedCursors),
    text: notTaken,
    detail: notTaken,
    maxTokens: notTaken,
  };
}
