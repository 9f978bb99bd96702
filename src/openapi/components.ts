import { ErrorResponse, errorStatus, usualMessages, type ErrorCode } from '../contract/errors.ts';
import type { GatewayHeaders } from '../contract/gateway.ts';
import { schemaName, type JsonSchema } from '../contract/json-schema.ts';
import type { Parameter } from '../contract/parameters.ts';
import type * as z from 'zod';

/** The groups of operations. */
export const tags: readonly JsonSchema[] = [
  { name: 'public', description: 'Needs no key.' },
  { name: 'data', description: 'Needs a key.' },
  { name: 'tools', description: 'For assistants: the same answers over the Model Context Protocol.' },
  { name: 'webhooks', description: 'Requests that the service sends.' },
];

/** The group of the sample-only operations, in their own description. */
export const sampleTag = {
  name: 'samples',
  description: 'Static samples of candidate products. They are not live, and never query anything.',
} as const;

/** Ways to send a key, directly or through a gateway with these headers. */
export const securitySchemes = ({ host, key }: GatewayHeaders): JsonSchema => ({
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Direct access.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'Direct access, the same key.' },
  marketplaceHost: {
    type: 'apiKey',
    in: 'header',
    name: host,
    description: 'Through the marketplace gateway, with the key of the buyer.',
  },
  marketplaceKey: {
    type: 'apiKey',
    in: 'header',
    name: key,
    description: 'Through the marketplace gateway, with its host.',
  },
});

/** The keys that open an operation: any of these. */
export const keyed: readonly JsonSchema[] = [
  { apiKey: [] },
  { bearer: [] },
  { marketplaceHost: [], marketplaceKey: [] },
];

/** What headers of answers are: texts, if nothing else is said. */
const ofHeaders: Readonly<Record<string, JsonSchema & { readonly schema?: JsonSchema }>> = {
  ETag: {
    description: 'Changes when the content does; send it back as `If-None-Match`.',
    example: '"q5Vb2cKXJm2uT1yq7b8u2A"',
  },
  CacheControl: {
    description: 'Who may keep the answer, and for how long.',
    example: 'private, no-cache',
  },
  Vary: {
    description: 'Request headers that the answer depends on.',
    example: 'Accept-Encoding, Authorization, x-api-key',
  },
  ContentRange: {
    description: 'Which bytes of the file these are, and how many it has.',
    example: 'bytes 1048576-1180000/1180001',
  },
  ReprDigest: {
    description: 'SHA-256 of the whole file, in base64 (RFC 9530).',
    example: 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
  },
  Link: {
    description:
      'Leads to the next page, if there are more rows: `<path and query>; rel="next"` (RFC 8288). An address of more than 3,000 characters is left out; `meta.nextCursor` is always there.',
    example: '</v1/sec/latest?form=8-K&limit=5&cursor=aH5…>; rel="next"',
  },
  RequestId: {
    description: 'The id of the request: the one that the client sent, or a new one. The log has it, too.',
    example: '8c0f0a52-6a2c-4f6e-9d0b-3f0a8a4a1f5e',
  },
  RateLimitPolicy: {
    description:
      'How many requests (`q`) the key or buyer may make in any `w` seconds; only where there is a limit (draft-ietf-httpapi-ratelimit-headers).',
    example: '"per-minute";q=60;w=60',
  },
  RateLimit: {
    description: 'How many of them are left (`r`), and after how many seconds there are more (`t`).',
    example: '"per-minute";r=59;t=60',
  },
  DataFetchedAt: {
    description: 'When EDGAR was last read without error. It moves on while the body and its ETag stay.',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-03-02T21:04:05.000Z',
  },
  DataStale: {
    description: 'Whether the data is older than promised: `/health` says more.',
    schema: { type: 'string', enum: ['true', 'false'] },
    example: 'false',
  },
  RetryAfter: {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 0 },
    example: 30,
  },
  WwwAuthenticate: {
    description: 'How to send a key; with `error="invalid_token"` if the one that was sent is not valid.',
    example: 'Bearer realm="Filing Event Intelligence", error="invalid_token"',
  },
};

/** Headers of answers, by the name of their reference. */
export const headers: JsonSchema = Object.fromEntries(
  Object.entries(ofHeaders).map(([name, { description, schema = { type: 'string' }, example }]) => [
    name,
    { description, schema, example },
  ]),
);

/** A reference to a header in `headers`. */
export function headerReference(name: string): JsonSchema {
  return { $ref: `#/components/headers/${name}` };
}

/**
 * A reference to the named schema of an answer. Throws if the schema has no name, because the document would
 * not contain it.
 */
export function schemaReference(schema: z.ZodType): JsonSchema {
  const name = schemaName(schema);
  if (name === undefined) throw new Error('a schema of an answer needs a name: give it .meta({ id })');
  return { $ref: `#/components/schemas/${name}` };
}

const errorExamples: Record<ErrorCode, string> = {
  ...usualMessages,
  invalid_parameter: 'limit: must be an integer from 1 to 200, not "0"',
  invalid_cursor: 'cursor: must be the nextCursor of an earlier answer',
  not_found: 'Nothing is at "/nothing"; GET / names what there is.',
  company_not_found: 'no company has the ticker symbol or CIK "ZZZZ"',
  filing_not_found: 'no filing has the accession number "0000000000-00-000000"',
  method_not_allowed: 'PUT is not allowed here; allowed are GET, HEAD, OPTIONS',
  not_acceptable: 'Answers are application/json',
  payload_too_large: 'The body is too large',
  unsupported_media_type: 'Content-Type must be application/json',
  rate_limited: 'This key may make 60 requests a minute; try again in 12 seconds.',
  range_not_satisfiable: 'Range: must begin before byte 4096, where the document ends',
};

/**
 * The responses for error codes, by status. Codes with the same status share one response, with an example
 * for each.
 */
export function errorResponses(codes: readonly ErrorCode[]): JsonSchema {
  const statuses = [...new Set(codes.map((code) => errorStatus[code]))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => errorStatus[code] === status);
      return [
        status,
        {
          description: own.map((code) => `\`${code}\``).join(' or '),
          headers: { 'X-Request-Id': headerReference('RequestId'), ...errorHeaders(status) },
          content: {
            'application/json': {
              schema: schemaReference(ErrorResponse),
              examples: Object.fromEntries(
                own.map((code) => [code, { value: { error: { code, message: errorExamples[code] } } }]),
              ),
            },
          },
        },
      ];
    }),
  );
}

/** The headers of answers to a key or buyer with a limit. */
export const limitHeaders: JsonSchema = {
  'RateLimit-Policy': headerReference('RateLimitPolicy'),
  RateLimit: headerReference('RateLimit'),
};

/** The headers that say how fresh the data of an answer is. */
export const freshnessHeaders: JsonSchema = {
  'Data-Fetched-At': headerReference('DataFetchedAt'),
  'Data-Stale': headerReference('DataStale'),
};

function errorHeaders(status: number): JsonSchema {
  if (status === 401) return { 'WWW-Authenticate': headerReference('WwwAuthenticate') };
  if (status === 503) return { 'Retry-After': headerReference('RetryAfter') };
  return status === 429 ? { 'Retry-After': headerReference('RetryAfter'), ...limitHeaders } : {};
}

/** The description of a parameter. A list is an array, whose values are sent in one text with commas between. */
export function describeParameter(parameter: Parameter, required: boolean): JsonSchema {
  const { name, description, schema, isList, valuesMaximum, values, example } = parameter;
  const said = { name, in: parameter.in, required, description };
  if (isList !== true)
    return { ...said, schema, ...(example ? { example: exampleOf(schema['type'], example) } : {}) };
  const items = values ? { type: 'string', enum: [...values] } : { type: 'string', minLength: 1 };
  return {
    ...said,
    style: 'form',
    explode: false,
    schema: { type: 'array', items, minItems: 1, maxItems: valuesMaximum },
    example: example.split(','),
  };
}

/** An example as the type of its schema has it; examples of parameters are texts, as in a URL. */
function exampleOf(type: unknown, text: string): string | number | boolean {
  return type === 'integer' || type === 'number' ? Number(text) : type === 'boolean' ? text === 'true' : text;
}
