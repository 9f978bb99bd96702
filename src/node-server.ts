import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { endpoints, type EndpointId } from './contract/endpoints.ts';
import { ApiError, shown, usualMessages } from './contract/errors.ts';
import { toolsPath } from './contract/tools.ts';
import { createTools } from './mcp/handler.ts';
import { createApp } from './app.ts';
import { createBodyReader, hasBody } from './http/bodies.ts';
import { watchConnections, type ConnectionBounds } from './http/connections.ts';
import {
  bodyBytesMaximum,
  nodeExchange,
  pathOf,
  type Exchange,
  type Holdable,
  type Reply,
} from './http/exchange.ts';
import { failureReply, toApiError } from './http/failures.ts';
import { knownReply } from './rest/operations.ts';
import type { Services } from './requests/services.ts';

/** More requests than this at the same time are turned away, so that a flood cannot take the memory. */
const inFlightMaximum = 2000;
/** Longer than load balancers keep idle connections, so that they are the ones who close them. */
const keepAliveMs = 75_000;
/** How long a request may take to arrive, and how often that is looked at. */
const requestMs = 15_000;
const lookEveryMs = 1000;
/** How long a client may take nothing of its answer. */
const stalledMs = 30_000;

/** Asked for every few seconds by whoever watches the process. */
const probeOperations: readonly string[] = ['getLive', 'getReady'] satisfies EndpointId[];
const livePath = endpoints.find(({ id }) => id === 'getLive')?.path;

/** Bounds of a server; those that are left out are the usual ones. */
export interface ServerBounds {
  readonly inFlight?: number;
  readonly connections?: ConnectionBounds;
}

/**
 * The service as a Node server. Each request takes one path: it waits until it has arrived whole and the
 * answers before it on its connection are sent; then the bound of requests in flight, key, response cache,
 * answer, write, log. What the response cache has, and tools, are answered before routing makes its objects;
 * their routes call the same functions.
 */
export function createHttpServer(services: Services, bounds: ServerBounds = {}): Server {
  const { log, counts } = services;
  const server = createServer({
    keepAliveTimeout: keepAliveMs,
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: lookEveryMs,
    requireHostHeader: false,
  });
  server.timeout = stalledMs;
  const connections = watchConnections(server, bounds.connections);
  const bodies = createBodyReader();
  const tools = createTools(services);
  const app = createApp(services, tools);
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const route = getRequestListener((request, { incoming }) => {
    const exchange = exchanges.get(incoming as IncomingMessage);
    return app.fetch(request, exchange ? { exchange } : {});
  });
  const inFlightLimit = bounds.inFlight ?? inFlightMaximum;

  const take = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    connections.inTurn(incoming, outgoing, arrive);
  server.on('request', take);
  // Nobody's expectations are known here, and nobody's are in the way of an answer.
  server.on('checkExpectation', take);
  server.on('connect', (incoming, socket) => refuseTunnel(services, incoming, socket as Socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseBytes(services, error, socket as Socket),
  );

  function arrive(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (hasBody(incoming)) bodies.read(incoming, (body) => begin(incoming, outgoing, body));
    else begin(incoming, outgoing, '');
  }

  function begin(incoming: IncomingMessage, outgoing: ServerResponse, body: string | null): void {
    const startedAt = performance.now();
    const { target, host } = addressOf(incoming);
    const exchange = nodeExchange(
      incoming.method ?? 'GET',
      target,
      host,
      incoming.headers,
      body,
      incoming.socket,
    );
    // A process that is busy is not one that hangs.
    if (counts.inFlight >= inFlightLimit && target !== livePath) {
      write(
        outgoing,
        exchange,
        failureReply(exchange, new ApiError('rate_limited', usualMessages.rate_limited)),
      );
      return logRequest(outgoing, exchange, startedAt);
    }
    const reply = replyAtOnce(incoming, exchange);
    if (reply === null || reply instanceof Promise) {
      countUntilSent(outgoing, exchange, startedAt);
      if (reply === null) void passOn(incoming, outgoing, exchange);
      else
        reply.then(
          (late) => write(outgoing, exchange, late),
          (error: unknown) =>
            write(outgoing, exchange, failureReply(exchange, toApiError(log, exchange, error))),
        );
      return;
    }
    write(outgoing, exchange, reply);
    // Most answers are with the operating system by now: nothing has to be waited for.
    if (outgoing.writableFinished) logRequest(outgoing, exchange, startedAt);
    else countUntilSent(outgoing, exchange, startedAt);
  }

  /** A request counts until its answer is sent, or its client is gone. */
  function countUntilSent(outgoing: ServerResponse, exchange: Exchange, startedAt: number): void {
    counts.inFlight++;
    outgoing.once('close', () => {
      counts.inFlight--;
      logRequest(outgoing, exchange, startedAt);
    });
  }

  /** A held request is not in flight, and its client need not take anything meanwhile. */
  function holdableOf(outgoing: ServerResponse, exchange: Exchange): Holdable {
    return {
      onHold(isHeld) {
        counts.inFlight += isHeld ? -1 : 1;
        exchange.heldMs += isHeld ? -performance.now() : performance.now();
        outgoing.socket?.setTimeout(isHeld ? 0 : stalledMs);
      },
      onGone: (listener) => void outgoing.once('close', listener),
    };
  }

  /**
   * What can be answered before routing makes its objects: refusals, tools, and what the response cache has.
   * Null for the rest.
   */
  function replyAtOnce(incoming: IncomingMessage, exchange: Exchange): Reply | Promise<Reply> | null {
    const refusal = refusalOf(incoming, exchange);
    if (refusal) return failureReply(exchange, refusal);
    return exchange.method === 'POST' && pathOf(exchange.target) === toolsPath
      ? tools(exchange)
      : knownReply(services, exchange);
  }

  async function passOn(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    exchange: Exchange,
  ): Promise<void> {
    exchange.holdable = holdableOf(outgoing, exchange);
    exchanges.set(incoming, exchange);
    // Routes look at the path alone, and everything else has the exchange.
    incoming.url = exchange.target;
    incoming.headers.host = 'localhost';
    await route(incoming, outgoing);
    connections.hold(outgoing);
  }

  function write(outgoing: ServerResponse, exchange: Exchange, { status, headers, body }: Reply): void {
    exchange.bytes = body?.length ?? 0;
    outgoing.writeHead(status, headers);
    outgoing.end(exchange.method === 'HEAD' ? null : body);
    connections.hold(outgoing);
  }

  function logRequest(
    outgoing: ServerResponse,
    { method, target, operation, heldMs, bytes, caller, failure }: Exchange,
    startedAt: number,
  ): void {
    const durationMs = performance.now() - startedAt;
    // One whose client goes while it is held is held still.
    counts.request(
      operation,
      outgoing.statusCode,
      durationMs - (heldMs < 0 ? heldMs + performance.now() : heldMs),
    );
    const isWhole = outgoing.writableFinished;
    const sent = method === 'HEAD' ? 0 : isWhole ? bytes : Math.max(0, bytes - outgoing.writableLength);
    log.request({
      method,
      path: pathOf(target),
      status: outgoing.statusCode,
      durationMs,
      bytes: sent,
      caller,
      failure,
      isWhole,
      isProbe: probeOperations.includes(operation),
    });
  }

  return server;
}

/**
 * Target and host of a request. A target may be a whole address (RFC 9112, section 3.2.2), whose host then
 * counts.
 */
function addressOf({ url = '', method, headers }: IncomingMessage): { target: string; host: string } {
  if (url.startsWith('/')) return { target: url, host: headers.host ?? '' };
  // `OPTIONS *` asks what the server can do.
  if (url === '*' && method === 'OPTIONS') return { target: '/', host: headers.host ?? '' };
  const [, host = '', target = url] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  return { target: target.startsWith('?') || target === '' ? `/${target}` : target, host };
}

const hostPattern = /^(?:[\w.~-]+|\[[\da-f:.]+\])?(?::\d{0,5})?$/i;

/** What is wrong with a request before anybody looks at what it asks for; null if nothing is. */
function refusalOf({ headers, httpVersion }: IncomingMessage, { target, body }: Exchange): ApiError | null {
  if (!/^\/[!-~]*$/.test(target) || pathOf(target).includes('\\'))
    return new ApiError(
      'invalid_parameter',
      `the target of the request must be a path without spaces, backslashes and characters beyond ASCII, not ${shown(target)}`,
    );
  if (headers.host === undefined && httpVersion === '1.1')
    return new ApiError('invalid_parameter', 'Host: is required');
  if (headers.host !== undefined && !hostPattern.test(headers.host))
    return new ApiError(
      'invalid_parameter',
      `Host: must be a host name or address with or without a port, not ${shown(headers.host)}`,
    );
  if (body === null)
    return new ApiError('payload_too_large', `the body of a request has at most ${bodyBytesMaximum} bytes`);
  return null;
}

/** How long the connection of a refused request is kept, so that its client can read why. */
const lingerMs = 1000;

/**
 * Refuses what is no HTTP request, too long or too slow, after the answers to the requests before it, and
 * closes its connection.
 */
function refuseBytes(
  services: Pick<Services, 'log' | 'counts'>,
  error: NodeJS.ErrnoException,
  socket: Socket & { readonly _httpMessage?: ServerResponse | null },
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const answering = socket._httpMessage ?? null;
  const isWithinRequest = answering !== null && !answering.req.complete;
  if (answering !== null && !isWithinRequest)
    return void answering.once('close', () => refuseBytes(services, error, socket));
  if (answering?.headersSent) return void socket.destroy();
  const exchange = nodeExchange(
    answering?.req.method ?? '',
    answering?.req.url ?? '',
    '',
    answering?.req.headers ?? {},
    '',
  );
  refuseSocket(services, socket, exchange, describe(error));
}

/** Refuses to be a proxy, and closes the connection. */
function refuseTunnel(
  services: Pick<Services, 'log' | 'counts'>,
  { headers }: IncomingMessage,
  socket: Socket,
): void {
  socket.on('error', () => socket.destroy());
  refuseSocket(
    services,
    socket,
    nodeExchange('CONNECT', '', '', headers, ''),
    new ApiError('method_not_allowed', 'CONNECT is not allowed here: this is no proxy'),
    { Allow: 'GET, HEAD, POST, OPTIONS' },
  );
}

/** Writes a refusal to a connection on which no answer can be given any more, and closes it. */
function refuseSocket(
  { log, counts }: Pick<Services, 'log' | 'counts'>,
  socket: Socket,
  exchange: Exchange,
  error: ApiError,
  more: Readonly<Record<string, string>> = {},
): void {
  const { status, headers, body } = failureReply(exchange, error, more);
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body?.toString() ?? ''}`);
  setTimeout(() => socket.destroy(), lingerMs).unref();
  counts.request(exchange.operation, status, 0);
  log.request({
    method: exchange.method,
    path: pathOf(exchange.target),
    status,
    durationMs: 0,
    bytes: body?.length ?? 0,
    caller: null,
    failure: exchange.failure,
    isWhole: true,
    isProbe: false,
  });
}

function describe({ code = '' }: NodeJS.ErrnoException): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('payload_too_large', 'the target and headers of a request have at most 16 KiB');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('invalid_parameter', `the request did not arrive within ${requestMs / 1000} seconds`);
  return new ApiError(
    'invalid_parameter',
    `what came is no HTTP request${code.startsWith('HPE_') ? ` (${code})` : ''}`,
  );
}
