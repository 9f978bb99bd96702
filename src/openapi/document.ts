import { samplesDescriptionPath } from '../contract/catalog.ts';
import { endpoints, type Endpoint } from '../contract/endpoints.ts';
import { gatewayHeaders, type GatewayHeaders } from '../contract/gateway.ts';
import { ErrorResponse } from '../contract/errors.ts';
import { namedJsonSchemas, type JsonSchema } from '../contract/json-schema.ts';
import { productDescription, productName, productVersion } from '../contract/product.ts';
import { IntentResponse } from '../contract/intents.ts';
import { operation } from './operation.ts';
import { headers, securitySchemes, tags } from './components.ts';
import { toolOperation } from './tool-operation.ts';
import { webhookOperation } from './webhook-operation.ts';
import { WebhookMessage } from '../contract/records.ts';

/** Operations by method of a path that is not in the contract. */
export type ExtraPaths = Readonly<Record<string, JsonSchema>>;

/**
 * The OpenAPI 3.1 description of the service, made from the contract. `exampleOf` returns the path and the
 * parsed answer of an operation's example; undefined if it has none. `extraPaths` are the paths that the
 * content of a snapshot adds, `gateway` the headers of the marketplace gateway.
 */
export function openApiDocument(
  baseUrl: string | null,
  exampleOf: (endpoint: Endpoint) => { readonly path: string; readonly body: unknown } | undefined = () =>
    undefined,
  extraPaths: ExtraPaths = {},
  gateway: GatewayHeaders = gatewayHeaders(),
): JsonSchema {
  const all = endpoints;
  return {
    openapi: '3.1.0',
    info: {
      title: productName,
      version: productVersion,
      description: `${productDescription} The sample-only paths of candidate products, none of which is live, have a description of their own at ${samplesDescriptionPath}.`,
      contact: { name: productName },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: baseUrl ?? '/',
        description: baseUrl === null ? 'The service that this description came from.' : productName,
      },
    ],
    tags,
    security: [],
    paths: {
      ...Object.fromEntries(
        all.map((endpoint) => [endpoint.path, { get: operation(endpoint, exampleOf(endpoint)) }]),
      ),
      '/mcp': { post: toolOperation() },
      ...extraPaths,
    },
    webhooks: { filing: { post: webhookOperation() } },
    components: {
      schemas: namedJsonSchemas(
        [
          ErrorResponse,
          WebhookMessage,
          ...(Object.keys(extraPaths).length > 0 ? [IntentResponse] : []),
          ...all.flatMap(({ response }) => response ?? []),
        ],
        '#/components/schemas/',
      ),
      headers,
      securitySchemes: securitySchemes(gateway),
    },
  };
}
