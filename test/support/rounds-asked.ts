import { answer } from '../../src/answers/answer.ts';
import { feedLogOf } from '../../src/answers/read-list.ts';
import { endpoints, type Endpoint, type EndpointId } from '../../src/contract/endpoints.ts';
import { encodeFeedCursor } from '../../src/query/cursor.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { dayFrom } from '../../src/time/units.ts';
import { madeUpCompany } from './generate.ts';
import { queryOf, type Texts } from './walk.ts';

/** A request of one kind: what it is called, the operation, and its parameters as texts. */
export interface Asked {
  readonly name: string;
  readonly id: EndpointId;
  readonly texts: Texts;
}

/** The body of the answer of a snapshot to a request. Throws `ApiError`. */
export async function bodyOf(snapshot: Snapshot, { id, texts }: Omit<Asked, 'name'>): Promise<string> {
  const { answer: plan } = endpoints.find((each) => each.id === id) as Endpoint;
  return (await answer(snapshot, plan, queryOf(id, texts), 0)).body().toString();
}

/** The symbols of the companies of a made-up ledger that have the most filings. */
const symbolsOf = (from: number, count: number) =>
  Array.from({ length: 2 * count }, (_, at) => madeUpCompany(from + at).tickers[0])
    .filter((symbol) => symbol !== undefined)
    .slice(0, count);

/** Requests of every kind, to the snapshot of a made-up ledger with thousands of filings. */
export async function requestsOfEveryKind(snapshot: Snapshot): Promise<Asked[]> {
  const { manifest } = snapshot;
  const newest = manifest.newestFiledAt ?? '';
  const old = dayFrom(newest, -4000);
  const [symbol = '', small = ''] = [symbolsOf(40, 1)[0], symbolsOf(2000, 1)[0]];
  const cik = madeUpCompany(4).cik;
  const list = async (id: EndpointId, texts: Texts) =>
    JSON.parse(await bodyOf(snapshot, { id, texts })) as {
      readonly data: readonly { readonly accessionNo: string }[];
      readonly meta: { readonly nextCursor: string };
    };
  const cursorOf = async (id: EndpointId, texts: Texts) => (await list(id, texts)).meta.nextCursor;
  const log = feedLogOf(snapshot);
  const deep = await encodeFeedCursor(log, { since: '1990-01-01' }, Math.floor(manifest.lastSequence / 3));
  const near = await encodeFeedCursor(log, { since: '1990-01-01' }, manifest.lastSequence - 30);
  const days = [0, 1500, 3000, 4500, 6000].map((back) => dayFrom(newest, -back));
  const found = await Promise.all(days.map((until) => list('listLatestFilings', { until, limit: '10' })));
  const accessionNos = found.flatMap(({ data }) => data.map(({ accessionNo }) => accessionNo));
  const tickers = symbolsOf(0, 25).join(',');
  const asked: [string, EndpointId, Texts][] = [
    ['latest', 'listLatestFilings', {}],
    ['latest of 200', 'listLatestFilings', { limit: '200' }],
    ['latest of a form', 'listLatestFilings', { form: '8-K' }],
    ['latest of a rare form', 'listLatestFilings', { form: 'CT ORDER', limit: '200' }],
    ['latest of an item', 'listLatestFilings', { items: '2.02' }],
    ['latest of an item and another', 'listLatestFilings', { items: '5.02,8.01', form: '8-K/A' }],
    ['latest between dates', 'listLatestFilings', { since: old, until: dayFrom(old, 20) }],
    [
      'latest, a page further',
      'listLatestFilings',
      { cursor: await cursorOf('listLatestFilings', { until: old }) },
    ],
    ['filings', 'listCompanyFilings', { ticker: symbol }],
    ['filings of a CIK', 'listCompanyFilings', { ticker: cik, limit: '200' }],
    ['filings of a small company', 'listCompanyFilings', { ticker: small }],
    ['filings of a form', 'listCompanyFilings', { ticker: symbol, form: '8-K' }],
    ['filings of a rare form', 'listCompanyFilings', { ticker: symbol, form: '10-K,SD', limit: '200' }],
    ['filings between dates', 'listCompanyFilings', { ticker: symbol, since: old, until: newest }],
    [
      'filings, a page further',
      'listCompanyFilings',
      {
        ticker: symbol,
        cursor: await cursorOf('listCompanyFilings', { ticker: symbol, limit: '2' }),
      },
    ],
    ['events', 'listCompanyEvents', { ticker: symbol }],
    ['insider trades', 'listInsiderTrades', {}],
    ['insider trades of a company', 'listInsiderTrades', { ticker: symbol }],
    ['insider transactions', 'listInsiderTransactions', {}],
    ['insider transactions, 200 of a code', 'listInsiderTransactions', { code: 'G', limit: '200' }],
    [
      'insider transactions that do not match',
      'listInsiderTransactions',
      { code: 'P', direction: 'disposed', limit: '200' },
    ],
    ['insider transactions of a watchlist', 'listInsiderTransactions', { tickers, limit: '200' }],
    ['changes since a day', 'listChanges', { since: newest }],
    ['changes between dates', 'listChanges', { since: old, until: dayFrom(old, 20) }],
    ['changes, deep in the log', 'listChanges', { cursor: deep }],
    ['changes, 200 deep in the log', 'listChanges', { cursor: deep, limit: '200' }],
    ['changes, near the end', 'listChanges', { cursor: near }],
    ['changes of a form', 'listChanges', { form: '8-K', since: old }],
    ['changes of a form, deep', 'listChanges', { form: '8-K', cursor: deep }],
    ['changes of a rare form', 'listChanges', { form: 'CT ORDER', since: old, limit: '200' }],
    ['changes of a company', 'listChanges', { ticker: symbol, since: old }],
    ['changes of a company and a form', 'listChanges', { ticker: symbol, since: old, form: '10-K' }],
    ['a watchlist', 'listWatchlistChanges', { tickers }],
    ['a watchlist of 25 x 200', 'listWatchlistChanges', { tickers, since: '1990-01-01', limit: '200' }],
    ['a watchlist of a form', 'listWatchlistChanges', { tickers, since: old, form: '8-K', limit: '200' }],
    [
      'a watchlist, a page further',
      'listWatchlistChanges',
      {
        tickers,
        cursor: await cursorOf('listWatchlistChanges', { tickers, since: old, limit: '20' }),
      },
    ],
    [
      'a watchlist that is read',
      'listWatchlistChanges',
      {
        tickers,
        cursor: await cursorOf('listWatchlistChanges', { tickers, since: newest, limit: '200' }),
      },
    ],
    ['a summary', 'getFilingSummary', { accessionNo: accessionNos[20] }],
    ['50 filings', 'getFilings', { accessionNos: accessionNos.join(',') }],
    ['a profile', 'getCompanyProfile', { ticker: symbol }],
    ['a profile of a CIK', 'getCompanyProfile', { ticker: cik }],
    ['companies', 'listCompanies', {}],
    ['companies of a state', 'listCompanies', { state: 'NV', limit: '200' }],
    ['companies of a state and an exchange', 'listCompanies', { state: 'NV', exchange: 'NYSE' }],
    ['search for a symbol', 'searchCompanies', { q: symbol }],
    ['search for a name', 'searchCompanies', { q: 'apex energy' }],
    ['search for a long name', 'searchCompanies', { q: 'borealis therapeutics holdings', limit: '50' }],
  ];
  return asked.map(([name, id, texts]) => ({ name, id, texts }));
}
