import { Hono } from 'hono';
import { METHOD_NAME_ALL } from 'hono/router';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import { getPath, tryDecodeURIComponent } from 'hono/utils/url';
import { createAgent } from './a2a/agent-handler.ts';
import { agentOperation, agentPath } from './contract/agent.ts';
import { endpoints } from './contract/endpoints.ts';
import {
  metadataPathOf,
  resourcePaths,
  privateToolsPath,
  toolsOperation,
  toolsPath,
} from './contract/tools.ts';
import { intentReply } from './intents/intent-reply.ts';
import { createTools } from './mcp/tool-handler.ts';
import {
  headerOf,
  pathOf,
  webExchange,
  type Exchange,
  type Reply,
  type StreamReply,
} from './http/exchange.ts';
import { failureReply, toApiError } from './http/failures.ts';
import { prefersEvents } from './http/negotiate.ts';
import { resourceReply } from './rest/resource-metadata.ts';
import { cachedReply } from './rest/operations.ts';
import { otherReply, rootReply } from './rest/document-replies.ts';
import { streamOrReply } from './rest/stream.ts';
import { complete } from './requests/complete.ts';
import type { Services } from './requests/services.ts';

/** The reply to a request, or the promise of it. Never throws or rejects. */
export type Handle = (exchange: Exchange) => Reply | Promise<Reply | StreamReply>;

/** What is known of a request when its route is found. */
interface Matched {
  /** Reads a parameter of the path. */
  readonly parameter: (name: string) => string | undefined;
  readonly path: string;
  readonly wantsEvents: boolean;
}

/** Answers one kind of request. May throw `ApiError`. */
interface Route {
  readonly operation: string;
  readonly reply: (exchange: Exchange, matched: Matched) => Reply | Promise<Reply | StreamReply>;
}

/** Names in the metrics of routes that are not operations of the contract. */
const [intentOperation, otherOperation] = ['recordIntent', 'getDocument'] as const;

/**
 * Makes the one function that answers requests, on every platform: from the response cache, by the route of an
 * operation of the contract, or with the public document at the path. Hono's router matches the routes.
 */
export function createHandle(services: Services): Handle {
  const tools = createTools(services);
  const router = new SmartRouter<Route>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const endpoint of endpoints)
    router.add('GET', endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'), {
      operation: endpoint.id,
      reply:
        endpoint.answer.kind === 'root'
          ? (exchange) => rootReply(services, endpoint, exchange)
          : (exchange, matched) => streamOrReply(services, endpoint, exchange, matched),
    });
  for (const path of [toolsPath, privateToolsPath])
    router.add(METHOD_NAME_ALL, path, { operation: toolsOperation.id, reply: tools });
  const { address, tokens } = services;
  if (tokens !== null)
    for (const path of resourcePaths)
      router.add('GET', metadataPathOf(path), {
        operation: otherOperation,
        reply: () => resourceReply(address, tokens.issuer, path),
      });
  router.add(METHOD_NAME_ALL, agentPath, { operation: agentOperation, reply: createAgent(services) });
  for (const method of ['GET', 'POST'])
    router.add(method, '/validate/:market/:action', {
      operation: intentOperation,
      reply: (exchange, { parameter }) =>
        intentReply(services, exchange, parameter('market') ?? '', parameter('action') ?? ''),
    });
  const other: Route = {
    operation: otherOperation,
    reply: (exchange, { path }) => otherReply(services, exchange, path),
  };

  async function routed(exchange: Exchange, wantsEvents: boolean): Promise<Reply | StreamReply> {
    const { method, target } = exchange;
    // Hono reads nothing of a request but its URL here.
    const path = getPath({ url: new URL(`http://localhost${target}`).href } as Request);
    const [[first], values] = router.match(method === 'HEAD' ? 'GET' : method, path);
    const [route, parameters] = first ?? [other, {}];
    exchange.operation = route.operation;
    const found = new Map<string, string | number>(Object.entries(parameters));
    const parameter = (name: string) => {
      const value = found.get(name);
      const text = typeof value === 'number' ? values?.[value] : value;
      return text === undefined ? undefined : tryDecodeURIComponent(text);
    };
    return route.reply(exchange, { parameter, path, wantsEvents });
  }

  function dispatch(exchange: Exchange): Reply | Promise<Reply | StreamReply> {
    // The most frequent requests need no route, which would make more objects.
    const isToolCall = exchange.method === 'POST' && pathOf(exchange.target) === toolsPath;
    const wantsEvents = prefersEvents(headerOf(exchange, 'accept'));
    const cached = isToolCall || wantsEvents ? null : cachedReply(services, exchange);
    return isToolCall ? tools(exchange) : (cached ?? routed(exchange, wantsEvents));
  }

  return (exchange) => {
    const arriving = services.authenticator.arrive((name) => headerOf(exchange, name));
    const reply = arriving === null ? dispatch(exchange) : arriving.then(() => dispatch(exchange));
    return reply instanceof Promise
      ? reply.catch((error: unknown) => failureReply(exchange, toApiError(services.log, exchange, error)))
      : reply;
  };
}

/** The service for the web: a Hono application that hands each web `Request` to the one handler. */
export function createApp(services: Services): Hono {
  const handle = createHandle(services);
  return new Hono().all('*', async ({ req }) => {
    const exchange = webExchange(req.raw);
    const reply = complete(services, exchange, await handle(exchange));
    return 'end' in reply
      ? new Response(streamOf(reply), reply)
      : new Response(reply.body as Uint8Array<ArrayBuffer> | null, reply);
  });
}

/** A stream that asks for a piece only when those before are taken. */
function streamOf({ body, end }: StreamReply): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await body.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        end();
        await body.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
