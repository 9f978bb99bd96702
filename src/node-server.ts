import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endpoints } from './contract/endpoints.ts';
import { ApiError, usualMessages } from './contract/errors.ts';
import { createHandle } from './app.ts';
import { createAnswerWriter } from './node/answer-writer.ts';
import { createBodyReader, hasBody } from './http/bodies.ts';
import { watchConnections, type ConnectionBounds } from './http/connections.ts';
import { exchangeOf, type Exchange, type Holdable } from './http/exchange.ts';
import { failureReply } from './http/failures.ts';
import { createRequestLog } from './node/request-log.ts';
import { requestRefusal, refuseBytes, refuseTunnel } from './http/request-refusals.ts';
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

/** The path of the liveness probe. */
const livePath = endpoints.find(({ id }) => id === 'getLive')?.path;

/** Bounds of a server. A bound that is left out has its default. */
export interface ServerBounds {
  readonly inFlight?: number;
  readonly connections?: ConnectionBounds;
}

/**
 * The service as a Node server. Each request takes one path. It waits until it has arrived whole and the
 * earlier answers on its connection are sent. Then come the bound of requests in flight, key, response cache,
 * answer, write, log.
 */
export function createHttpServer(services: Services, bounds: ServerBounds = {}): Server {
  const { counts, turns } = services;
  const server = createServer({
    keepAliveTimeout: keepAliveMs,
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: lookEveryMs,
    requireHostHeader: false,
  });
  server.timeout = stalledMs;
  const connections = watchConnections(server, services.unsent, bounds.connections);
  const requests = createRequestLog(services);
  const writer = createAnswerWriter(services, connections, requests);
  const bodies = createBodyReader();
  const handle = createHandle(services);
  const inFlightLimit = bounds.inFlight ?? inFlightMaximum;

  const take = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    connections.inTurn(incoming, outgoing, arrive);
  server.on('request', take);
  // Without a listener Node answers 417 to an unknown `Expect` header; such a request is answered as usual.
  server.on('checkExpectation', take);
  server.on('connect', (incoming, socket) => refuseTunnel(requests.refused, incoming, socket as Socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseBytes(requests.refused, requestMs, error, socket as Socket),
  );

  function arrive(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (hasBody(incoming)) bodies.read(incoming, (body) => begin(incoming, outgoing, body));
    else begin(incoming, outgoing, '');
  }

  /** Answers a request: now or, if many have arrived at the same time, in a later turn. */
  function begin(incoming: IncomingMessage, outgoing: ServerResponse, body: string | null): void {
    const startedAt = performance.now();
    const { method = 'GET', headers, socket } = incoming;
    const { target, host } = addressOf(incoming);
    const exchange = exchangeOf({ method, target, host, headers, body, connection: socket });
    // The liveness probe is answered at once, and even at the limit: a busy process must not be restarted.
    if (target === livePath) return answer(incoming, outgoing, exchange, startedAt);
    if (counts.inFlight >= inFlightLimit) {
      writer.now(
        outgoing,
        exchange,
        failureReply(exchange, new ApiError('overloaded', usualMessages.overloaded)),
      );
      return requests.answered(outgoing, exchange, startedAt);
    }
    const turn = turns.arrive(startedAt);
    if (turn === null) return answer(incoming, outgoing, exchange, startedAt);
    writer.countUntilSent(outgoing, exchange, startedAt);
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
    const refusal = requestRefusal(incoming, exchange);
    exchange.holdable = holdableOf(outgoing, exchange);
    const reply = refusal ? failureReply(exchange, refusal) : handle(exchange);
    if (!(reply instanceof Promise)) return writer.soon(outgoing, exchange, reply, startedAt);
    if (startedAt !== null) writer.countUntilSent(outgoing, exchange, startedAt);
    void reply.then((late) =>
      'end' in late ? writer.stream(outgoing, exchange, late) : writer.soon(outgoing, exchange, late, null),
    );
  }

  /** While a request is held, it is not in flight, and the timeout of a client that reads nothing is off. */
  function holdableOf(outgoing: ServerResponse, exchange: Exchange): Holdable {
    return {
      onHold(isHeld) {
        counts.inFlight += isHeld ? -1 : 1;
        const nowMs = performance.now();
        if (isHeld) exchange.heldSinceMs = nowMs;
        else if (exchange.heldSinceMs !== null) {
          exchange.heldMs += nowMs - exchange.heldSinceMs;
          exchange.heldSinceMs = null;
        }
        outgoing.socket?.setTimeout(isHeld ? 0 : stalledMs);
      },
      onGone: (listener) => void outgoing.once('close', listener),
    };
  }

  return server;
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
