import type { IncomingMessage } from 'node:http';
import { Hono, type Context } from 'hono';
import { answer } from '../answers/answer.ts';
import type { Answer } from '../answers/body.ts';
import { landingPath, publicAnswer } from '../answers/documents.ts';
import type { Authenticator } from '../auth.ts';
import { endpoints, type Endpoint } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import { productName } from '../contract/product.ts';
import type { Log } from '../log.ts';
import type { Follower } from '../snapshot/follow.ts';
import { CorruptSnapshot } from '../table/file.ts';
import type { Memo } from './memo.ts';
import { prefersHtml } from './negotiate.ts';
import { parseQuery } from './query.ts';
import { commonHeaders, prepare, sendError, type Caching, type Sent } from './send.ts';

/** What the application needs from outside. `now` is in milliseconds. */
export interface Services {
  readonly follower: Follower;
  readonly authenticator: Authenticator;
  readonly memo: Memo;
  readonly log: Log;
  readonly now: () => number;
}

/** What the server passes in with a request, and what the log wants to know when it is answered. */
export interface RequestFacts {
  readonly incoming?: IncomingMessage;
  /** The id of the key, `gateway`, or null. */
  caller?: string | null;
  bytes?: number;
}

type Environment = { Bindings: RequestFacts };
type Headers = (name: string) => string | undefined;

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
  // One handler for each request and no middleware: Hono then calls it without a chain.
  app.notFound((context) => serveOther(services, context));
  app.onError((error, context) => describeError(services, error, context));
  return app;
}

function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/**
 * Not an async function: an answer that is known already goes out in the same turn in which the request came in, which
 * halves what the service adds to the bare server's time.
 */
function serveEndpoint(services: Services, endpoint: Endpoint, context: Context<Environment>): Response | Promise<Response> {
  const { follower, authenticator, memo, now } = services;
  const nowMs = now();
  const header = headersOf(context);
  if (endpoint.access === 'keyed') {
    const caller = authenticator.any(header, nowMs);
    if (caller === null) throw new ApiError('unauthorized', 'Invalid or missing API key');
    context.env.caller = caller;
  }
  const known = memo.get(follower.currentId(), context.req.url);
  return known ? send(context, header, known, 'keyed') : serveFresh(services, endpoint, context, header, nowMs);
}

async function serveFresh({ follower, memo }: Services, endpoint: Endpoint, context: Context<Environment>, header: Headers, nowMs: number): Promise<Response> {
  const { url } = context.req;
  const query = parseQuery(endpoint, url, (name) => context.req.param(name));
  return follower.use(async (snapshot) => {
    if (endpoint.answer.kind === 'root') {
      const page = prefersHtml(header('accept')) ? await publicAnswer(snapshot, landingPath) : null;
      return send(context, header, page ?? (await answer(snapshot, endpoint.answer, query, nowMs)), 'negotiated');
    }
    const found = await answer(snapshot, endpoint.answer, query, nowMs);
    // Health and statistics also follow from the clock.
    const lasting = endpoint.access === 'keyed' && endpoint.answer.kind !== 'stats';
    return send(context, header, lasting ? memo.keep(snapshot.id, url, found) : found, cachingOf(endpoint));
  });
}

function cachingOf(endpoint: Endpoint): Caching {
  if (endpoint.access === 'keyed') return 'keyed';
  return endpoint.answer.kind === 'health' ? 'fresh' : 'public';
}

/** Reads headers where Node has parsed them already; making a `Headers` of them first would cost more than the answer. */
function headersOf(context: Context<Environment>): Headers {
  const incoming = context.env?.incoming?.headers;
  if (!incoming) return (name) => context.req.header(name);
  return (name) => {
    const value = incoming[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
}

function send(context: Context<Environment>, header: Headers, found: Answer, caching: Caching): Response | Promise<Response> {
  const sent = prepare(header('if-none-match'), header('accept-encoding'), found, caching);
  return sent instanceof Promise ? sent.then((late) => respond(context, late)) : respond(context, sent);
}

function respond(context: Context<Environment>, { status, headers, body }: Sent): Response {
  if (context.env) context.env.bytes = body?.length ?? 0;
  return new Response(body as Uint8Array<ArrayBuffer> | null, { status, headers });
}

const endpointPaths = (endpoints as readonly Endpoint[]).map(({ path }) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`));

/** Everything that is no operation: public documents, preflight requests, methods that are not served, and nothing. */
async function serveOther({ follower }: Services, context: Context<Environment>): Promise<Response> {
  const { path, method } = context.req;
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: preflightHeaders });
  const isRead = method === 'GET' || method === 'HEAD';
  return follower.use(async (snapshot) => {
    const found = await publicAnswer(snapshot, path);
    if (found && isRead) return send(context, headersOf(context), found, 'public');
    if (!isRead && (found || endpointPaths.some((shape) => shape.test(path)))) {
      return sendError(new ApiError('method_not_allowed', `${method} is not allowed here; allowed are ${reads}`), { Allow: reads });
    }
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
