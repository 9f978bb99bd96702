import type { Context } from 'hono';
import { ApiError } from '../contract/errors.ts';
import { boundedText } from '../http/body.ts';
import { readerOf, type RequestFacts } from '../http/respond.ts';
import type { Services } from '../http/services.ts';
import { callTool, toolNamed } from './call.ts';
import { bodyBytesMaximum, codes, parseMessage, protocolHeaders, refusalOf, refuse, unauthorized } from './messages.ts';
import { answerHeaders, plainAnswer, plainCall } from './plain.ts';
import type { ProtocolDoor } from './sdk.ts';

type McpContext = Context<{ Bindings: RequestFacts }>;

/**
 * `/mcp`: the tool protocol, stateless, with JSON answers. A plain call of a tool is answered as bytes around the answer;
 * everything else goes to the official packages, which are loaded when they are first needed.
 */
export function createMcpDoor(services: Services): (context: McpContext) => Promise<Response> {
  let loaded: Promise<ProtocolDoor> | undefined;
  const protocol = () => (loaded ??= loadProtocol(services));

  return async (context) => {
    const header = readerOf(context.env, (name) => context.req.header(name));
    const refusal = refusalOf(context.req.method, context.req.url, header, services.own);
    if (refusal) return refuse(refusal);
    const text = await boundedText(context, bodyBytesMaximum).catch(() => '');
    if (text === null) return refuse({ status: 413, code: codes.request, message: `Payload too large: a message has at most ${bodyBytesMaximum} bytes` });
    const message = parseMessage(text);
    if (message === undefined) return refuse({ status: 400, code: codes.parse, message: 'Parse error: the body is no JSON' });
    const id = idOf(message);
    if (needsKey(message)) {
      const caller = services.authenticator.direct(header, services.now());
      if (caller === null) return refuse(unauthorized(), id);
      if (context.env) context.env.caller = caller;
    }
    try {
      const plain = plainCall(message, header);
      return plain ? respond(context.env, await plainAnswer(services, plain)) : accepted(await (await protocol())(forProtocol(context), message));
    } catch (error) {
      services.log.event('error', { path: '/mcp', reason: (error as Error).message, stack: (error as Error).stack });
      return refuse({ status: error instanceof ApiError ? 503 : 500, code: codes.internal, message: 'Something went wrong here; the log says what.' }, id);
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

function respond(facts: RequestFacts | undefined, body: Buffer): Response {
  if (facts) facts.bytes = body.length;
  return new Response(body as Uint8Array<ArrayBuffer>, { status: 200, headers: { ...answerHeaders, 'Content-Length': String(body.length) } });
}

/** The official transports insist on both media types that the protocol knows. */
function forProtocol(context: McpContext): Request {
  const headers = new Headers(context.req.header() as Record<string, string>);
  headers.set('accept', 'application/json, text/event-stream');
  return new Request(context.req.url, { method: 'POST', headers });
}

function accepted(response: Response): Response {
  for (const [name, value] of Object.entries(protocolHeaders)) response.headers.set(name, value);
  return response;
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
    const tool = method === 'tools/call' ? toolNamed(params?.name) : undefined;
    return tool !== undefined && tool.access !== 'public';
  });
}
