import type { Endpoint } from '../../src/contract/endpoints.ts';
import { dayFrom } from '../../src/time/units.ts';
import type { Overview } from './overview.ts';

/** A request that the snapshot can answer, and its answer. */
export interface Example {
  readonly endpoint: Endpoint;
  /** Path and query. */
  readonly path: string;
  /** The parsed body of the answer. */
  readonly body: unknown;
}

/** The ticker symbols that the contract's examples name, in this order. */
export const exampleSymbols = ['AAPL', 'MSFT'] as const;
/** The accession number that the contract's examples name. */
export const contractAccession = '0000320193-25-000079';

const contractSince = '2026-08-01';
const contractCik = '0000320193';

/**
 * Returns a function that gives the example path of an operation. If the snapshot lacks the company, the
 * filing or the days that the contract's example names, others that it has replace them.
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
