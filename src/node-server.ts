import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { endpoints, type Endpoint, type EndpointId } from './contract/endpoints.ts';
import { ApiError, usualMessages } from './contract/errors.ts';
import { toolsPath } from './contract/tools.ts';
import { createTools } from './mcp/handler.ts';
import { createApp } from './app.ts';
import { createBodyReader, hasBody } from './http/bodies.ts';
import { watchConnections, type ConnectionBounds } from './http/connections.ts';
import { nodeExchange, pathOf, type Exchange, type Holdable, type Reply } from './http/exchange.ts';
import { failureReply, toApiError } from './http/failures.ts';
import { requestRefusal, refuseBytes, refuseTunnel } from './http/refusals.ts';
import { complete } from './requests/complete.ts';
import { cachedReply } from './rest/operations.ts';
import { streamedBy, streamReply } from './rest/stream.ts';
import type { Services } from './requests/services.ts';

/** More requests than this at the same time are refused, so that a flood cannot take the memory. */
const inFlightMaximum = 2000;
/** Longer than load balancers keep idle connections, so that the load balancer closes them first. */
const keepAliveMs = 75_000;
/** How long a request may take to arrive, and how often Node checks that, in milliseconds. */
const requestMs = 15_000;
const lookEveryMs = 1000;
/** How long a client may read nothing of its answer before its connection is closed, in milliseconds. */
const stalledMs = 30_000;

/** Operations that monitoring asks for every few seconds; the log marks them as probes. */
const probeOperations: readonly string[] = ['getLive', 'getReady'] satisfies EndpointId[];
const livePath = endpoints.find(({ id }) => id === 'getLive')?.path;

/** Bounds of a server. A bound that is left out has its default. */
export interface ServerBounds {
  readonly inFlight?: number;
  readonly connections?: ConnectionBounds;
}

/** An answer that is not written yet. Its request counts as in flight already if `startedAt` is null. */
interface ReadyAnswer {
  readonly outgoing: ServerResponse;
  readonly exchange: Exchange;
  readonly reply: Reply;
  readonly startedAt: number | null;
  /** Gives back its bytes in `Services.unsent`; null if they are not counted. */
  readonly release: (() => void) | null;
}

/**
 * The service as a Node server. Each request takes one path. It waits until it has arrived whole and the
 * earlier answers on its connection are sent. Then come the bound of requests in flight, key, response cache,
 * answer, write, log. Answers from the response cache and tool calls skip routing, which would make more objects; the
 * routes call the same functions.
 */
export function createHttpServer(services: Services, bounds: ServerBounds = {}): Server {
  const { log, counts, turns } = services;
  const server = createServer({
    keepAliveTimeout: keepAliveMs,
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: lookEveryMs,
    requireHostHeader: false,
  });
  server.timeout = stalledMs;
  const connections = watchConnections(server, services.unsent, bounds.connections);
  const bodies = createBodyReader();
  const tools = createTools(services);
  const app = createApp(services, tools);
  // Answers that were made in this round of the event loop. A write wakes the process of a client that waits, which takes
  // as long as to make an answer from the cache; one that was just woken by the answer before it need not be woken again.
  let ready: ReadyAnswer[] = [];
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const route = getRequestListener((request, { incoming }) => {
    const exchange = exchanges.get(incoming as IncomingMessage);
    return app.fetch(request, exchange ? { exchange } : {});
  });
  const inFlightLimit = bounds.inFlight ?? inFlightMaximum;

  const take = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    connections.inTurn(incoming, outgoing, arrive);
  server.on('request', take);
  // Without a listener Node answers 417 to an unknown `Expect` header; such a request is answered as usual.
  server.on('checkExpectation', take);
  server.on('connect', (incoming, socket) => refuseTunnel(noteRefusal, incoming, socket as Socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseBytes(noteRefusal, requestMs, error, socket as Socket),
  );

  function arrive(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (hasBody(incoming)) bodies.read(incoming, (body) => begin(incoming, outgoing, body));
    else begin(incoming, outgoing, '');
  }

  /** Answers a request: now or, if many have arrived at the same time, in a later turn. */
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
    // The liveness probe is answered at once, and even at the limit: a busy process must not be restarted.
    if (target === livePath) return answer(incoming, outgoing, exchange, startedAt);
    if (counts.inFlight >= inFlightLimit) {
      write(outgoing, exchange, failureReply(exchange, new ApiError('overloaded', usualMessages.overloaded)));
      return logRequest(outgoing, exchange, startedAt);
    }
    const turn = turns.arrive(startedAt);
    if (turn === null) return answer(incoming, outgoing, exchange, startedAt);
    countUntilSent(outgoing, exchange, startedAt);
    void turn.then(() => {
      // The client may have gone meanwhile.
      if (!outgoing.destroyed) answer(incoming, outgoing, exchange, null);
    });
  }

  /** Answers a request. It counts as in flight since `startedAt`, or, if that is null, is counted already. */
  function answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    exchange: Exchange,
    startedAt: number | null,
  ): void {
    const reply = replyWithoutRoute(incoming, exchange);
    if (reply === null || reply instanceof Promise) {
      if (startedAt !== null) countUntilSent(outgoing, exchange, startedAt);
      if (reply === null) void forwardToRoutes(incoming, outgoing, exchange);
      else
        reply.then(
          (late) => writeSoon(outgoing, exchange, late, null),
          (error: unknown) =>
            writeSoon(outgoing, exchange, failureReply(exchange, toApiError(log, exchange, error)), null),
        );
      return;
    }
    writeSoon(outgoing, exchange, reply, startedAt);
  }

  /** Writes an answer together with the others of this round. Its request is counted already if `startedAt` is null. */
  function writeSoon(
    outgoing: ServerResponse,
    exchange: Exchange,
    reply: Reply,
    startedAt: number | null,
  ): void {
    // The bytes of an answer that was just made count as unsent from now on, so that no other one begins without room.
    const release = startedAt === null ? services.unsent.add(exchange.caller, reply.body?.length ?? 0) : null;
    if (ready.push({ outgoing, exchange, reply, startedAt, release }) === 1) setImmediate(writeReady);
  }

  /** Writes the answers that are ready, one right after the other, and logs those that are sent. */
  function writeReady(): void {
    const written = ready;
    ready = [];
    for (const { outgoing, exchange, reply, release } of written) {
      release?.();
      write(outgoing, exchange, reply);
    }
    for (const { outgoing, exchange, startedAt } of written) {
      if (startedAt === null) continue;
      // Most answers are with the operating system by now: nothing has to be waited for.
      if (outgoing.writableFinished || outgoing.destroyed) logRequest(outgoing, exchange, startedAt);
      else countUntilSent(outgoing, exchange, startedAt);
    }
  }

  /** Counts a request as in flight until its answer is sent or its client is gone. */
  function countUntilSent(outgoing: ServerResponse, exchange: Exchange, startedAt: number): void {
    counts.inFlight++;
    connections.keepUntilSent(outgoing);
    outgoing.once('close', () => {
      counts.inFlight--;
      logRequest(outgoing, exchange, startedAt);
    });
  }

  /** While a request is held, it is not in flight, and the timeout of a client that reads nothing is off. */
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
   * Answers without routing what needs no route: refusals, tool calls, and answers from the response cache.
   * Null for every other request.
   */
  function replyWithoutRoute(incoming: IncomingMessage, exchange: Exchange): Reply | Promise<Reply> | null {
    const refusal = requestRefusal(incoming, exchange);
    if (refusal) return failureReply(exchange, refusal);
    return exchange.method === 'POST' && pathOf(exchange.target) === toolsPath
      ? tools(exchange)
      : cachedReply(services, exchange);
  }

  async function forwardToRoutes(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    exchange: Exchange,
  ): Promise<void> {
    exchange.holdable = holdableOf(outgoing, exchange);
    const endpoint = streamedBy(exchange);
    if (endpoint) return sendStream(outgoing, exchange, endpoint);
    exchanges.set(incoming, exchange);
    // The routes read only the path from Node's request; everything else is in the exchange.
    incoming.url = exchange.target;
    incoming.headers.host = 'localhost';
    await route(incoming, outgoing);
    connections.hold(outgoing, exchange.caller);
  }

  /**
   * Sends a stream without the routes: their web streams, requests and responses would hold twice the memory of
   * a stream that waits.
   */
  async function sendStream(outgoing: ServerResponse, exchange: Exchange, endpoint: Endpoint): Promise<void> {
    exchange.operation = endpoint.id;
    try {
      const { status, headers, body } = complete(
        services,
        exchange,
        await streamReply(services, endpoint, exchange),
      );
      outgoing.writeHead(status, headers);
      for await (const piece of body) {
        if (outgoing.destroyed) break;
        if (!outgoing.write(piece)) await taken(outgoing);
      }
      outgoing.end();
    } catch (error) {
      const failure = toApiError(log, exchange, error);
      if (outgoing.headersSent) outgoing.destroy();
      else write(outgoing, exchange, failureReply(exchange, failure));
    }
  }

  function write(outgoing: ServerResponse, exchange: Exchange, reply: Reply): void {
    const { status, headers, body } = complete(services, exchange, reply);
    exchange.bytes = body?.length ?? 0;
    outgoing.writeHead(status, headers);
    outgoing.end(exchange.method === 'HEAD' ? null : body);
    connections.hold(outgoing, exchange.caller);
  }

  function logRequest(outgoing: ServerResponse, exchange: Exchange, startedAt: number): void {
    const { method, target, operation, heldMs, bytes, caller, requestId, failure } = exchange;
    const durationMs = performance.now() - startedAt;
    const atMs = services.now();
    // If the client goes while its request is held, `heldMs` still has the negative start time in it.
    counts.request(
      operation,
      outgoing.statusCode,
      durationMs - (heldMs < 0 ? heldMs + performance.now() : heldMs),
    );
    const isWhole = outgoing.writableFinished;
    const sent = method === 'HEAD' ? 0 : isWhole ? bytes : Math.max(0, bytes - outgoing.writableLength);
    if (caller !== null) {
      counts.caller(caller, outgoing.statusCode, sent, exchange.calls);
      services.usage.count(caller, atMs, outgoing.statusCode, sent, exchange.calls);
    }
    log.request({
      atMs,
      method,
      path: pathOf(target),
      status: outgoing.statusCode,
      durationMs,
      bytes: sent,
      caller,
      requestId,
      failure,
      isWhole,
      isProbe: probeOperations.includes(operation),
    });
  }

  function noteRefusal(exchange: Exchange, status: number, bytes: number): void {
    counts.request(exchange.operation, status, 0);
    log.request({
      atMs: services.now(),
      method: exchange.method,
      path: pathOf(exchange.target),
      status,
      durationMs: 0,
      bytes,
      caller: null,
      requestId: exchange.requestId,
      failure: exchange.failure,
      isWhole: true,
      isProbe: false,
    });
  }

  return server;
}

/** Waits until a client has taken most of what was written, or is gone. */
function taken(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      outgoing.off('drain', end).off('close', end);
      resolve();
    };
    outgoing.on('drain', end).on('close', end);
  });
}

/**
 * Target and host of a request. A target may be a whole URL (RFC 9112, section 3.2.2); then the host of the
 * URL counts.
 */
function addressOf({ url = '', method, headers }: IncomingMessage): { target: string; host: string } {
  if (url.startsWith('/')) return { target: url, host: headers.host ?? '' };
  // `OPTIONS *` asks what the server can do.
  if (url === '*' && method === 'OPTIONS') return { target: '/', host: headers.host ?? '' };
  const [, host = '', target = url] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  return { target: target.startsWith('?') || target === '' ? `/${target}` : target, host };
}
