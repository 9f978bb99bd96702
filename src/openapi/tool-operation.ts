import type { JsonSchema } from '../contract/json-schema.ts';
import { usualMessages } from '../contract/errors.ts';
import { codes, refusalMessages } from '../json-rpc/messages.ts';
import { parameters } from '../contract/parameters.ts';
import { prompts, type Prompt } from '../contract/prompts.ts';
import { resourceTemplates, resourceUri, type ResourceTemplate } from '../contract/resources.ts';
import { handshakeRevisions, tools, toolsOperation } from '../contract/tools.ts';

const id = { type: ['string', 'integer'], description: 'Given back with the answer.' } as const;

const message: JsonSchema = {
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id,
    method: {
      type: 'string',
      description:
        '`initialize`, `ping`, and `server/discover` for revision 2026-07-28; `tools/list`, `tools/call`; `resources/list`, `resources/templates/list`, `resources/read`; `prompts/list`, `prompts/get`; `completion/complete`.',
    },
    params: { type: 'object' },
  },
  required: ['jsonrpc', 'method'],
};

const answer: JsonSchema = {
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'integer', 'null'] },
    result: {
      type: 'object',
      description:
        'For `tools/call`: `structuredContent` is the REST answer with `detail` full, by default its compact form, in which filings have fewer members; `content` is a text that begins with what the data covers; `isError` is true if the call can be corrected. Text and structured content together have at most `maxTokens` tokens; a longer list has fewer rows. `_meta` of each text has its size. For `resources/read`: `contents` are the same text and the same structured content; for `prompts/get`, `messages` are a question and the texts of such resources.',
    },
    error: {
      type: 'object',
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data: { type: 'object' } },
      required: ['code', 'message'],
    },
  },
  required: ['jsonrpc'],
};

const calls = tools.map(
  ({ name, example }) =>
    [
      name,
      {
        summary: name,
        value: { jsonrpc: '2.0', id: '1', method: 'tools/call', params: { name, arguments: example } },
      },
    ] as const,
);
const handshake = {
  jsonrpc: '2.0',
  id: '1',
  method: 'initialize',
  params: {
    protocolVersion: handshakeRevisions[0],
    capabilities: {},
    clientInfo: { name: 'example', version: '1.0.0' },
  },
};

const [firstResource] = resourceTemplates as readonly [ResourceTemplate, ...ResourceTemplate[]];
const [firstPrompt] = prompts as readonly [Prompt, ...Prompt[]];
const others: readonly (readonly [string, object])[] = [
  ['resources/list', {}],
  [
    'resources/read',
    { uri: resourceUri(firstResource.uriTemplate, { accessionNo: parameters.accessionNo.example }) },
  ],
  ['prompts/get', { name: firstPrompt.name, arguments: firstPrompt.example }],
  [
    'completion/complete',
    {
      ref: { type: 'ref/resource', uri: 'reference://forms/{form}' },
      argument: { name: 'form', value: '10-' },
    },
  ],
];
const otherRequests = others.map(
  ([method, params]) =>
    [method, { summary: method, value: { jsonrpc: '2.0', id: '1', method, params } }] as const,
);

const refusal = (description: string, code: number, text: string, data?: JsonSchema): JsonSchema => ({
  description,
  content: {
    'application/json': {
      schema: answer,
      example: { jsonrpc: '2.0', id: null, error: { code, message: text, ...(data ? { data } : {}) } },
    },
  },
});

/** The description of `POST /mcp`. */
export function toolOperation(): JsonSchema {
  const open = tools
    .filter(({ access }) => access === 'public')
    .map(({ name }) => `\`${name}\``)
    .join(' and ');
  return {
    operationId: toolsOperation.id,
    summary: toolsOperation.summary,
    description: `The Model Context Protocol over stateless streamable HTTP with JSON answers, revisions 2025-03-26 to 2025-11-25 and 2026-07-28. The handshake, lists, the resources \`reference://…\` and the tools ${open} need no key; other tools and resources, prompts, and the completion of companies take the key of direct access.`,
    tags: ['tools'],
    security: [{}, { apiKey: [] }, { bearer: [] }],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: message,
          examples: Object.fromEntries(
            [
              ['initialize', { summary: 'initialize', value: handshake }],
              [
                'tools/list',
                { summary: 'tools/list', value: { jsonrpc: '2.0', id: '1', method: 'tools/list' } },
              ],
              ...calls,
              ...otherRequests,
            ].map(([name, example]) => [String(name).replaceAll('/', '_'), example]),
          ),
        },
      },
    },
    responses: {
      200: {
        description: 'The result, or the error of a request that was understood.',
        content: { 'application/json': { schema: answer } },
      },
      202: { description: 'A notification was taken.' },
      400: refusal(
        'The body is no JSON, or no message of the protocol.',
        codes.parse,
        refusalMessages.notJson,
      ),
      401: refusal('The tool, resource or prompt needs a key.', -32001, usualMessages.unauthorized, {
        code: 'unauthorized',
      }),
      403: refusal(
        'The page that asks belongs to another site.',
        codes.refused,
        'Forbidden: the Origin or Host of this request is not this service',
      ),
      404: refusal('Revision 2026-07-28 has no such method.', codes.method, 'Method not found'),
      405: refusal('Messages are sent with POST.', codes.refused, refusalMessages.notPosted),
      406: refusal('The client accepts no JSON.', codes.refused, refusalMessages.notAcceptable),
      413: refusal('The message is too large.', codes.request, 'Payload too large'),
      415: refusal(
        'The Content-Type of the message is not JSON.',
        codes.refused,
        refusalMessages.unsupportedMediaType,
      ),
      429: refusal(
        'The key has used up its requests of the minute.',
        codes.refused,
        'This key may make 60 requests a minute; try again in 12 seconds.',
        {
          code: 'rate_limited',
        },
      ),
      500: refusal('Something went wrong in the service.', codes.internal, usualMessages.internal_error),
      503: refusal(
        'There is no good snapshot to serve, or there is too much to do.',
        codes.internal,
        usualMessages.snapshot_unavailable,
      ),
    },
  };
}
