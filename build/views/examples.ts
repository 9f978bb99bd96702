import type { Endpoint } from '../../src/contract/endpoints.ts';
import type { Catalogue } from './catalogue.ts';

/** A request that works on a snapshot, and its answer. */
export interface Example {
  readonly endpoint: Endpoint;
  /** Path and query. */
  readonly path: string;
  /** The parsed body of the answer. */
  readonly body: unknown;
}

const dayMs = 86_400_000;
/** What the examples of the contract name. */
const contractSince = '2026-08-01';
const contractCik = '0000320193';
const contractAccession = '0000320193-25-000079';

/**
 * The example of an operation as it works on a ledger: where the ledger lacks the company, the filing or the days that the
 * contract's example names, some that it has stand in for them.
 */
export function examplePaths({ ledger, companies, newestFirst, publish }: Catalogue): (endpoint: Endpoint) => string {
  const listed = companies.filter(({ tickers }) => tickers.length > 0);
  const one = (symbol: string, at: number) => companies.find(({ tickers }) => tickers.includes(symbol)) ?? listed[at] ?? companies[at];
  const [first, second] = [one('AAPL', 0), one('MSFT', 1)];
  const symbolOf = (company: typeof first, otherwise: string) => encodeURIComponent(company?.tickers[0] ?? company?.cik ?? otherwise);
  const known = ledger.filings.some(({ accessionNo }) => accessionNo === contractAccession);
  const newest = newestFirst[0] ? publish(newestFirst[0]) : null;
  const newestDay = newest?.filedAt ?? contractSince;
  const since = newestDay >= contractSince ? contractSince : new Date(Date.parse(newestDay) - 30 * dayMs).toISOString().slice(0, 10);
  const word = first?.tickers.includes('AAPL') ? 'apple' : encodeURIComponent((first?.name.split(/\s/)[0] ?? 'apple').toLowerCase().padEnd(2, '.'));
  return ({ example }) =>
    example
      .replace(contractAccession, known ? contractAccession : (newest?.accessionNo ?? contractAccession))
      .replace(contractCik, first?.cik ?? contractCik)
      .replace('q=apple', `q=${word}`)
      .replace('AAPL', symbolOf(first, 'AAPL'))
      .replace('MSFT', symbolOf(second, 'MSFT'))
      .replace(contractSince, since);
}
