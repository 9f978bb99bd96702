import { Hono, type Context } from 'hono';
import { createA2aDoor } from '../a2a/door.ts';
import { answer } from '../answers/answer.ts';
import { landingPath, nothingPath, publicAnswer } from '../answers/documents.ts';
import { agentPath } from '../contract/agent.ts';
import { endpoints, type Endpoint } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import { productName } from '../contract/product.ts';
import { createMcpDoor } from '../mcp/door.ts';
import { CorruptSnapshot } from '../table/file.ts';
import { prefersHtml } from './negotiate.ts';
import { parseQuery } from './query.ts';
import { readerOf, send, type HeaderReader, type RequestFacts } from './respond.ts';
import { commonHeaders, sendError, type Caching } from './send.ts';
import type { Services } from './services.ts';

type Environment = { Bindings: RequestFacts };

const reads = 'GET, HEAD, OPTIONS';
const keyHeaders = 'Authorization, x-api-key, x-marketplace-host, x-marketplace-key';
const preflightHeaders = {
  ...commonHeaders,
  Allow: reads,
  'Access-Control-Allow-Methods': reads,
  'Access-Control-Allow-Headers': `Content-Type, If-None-Match, ${keyHeaders}`,
  'Access-Control-Max-Age': '86400',
} as const;

/** The service as a Hono application: a route for each operation of the contract, and the public documents by path. */
export function createApp(services: Services): Hono<Environment> {
  const app = new Hono<Environment>();
  for (const endpoint of endpoints as readonly Endpoint[]) app.get(routePath(endpoint.path), (context) => serveEndpoint(services, endpoint, context));
  app.all('/mcp', createMcpDoor(services));
  app.all(agentPath, createA2aDoor(services));
  // One handler for each request and no middleware: Hono then calls it without a chain.
  app.notFound((context) => serveOther(services, context));
  app.onError((error, context) => describeError(services, error, context));
  return app;
}

function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

async function serveEndpoint(services: Services, endpoint: Endpoint, context: Context<Environment>): Promise<Response> {
  const { follower, authenticator, memo, now } = services;
  const nowMs = now();
  const header = headersOf(context);
  if (endpoint.access === 'keyed') {
    const caller = authenticator.any(header, nowMs);
    if (caller === null) throw new ApiError('unauthorized', 'Invalid or missing API key');
    if (context.env) context.env.caller = caller;
  }
  const { url } = context.req;
  const query = parseQuery(endpoint, url, (name) => context.req.param(name));
  return follower.use(async (snapshot) => {
    if (endpoint.answer.kind === 'root') {
      const page = prefersHtml(header('accept')) ? await publicAnswer(snapshot, landingPath) : null;
      return send(context.env, header, page ?? (await answer(snapshot, endpoint.answer, query, nowMs)), 'negotiated');
    }
    const found = await answer(snapshot, endpoint.answer, query, nowMs);
    // Health and statistics also follow from the clock.
    const lasting = endpoint.access === 'keyed' && endpoint.answer.kind !== 'stats';
    return send(context.env, header, lasting ? memo.keep(snapshot.id, targetOf(url), found) : found, cachingOf(endpoint));
  });
}

/** Path and query of an absolute address, as they stand in the first line of a request. */
function targetOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}

function cachingOf(endpoint: Endpoint): Caching {
  if (endpoint.access === 'keyed') return 'keyed';
  return endpoint.answer.kind === 'health' ? 'fresh' : 'public';
}

function headersOf(context: Context<Environment>): HeaderReader {
  return readerOf(context.env, (name) => context.req.header(name));
}

const endpointPaths = (endpoints as readonly Endpoint[]).map(({ path }) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`));

/** Everything that is no operation: public documents, preflight requests, methods that are not served, and nothing. */
async function serveOther({ follower }: Services, context: Context<Environment>): Promise<Response> {
  const { path, method } = context.req;
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: preflightHeaders });
  const isRead = method === 'GET' || method === 'HEAD';
  return follower.use(async (snapshot) => {
    const found = await publicAnswer(snapshot, path);
    if (found && isRead) return send(context.env, headersOf(context), found, 'public');
    if (!isRead && (found || endpointPaths.some((shape) => shape.test(path)))) {
      return sendError(new ApiError('method_not_allowed', `${method} is not allowed here; allowed are ${reads}`), { Allow: reads });
    }
    const page = isRead && prefersHtml(context.req.header('accept')) ? await publicAnswer(snapshot, nothingPath) : null;
    if (page) return new Response(page.body() as Uint8Array<ArrayBuffer>, { status: 404, headers: { ...commonHeaders, ...page.headers, 'Content-Type': page.contentType, 'Cache-Control': 'no-store' } });
    throw new ApiError('not_found', `Nothing is at ${JSON.stringify(path.slice(0, 200))}; GET / names what there is.`);
  });
}

function describeError({ log }: Services, error: Error, context: Context<Environment>): Response {
  if (error instanceof ApiError) {
    if (error.code === 'unauthorized') return sendError(error, { 'WWW-Authenticate': `Bearer realm="${productName}"`, Vary: keyHeaders });
    return sendError(error, error.code === 'snapshot_unavailable' ? { 'Retry-After': '30' } : undefined);
  }
  log.event('error', { path: context.req.path, reason: error.message, stack: error.stack });
  if (error instanceof CorruptSnapshot) return sendError(new ApiError('snapshot_unavailable', 'A part of the snapshot is not what its manifest says; the log names it.'), { 'Retry-After': '30' });
  return sendError(new ApiError('internal_error', 'Something went wrong here; the log says what.'));
}
