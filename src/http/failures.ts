import { randomUUID } from 'node:crypto';
import { agentPath } from '../contract/agent.ts';
import { ApiError, errorStatus, usualMessages } from '../contract/errors.ts';
import { productName } from '../contract/product.ts';
import { toolsPath } from '../contract/tools.ts';
import { codes, errorMessage } from '../json-rpc/messages.ts';
import type { Log } from '../log/log.ts';
import { Unavailable, CorruptSnapshot } from '../files/bytes.ts';
import { headerOf, pathOf, type Exchange, type Reply } from './exchange.ts';
import { jsonReply, keyHeaders } from './send.ts';

/** The header that tells a client how to send a key. */
export const keyChallenge = { 'WWW-Authenticate': `Bearer realm="${productName}"` } as const;

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
  const isRpc = [toolsPath, agentPath].includes(pathOf(exchange.target));
  const body = isRpc
    ? errorMessage(null, { code: codes.refused, message, data: { code } })
    : { error: { code, message } };
  return failed(exchange, code, jsonReply(errorStatus[code], body, { ...headersOf(error), ...headers }));
}

/** Notes why a request failed, and sends the id of the request to its client. */
export function failed(exchange: Exchange, code: string, reply: Reply): Reply {
  exchange.failure = { code, requestId: requestIdOf(exchange) };
  return { ...reply, headers: { ...reply.headers, 'X-Request-Id': exchange.failure.requestId } };
}

/** The id of a request: the one that a proxy or the client sent, else a new one. */
function requestIdOf(exchange: Exchange): string {
  const given = headerOf(exchange, 'x-request-id');
  return (
    exchange.failure?.requestId ??
    (given !== undefined && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID())
  );
}

/** Headers that belong to an error: how to send a key, when to try again, where a document ends. */
export function headersOf({ code, headers }: ApiError): Readonly<Record<string, string>> {
  return code === 'unauthorized' ? { ...keyChallenge, Vary: keyHeaders } : headers;
}
