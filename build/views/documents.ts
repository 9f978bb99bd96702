import { eventTypeOfForm } from '../../src/contract/event-types.ts';
import type { z } from 'zod';
import { endpoints, type Endpoint, type EndpointId } from '../../src/contract/endpoints.ts';
import type { DemoResponse, HealthResponse, RootResponse, StatsResponse } from '../../src/contract/envelopes.ts';
import { agentPath } from '../../src/contract/agent.ts';
import { samplesDescriptionPath } from '../../src/contract/catalog.ts';
import { referencePath } from '../../src/contract/reference.ts';
import { defaultAddress, productName, productVersion, staleAfterHoursDefault } from '../../src/contract/product.ts';
import type { HealthIngestRun } from '../../src/contract/records.ts';
import type { SnapshotSettings } from '../../src/contract/snapshot.ts';
import { tools, toolsOperation, toolsPath, type SubscriptionResponse } from '../../src/contract/tools.ts';
import { afterBusinessHours } from '../edgar/calendar.ts';
import type { Catalogue } from './catalogue.ts';
import { examplePaths } from './examples.ts';
import { countByEventType, countByForm } from './companies.ts';
import { ownershipFamilies } from '../ledger/parties.ts';

const demoRows = 10;

/** What the runtime completes with the truth of the moment before it sends health and statistics. */
export interface Freshness {
  readonly dataFetchedAt: string;
  readonly staleAfter: string;
}

/** When the data was fetched, and from when on it counts as stale. */
export function freshnessOf({ ledger }: Catalogue, { staleAfterHours = staleAfterHoursDefault }: Pick<SnapshotSettings, 'staleAfterHours'>): Freshness {
  const { createdAt } = ledger.latestRun;
  const staleAfter = new Date(afterBusinessHours(Date.parse(createdAt), staleAfterHours)).toISOString();
  return { dataFetchedAt: createdAt, staleAfter };
}

function healthRun({ ledger }: Catalogue): HealthIngestRun {
  const { target, status, createdAt } = ledger.latestRun;
  return { target, status, createdAt };
}

/** `GET /`, as JSON. */
export function rootDocument(catalogue: Catalogue): z.infer<typeof RootResponse> {
  const pathOf = examplePaths(catalogue);
  const example = (id: EndpointId) => pathOf(endpoints.find((endpoint) => endpoint.id === id) as Endpoint);
  return {
    name: productName, version: productVersion, status: '/health', docs: '/openapi.json', demo: '/demo', markets: '/markets.json',
    stats: example('getStats'), changes: example('listChanges'), companySearch: example('searchCompanies'), watchlistChanges: example('listWatchlistChanges'),
    reference: referencePath, openapiSamples: samplesDescriptionPath, tools: toolsPath, agent: agentPath,
    operations: [
      ...(endpoints as readonly Endpoint[]).map((endpoint) => ({
        id: endpoint.id, method: 'GET' as const, path: endpoint.path, example: pathOf(endpoint), access: endpoint.access, summary: endpoint.summary,
      })),
      { id: toolsOperation.id, method: 'POST', path: toolsPath, example: toolsPath, access: 'public', summary: toolsOperation.summary },
    ],
    notInvestmentAdvice: true,
  };
}

/** `GET /health` without what the runtime adds: which snapshot it serves, whether that is a sample, and whether it is stale now. */
export function healthDocument(catalogue: Catalogue, settings: SnapshotSettings): Omit<z.infer<typeof HealthResponse>, 'status' | 'stale' | 'snapshotId' | 'sample'> {
  return {
    version: productVersion, companyCount: catalogue.companies.length, filingCount: catalogue.newestFirst.length,
    latestIngestRun: healthRun(catalogue), notInvestmentAdvice: true, ...freshnessOf(catalogue, settings),
  };
}

/** `GET /v1/sec/stats` without `meta.stale` and `meta.sample`. */
export function statsDocument(catalogue: Catalogue, settings: SnapshotSettings): { data: z.infer<typeof StatsResponse>['data']; meta: Omit<z.infer<typeof StatsResponse>['meta'], 'stale' | 'sample'> } {
  const { newestFirst, ledger, publish, companies } = catalogue;
  return {
    data: {
      companyCount: companies.length,
      filingCount: newestFirst.length,
      forms: countByForm(newestFirst),
      eventTypes: countByEventType(newestFirst, eventTypeOfForm),
      latestFiling: newestFirst[0] ? publish(newestFirst[0]) : null,
      latestIngestRun: ledger.latestRun,
    },
    meta: { generatedAt: ledger.latestRun.createdAt, notInvestmentAdvice: true, ...freshnessOf(catalogue, settings) },
  };
}

/** `GET /demo`. Links begin with the base URL of the settings, or are paths if there is none. */
export function demoDocument(catalogue: Catalogue, { baseUrl, marketplaceUrl }: SnapshotSettings): z.infer<typeof DemoResponse> {
  const { newestFirst, publish, ledger } = catalogue;
  const link = (path: string) => `${baseUrl ?? ''}${path}`;
  const pathOf = examplePaths(catalogue);
  return {
    data: {
      latestFilings: newestFirst.slice(0, demoRows).map(publish),
      latestInsiderTrades: newestFirst.filter(({ form }) => ownershipFamilies.has(eventTypeOfForm(form))).slice(0, demoRows).map(publish),
      sampleQueries: endpoints
        .filter(({ path }) => path.startsWith('/v1/'))
        .map((endpoint: Endpoint) => ({ description: endpoint.summary, endpoint: pathOf(endpoint), requiresSubscription: endpoint.access === 'keyed' })),
      stats: { companyCount: catalogue.companies.length, filingCount: newestFirst.length, latestIngestRun: healthRun(catalogue) },
    },
    meta: { docsUrl: link('/docs'), generatedAt: ledger.latestRun.createdAt, subscribeUrl: marketplaceUrl ?? link('/subscribe'), notInvestmentAdvice: true, sampleOnly: true },
  };
}

/** What a subscription gives and where it is had. */
export function subscriptionDocument({ baseUrl, marketplaceUrl }: SnapshotSettings): z.infer<typeof SubscriptionResponse> {
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
        { header: 'x-marketplace-host, x-marketplace-key', value: '<gateway host>, <API_KEY>', access: 'Through the marketplace gateway, not for /mcp and /a2a' },
      ],
      toolsWithKey: tools.filter(({ access }) => access === 'keyed').map(({ name }) => name),
      operationsWithKey: endpoints.filter(({ access }) => access === 'keyed').map(({ path }) => path),
    },
    meta: { notInvestmentAdvice: true },
  };
}
