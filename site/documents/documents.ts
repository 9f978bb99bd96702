import type * as z from 'zod';
import { gatewayHeaders } from '../../src/contract/gateway.ts';
import { bulkName, bulkPath, type BulkListResponse, type BulkPart } from '../../src/contract/bulk.ts';
import { endpoints, type Endpoint, type EndpointId } from '../../src/contract/endpoints.ts';
import type { DemoResponse, RootResponse, StatsResponse } from '../../src/contract/envelopes.ts';
import type { HealthResponse } from '../../src/contract/health.ts';
import { agentPath } from '../../src/contract/agent.ts';
import {
  intentOperations,
  intentPath,
  intentsPath,
  samplesDescriptionPath,
} from '../../src/contract/catalog.ts';
import { referencePath } from '../../src/contract/reference.ts';
import { defaultAddress, productName, productVersion } from '../../src/contract/product.ts';
import type { Filing, HealthIngestRun } from '../../src/contract/records.ts';
import type { Manifest, SnapshotSettings } from '../../src/format/snapshot.ts';
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

/**
 * Returns the body of `GET /` as JSON. `market` is the slug of a market of the catalog; the examples of
 * intents name it.
 */
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
      ...endpoints.map((endpoint) => ({
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
 * Returns the body of `GET /health` without the members that the runtime adds: which program it is and which snapshot it serves,
 * whether that is a sample, how its pointer is signed, whether the data is stale now, the heartbeat of its
 * follower, and since when the snapshot's host cannot be reached.
 */
export function healthDocument(
  overview: Overview,
  settings: SnapshotSettings,
): Omit<
  z.infer<typeof HealthResponse>,
  | 'status'
  | 'stale'
  | 'program'
  | 'snapshotId'
  | 'sample'
  | 'heartbeat'
  | 'pointerSignature'
  | 'unreachableSince'
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

/** Returns the body of `GET /v1/sec/stats` without `meta.stale` and `meta.sample`, which the runtime adds. */
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

/**
 * Returns the body of `GET /demo`. Links begin with the base URL; without a base URL they are paths.
 */
export function demoDocument(
  overview: Overview,
  { baseUrl, marketplaceUrl }: SnapshotSettings,
): z.infer<typeof DemoResponse> {
  const { newestFilings, companyCount, filingCount, latestRun } = overview;
  const link = (path: string) => `${baseUrl ?? ''}${path}`;
  const pathOf = examplePaths(overview);
  return {
    data: {
      latestFilings: newestFilings.slice(0, demoRows),
      latestInsiderTrades: demoTrades(overview),
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

/** The filings that `/demo` shows. One may be there twice. */
export function demoFilings(overview: Overview): readonly Filing[] {
  return [...overview.newestFilings.slice(0, demoRows), ...demoTrades(overview)];
}

/** The newest insider filings. If none of them was read, the last place is for the newest one with a trade. */
function demoTrades({ newestInsiderFilings, newestTrade }: Overview): Filing[] {
  const newest = newestInsiderFilings.slice(0, demoRows);
  return newestTrade === null || newest.some(({ ownership }) => ownership !== null)
    ? newest
    : [...newest.slice(0, demoRows - 1), newestTrade];
}

/** The list of the change feed's bulk files. `nextCursor` continues after the last row of the last file. */
export interface Bulk {
  readonly parts: readonly BulkPart[];
  readonly rowsPerFile: number;
  readonly nextCursor: string;
}

/** No filing has an earlier date than this, so a cursor with this `since` leaves out nothing. */
const firstDay = '0001-01-01';

/** Returns the cursor that continues in the change feed after the last row of the last bulk file. */
export function bulkCursor(log: FeedLog, lastSequence: number): string {
  return encodeFeedCursor(log, { since: firstDay }, lastSequence);
}

/**
 * Returns the body of `GET /v1/sec/bulk`. Addresses are paths, because clients of a gateway have to download
 * through the gateway, too.
 */
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

/** Returns the document that tells what a subscription includes and where to get one. */
export function subscriptionDocument({
  baseUrl,
  marketplaceUrl,
  marketplaceName,
}: SnapshotSettings): z.infer<typeof SubscriptionResponse> {
  // A model that reads this does not know the host of the service, so addresses are full.
  const link = (path: string) => `${baseUrl ?? defaultAddress}${path}`;
  const gateway = gatewayHeaders(marketplaceName);
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
          header: `${gateway.host}, ${gateway.key}`,
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
