import { isOfData, isStreamed, takesRanges, type Endpoint } from '../contract/endpoints.ts';
import type { ErrorCode } from '../contract/errors.ts';
import type { JsonSchema } from '../contract/json-schema.ts';
import { eventStreamType } from '../contract/parameters.ts';
import {
  describeParameter,
  errorResponses,
  headerReference,
  keyed,
  freshnessHeaders,
  limitHeaders,
  schemaReference,
} from './components.ts';

const revalidation: JsonSchema = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'ETags of answers that the client has: if one is still true, the answer is 304 without a body.',
  schema: { type: 'string' },
};

const ranges: readonly JsonSchema[] = [
  {
    name: 'Range',
    in: 'header',
    required: false,
    description: 'One range of bytes, to go on with a download that broke off: `bytes=<first>-`.',
    schema: { type: 'string' },
    example: 'bytes=0-',
  },
  {
    name: 'If-Range',
    in: 'header',
    required: false,
    description:
      'The ETag of the file when the download began: if the file has changed since, all of it is sent.',
    schema: { type: 'string' },
  },
];

const resumption: JsonSchema = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description:
    'The id of the last event that the client has, with `Accept: text/event-stream`: the stream goes on behind it. It wins over `cursor`.',
  schema: { type: 'string' },
};

/** The description of one operation of the contract, with a real answer as its example if there is one. */
export function operation(
  endpoint: Endpoint,
  example: { readonly path: string; readonly body: unknown } | undefined,
): JsonSchema {
  const isKeyed = endpoint.access === 'keyed';
  // Keyed operations refuse unknown parameters, even if they have none.
  const ofAccess: ErrorCode[] = isKeyed ? ['invalid_parameter', 'unauthorized', 'rate_limited'] : [];
  const ofRanges: ErrorCode[] = takesRanges(endpoint) ? ['range_not_satisfiable'] : [];
  // Liveness is answered whatever else is wrong, except to a request whose headers are too long.
  const ofService: ErrorCode[] =
    endpoint.answer.kind === 'live'
      ? ['payload_too_large', 'internal_error']
      : ['rate_limited', 'internal_error', 'overloaded', 'snapshot_unavailable'];
  const errors = [...new Set<ErrorCode>([...endpoint.errors, ...ofAccess, ...ofRanges, ...ofService])];
  const freshness = isOfData(endpoint) ? freshnessHeaders : {};
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: endpoint.description,
    tags: [isKeyed ? 'data' : 'public'],
    security: isKeyed ? keyed : [],
    parameters: [
      ...endpoint.parameters.map(({ parameter, required }) =>
        describeParameter(parameter, required === true),
      ),
      revalidation,
      ...(takesRanges(endpoint) ? ranges : []),
      ...(isStreamed(endpoint) ? [resumption] : []),
    ],
    responses: {
      200: {
        description: example ? `The answer. The example is that to \`GET ${example.path}\`.` : 'The answer.',
        headers: {
          ETag: headerReference('ETag'),
          'Cache-Control': headerReference('CacheControl'),
          Vary: headerReference('Vary'),
          ...(endpoint.parameters.some(({ parameter }) => parameter.name === 'cursor')
            ? { Link: headerReference('Link') }
            : {}),
          'X-Request-Id': headerReference('RequestId'),
          ...(isKeyed ? limitHeaders : {}),
          ...freshness,
          ...(endpoint.fileType === undefined ? {} : { 'Repr-Digest': headerReference('ReprDigest') }),
        },
        content: contentOf(endpoint, example),
      },
      ...(takesRanges(endpoint)
        ? {
            206: {
              description: 'The range that was asked for.',
              headers: {
                ETag: headerReference('ETag'),
                'Content-Range': headerReference('ContentRange'),
                ...freshness,
                ...(endpoint.fileType === undefined ? {} : { 'Repr-Digest': headerReference('ReprDigest') }),
              },
              content: partOf(endpoint),
            },
          }
        : {}),
      304: {
        description: 'Not changed since the ETag that was sent.',
        headers: { ETag: headerReference('ETag'), ...freshness },
      },
      ...errorResponses(errors),
    },
  };
}

/** The content of a range: bytes of an answer, which are no whole JSON. */
function partOf({ fileType = 'application/json' }: Endpoint): JsonSchema {
  return { [fileType]: { schema: { type: 'string', format: 'binary' } } };
}

/** The content of an operation's answers: a file, or JSON, and perhaps a stream. */
function contentOf(endpoint: Endpoint, example: { readonly body: unknown } | undefined): JsonSchema {
  const { fileType, response } = endpoint;
  if (fileType !== undefined) return { [fileType]: { schema: { type: 'string', format: 'binary' } } };
  return {
    'application/json': {
      schema: response ? schemaReference(response) : { type: 'object' },
      ...(example ? { example: example.body } : {}),
    },
    ...(isStreamed(endpoint)
      ? {
          [eventStreamType]: {
            schema: {
              type: 'string',
              description:
                'Server-sent events without end: `event: change`, `id` the cursor behind the change, `data` the change as JSON.',
            },
          },
        }
      : {}),
  };
}
