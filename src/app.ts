import { Hono, type Context } from 'hono';
import { createAgent } from './a2a/agent-handler.ts';
import { agentOperation, agentPath } from './contract/agent.ts';
import { endpoints, type Endpoint } from './contract/endpoints.ts';
import { toolsOperation, toolsPath } from './contract/tools.ts';
import { intentReply } from './intents/intent-reply.ts';
import { createTools, type ToolHandler } from './mcp/tool-handler.ts';
import { webExchange, type Exchange, type Reply, type StreamReply } from './http/exchange.ts';
import { failureReply, toApiError } from './http/failures.ts';
import { otherReply, rootReply } from './rest/document-replies.ts';
import { streamOrReply } from './rest/stream.ts';
import { complete } from './requests/complete.ts';
import type { Services } from './requests/services.ts';

/** What the Node server hands to the routes. In a worker there is no exchange: the web `Request` is read. */
export interface Bindings {
  readonly exchange?: Exchange;
}

/** Answers one kind of request. `parameter` reads a parameter of the path. May throw `ApiError`. */
type Handler = (
  exchange: Exchange,
  parameter: (name: string) => string | undefined,
  path: string,
) => Reply | Promise<Reply | StreamReply>;

/** Names in the metrics of routes that are not operations of the contract. */
const [intentOperation, otherOperation] = ['recordIntent', 'getDocument'] as const;

/**
 * The service as a Hono application: one route for each operation of the contract, and one that finds the
 * public documents by their paths.
 */
export function createApp(
  services: Services,
  tools: ToolHandler = createTools(services),
): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  const route = (operation: string, handler: Handler) => (context: Context<{ Bindings: Bindings }>) =>
    handled(services, operation, handler, context);
  for (const endpoint of endpoints as readonly Endpoint[]) {
    app.get(
      routePath(endpoint.path),
      route(
        endpoint.id,
        endpoint.answer.kind === 'root'
          ? (exchange) => rootReply(services, endpoint, exchange)
          : (exchange, parameter) => streamOrReply(services, endpoint, exchange, parameter),
      ),
    );
  }
  app.all(toolsPath, route(toolsOperation.id, tools));
  app.all(agentPath, route(agentOperation, createAgent(services)));
  app.on(
    ['GET', 'POST'],
    '/validate/:market/:action',
    route(intentOperation, (exchange, parameter) =>
      intentReply(services, exchange, parameter('market') ?? '', parameter('action') ?? ''),
    ),
  );
  // Each request has one handler and no middleware: Hono then calls the handler directly, without a chain.
  app.notFound(route(otherOperation, (exchange, _, path) => otherReply(services, exchange, path)));
  return app;
}

function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Runs the handler of a route, turns its errors into replies, and makes the web `Response`. */
async function handled(
  services: Services,
  operation: string,
  handler: Handler,
  context: Context<{ Bindings: Bindings }>,
): Promise<Response> {
  const exchange = context.env?.exchange ?? webExchange(context.req.raw);
  exchange.operation = operation;
  let reply: Reply | StreamReply;
  try {
    reply = await handler(exchange, (name) => context.req.param(name), context.req.path);
  } catch (error) {
    reply = failureReply(exchange, toApiError(services.log, exchange, error));
  }
  complete(services, exchange, reply);
  // Where streams are counted, they do not come here; see `AnswerWriter.stream`.
  if ('end' in reply) return new Response(streamOf(reply), reply);
  exchange.bytes = reply.body?.length ?? 0;
  return new Response(reply.body as Uint8Array<ArrayBuffer> | null, reply);
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
