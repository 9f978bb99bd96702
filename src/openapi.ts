import type { z } from 'zod';
import { endpoints, type Endpoint } from './contract/endpoints.ts';
import { ErrorResponse, errorStatus, type ErrorCode } from './contract/errors.ts';
import { namedJsonSchemas, schemaName } from './contract/json-schema.ts';
import type { Parameter } from './contract/parameters.ts';
import { productDescription, productName, productVersion } from './contract/product.ts';

type Json = { [member: string]: unknown };

const gatewayHeaders = ['x-marketplace-host', 'x-marketplace-key'] as const;

/** The OpenAPI 3.1 description of the service, made from the contract alone. */
export function openApiDocument(baseUrl: string | null): Json {
  return {
    openapi: '3.1.0',
    info: { title: productName, version: productVersion, description: productDescription, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: baseUrl ?? '/' }],
    tags: [{ name: 'public', description: 'Needs no key.' }, { name: 'data', description: 'Needs a key.' }],
    paths: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, { get: operation(endpoint) }])),
    components: {
      schemas: namedJsonSchemas([ErrorResponse, ...(endpoints as readonly Endpoint[]).flatMap(({ response }) => response ?? [])], '#/components/schemas/'),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Direct access.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'Direct access, the same key.' },
        marketplaceHost: { type: 'apiKey', in: 'header', name: gatewayHeaders[0], description: 'Through the marketplace gateway, with the key of the buyer.' },
        marketplaceKey: { type: 'apiKey', in: 'header', name: gatewayHeaders[1], description: 'Through the marketplace gateway, with its host.' },
      },
    },
  };
}

function operation(endpoint: Endpoint): Json {
  const keyed = endpoint.access === 'keyed';
  const errors: ErrorCode[] = [...endpoint.errors, ...(keyed ? (['unauthorized', 'rate_limited'] as const) : []), 'internal_error', 'snapshot_unavailable'];
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: endpoint.description,
    tags: [keyed ? 'data' : 'public'],
    security: keyed ? [{ apiKey: [] }, { bearer: [] }, { marketplaceHost: [], marketplaceKey: [] }] : [],
    parameters: endpoint.parameters.map(({ parameter, required }) => describeParameter(parameter, required === true)),
    responses: {
      200: {
        description: 'The answer.',
        headers: { ETag: { description: 'Changes when the content does; send it back as `If-None-Match`.', schema: { type: 'string' } } },
        content: { 'application/json': { schema: endpoint.response ? refer(endpoint.response) : { type: 'object' } } },
      },
      304: { description: 'Not changed since the ETag that was sent.' },
      ...Object.fromEntries([...new Set(errors.map((code) => errorStatus[code]))].map((status) => [status, errorResponse(status, errors)])),
    },
  };
}

function errorResponse(status: number, codes: readonly ErrorCode[]): Json {
  const own = codes.filter((code) => errorStatus[code] === status);
  return { description: own.map((code) => `\`${code}\``).join(' or '), content: { 'application/json': { schema: refer(ErrorResponse) } } };
}

function describeParameter(parameter: Parameter, required: boolean): Json {
  return {
    name: parameter.name, in: parameter.in, required, description: parameter.description, schema: parameter.schema,
    ...(parameter.example ? { example: parameter.schema['type'] === 'integer' ? Number(parameter.example) : parameter.example } : {}),
  };
}

function refer(schema: z.ZodType): Json {
  return { $ref: `#/components/schemas/${schemaName(schema)}` };
}
