import { randomUUID } from 'node:crypto';
import { agentPath } from '../contract/agent.ts';
import { ApiError, errorStatus, usualMessages } from '../contract/errors.ts';
import { privateToolsPath, toolsPath } from '../contract/tools.ts';
import { codes, errorMessage } from '../json-rpc/messages.ts';
import type { Log } from '../log/log.ts';
import { Unavailable, CorruptSnapshot } from '../files/bytes.ts';
import { headerOf, pathOf, type Exchange, type Reply } from './exchange.ts';
import { jsonReply } from './send.ts';

/**
 * The error that a client is told of. An `ApiError` is passed on; any other error is logged, and the client
 * gets a general message.
 */
export function toApiError({ event }: Pick<Log, 'event'>, exchange: Exchange, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { message, stack } = error as Error;
  const isMissed = error instanceof Unavailable;
  event('error', {
    path: pathOf(exchange.target),
    requestId: requestIdOf(exchange),
    reason: message,
    ...(isMissed ? {} : { stack }),
  });
  if (isMissed)
    return new ApiError(
      'snapshot_unavailable',
      'A part of the snapshot cannot be read at the moment; the log says why.',
    );
  if (error instanceof CorruptSnapshot)
    return new ApiError(
      'snapshot_unavailable',
      'A part of the snapshot is not what its manifest says; the log names it.',
    );
  return new ApiError('internal_error', usualMessages.internal_error);
}

/** The reply to a request that fails: a JSON-RPC error on the paths of tools and agent, else a REST error. */
export function failureReply(
  exchange: Exchange,
  error: ApiError,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const { code, message } = error;
  const isRpc = [toolsPath, privateToolsPath, agentPath].includes(pathOf(exchange.target));
  const body = isRpc
    ? errorMessage(null, { code: codes.refused, message, data: { code } })
    : { error: { code, message } };
  return failed(exchange, code, jsonReply(errorStatus[code], body, { ...error.headers, ...headers }));
}

/** Notes why a request failed. Refusals without a route are complete after this, so the id is added here. */
export function failed(exchange: Exchange, code: string, reply: Reply): Reply {
  exchange.failure = code;
  return { ...reply, headers: { ...reply.headers, 'X-Request-Id': requestIdOf(exchange) } };
}

/** The id of a request: the one that a proxy or the client sent, else a new one. It is made once. */
export function requestIdOf(exchange: Exchange): string {
  if (exchange.requestId === '') {
    const given = headerOf(exchange, 'x-request-id');
    exchange.requestId = given !== undefined && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
  }
  return exchange.requestId;
}
