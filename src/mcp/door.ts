import type { Context } from 'hono';
import { ApiError, errorStatus } from '../contract/errors.ts';
import { boundedText } from '../http/body.ts';
import { readerOf, type RequestFacts } from '../http/respond.ts';
import type { Services } from '../http/services.ts';
import { callTool, toolNamed } from './call.ts';
import { CorruptSnapshot } from '../table/file.ts';
import { bodyBytesMaximum, codes, parseMessage, protocolHeaders, refusalOf, refuse, unauthorized, type Refusal } from './messages.ts';
import { answerHeaders, plainAnswer, plainMessage } from './plain.ts';
import type { ProtocolDoor } from './sdk.ts';
import { shapeOf } from './shape.ts';

/** How long the official packages may take. */
const answerMs = 10_000;

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
    const text = await boundedText(context, bodyBytesMaximum).catch((error: Error) => (error instanceof ApiError ? error : ''));
    if (text instanceof ApiError) return refuse({ status: errorStatus[text.code], code: codes.refused, message: text.message, headers: { 'Retry-After': '1' } });
    if (text === null) return refuse({ status: 413, code: codes.request, message: `Payload too large: a message has at most ${bodyBytesMaximum} bytes` });
    const whole = parseMessage(text);
    if (whole === undefined) return refuse({ status: 400, code: codes.parse, message: 'Parse error: the body is no JSON' });
    const id = idOf(whole);
    const shaped = shapeOf(whole, header);
    if (shaped.kind === 'refused') return refuse(shaped.refusal, id);
    if (shaped.kind === 'taken') return new Response(null, { status: 202, headers: protocolHeaders });
    const { message } = shaped;
    if (needsKey(message)) {
      const caller = services.authenticator.direct(header, services.now());
      if (caller === null) return refuse(unauthorized(), id);
      if (context.env) context.env.caller = caller;
    }
    try {
      const plain = plainMessage(message, header);
      return plain ? respond(context.env, await plainAnswer(services, plain)) : accepted(await withinTime((await protocol())(forProtocol(context), message)));
    } catch (error) {
      return refuse(ownFault(services, error as Error), id);
    }
  };
}

async function loadProtocol(services: Services): Promise<ProtocolDoor> {
  const { createProtocolDoor } = await import('./sdk.ts');
  return createProtocolDoor(async (name, given) => {
    const tool = toolNamed(name);
    // The packages tell clients whatever an error says.
    const result = tool ? await callTool(services, tool, given).catch((error: Error) => Promise.reject(new Error(ownFault(services, error).message))) : null;
    return result && JSON.parse(result.toString());
  });
}

/** What a client is told of a fault on this side. What is not known as one is logged. */
function ownFault({ log }: Services, error: Error): Refusal {
  const isKnown = error instanceof ApiError;
  if (!isKnown) log.event('error', { path: '/mcp', reason: error.message, stack: error.stack });
  const isMissing = isKnown || error instanceof CorruptSnapshot;
  return { status: isMissing ? 503 : 500, code: codes.internal, message: isKnown ? error.message : 'Something went wrong here; the log says what.', ...(isMissing ? { headers: { 'Retry-After': '30' } } : {}) };
}

/** An answer that does not come must not keep its request for ever. */
async function withinTime(answer: Promise<Response>): Promise<Response> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error('no answer of the protocol within its time')), answerMs)));
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
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
