import { bulkContentType, BulkListResponse, bulkName, bulkPath } from './bulk.ts';
import {
  ChangeListResponse,
  CompanyListResponse,
  CompanyProfileResponse,
  CompanySearchResponse,
  DemoResponse,
  EventListResponse,
  FilingListResponse,
  FilingsResponse,
  FilingOwnershipResponse,
  FilingSummaryResponse,
  RootResponse,
  StatsResponse,
  WatchlistChangesResponse,
} from './envelopes.ts';
import type { Endpoint } from './endpoint.ts';
import { InsiderTransactionListResponse } from './insider-transactions.ts';
import { HealthResponse, ProbeResponse, ReadyResponse } from './health.ts';
import { CountsResponse } from './counts.ts';
import { companyFilters, filters, parameters, type Parameter } from './parameters.ts';
import { ReferenceResponse } from './reference.ts';
import { ValidationStatsResponse } from './intents.ts';

export {
  isFresh,
  isOfData,
  isStreamed,
  takesRanges,
  type AnswerPlan,
  type Endpoint,
} from './endpoint.ts';

const { limit, ticker, tickers, q, cursor, corrections } = parameters;
const { accessionNo, accessionNos, days, wait, pathTicker, file } = parameters;
const optional = (...list: readonly Parameter[]) => list.map((parameter) => ({ parameter }));
const required = (parameter: Parameter) => ({ parameter, required: true });
const listErrors = ['invalid_parameter', 'invalid_cursor'] as const;

/** What most operations have. The example is the path itself, where that is one. */
const usual = { access: 'keyed', parameters: [], errors: [] } as const;

/** What operations have otherwise than most. */
const entries = [
  {
    id: 'getRoot',
    path: '/',
    access: 'public',
    summary: 'Where everything is',
    description:
      'Names the service and the paths of its documents and operations. A browser gets the landing page instead.',
    response: RootResponse,
    answer: { kind: 'root' },
  },
  {
    id: 'getHealth',
    path: '/health',
    access: 'public',
    summary: 'Health and freshness',
    description:
      'Says that the service works, what it serves, when its data was fetched and whether that is stale.',
    response: HealthResponse,
    answer: { kind: 'health' },
  },
  {
    id: 'getLive',
    path: '/livez',
    access: 'public',
    summary: 'Whether the process works',
    description:
      'For a supervisor that restarts the process when it hangs: 200 whenever the process can answer, even without a snapshot.',
    response: ProbeResponse,
    answer: { kind: 'live' },
  },
  {
    id: 'getReady',
    path: '/readyz',
    access: 'public',
    summary: 'Whether a snapshot is served',
    description:
      'For a load balancer: 200 while a snapshot is served, even if its data is stale; else 503. Also says how old the pointer to that snapshot is, and whether a newer one is refused.',
    response: ReadyResponse,
    errors: ['snapshot_unavailable'],
    answer: { kind: 'ready' },
  },
  {
    id: 'getDemo',
    path: '/demo',
    access: 'public',
    summary: 'Public sample',
    description: 'A sample of real filings in the format of the keyed operations. It needs no key.',
    response: DemoResponse,
    answer: { kind: 'demo' },
  },
  {
    id: 'getOpenapi',
    path: '/openapi.json',
    access: 'public',
    summary: 'OpenAPI description',
    description:
      'The OpenAPI 3.1 description of the service. The same bytes stand at /.well-known/openapi.json.',
    response: null,
    answer: { kind: 'openapi' },
  },
  {
    id: 'getReference',
    path: '/reference.json',
    access: 'public',
    summary: 'Every value and what it means',
    description:
      'The known forms with their event families, the items of Form 8-K of both regimes, event families, exchanges, roles, change types and error codes.',
    response: ReferenceResponse,
    answer: { kind: 'reference' },
  },
  {
    id: 'listLatestFilings',
    path: '/v1/sec/latest',
    summary: 'Recent filings',
    description:
      'Filings of all companies, or those that match every filter, newest first by filing date, acceptance time and accession number.',
    parameters: optional(...filters, limit, cursor),
    response: FilingListResponse,
    errors: listErrors,
    example: '/v1/sec/latest?form=8-K&limit=5',
    answer: { kind: 'history' },
  },
  {
    id: 'listChanges',
    path: '/v1/sec/changes',
    summary: 'Change feed',
    description:
      'Changes in the order in which the service observed them, oldest first. Begin with `since`, then follow `meta.nextCursor`: every change that matches arrives exactly once, across any number of rebuilds. A filing that is corrected later has a further entry, with `revision` 2 or more and the names of the members that changed in `corrected`. `since` may be left out when `cursor` is given. `ticker` narrows it to one company, `tickers` to up to 250: one cursor goes on for all of them, and a change that concerns several of them comes once. `meta.unknown` names the entries that no company has; if no entry has one, the answer is 404. With `Accept: text/event-stream` it is a stream: see the documentation of polling.',
    parameters: optional(ticker, parameters.feedTickers, ...filters, corrections, limit, cursor, wait),
    response: ChangeListResponse,
    errors: [...listErrors, 'company_not_found'],
    example: '/v1/sec/changes?since=2026-08-01&limit=5',
    answer: { kind: 'feed' },
  },
  {
    id: 'listWatchlistChanges',
    path: '/v1/sec/watchlist/changes',
    summary: 'Changes of a watchlist',
    description:
      'Changes of up to 25 companies, grouped by company, oldest first in each. Entries that name the same company share a bucket. `limit` holds for each bucket. Without `since` it begins 30 days before the newest filing of the snapshot, or before `until` if that is earlier. An unknown entry has a bucket that says so.',
    parameters: [required(tickers), ...optional(...filters, corrections, limit, cursor, wait)],
    response: WatchlistChangesResponse,
    errors: listErrors,
    example: '/v1/sec/watchlist/changes?tickers=AAPL,MSFT&since=2026-08-01&limit=5',
    answer: { kind: 'watchlist' },
  },
  {
    id: 'listCompanies',
    path: '/v1/sec/companies',
    summary: 'List of companies',
    description:
      'Every company that has a profile, or those that match every filter, by CIK, with the facts of their profiles. Follow `meta.nextCursor` to the end: where several filters rarely match together, a page has fewer rows than `limit`, or none, although there are more.',
    parameters: optional(...companyFilters, limit, cursor),
    response: CompanyListResponse,
    errors: [...listErrors, 'snapshot_unavailable'],
    example: '/v1/sec/companies?exchange=Nasdaq&limit=5',
    answer: { kind: 'companies' },
  },
  {
    id: 'countFilings',
    path: '/v1/sec/counts',
    summary: 'How many filings',
    description:
      'How many filings match, without their rows: of all companies, or of the one that `ticker` names, and with `by` how many of each form, event family, item or month. Counts of all companies are kept by month: `since` is the first day of a month and `until` the last one, unless there is no `form`, `items` or `by` beside them, or `by` is `eventType` and they are at most 31 days apart. Several `items` of all companies are counted `by` item alone, because one filing may have several of them. Those of a company are of any days and items; of one with more than 20,000 filings they are kept by form alone.',
    parameters: optional(
      ticker,
      parameters.form,
      parameters.eventType,
      parameters.items,
      parameters.since,
      parameters.until,
      parameters.by,
    ),
    response: CountsResponse,
    errors: ['invalid_parameter', 'company_not_found'],
    example: '/v1/sec/counts?form=8-K&items=5.02&since=2026-01-01&by=month',
    answer: { kind: 'counts' },
  },
  {
    id: 'searchCompanies',
    path: '/v1/sec/companies/search',
    summary: 'Find companies',
    description:
      'Companies by ticker symbol (an exact one first), by CIK, or by the beginnings (three letters or more) of the words of a present or former name. Case, accents and punctuation fold; listed companies come first.',
    parameters: [required(q), ...optional(limit)],
    response: CompanySearchResponse,
    errors: ['invalid_parameter'],
    example: '/v1/sec/companies/search?q=apple',
    answer: { kind: 'search' },
  },
  {
    id: 'getCompanyProfile',
    path: '/v1/sec/company/{ticker}/profile',
    summary: 'Company profile',
    description:
      'One company with its industry, kind of filer and fiscal year, its counts by form and its newest filing.',
    parameters: [required(pathTicker)],
    response: CompanyProfileResponse,
    errors: ['invalid_parameter', 'company_not_found'],
    example: '/v1/sec/company/AAPL/profile',
    answer: { kind: 'profile' },
  },
  {
    id: 'listCompanyFilings',
    path: '/v1/sec/company/{ticker}/filings',
    summary: 'Filing history of a company',
    description:
      'Every filing that names the company, or those of them that match every filter, newest first.',
    parameters: [required(pathTicker), ...optional(...filters, limit, cursor)],
    response: FilingListResponse,
    errors: [...listErrors, 'company_not_found'],
    example: '/v1/sec/company/AAPL/filings?limit=5',
    answer: { kind: 'history' },
  },
  {
    id: 'listCompanyEvents',
    path: '/v1/sec/company/{ticker}/events',
    summary: 'Event feed of a company',
    description: 'The same filings as events, newest first.',
    parameters: [required(pathTicker), ...optional(...filters, limit, cursor)],
    response: EventListResponse,
    errors: [...listErrors, 'company_not_found'],
    example: '/v1/sec/company/0000320193/events?limit=5',
    answer: { kind: 'history', rows: 'events' },
  },
  {
    id: 'listInsiderTrades',
    path: '/v1/sec/insider-trades',
    summary: 'Insider filings',
    description:
      'Forms 3, 4 and 5 with their amendments, newest first; `ticker` narrows it to one issuer. Other forms and families are refused, and so is `items`, because these forms have none. `ownership` has their owners and transactions once the document was read; until then `documentUrl` leads to the form.',
    parameters: optional(ticker, ...filters, limit, cursor),
    response: FilingListResponse,
    errors: [...listErrors, 'company_not_found'],
    example: '/v1/sec/insider-trades?ticker=AAPL&limit=5',
    answer: { kind: 'history', insiders: true },
  },
  {
    id: 'listInsiderTransactions',
    path: '/v1/sec/insider-transactions',
    summary: 'Insider transactions',
    description:
      'A row for each transaction that a Form 4 or 5 or an amendment of one reports, newest filing first, in the order of its document. One transaction has to meet all filters; `ticker` and `tickers` name issuers, `owner` an insider. Follow `meta.nextCursor` to the end: it also goes on in the middle of a filing, and where filters rarely match together, a page has fewer rows than `limit`, or none, although there are more. An amendment repeats transactions of the form that it amends. Never add up what several owners report together.',
    parameters: optional(
      ticker,
      tickers,
      parameters.owner,
      parameters.code,
      parameters.direction,
      parameters.relationship,
      parameters.isDerivative,
      parameters.isPlanned,
      parameters.minValue,
      parameters.since,
      parameters.until,
      limit,
      cursor,
    ),
    response: InsiderTransactionListResponse,
    errors: [...listErrors, 'company_not_found'],
    example: '/v1/sec/insider-transactions?code=S&minValue=100000&limit=1',
    answer: { kind: 'transactions' },
  },
  {
    id: 'getFilingSummary',
    path: '/v1/sec/forms/{accessionNo}/summary',
    summary: 'Summary of a filing',
    description:
      'One filing with a sentence made from its metadata, one about what its document says of ownership once that was read, the titles of its items, and its addresses on www.sec.gov.',
    parameters: [required(accessionNo)],
    response: FilingSummaryResponse,
    errors: ['invalid_parameter', 'filing_not_found'],
    example: '/v1/sec/forms/0000320193-25-000079/summary',
    answer: { kind: 'summary' },
  },
  {
    id: 'getFilingOwnership',
    path: '/v1/sec/forms/{accessionNo}/ownership',
    summary: 'What a filing says about ownership',
    description:
      'The whole document of a Form 3, 4, 5 or 144 or a Schedule 13D or 13G as data: `ownership` as the filing has it, and beside it holdings, footnotes with their places, addresses, remarks and signatures. `not_found`: the filing is of another form, or its document was not read yet.',
    parameters: [required(accessionNo)],
    response: FilingOwnershipResponse,
    errors: ['invalid_parameter', 'filing_not_found', 'not_found'],
    example: '/v1/sec/forms/0001018724-26-000020/ownership',
    answer: { kind: 'ownership' },
  },
  {
    id: 'getFilings',
    path: '/v1/sec/filings',
    summary: 'Filings by accession number',
    description:
      'Up to 50 filings by their accession numbers, in the order asked, each as the summary of a filing gives it. `meta.unknown` names those that this service does not have.',
    parameters: [required(accessionNos)],
    response: FilingsResponse,
    errors: ['invalid_parameter'],
    example: '/v1/sec/filings?accessionNos=0000320193-25-000079,0001045810-26-000021',
    answer: { kind: 'filings' },
  },
  {
    id: 'listBulkFiles',
    path: bulkPath,
    summary: 'Files of the whole change feed',
    description:
      'The whole change feed as files, in its order: JSON Lines of the rows that `/v1/sec/changes` gives, compressed with gzip. Each file but the last is closed: its name, bytes and digest never change, so a mirror fetches what it does not have yet and the last file anew. `meta.nextCursor` goes on after the last row in the feed.',
    response: BulkListResponse,
    answer: { kind: 'bulk' },
  },
  {
    id: 'getBulkFile',
    path: `${bulkPath}/{file}`,
    summary: 'A file of the change feed',
    description:
      'One of the files that `/v1/sec/bulk` lists, as it is: `Accept-Encoding` changes nothing. A download that broke off goes on with `Range`, and with the `ETag` in `If-Range` it begins again if the file has grown meanwhile. `Repr-Digest` is the SHA-256 of the whole file.',
    parameters: [required(file)],
    response: null,
    fileType: bulkContentType,
    errors: ['invalid_parameter', 'not_found', 'range_not_satisfiable'],
    example: `${bulkPath}/${bulkName(1)}`,
    answer: { kind: 'bulkFile' },
  },
  {
    id: 'getStats',
    path: '/v1/sec/stats',
    summary: 'Counts and freshness',
    description: 'Counts by form and by event family, the newest filing and the newest run of the ingest.',
    response: StatsResponse,
    answer: { kind: 'stats' },
  },
  {
    id: 'getValidationStats',
    path: '/v1/validation/stats',
    summary: 'What visitors of the catalog wanted',
    description:
      'Counts of the intents of the validation catalog in a window of days: by market, by target, by day, and as funnels from looking to wanting.',
    parameters: optional(days),
    response: ValidationStatsResponse,
    errors: ['invalid_parameter'],
    example: '/v1/validation/stats?days=7',
    answer: { kind: 'validation' },
  },
] as const satisfies readonly (Omit<Endpoint, keyof typeof usual | 'example'> & Partial<Endpoint>)[];

/** The identifier of an operation. */
export type EndpointId = (typeof entries)[number]['id'];

/** Every operation, in the order in which documents list them. */
export const endpoints: readonly (Endpoint & { readonly id: EndpointId })[] = entries.map((entry) => ({
  ...usual,
  example: entry.path,
  ...entry,
}));
