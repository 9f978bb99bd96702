import type { Endpoint } from '../contract/endpoints.ts';
import type { ErrorCode } from '../contract/errors.ts';
import type { JsonSchema } from '../contract/json-schema.ts';
import { describeParameter, errorResponses, headerReference, keyed, schemaReference } from './parts.ts';

const revalidation: JsonSchema = {
  name: 'If-None-Match', in: 'header', required: false, description: 'ETags of answers that the client has: if one is still true, the answer is 304 without a body.', schema: { type: 'string' },
};

/** The description of one operation of the contract, with a real answer as its example where there is one. */
export function operation(endpoint: Endpoint, example: { readonly path: string; readonly body: unknown } | undefined): JsonSchema {
  const isKeyed = endpoint.access === 'keyed';
  // Keyed operations refuse parameters that they do not have, also where they have none.
  const ofAccess: ErrorCode[] = isKeyed ? ['invalid_parameter', 'unauthorized'] : [];
  const errors = [...new Set<ErrorCode>([...endpoint.errors, ...ofAccess, 'rate_limited', 'internal_error', 'snapshot_unavailable'])];
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: endpoint.description,
    tags: [isKeyed ? 'data' : 'public'],
    security: isKeyed ? keyed : [],
    parameters: [...endpoint.parameters.map(({ parameter, required }) => describeParameter(parameter, required === true)), revalidation],
    responses: {
      200: {
        description: example ? `The answer. The example is that to \`GET ${example.path}\`.` : 'The answer.',
        headers: { ETag: headerReference('ETag'), 'Cache-Control': headerReference('CacheControl'), Vary: headerReference('Vary') },
        content: { 'application/json': { schema: endpoint.response ? schemaReference(endpoint.response) : { type: 'object' }, ...(example ? { example: example.body } : {}) } },
      },
      304: { description: 'Not changed since the ETag that was sent.', headers: { ETag: headerReference('ETag') } },
      ...errorResponses(errors),
    },
  };
}
