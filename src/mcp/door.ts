import type { Context } from 'hono';
import { ApiError } from '../contract/errors.ts';
import { productName } from '../contract/product.ts';
import { tools, type Tool } from '../contract/tools.ts';
import { isForeign } from '../http/origin.ts';
import { readerOf, type HeaderReader, type RequestFacts } from '../http/respond.ts';
import type { Services } from '../http/services.ts';
import { callTool, toolNamed } from './call.ts';
import { plainCall, type PlainCall } from './plain.ts';
import type { ProtocolDoor } from './sdk.ts';

/** A message longer than this is refused. The longest that a tool can want has some 3,000 characters. */
const bodyBytesMaximum = 64 * 1024;

const codes = { parse: -32700, request: -32600, internal: -32603, refused: -32000, unauthorized: -32001 } as const;

type McpContext = Context<{ Bindings: RequestFacts }>;

/**
 * `POST /mcp`: the tool protocol, stateless, with JSON answers. A plain call of a tool is answered here, as bytes around
 * the answer; everything else goes to the official packages, which are loaded when they are first needed.
 */
export function createMcpDoor(services: Services): (context: McpContext) => Promise<Response> {
  let loaded: Promise<ProtocolDoor> | undefined;
  const protocol = () => (loaded ??= loadProtocol(services));

  return async (context) => {
    const header = readerOf(context.env, (name) => context.req.header(name));
    const refused = refuse(context, header, services);
    if (refused) return refused;
    const text = await context.req.text();
    if (Buffer.byteLength(text) > bodyBytesMaximum) return tooLarge();
    const message = parse(text);
    if (message === undefined) return failure(400, codes.parse, 'Parse error: the body is no JSON');
    const id = idOf(message);
    if (needsKey(message)) {
      const caller = services.authenticator.direct(header, services.now());
      if (caller === null) return unauthorized(id);
      if (context.env) context.env.caller = caller;
    }
    try {
      const plain = plainCall(message, header);
      return plain ? answerPlain(services, plain, context.env) : accepted(await (await protocol())(forProtocol(context), message));
    } catch (error) {
      services.log.event('error', { path: '/mcp', reason: (error as Error).message, stack: (error as Error).stack });
      return failure(error instanceof ApiError ? 503 : 500, codes.internal, 'Something went wrong here; the log says what.', id);
    }
  };
}

async function loadProtocol(services: Services): Promise<ProtocolDoor> {
  const { createProtocolDoor } = await import('./sdk.ts');
  return createProtocolDoor(async (name, given) => {
    const tool = toolNamed(name);
    return tool ? JSON.parse((await callTool(services, tool, given)).toString()) : null;
  });
}

/** What is refused before the body is read. */
function refuse(context: McpContext, header: HeaderReader, { own }: Services): Response | null {
  if (context.req.method !== 'POST') return failure(405, codes.refused, 'Method not allowed: POST one JSON-RPC message', null, { Allow: 'POST' });
  if (isForeign(context.req.url, header('origin'), own)) return failure(403, codes.refused, 'Forbidden: the Origin or Host of this request is not this service');
  if (!/^application\/json\s*(;|$)/i.test(header('content-type') ?? '')) return failure(415, codes.refused, 'Unsupported media type: Content-Type must be application/json');
  if (!acceptsJson(header('accept'))) return failure(406, codes.refused, 'Not acceptable: answers are application/json');
  if (Number(header('content-length') ?? 0) > bodyBytesMaximum) return tooLarge();
  return null;
}

/** Clients that accept anything, or JSON alone, are served: every answer is JSON. */
function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || /(^|[\s,])(\*\/\*|application\/(\*|json))/i.test(accept);
}

/** The official transports insist on both media types that the protocol knows. */
function forProtocol(context: McpContext): Request {
  const headers = new Headers(context.req.header() as Record<string, string>);
  headers.set('accept', 'application/json, text/event-stream');
  return new Request(context.req.url, { method: 'POST', headers });
}

async function answerPlain(services: Services, { tool, given, id, isCurrent }: PlainCall, facts: RequestFacts | undefined): Promise<Response> {
  const result = await callTool(services, tool, given);
  const start = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${isCurrent ? '{"resultType":"complete",' : '{'}`);
  // The result begins with the bracket that stands there already.
  const body = Buffer.concat([start, result.subarray(1), Buffer.from('}')]);
  if (facts) facts.bytes = body.length;
  return new Response(body, { status: 200, headers: { 'Content-Type': 'application/json', 'Content-Length': String(body.length), ...commonHeaders } });
}

const commonHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

function accepted(response: Response): Response {
  for (const [name, value] of Object.entries(commonHeaders)) response.headers.set(name, value);
  return response;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const messagesOf = (message: unknown): unknown[] => (Array.isArray(message) ? message : [message]);

function idOf(message: unknown): string | number | null {
  const { id } = (messagesOf(message)[0] ?? {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Whether a message, or one of a batch, calls a tool that is not public. What no tool is needs no key to be refused. */
function needsKey(message: unknown): boolean {
  return messagesOf(message).some((each) => {
    const { method, params } = (each ?? {}) as { method?: unknown; params?: { name?: unknown } };
    const tool: Tool | undefined = method === 'tools/call' ? toolNamed(params?.name) : undefined;
    return tool !== undefined && tool.access !== 'public';
  });
}

function unauthorized(id: string | number | null): Response {
  const publicTools = tools.filter(({ access }) => access === 'public').map(({ name }) => name);
  const message = `Invalid or missing API key: send x-api-key or Authorization: Bearer. No key is needed for ${publicTools.join(' and ')}.`;
  return failure(401, codes.unauthorized, message, id, { 'WWW-Authenticate': `Bearer realm="${productName}"` }, { code: 'unauthorized' });
}

function tooLarge(): Response {
  return failure(413, codes.request, `Payload too large: a message has at most ${bodyBytesMaximum} bytes`);
}

function failure(status: number, code: number, message: string, id: string | number | null = null, headers: Record<string, string> = {}, data?: object): Response {
  const error = { code, message, ...(data ? { data } : {}) };
  return new Response(JSON.stringify({ jsonrpc: '2.0', id, error }), { status, headers: { 'Content-Type': 'application/json', ...commonHeaders, ...headers } });
}
