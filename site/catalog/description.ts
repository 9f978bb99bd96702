import { ErrorResponse } from '../../src/contract/errors.ts';
import { gatewayHeaders } from '../../src/contract/gateway.ts';
import { namedJsonSchemas, type JsonSchema } from '../../src/contract/json-schema.ts';
import { productName, productVersion } from '../../src/contract/product.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import { SampleResponse } from '../../src/contract/intents.ts';
import { headers, sampleTag, securitySchemes } from '../../src/openapi/components.ts';
import type { Market } from '../content/market.ts';
import { samplePaths } from './paths.ts';

/** Headers of the answers of sample-only paths. */
const headerNames = [
  'ETag',
  'RetryAfter',
  'WwwAuthenticate',
  'RequestId',
  'RateLimitPolicy',
  'RateLimit',
] as const;

/**
 * Returns the OpenAPI 3.1 description of the sample-only paths. The description of the service leaves them
 * out, so that clients generated from it offer only what exists.
 */
export function samplesDescription(
  markets: readonly Market[],
  { baseUrl, marketplaceName }: SnapshotSettings,
): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: `${productName}: samples of candidate products`,
      version: productVersion,
      description:
        'Paths of the validation catalog that answer with static samples. They test demand: none of them is live, and none queries any data. The service itself is described at /openapi.json.',
      contact: { name: productName },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: baseUrl ?? '/',
        description: baseUrl === null ? 'The service that this description came from.' : productName,
      },
    ],
    tags: [sampleTag],
    security: [],
    paths: samplePaths(markets),
    components: {
      schemas: namedJsonSchemas([ErrorResponse, SampleResponse], '#/components/schemas/'),
      headers: Object.fromEntries(headerNames.map((name) => [name, headers[name]])),
      securitySchemes: securitySchemes(gatewayHeaders(marketplaceName)),
    },
  };
}
