import type { Endpoint } from '../../src/contract/endpoints.ts';
import { dayFrom } from '../../src/contract/time.ts';
import type { Overview } from './overview.ts';

/** A request that works on a snapshot, and its answer. */
export interface Example {
  readonly endpoint: Endpoint;
  /** Path and query. */
  readonly path: string;
  /** The parsed body of the answer. */
  readonly body: unknown;
}

/** The symbols that the examples of the contract name, in this order. */
export const exampleSymbols = ['AAPL', 'MSFT'] as const;
/** The accession number that they name. */
export const contractAccession = '0000320193-25-000079';

const contractSince = '2026-08-01';
const contractCik = '0000320193';

/**
 * The example of an operation as it works on a snapshot: where it lacks the company, the filing or the days
 * that the contract's example names, some that it has stand in for them.
 */
export function examplePaths({
  exampleCompanies: [first, second],
  exampleAccession,
  newestFiledAt,
}: Overview): (endpoint: Endpoint) => string {
  const symbolOf = (company: typeof first, otherwise: string) =>
    encodeURIComponent(company?.ticker ?? company?.cik ?? otherwise);
  const newestDay = newestFiledAt ?? contractSince;
  const since = newestDay >= contractSince ? contractSince : dayFrom(newestDay, -30);
  const word = encodeURIComponent((first?.name.split(/\s/)[0] ?? 'apple').toLowerCase().padEnd(2, '.'));
  return ({ example }) =>
    example
      .replace(contractAccession, exampleAccession ?? contractAccession)
      .replace(contractCik, first?.cik ?? contractCik)
      .replace('q=apple', `q=${word}`)
      .replace('AAPL', symbolOf(first, 'AAPL'))
      .replace('MSFT', symbolOf(second, 'MSFT'))
      .replace(contractSince, since);
}
