import { Hono, type Context } from 'hono';
import { createA2aDoor } from '../a2a/door.ts';
import { answer } from '../answers/answer.ts';
import { landingPath, nothingPath, publicAnswer } from '../answers/documents.ts';
import { isSamplePath, sampleAnswer } from '../answers/samples.ts';
import { agentPath } from '../contract/agent.ts';
import { endpoints, type Endpoint } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import { productName } from '../contract/product.ts';
import { createIntentDoor } from '../intents/door.ts';
import { createMcpDoor } from '../mcp/door.ts';
import { CorruptSnapshot } from '../table/file.ts';
import { prefersHtml } from './negotiate.ts';
import { parseQuery } from './query.ts';
import { preparePart } from './range.ts';
import { readerOf, respond, send, type HeaderReader, type RequestFacts } from './respond.ts';
import { commonHeaders, sendError, type Caching } from './send.ts';
import type { Services } from './services.ts';

type Environment = { Bindings: RequestFacts };

const reads = 'GET, HEAD, OPTIONS';
const keyHeaders = 'Authorization, x-api-key, x-marketplace-host, x-marketplace-key';
const preflightHeaders = {
  ...commonHeaders,
  Allow: reads,
  'Access-Control-Allow-Methods': reads,
  'Access-Control-Allow-Headers': `Content-Type, If-None-Match, If-Range, Range, ${keyHeaders}`,
  'Access-Control-Max-Age': '86400',
} as const;

/** The service as a Hono application: a route for each operation of the contract, and the public documents by path. */
export function createApp(services: Services): Hono<Environment> {
  const app = new Hono<Environment>();
  for (const endpoint of endpoints as readonly Endpoint[]) app.get(routePath(endpoint.path), (context) => serveEndpoint(services, endpoint, context));
  app.all('/mcp', createMcpDoor(services));
  app.all(agentPath, createA2aDoor(services));
  app.on(['GET', 'POST'], '/validate/:market/:action', createIntentDoor(services));
  // One handler for each request and no middleware: Hono then calls it without a chain.
  app.notFound((context) => serveOther(services, context));
  app.onError((error, context) => describeError(services, error, context));
  return app;
}

function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

async function serveEndpoint(services: Services, endpoint: Endpoint, context: Context<Environment>): Promise<Response> {
  const { follower, memo, now } = services;
  const nowMs = now();
  const header = headersOf(context);
  if (endpoint.access === 'keyed') requireKey(services, context, header, nowMs);
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

/** Throws `unauthorized` for nobody's request. */
function requireKey({ authenticator }: Services, context: Context<Environment>, header: HeaderReader, nowMs: number): void {
  const caller = authenticator.any(header, nowMs);
  if (caller === null) throw new ApiError('unauthorized', 'Invalid or missing API key');
  if (context.env) context.env.caller = caller;
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

/** Addresses of intents, which also take POST. */
const intentShape = /^\/validate\/[^/]+\/[^/]+$/;
const endpointPaths = (endpoints as readonly Endpoint[]).map(({ path }) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`));

/** Everything that is no operation: public documents, samples, preflight requests, methods that are not served, and nothing. */
async function serveOther(services: Services, context: Context<Environment>): Promise<Response> {
  const { path, method } = context.req;
  const isRead = method === 'GET' || method === 'HEAD';
  const allowed = intentShape.test(path) ? 'GET, HEAD, POST, OPTIONS' : reads;
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { ...preflightHeaders, Allow: allowed, 'Access-Control-Allow-Methods': allowed } });
  return services.follower.use(async (snapshot) => {
    const header = headersOf(context);
    const found = await publicAnswer(snapshot, path);
    const isSample = !found && isSamplePath(snapshot, path);
    if (!isRead && (found || isSample || intentShape.test(path) || endpointPaths.some((shape) => shape.test(path)))) {
      return sendError(new ApiError('method_not_allowed', `${method} is not allowed here; allowed are ${allowed}`), { Allow: allowed });
    }
    if (isRead && found) {
      // A tag goes before a range (RFC 9110, section 13.2.2): whoever may have the whole already is told so, or is sent it.
      const wantsPart = method === 'GET' && header('if-none-match') === undefined;
      const part = wantsPart ? preparePart(header('range'), header('if-range'), found) : null;
      return part ? respond(context.env, part) : send(context.env, header, found, 'public');
    }
    if (isSample) {
      requireKey(services, context, header, services.now());
      const sample = await sampleAnswer(snapshot, path, new URL(context.req.url).searchParams);
      if (sample) return send(context.env, header, sample, 'keyed');
    }
    if (isRead && path.endsWith('/') && (await publicAnswer(snapshot, path.slice(0, -1)))?.contentType.startsWith('text/html')) return movedTo(path.slice(0, -1));
    const page = isRead && prefersHtml(context.req.header('accept')) ? await publicAnswer(snapshot, nothingPath) : null;
    if (page) return new Response(page.body() as Uint8Array<ArrayBuffer>, { status: 404, headers: { ...commonHeaders, ...page.headers, 'Content-Type': page.contentType, 'Cache-Control': 'no-store' } });
    throw new ApiError('not_found', `Nothing is at ${JSON.stringify(path.slice(0, 200))}; GET / names what there is.`);
  });
}

/** A static host has the page of `/docs` also at `/docs/`. Here it has one address, and links to the other one still arrive. */
function movedTo(path: string): Response {
  return new Response(null, { status: 308, headers: { ...commonHeaders, Location: path, 'Cache-Control': 'public, max-age=3600' } });
}

function describeError({ log }: Services, error: Error, context: Context<Environment>): Response {
  if (error instanceof ApiError) {
    if (error.code === 'unauthorized') return sendError(error, { 'WWW-Authenticate': `Bearer realm="${productName}"`, Vary: keyHeaders });
    const waitSeconds = { snapshot_unavailable: '30', rate_limited: '60' }[error.code as string];
    return sendError(error, waitSeconds === undefined ? undefined : { 'Retry-After': waitSeconds });
  }
  log.event('error', { path: context.req.path, reason: error.message, stack: error.stack });
  if (error instanceof CorruptSnapshot) return sendError(new ApiError('snapshot_unavailable', 'A part of the snapshot is not what its manifest says; the log names it.'), { 'Retry-After': '30' });
  return sendError(new ApiError('internal_error', 'Something went wrong here; the log says what.'));
}
