import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { ApiError } from '../contract/errors.ts';
import { productName } from '../contract/product.ts';
import { boundedText } from '../http/body.ts';
import { isJsonType } from '../http/negotiate.ts';
import { isForeign } from '../http/origin.ts';
import { readerOf, type HeaderReader, type RequestFacts } from '../http/respond.ts';
import { sendError } from '../http/send.ts';
import type { Services } from '../http/services.ts';
import { CorruptSnapshot } from '../table/file.ts';
import { notUnderstood, readAsked, refuseWithoutKey, say } from './agent.ts';
import { dialectOf, dialects, readMessage, refuseTask, type Dialect } from './dialects.ts';
import { idOf, parseJson, readCall, refusalBody, resultBody, RpcError, type RequestId } from './rpc.ts';

/** A message longer than this is refused. */
const bodyBytesMaximum = 256 * 1024;

type A2aContext = Context<{ Bindings: RequestFacts }>;

/** A request as far as answering it needs it. */
interface Exchange {
  readonly services: Services;
  readonly header: HeaderReader;
  readonly facts: RequestFacts | undefined;
}

/** `POST /a2a`: the agent, in the versions of A2A that it speaks. Every message is answered at once, with a message. */
export function createA2aDoor(services: Services): (context: A2aContext) => Promise<Response> {
  return async (context) => {
    const { method } = context.req;
    if (method !== 'POST') return sendError(new ApiError('method_not_allowed', `${method} is not allowed here; POST one JSON-RPC 2.0 request`), { Allow: 'POST' });
    const exchange = { services, header: readerOf(context.env, (name) => context.req.header(name)), facts: context.env };
    // Who cannot set a header may say it in the address.
    const version = exchange.header('a2a-version') ?? context.req.query('A2A-Version');
    let dialect = dialectOf(version);
    let id: RequestId = null;
    try {
      const request = parseJson(await readBody(context, exchange));
      id = idOf(request);
      const call = readCall(request);
      dialect = dialectOf(version, call.method);
      if (!dialect) throw new RpcError('version_not_supported', `A2A-Version: must be ${dialects.map((each) => each.version).join(' or ')}`);
      return respond(exchange, 200, resultBody(id, await perform(exchange, dialect, call.method, call.params)));
    } catch (error) {
      const refusal = error instanceof RpcError ? error : ownFault(services, error as Error);
      return respond(exchange, refusal.status, refusalBody(id, refusal, dialect?.typedErrors ?? true), headersOf(refusal));
    }
  };
}

/** The body of a request, once everything that its headers can be refused for was looked at. Throws `RpcError`. */
async function readBody(context: A2aContext, { services, header }: Exchange): Promise<string> {
  if (isForeign(context.req.url, header('origin'), services.own)) throw new RpcError('forbidden', 'Forbidden: the Origin or Host of this request is not this service');
  if (!isJsonType(header('content-type'))) throw new RpcError('unsupported_media_type', 'Unsupported media type: Content-Type must be application/json');
  const text = await boundedText(context, bodyBytesMaximum).catch((error: Error) => {
    if (error instanceof ApiError) throw error;
    throw new RpcError('invalid_request', 'Invalid request: its body did not arrive');
  });
  if (text === null) throw new RpcError('payload_too_large', `Payload too large: a request has at most ${bodyBytesMaximum} bytes`);
  return text;
}

/** Does what a method is for and returns its result. Throws `RpcError`. */
async function perform(exchange: Exchange, dialect: Dialect, method: string, params: unknown): Promise<unknown> {
  switch (dialect.methods.get(method)) {
    case 'answer':
      return answerMessage(exchange, dialect, params);
    case 'find_task':
      return refuseTask(params);
    case 'push':
      throw new RpcError('push_notification_not_supported', 'Nothing is pushed: ask for changes since a date, and go on with the cursor of the answer');
    case 'nothing':
      throw new RpcError('unsupported_operation', `${method} is not supported: every message is answered at once, with a message`);
    default:
      throw new RpcError('method_not_found', `A2A ${dialect.version} has no method ${JSON.stringify(method.slice(0, 60))} here${elsewhere(method)}`);
  }
}

/** A word of help for a method of a version that was not asked for. */
function elsewhere(method: string): string {
  const other = dialects.find(({ methods }) => methods.has(method));
  return other ? `; it is one of A2A-Version ${other.version}` : '';
}

async function answerMessage({ services, header, facts }: Exchange, dialect: Dialect, params: unknown): Promise<unknown> {
  const { contextId = randomUUID(), parts } = readMessage(params, dialect);
  const asked = readAsked(parts);
  if (asked?.skill.access === 'keyed') {
    const caller = services.authenticator.direct(header, services.now());
    if (facts) facts.caller = caller;
    refuseWithoutKey(asked.skill, caller);
  }
  const said = asked ? await say(services, asked) : notUnderstood;
  return dialect.result({ messageId: randomUUID(), contextId, ...said });
}

/** What went wrong on this side. The log says what; the other agent is told no more than that. */
function ownFault({ log }: Services, error: Error): RpcError {
  if (error instanceof ApiError && (error.code === 'snapshot_unavailable' || error.code === 'rate_limited')) return new RpcError(error.code, error.message, error.code);
  log.event('error', { path: '/a2a', reason: error.message, stack: error.stack });
  if (error instanceof CorruptSnapshot) return new RpcError('snapshot_unavailable', 'A part of the snapshot is not what its manifest says; the log names it.', 'snapshot_unavailable');
  return new RpcError('internal_error', 'Something went wrong here; the log says what.', 'internal_error');
}

function headersOf({ reason }: RpcError): Record<string, string> {
  if (reason === 'unauthorized') return { 'WWW-Authenticate': `Bearer realm="${productName}"` };
  if (reason === 'rate_limited') return { 'Retry-After': '1' };
  return reason === 'snapshot_unavailable' ? { 'Retry-After': '30' } : {};
}

function respond({ facts }: Exchange, status: number, text: string, headers: Record<string, string> = {}): Response {
  const body = Buffer.from(text);
  if (facts) facts.bytes = body.length;
  return new Response(body, { status, headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', ...headers } });
}
