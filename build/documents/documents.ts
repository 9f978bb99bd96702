import type { z } from 'zod';
import { bulkName, bulkPath, type BulkListResponse, type BulkPart } from '../../src/contract/bulk.ts';
import { endpoints, type Endpoint, type EndpointId } from '../../src/contract/endpoints.ts';
import type {
  DemoResponse,
  HealthResponse,
  RootResponse,
  StatsResponse,
} from '../../src/contract/envelopes.ts';
import { agentPath } from '../../src/contract/agent.ts';
import {
  intentOperations,
  intentPath,
  intentsPath,
  samplesDescriptionPath,
} from '../../src/contract/catalog.ts';
import { referencePath } from '../../src/contract/reference.ts';
import { defaultAddress, productName, productVersion } from '../../src/contract/product.ts';
import type { HealthIngestRun } from '../../src/contract/records.ts';
import type { Manifest, SnapshotSettings } from '../../src/contract/snapshot.ts';
import { encodeFeedCursor, type FeedLog } from '../../src/query/cursor.ts';
import { tools, toolsOperation, toolsPath, type SubscriptionResponse } from '../../src/contract/tools.ts';
import { freshnessOf } from '../content/freshness.ts';
import { examplePaths } from '../content/examples.ts';
import type { Overview } from '../content/overview.ts';
import { completenessOf } from '../content/reconciliation.ts';

const demoRows = 10;

function healthRun({ latestRun: { target, status, createdAt } }: Overview): HealthIngestRun {
  return { target, status, createdAt };
}

/** `GET /`, as JSON. `market` is the slug of one of the catalog. */
export function rootDocument(overview: Overview, market: string): z.infer<typeof RootResponse> {
  const pathOf = examplePaths(overview);
  const example = (id: EndpointId) => pathOf(endpoints.find((endpoint) => endpoint.id === id) as Endpoint);
  return {
    name: productName,
    version: productVersion,
    status: '/health',
    docs: '/openapi.json',
    demo: '/demo',
    markets: '/markets.json',
    stats: example('getStats'),
    changes: example('listChanges'),
    companySearch: example('searchCompanies'),
    watchlistChanges: example('listWatchlistChanges'),
    reference: referencePath,
    openapiSamples: samplesDescriptionPath,
    tools: toolsPath,
    agent: agentPath,
    operations: [
      ...(endpoints as readonly Endpoint[]).map((endpoint) => ({
        id: endpoint.id,
        method: 'GET' as const,
        path: endpoint.path,
        example: pathOf(endpoint),
        access: endpoint.access,
        summary: endpoint.summary,
      })),
      {
        id: toolsOperation.id,
        method: 'POST',
        path: toolsPath,
        example: toolsPath,
        access: 'public',
        summary: toolsOperation.summary,
      },
      ...intentOperations.map(({ id, method, summary }) => ({
        id,
        method,
        path: intentsPath,
        example: intentPath(market, 'view'),
        access: 'public' as const,
        summary,
      })),
    ],
    notInvestmentAdvice: true,
  };
}

/**
 * `GET /health` without what the runtime adds: which snapshot it serves, whether that is a sample, whether it
 * is stale now, and whether there may be a newer one.
 */
export function healthDocument(
  overview: Overview,
  settings: SnapshotSettings,
): Omit<
  z.infer<typeof HealthResponse>,
  'status' | 'stale' | 'snapshotId' | 'sample' | 'pointerSignature' | 'unreachableSince'
> {
  return {
    version: productVersion,
    companyCount: overview.companyCount,
    filingCount: overview.filingCount,
    latestIngestRun: healthRun(overview),
    notInvestmentAdvice: true,
    ...freshnessOf(overview, settings),
    ...completenessOf(overview),
  };
}

/** `GET /v1/sec/stats` without `meta.stale` and `meta.sample`. */
export function statsDocument(
  overview: Overview,
  settings: SnapshotSettings,
): {
  data: z.infer<typeof StatsResponse>['data'];
  meta: Omit<z.infer<typeof StatsResponse>['meta'], 'stale' | 'sample'>;
} {
  const { companyCount, filingCount, forms, eventTypes, newestFilings, latestRun } = overview;
  return {
    data: {
      companyCount,
      filingCount,
      forms: [...forms],
      eventTypes: [...eventTypes],
      latestFiling: newestFilings[0] ?? null,
      latestIngestRun: latestRun,
    },
    meta: {
      generatedAt: latestRun.createdAt,
      notInvestmentAdvice: true,
      ...freshnessOf(overview, settings),
      ...completenessOf(overview),
    },
  };
}

/** `GET /demo`. Links begin with the base URL of the settings, or are paths if there is none. */
export function demoDocument(
  overview: Overview,
  { baseUrl, marketplaceUrl }: SnapshotSettings,
): z.infer<typeof DemoResponse> {
  const { newestFilings, newestInsiderFilings, companyCount, filingCount, latestRun } = overview;
  const link = (path: string) => `${baseUrl ?? ''}${path}`;
  const pathOf = examplePaths(overview);
  return {
    data: {
      latestFilings: newestFilings.slice(0, demoRows),
      latestInsiderTrades: newestInsiderFilings.slice(0, demoRows),
      sampleQueries: endpoints
        .filter(({ path }) => path.startsWith('/v1/'))
        .map((endpoint: Endpoint) => ({
          description: endpoint.summary,
          endpoint: pathOf(endpoint),
          requiresSubscription: endpoint.access === 'keyed',
        })),
      stats: { companyCount, filingCount, latestIngestRun: healthRun(overview) },
    },
    meta: {
      docsUrl: link('/docs'),
      generatedAt: latestRun.createdAt,
      subscribeUrl: marketplaceUrl ?? link('/subscribe'),
      notInvestmentAdvice: true,
      sampleOnly: true,
    },
  };
}

/** The files of the change feed as the list of them tells of them. Its cursor stands behind the last row. */
export interface Bulk {
  readonly parts: readonly BulkPart[];
  readonly rowsPerFile: number;
  readonly nextCursor: string;
}

/** A walk from here on leaves no filing out, however early its date is. */
const firstDay = '0001-01-01';

/** The cursor that goes on in the feed behind the last row of the last file. */
export function bulkCursor(log: FeedLog, lastSequence: number): Promise<string> {
  return encodeFeedCursor(log, { since: firstDay }, lastSequence);
}

/** `GET /v1/sec/bulk`. Addresses are paths: whoever asks by way of a gateway has to download there, too. */
export function bulkDocument(
  { parts, rowsPerFile, nextCursor }: Bulk,
  {
    generatedAt,
    newestFiledAt,
    lastSequence,
  }: Pick<Manifest, 'generatedAt' | 'newestFiledAt' | 'lastSequence'>,
): BulkListResponse {
  return {
    data: parts.map((part) => {
      const name = bulkName(part.firstSequence);
      const { bytes, rows, sha256, firstSequence, closed } = part;
      return {
        name,
        url: `${bulkPath}/${name}`,
        bytes,
        rows,
        sha256,
        firstSequence,
        lastSequence: part.lastSequence,
        closed,
      };
    }),
    meta: {
      count: parts.length,
      rowsPerFile,
      lastSequence,
      nextCursor,
      generatedAt,
      newestFiledAt,
      notInvestmentAdvice: true,
    },
  };
}

/** What a subscription gives and where it is had. */
export function subscriptionDocument({
  baseUrl,
  marketplaceUrl,
}: SnapshotSettings): z.infer<typeof SubscriptionResponse> {
  // A model that is told a path alone does not know where it leads.
  const link = (path: string) => `${baseUrl ?? defaultAddress}${path}`;
  return {
    data: {
      pricingUrl: link('/subscribe'),
      checkoutUrl: marketplaceUrl ?? link('/subscribe'),
      docsUrl: link('/docs'),
      keySetupUrl: link('/subscribe#keys'),
      demoUrl: link('/demo'),
      keyHeaders: [
        { header: 'x-api-key', value: '<API_KEY>', access: 'Direct access' },
        { header: 'Authorization', value: 'Bearer <API_KEY>', access: 'Direct access, the same key' },
        {
          header: 'x-marketplace-host, x-marketplace-key',
          value: '<gateway host>, <API_KEY>',
          access: 'Through the marketplace gateway, not for /mcp and /a2a',
        },
      ],
      toolsWithKey: tools.filter(({ access }) => access === 'keyed').map(({ name }) => name),
      operationsWithKey: endpoints.filter(({ access }) => access === 'keyed').map(({ path }) => path),
    },
    meta: { notInvestmentAdvice: true },
  };
}
