import type * as z from 'zod';
import { jsonSchemaOf, type JsonSchema } from '../../src/contract/json-schema.ts';
import { Company, Filing } from '../../src/contract/records.ts';
import type { SampleField, Market } from '../content/market.ts';
import { cellsOf, sheetCellsOf } from '../content/sheet.ts';
import type { Overview } from '../content/overview.ts';

/**
 * Returns a column for each member of a record, described as in the contract. `cellsOf` makes the cells.
 */
function fieldsOf(record: z.ZodType): SampleField[] {
  return Object.entries(jsonSchemaOf(record)['properties'] as Record<string, JsonSchema>).map(
    ([name, schema]) => ({
      name,
      type: columnType(schema),
      description: String(schema['description']).replaceAll('`', ''),
    }),
  );
}

function columnType({ type, format }: JsonSchema): SampleField['type'] {
  if (format === 'date') return 'date';
  const [known] = [type].flat();
  return known === 'integer' || known === 'boolean' ? known : 'string';
}

const filingFields = fieldsOf(Filing);
const companyFields = fieldsOf(Company);

/**
 * Returns the market of SEC filings, which the service already serves. The catalog shows it beside the
 * candidates. Its samples are rows of the snapshot.
 */
export function filingsMarket({ newestFilings, newestInsiderFilings, listedCompanies }: Overview): Market {
  const rowsOf = (records: readonly object[], fields: readonly SampleField[]) => {
    const names = fields.map(({ name }) => name);
    return {
      rows: records.map((record) => cellsOf(record, names)),
      sheetRows: records.map((record) => sheetCellsOf(record, names)),
    };
  };
  return {
    slug: 'sec-filings',
    name: 'SEC filings',
    headline: 'Every filing of the companies you follow, once, in order, with the time it was accepted',
    description:
      'A change feed, watchlists, company profiles, filing histories and per-filing summaries from SEC EDGAR, for compliance and fintech engineers who poll, analysts who download files, and assistants that ask. This product is live: its samples are real extracts of the current data.',
    stage: 'live',
    buildGate: 'This product is built. It is here so that you can see what a built market looks like.',
    source: { name: 'SEC EDGAR', url: 'https://www.sec.gov/search-filings' },
    dataFeeds: [
      {
        slug: 'filing-changes',
        name: 'Filing changes',
        description: 'Every new or corrected filing, in an order that never changes.',
        cadence: 'within seconds if the service follows EDGAR, else at each rebuild',
        dataset: 'latest-filings',
      },
      {
        slug: 'insider-filings',
        name: 'Insider filings',
        description: 'Forms 3, 4 and 5: who filed, and when, and what was traded once the form was read.',
        cadence: 'within seconds if the service follows EDGAR, else at each rebuild',
        dataset: 'latest-insider-filings',
      },
    ],
    sampleDatasets: [
      {
        slug: 'latest-filings',
        name: 'Latest filings',
        description: 'The newest filings of the snapshot.',
        fields: filingFields,
        ...rowsOf(newestFilings, filingFields),
      },
      {
        slug: 'latest-insider-filings',
        name: 'Latest insider filings',
        description: 'The newest Forms 3, 4 and 5 of the snapshot.',
        fields: filingFields,
        ...rowsOf(newestInsiderFilings, filingFields),
      },
      {
        slug: 'companies',
        name: 'Companies',
        description: 'Companies of the snapshot that have a ticker symbol.',
        fields: companyFields,
        ...rowsOf(listedCompanies, companyFields),
      },
    ],
    workflows: [
      {
        slug: 'watch-companies',
        name: 'Watch companies',
        headline: 'See what your companies filed since you last looked',
        description: 'One request for up to 25 companies, with a cursor that neither misses nor repeats.',
        path: '/v1/sec/watchlist/changes',
        parameters: [],
        dataset: 'latest-filings',
      },
      {
        slug: 'follow-insiders',
        name: 'Follow insiders',
        headline: 'See that insiders of a company filed, and open what they filed',
        description:
          'Forms 3, 4 and 5 by issuer, newest first, with links. Once a form was read, its filing says what was traded, how much and at what price.',
        path: '/v1/sec/insider-trades',
        parameters: [],
        dataset: 'latest-insider-filings',
      },
    ],
  };
}
