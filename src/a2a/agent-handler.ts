import { randomUUID } from 'node:crypto';
import { ApiError } from '../contract/errors.ts';
import { challengeFor, directCaller, overLimit } from '../requests/caller.ts';
import { bodyBytesMaximum, headerOf, queryOf, type Exchange, type Reply } from '../http/exchange.ts';
import { failed, failureReply, toApiError } from '../http/failures.ts';
import { foreignReason } from '../http/origin.ts';
import { messageReply } from '../http/send.ts';
import type { Services } from '../requests/services.ts';
import { parseMessage, resultMessage, type RequestId } from '../json-rpc/messages.ts';
import { isObject } from '../domain/scalars.ts';
import { headerRefusal } from '../json-rpc/message-headers.ts';
import { notUnderstood, readSkillRequest, refuseWithoutKey, runSkill } from './skills.ts';
import { dialectOf, dialects, readMessage, refuseTask, type Dialect } from './dialects.ts';
import { refusalMessage, RpcError } from './agent-refusals.ts';

/** Returns the handler of `POST /a2a`. It answers every message at once, with a message. */
export function createAgent(services: Services): (exchange: Exchange) => Promise<Reply> {
  return async (exchange) => {
    const { method, target } = exchange;
    if (method !== 'POST')
      return failureReply(
        exchange,
        new ApiError('method_not_allowed', `${method} is not allowed here; POST one JSON-RPC 2.0 request`),
        { Allow: 'POST' },
      );
    // Clients that cannot set headers may send the version in the query.
    const version = headerOf(exchange, 'a2a-version') ?? queryOf(target).get('A2A-Version') ?? undefined;
    let dialect = dialectOf(version);
    let id: RequestId = null;
    try {
      const request = parseJson(await readBody(services, exchange));
      id = idOf(request);
      const call = readCall(request);
      dialect = dialectOf(version, call.method);
      if (!dialect)
        throw new RpcError(
          'version_not_supported',
          `A2A-Version: must be ${dialects.map((each) => each.version).join(' or ')}`,
        );
      return messageReply(
        200,
        Buffer.from(
          JSON.stringify(
            resultMessage(id, await perform(services, exchange, dialect, call.method, call.params)),
          ),
        ),
      );
    } catch (error) {
      const refusal = error instanceof RpcError ? error : ownFault(toApiError(services.log, exchange, error));
      return failed(
        exchange,
        refusal.reason,
        messageReply(
          refusal.status,
          Buffer.from(JSON.stringify(refusalMessage(id, refusal, dialect?.typedErrors ?? true))),
          refusal.reason === 'unauthorized' ? challengeFor(services, exchange) : refusal.headers,
        ),
      );
    }
  };
}

/** Checks the headers of a request, then reads its body. Throws `RpcError`. */
async function readBody({ own }: Services, exchange: Exchange): Promise<string> {
  const foreign = foreignReason(exchange.host, headerOf(exchange, 'origin'), own);
  const refused = headerRefusal(foreign, headerOf(exchange, 'content-type'));
  if (refused !== null) throw new RpcError(refused.reason, refused.message);
  const text = await exchange.body;
  if (text === null)
    throw new RpcError(
      'payload_too_large',
      `Payload too large: a request has at most ${bodyBytesMaximum} bytes`,
    );
  return text;
}

/** Parses JSON. Throws `RpcError`. */
function parseJson(text: string): unknown {
  const parsed = parseMessage(text);
  if (parsed.problem !== undefined) throw new RpcError('parse_error', parsed.problem);
  return parsed.value;
}

/** The id of a request, even if the rest of the request is wrong; null without a valid id. */
function idOf(request: unknown): RequestId {
  const id = isObject(request) ? request['id'] : null;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}

/** The method and the parameters of a request. Throws `RpcError` if it is not a JSON-RPC 2.0 request. */
function readCall(request: unknown): { readonly method: string; readonly params: unknown } {
  if (!isObject(request))
    throw new RpcError(
      'invalid_request',
      'Invalid request: a request is one JSON-RPC 2.0 object; batches are not served',
    );
  const { jsonrpc, id, method, params } = request;
  if (jsonrpc !== '2.0') throw new RpcError('invalid_request', 'Invalid request: jsonrpc must be "2.0"');
  if (id !== null && idOf(request) === null)
    throw new RpcError('invalid_request', 'Invalid request: id must be a text, an integer or null');
  if (typeof method !== 'string')
    throw new RpcError('invalid_request', 'Invalid request: method must be a text');
  return { method, params };
}

/** Runs a method and returns its result. Throws `RpcError`. */
async function perform(
  services: Services,
  exchange: Exchange,
  dialect: Dialect,
  method: string,
  params: unknown,
): Promise<unknown> {
  switch (dialect.methods.get(method)) {
    case 'answer':
      return answerMessage(services, exchange, dialect, params);
    case 'find_task':
      return refuseTask(params);
    case 'push':
      throw new RpcError(
        'push_notification_not_supported',
        'Nothing is pushed: ask for changes since a date, and go on with the cursor of the answer',
      );
    case 'nothing':
      throw new RpcError(
        'unsupported_operation',
        `${method} is not supported: every message is answered at once, with a message`,
      );
    default:
      throw new RpcError(
        'method_not_found',
        `A2A ${dialect.version} has no method ${JSON.stringify(method.slice(0, 60))} here${otherVersionHint(method)}`,
      );
  }
}

/** A hint for an unknown method that another version of A2A has. */
function otherVersionHint(method: string): string {
  const other = dialects.find(({ methods }) => methods.has(method));
  return other ? `; it is one of A2A-Version ${other.version}` : '';
}

async function answerMessage(
  services: Services,
  exchange: Exchange,
  dialect: Dialect,
  params: unknown,
): Promise<unknown> {
  const { contextId = randomUUID(), parts } = readMessage(params, dialect);
  const asked = readSkillRequest(parts);
  if (asked) exchange.operation = asked.skill.id;
  if (asked?.skill.access === 'keyed') {
    const caller = directCaller(services, exchange);
    refuseWithoutKey(asked.skill, caller);
    const limited = overLimit(services, caller);
    if (limited) throw ownFault(limited);
  }
  const answer = asked ? await runSkill(services, asked, exchange.caller) : notUnderstood;
  return dialect.result({ messageId: randomUUID(), contextId, ...answer });
}

/** The error that a client gets for a fault of the service or an exceeded limit. */
function ownFault({ code, message, headers }: ApiError): RpcError {
  const reason =
    code === 'snapshot_unavailable' || code === 'rate_limited' || code === 'overloaded'
      ? code
      : 'internal_error';
  return new RpcError(reason, message, reason, headers);
}
