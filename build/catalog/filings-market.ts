import type { SampleField, SampleValue, Market } from './content.ts';
import type { Filing } from '../../src/contract/records.ts';
import { eventTypeOfForm } from '../../src/contract/event-types.ts';
import type { Catalogue } from '../views/catalogue.ts';
import { companyOf } from '../views/companies.ts';
import { insiderFamilies } from '../views/rules.ts';
import type { Observation } from '../ledger/observation.ts';

const rowsMaximum = 100;

const filingFields: readonly SampleField[] = [
  { name: 'accessionNo', type: 'string', description: 'EDGAR accession number.' },
  { name: 'cik', type: 'string', description: '10-digit CIK of the company that the filing belongs to.' },
  { name: 'ticker', type: 'string', description: 'Primary ticker symbol; empty if it has none.' },
  { name: 'companyName', type: 'string', description: 'Name as EDGAR conforms it.' },
  { name: 'form', type: 'string', description: 'Form type as filed.' },
  { name: 'eventType', type: 'string', description: 'Normalised event family of the form.' },
  { name: 'items', type: 'string', description: 'Item codes of Form 8-K with spaces between; empty for other forms.' },
  { name: 'filedAt', type: 'date', description: 'Filing date.' },
  { name: 'acceptanceDateTime', type: 'string', description: 'When EDGAR accepted it: US Eastern wall clock, yyyymmddhhmmss; empty where the clock cannot be decided.' },
  { name: 'detailUrl', type: 'string', description: 'Index page of the filing on www.sec.gov.' },
];

const companyFields: readonly SampleField[] = [
  { name: 'cik', type: 'string', description: '10-digit CIK.' },
  { name: 'ticker', type: 'string', description: 'Primary ticker symbol; empty if it never had one.' },
  { name: 'name', type: 'string', description: 'Name as EDGAR conforms it.' },
  { name: 'exchange', type: 'string', description: 'Exchange of the primary ticker; empty if it has none.' },
  { name: 'filingCount', type: 'integer', description: 'Filings in this snapshot.' },
  { name: 'latestFilingAt', type: 'date', description: 'Filing date of the newest; empty if there is none.' },
];

/** The service itself, as a market beside the candidates: what "built" looks like. Its samples are extracts of the snapshot. */
export function filingsMarket(catalogue: Catalogue): Market {
  const { newestFirst, publish } = catalogue;
  const filingRow = (filing: Observation) => cells(publish(filing), filingFields);
  const insider = newestFirst.filter(({ form }) => insiderFamilies.has(eventTypeOfForm(form)));
  const companies = catalogue.companies.filter(({ tickers }) => tickers.length > 0).slice(0, rowsMaximum);
  return {
    slug: 'sec-filings',
    name: 'SEC filings',
    headline: 'Every filing of the companies you follow, once, in order, with the time it was accepted',
    description:
      'A change feed, watchlists, company profiles, filing histories and per-filing summaries from SEC EDGAR, for compliance and fintech engineers who poll, analysts who take files, and assistants that ask. This one is built: the samples are real extracts of the snapshot that is being served.',
    stage: 'live',
    buildGate: 'Built. It is listed so that you can see what a market looks like once it is.',
    source: { name: 'SEC EDGAR', url: 'https://www.sec.gov/search-filings' },
    dataFeeds: [
      { slug: 'filing-changes', name: 'Filing changes', description: 'Every filing as it is first observed, in an order that never changes.', cadence: 'at each rebuild, daily by default', dataset: 'latest-filings' },
      { slug: 'insider-filings', name: 'Insider filings', description: 'Metadata of Forms 3, 4 and 5.', cadence: 'at each rebuild, daily by default', dataset: 'latest-insider-filings' },
    ],
    sampleDatasets: [
      { slug: 'latest-filings', name: 'Latest filings', description: 'The newest filings of the snapshot.', fields: filingFields, rows: newestFirst.slice(0, rowsMaximum).map(filingRow) },
      { slug: 'latest-insider-filings', name: 'Latest insider filings', description: 'The newest Forms 3, 4 and 5 of the snapshot.', fields: filingFields, rows: insider.slice(0, rowsMaximum).map(filingRow) },
      { slug: 'companies', name: 'Companies', description: 'Companies of the snapshot that have a ticker symbol.', fields: companyFields, rows: companies.map((company) => cells(companyOf(catalogue, company), companyFields)) },
    ],
    workflows: [
      { slug: 'watch-companies', name: 'Watch companies', headline: 'See what your companies filed since you last looked', description: 'One request for up to 25 companies, with a cursor that neither misses nor repeats.', path: '/v1/sec/watchlist/changes', parameters: [], dataset: 'latest-filings' },
      { slug: 'follow-insiders', name: 'Follow insiders', headline: 'See who reported trades in a company, as soon as it is filed', description: 'Forms 3, 4 and 5 by issuer, newest first.', path: '/v1/sec/insider-trades', parameters: [], dataset: 'latest-insider-filings' },
    ],
  };
}

/** The members of a record in the order of the fields; a list is a text with spaces. */
function cells(record: Filing | object, fields: readonly SampleField[]): SampleValue[] {
  const members = new Map(Object.entries(record));
  return fields.map(({ name }) => {
    const value: unknown = members.get(name);
    return Array.isArray(value) ? value.join(' ') : ((value ?? null) as SampleValue);
  });
}
