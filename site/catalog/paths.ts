import { intentActions, intentOperations, intentsPath } from '../../src/contract/catalog.ts';
import type { JsonSchema } from '../../src/contract/json-schema.ts';
import { parameters } from '../../src/contract/parameters.ts';
import { IntentResponse, SampleResponse } from '../../src/contract/intents.ts';
import {
  errorResponses,
  headerReference,
  keyed,
  sampleTag,
  schemaReference,
} from '../../src/openapi/components.ts';
import type { Market, Workflow } from '../content/market.ts';

/**
 * Returns the OpenAPI paths that answer with samples only: one for each workflow of a candidate market.
 * `samplesDescription` publishes them.
 */
export function samplePaths(markets: readonly Market[]): Record<string, JsonSchema> {
  const candidates = markets.filter(({ stage }) => stage !== 'live');
  return Object.fromEntries(
    candidates.flatMap((market) =>
      market.workflows.map(
        (workflow) => [workflow.path, { get: sampleOperation(market, workflow) }] as const,
      ),
    ),
  );
}

/** Returns the OpenAPI paths that the catalog adds to the description of the service: the intents. */
export function intentPaths(markets: readonly Market[]): Record<string, JsonSchema> {
  return { [intentsPath]: describeIntents(markets) };
}

function sampleOperation({ slug, name }: Market, workflow: Workflow): JsonSchema {
  return {
    operationId: `sample-${slug}-${workflow.slug}`,
    summary: `${workflow.name} (sample only)`,
    description: `${workflow.headline}. ${name} is a candidate product: this answers with a static sample, whatever the parameters say.`,
    tags: [sampleTag.name],
    security: keyed,
    parameters: workflow.parameters.map((parameter) => ({
      name: parameter.name,
      in: 'query',
      required: false,
      description: parameter.description,
      example: parameter.example,
      schema:
        parameter.type === 'date'
          ? parameters.since.schema
          : { type: 'string', minLength: 1, maxLength: 100 },
    })),
    responses: {
      200: {
        description: 'The static sample.',
        headers: { ETag: headerReference('ETag') },
        content: { 'application/json': { schema: schemaReference(SampleResponse) } },
      },
      304: { description: 'Not changed since the ETag that was sent.' },
      ...errorResponses([
        'invalid_parameter',
        'unauthorized',
        'rate_limited',
        'internal_error',
        'overloaded',
        'snapshot_unavailable',
      ]),
    },
  };
}

function describeIntents(markets: readonly Market[]): JsonSchema {
  return Object.fromEntries(
    intentOperations.map(({ id, method, summary }) => [
      method.toLowerCase(),
      {
        operationId: id,
        summary,
        description:
          'Records what a visitor of the catalog did, without an IP address or a cookie. A browser is redirected; other clients get JSON that says what was recorded. Prefetches, HEAD requests and programs that say they are bots are not counted.',
        tags: ['public'],
        security: [],
        parameters: [
          {
            name: 'market',
            in: 'path',
            required: true,
            description: 'Slug of a market.',
            schema: { type: 'string', enum: markets.map(({ slug }) => slug) },
            example: markets[0]?.slug,
          },
          {
            name: 'action',
            in: 'path',
            required: true,
            description: 'What the visitor did.',
            schema: { type: 'string', enum: [...intentActions] },
            example: 'view',
          },
          {
            name: 'target',
            in: 'query',
            required: false,
            description: 'Slug of a feed, dataset or workflow of the market.',
            schema: { type: 'string' },
          },
        ],
        responses: {
          202: {
            description: 'The intent was recorded, unless `counted` is false.',
            content: { 'application/json': { schema: schemaReference(IntentResponse) } },
          },
          303: {
            description: 'For browsers: a redirect.',
            headers: { Location: { description: 'The address to go on to.', schema: { type: 'string' } } },
          },
          ...errorResponses([
            'invalid_parameter',
            'not_found',
            'overloaded',
            'internal_error',
            'snapshot_unavailable',
          ]),
        },
      },
    ]),
  );
}
