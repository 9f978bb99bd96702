import {
  intentPath,
  marketPath,
  samplePath,
  samplesDescriptionPath,
  type Catalog,
  type CatalogIndex,
} from '../../src/contract/catalog.ts';
import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { productName } from '../../src/contract/product.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import {
  jsonFile,
  linkTo,
  textFile,
  type PublicFile,
  type PageInput,
  type PublicInput,
} from '../content/public-file.ts';
import { examplePaths } from '../content/examples.ts';
import { newestDayOf, type Overview } from '../content/overview.ts';
import type { DataFeed, Market, SampleDataset, Workflow } from '../content/market.ts';
import { csvFileOf } from '../content/csv-file.ts';
import { samplesDescription } from './description.ts';
import { dataPackage } from './data-package.ts';
import { filingsMarket } from './filings-market.ts';
import { candidateMarkets } from './markets.ts';

/** Returns the markets of a snapshot: the filings themselves first, then the candidates. */
export function marketsOf(overview: Overview): readonly Market[] {
  return [filingsMarket(overview), ...candidateMarkets];
}

/**
 * Returns the files of the catalog: the catalog itself, and for each market its samples and their data
 * package.
 */
export function catalogFiles(input: PageInput): PublicFile[] {
  const { markets, catalog } = input;
  const samples = markets.flatMap((market) => {
    const files = market.sampleDatasets.flatMap((dataset) => sampleFiles(market, dataset));
    return [
      ...files,
      jsonFile(`/markets/${market.slug}/datapackage.json`, dataPackage(market, files, input.settings)),
    ];
  });
  return [
    jsonFile('/markets.json', catalog),
    jsonFile('/.well-known/markets.json', catalog),
    jsonFile(samplesDescriptionPath, samplesDescription(markets, input.settings)),
    ...samples,
  ];
}

/**
 * Returns the part of the catalog that the runtime needs: the sample file that answers each path of a
 * candidate, and the dataset that each target of an intent means.
 */
export function catalogIndex(markets: readonly Market[]): CatalogIndex {
  const workflows = markets
    .filter(({ stage }) => stage !== 'live')
    .flatMap((market) => market.workflows.map((workflow) => ({ market, workflow })));
  return {
    samples: Object.fromEntries(
      workflows.map(({ market, workflow }) => [
        workflow.path,
        {
          file: samplePath(market.slug, workflow.dataset, 'json'),
          parameters: workflow.parameters.map(({ name, type }) => ({ name, type })),
        },
      ]),
    ),
    markets: Object.fromEntries(
      markets.map(({ slug, dataFeeds, sampleDatasets, workflows: own }) => [
        slug,
        {
          dataset: sampleDatasets[0]?.slug ?? '',
          targets: Object.fromEntries([
            ...sampleDatasets.map((dataset) => [dataset.slug, dataset.slug]),
            ...[...dataFeeds, ...own].map((part) => [part.slug, part.dataset]),
          ]),
        },
      ]),
    ),
  };
}

/**
 * Returns the rows of a dataset as a JSON file and a CSV file. Shared caches may keep both for a day. A
 * client checks its download against `Repr-Digest`.
 */
function sampleFiles(market: Market, { slug, fields, rows, sheetRows = rows }: SampleDataset): PublicFile[] {
  const data = rows.map((row) => Object.fromEntries(fields.map(({ name }, at) => [name, row[at] ?? null])));
  const meta = {
    count: rows.length,
    market: market.slug,
    dataset: slug,
    sampleOnly: true,
    notInvestmentAdvice: true,
  };
  const files = [
    jsonFile(samplePath(market.slug, slug, 'json'), { data, meta }),
    textFile(
      samplePath(market.slug, slug, 'csv'),
      csvFileOf(
        fields.map(({ name }) => name),
        sheetRows,
      ),
      'text/csv; charset=utf-8; header=present',
    ),
  ];
  return files.map((file, at) => ({
    ...file,
    headers: {
      'Content-Disposition': `${at === 0 ? 'inline' : 'attachment'}; filename="${market.slug}-${slug}.${at === 0 ? 'json' : 'csv'}"`,
      'Cache-Control': 'public, max-age=3600, s-maxage=86400, stale-while-revalidate=86400',
      'Repr-Digest': `sha-256=:${Buffer.from(sha256Of(file.bytes), 'hex').toString('base64')}:`,
      'Accept-Ranges': 'bytes',
      Link: `<${marketPath(market.slug)}/datapackage.json>; rel="describedby"`,
    },
  }));
}

/** Returns the catalog as `/markets.json` publishes it. */
export function catalogOf({ overview, settings, markets }: PublicInput): Catalog {
  const total = (count: (market: Market) => number) =>
    markets.reduce((sum, market) => sum + count(market), 0);
  const link = (path: string) => linkTo(settings, path);
  const pathOf = examplePaths(overview);
  return {
    name: `${productName}: validation catalog`,
    description:
      'Candidate data products with samples. They test demand: only those marked live are built. The service counts every view, request, demo and download, without IP addresses and cookies.',
    modified: newestDayOf(overview),
    paymentStatus: 'no payment is taken for candidates',
    stage: 'validation-only',
    url: link('/markets'),
    validationSignalsUrl: link('/v1/validation/stats'),
    wellKnownUrl: link('/.well-known/markets.json'),
    openapiUrl: link(samplesDescriptionPath),
    summary: {
      dataFeedCount: total(({ dataFeeds }) => dataFeeds.length),
      datasetSampleCount: total(({ sampleDatasets }) => sampleDatasets.length),
      marketCount: markets.length,
      workflowCount: total(({ workflows }) => workflows.length),
    },
    markets: markets.map((market) => marketOf(market, settings, pathOf)),
  };
}

function marketOf(
  market: Market,
  settings: SnapshotSettings,
  pathOf: (endpoint: Endpoint) => string,
): Catalog['markets'][number] {
  const { slug, name, headline, description, stage, buildGate, source } = market;
  const link = (path: string) => linkTo(settings, path);
  return {
    slug,
    name,
    headline,
    description,
    stage,
    url: link(marketPath(slug)),
    buildGate,
    source: { ...source },
    dataPackageUrl: link(`${marketPath(slug)}/datapackage.json`),
    demoIntentUrl: link(intentPath(slug, 'demo')),
    requestIntentUrl: link(intentPath(slug, 'request')),
    marketplaceIntentUrl: link(intentPath(slug, 'marketplace')),
    dataFeeds: market.dataFeeds.map((feed) => feedOf(slug, feed, link)),
    sampleDatasets: market.sampleDatasets.map((dataset) => ({
      slug: dataset.slug,
      name: dataset.name,
      description: dataset.description,
      url: link(samplePath(slug, dataset.slug, 'json')),
      csvUrl: link(samplePath(slug, dataset.slug, 'csv')),
      downloadIntentUrl: link(intentPath(slug, 'download', dataset.slug)),
      rowCount: dataset.rows.length,
    })),
    workflows: market.workflows.map((workflow) => workflowOf(market, workflow, link, pathOf)),
  };
}

function feedOf(
  market: string,
  { slug, name, description, cadence, dataset }: DataFeed,
  link: (path: string) => string,
): Catalog['markets'][number]['dataFeeds'][number] {
  return {
    slug,
    name,
    description,
    cadence,
    url: link(marketPath(market, slug)),
    sampleDatasetUrl: link(samplePath(market, dataset, 'json')),
    downloadIntentUrl: link(intentPath(market, 'download', slug)),
    requestIntentUrl: link(intentPath(market, 'request', slug)),
  };
}

function workflowOf(
  { slug: market, stage }: Market,
  workflow: Workflow,
  link: (path: string) => string,
  pathOf: (endpoint: Endpoint) => string,
): Catalog['markets'][number]['workflows'][number] {
  const { slug, name, headline, description, path, parameters } = workflow;
  const live = endpoints.find((endpoint) => endpoint.path === path);
  const query = parameters
    .map((parameter) => `${parameter.name}=${encodeURIComponent(parameter.example)}`)
    .join('&');
  return {
    slug,
    name,
    headline,
    description,
    url: link(marketPath(market, slug)),
    buildStatus: stage === 'live' ? 'live' : 'not-built',
    sampleEndpoint: live ? pathOf(live) : `${path}${query === '' ? '' : `?${query}`}`,
    demoIntentUrl: link(intentPath(market, 'demo', slug)),
    requestIntentUrl: link(intentPath(market, 'request', slug)),
    marketplaceIntentUrl: link(intentPath(market, 'marketplace', slug)),
  };
}
