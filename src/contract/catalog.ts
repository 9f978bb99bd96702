import * as z from 'zod';
import { calendarDate, count } from '../domain/scalars.ts';

/** The path of the OpenAPI document of the sample-only paths. */
export const samplesDescriptionPath = '/openapi-samples.json';

/** Actions of a visitor with a market or a part of it; each is counted. */
export const intentActions = ['view', 'request', 'demo', 'download', 'marketplace'] as const;
/** One of the actions. */
export type IntentAction = (typeof intentActions)[number];

/** The path of intents. */
export const intentsPath = '/validate/{market}/{action}';
/** The two operations that record an intent, as the OpenAPI document names them. */
export const intentOperations = [
  { id: 'recordIntent', method: 'GET', summary: 'Record an intent' },
  { id: 'postIntent', method: 'POST', summary: 'Record an intent by POST' },
] as const;

const slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .describe('Name in addresses.');
const url = z.string().min(1);
const intentUrl = url.describe('Counts the intent and redirects.');
const stage = z
  .enum(['validation-only', 'live'])
  .describe('`validation-only`: a demand test, nothing is behind it. `live`: it exists.');

/** A feed that a market has or would have. */
const DataFeed = z
  .object({
    slug,
    name: z.string(),
    description: z.string(),
    cadence: z.string().describe('How often it brings something new.'),
    url,
    sampleDatasetUrl: url.describe('JSON of the dataset that shows its rows.'),
    downloadIntentUrl: intentUrl,
    requestIntentUrl: intentUrl,
  })
  .meta({ id: 'DataFeed', description: 'A feed that a market has or would have.' });

/** A static sample. */
const SampleDataset = z
  .object({
    slug,
    name: z.string(),
    description: z.string(),
    url: url.describe('JSON.'),
    csvUrl: url.describe('The same rows as CSV.'),
    downloadIntentUrl: intentUrl,
    rowCount: count,
  })
  .meta({ id: 'SampleDataset', description: 'A static sample, as JSON and as CSV.' });

/** A task that a market does or would do. */
const Workflow = z
  .object({
    slug,
    name: z.string(),
    headline: z.string(),
    description: z.string(),
    url,
    buildStatus: z
      .enum(['not-built', 'live'])
      .describe('`not-built`: its path answers with a static sample.'),
    sampleEndpoint: z
      .string()
      .regex(/^\/v1\//)
      .describe('Path with an example query, to be asked with GET and a key.'),
    demoIntentUrl: intentUrl,
    requestIntentUrl: intentUrl,
    marketplaceIntentUrl: intentUrl,
  })
  .meta({ id: 'Workflow', description: "A piece of somebody's work that a market does or would do." });

/** A candidate product. */
const CatalogMarket = z
  .object({
    slug,
    name: z.string(),
    headline: z.string(),
    description: z.string(),
    stage,
    url,
    buildGate: z.string().describe('The demand that is needed before it is built.'),
    source: z
      .object({ name: z.string(), url })
      .describe('The public source it comes from or would come from.'),
    dataPackageUrl: url.describe('Frictionless Data Package of its samples.'),
    demoIntentUrl: intentUrl,
    requestIntentUrl: intentUrl,
    marketplaceIntentUrl: intentUrl,
    dataFeeds: z.array(DataFeed).min(1),
    sampleDatasets: z.array(SampleDataset).min(1),
    workflows: z.array(Workflow).min(1),
  })
  .meta({ id: 'Market', description: 'A candidate product, or a live one.' });

/** `/markets.json`. */
export const Catalog = z
  .object({
    name: z.string(),
    description: z.string(),
    modified: calendarDate,
    paymentStatus: z.string().describe('Whether anything is paid for here.'),
    stage,
    url,
    validationSignalsUrl: url.describe('Statistics of what visitors wanted.'),
    wellKnownUrl: url,
    openapiUrl: url.describe('OpenAPI document of the sample-only paths.'),
    summary: z.object({
      dataFeedCount: count,
      datasetSampleCount: count,
      marketCount: count,
      workflowCount: count,
    }),
    markets: z.array(CatalogMarket).min(1),
  })
  .meta({
    id: 'Catalog',
    description: 'Candidate products with their samples, so that demand is known before anything is built.',
  });
export type Catalog = z.infer<typeof Catalog>;

/** A parameter of a sample-only path. */
export const SampleQuery = z.object({ name: z.string().min(1), type: z.enum(['text', 'date']) });

/**
 * The part of the catalog that the runtime reads: the sample-only paths, and the targets of the intents of
 * each market.
 */
export const CatalogIndex = z.object({
  samples: z.record(
    z.string(),
    z.object({ file: z.string().describe('Public path of the sample.'), parameters: z.array(SampleQuery) }),
  ),
  markets: z.record(
    z.string(),
    z.object({
      dataset: z.string().describe('Its first dataset.'),
      targets: z
        .record(z.string(), z.string())
        .describe('Feeds, datasets and workflows, with the dataset that shows each.'),
    }),
  ),
});
export type CatalogIndex = z.infer<typeof CatalogIndex>;

/** The path of the page of a market, or of a part of the page. */
export function marketPath(market: string, target: string | null = null): string {
  return `/markets/${market}${target === null ? '' : `#${target}`}`;
}

/** The path of a sample. */
export function samplePath(market: string, dataset: string, extension: 'json' | 'csv'): string {
  return `/markets/${market}/${dataset}.${extension}`;
}

/** The path of an intent. */
export function intentPath(market: string, action: IntentAction, target: string | null = null): string {
  return `/validate/${market}/${action}${target === null ? '' : `?target=${target}`}`;
}
