import { errorStatus, usualMessages, type ApiError } from '../contract/errors.ts';
import { privateToolsPath, tools } from '../contract/tools.ts';
import { headerOf, pathOf, type Exchange, type Reply } from '../http/exchange.ts';
import { failed } from '../http/failures.ts';
import { foreignReason, type OwnAddress } from '../http/origin.ts';
import { messageReply } from '../http/send.ts';
import { challengeFor } from '../requests/caller.ts';
import type { Services } from '../requests/services.ts';
import type { Asked } from './methods.ts';
import { codes, errorMessage, refusalMessages, type RequestId } from '../json-rpc/messages.ts';
import { headerRefusal } from '../json-rpc/message-headers.ts';

/** Longer messages are refused, in bytes. The longest useful message has about 3,000 characters. */
export const messageBytesMaximum = 64 * 1024;

/** Bytes of the answers to a batch of messages after which no further tool is called for it. */
export const batchBytesMaximum = 2 * 1024 * 1024;

/** The error code of a call without a key; JSON-RPC defines none. */
const unauthorizedCode = -32001;

/** A JSON-RPC error and its HTTP status. */
export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: object;
}

/** Why a request is refused for its method or headers; null if nothing is wrong. */
export function refusalOf(exchange: Exchange, own: OwnAddress): Refusal | null {
  const { method, host } = exchange;
  if (method !== 'POST')
    return {
      status: 405,
      code: codes.refused,
      message: refusalMessages.notPosted,
      headers: { Allow: 'POST' },
    };
  const foreign = foreignReason(host, headerOf(exchange, 'origin'), own);
  const refused = headerRefusal(foreign, headerOf(exchange, 'content-type'));
  if (refused !== null)
    return {
      status: refused.reason === 'forbidden' ? 403 : 415,
      code: codes.refused,
      message: refused.message,
    };
  if (!acceptsJson(headerOf(exchange, 'accept')))
    return { status: 406, code: codes.refused, message: refusalMessages.notAcceptable };
  return null;
}

/**
 * Whether a client accepts JSON. Clients that accept anything, or only JSON, are served, because every answer
 * is JSON.
 */
function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || /(^|[\s,])(\*\/\*|application\/(\*|json))/i.test(accept);
}

/**
 * The error code of a resource that there is not, in the revisions with a handshake; later it is a wrong
 * parameter.
 */
const noResourceCode = -32002;

/**
 * The refusal of a mistake in the parameters of a request that the service itself answers, with the code and
 * words of the operations; null for faults of the service.
 */
export function mistakeRefusal(
  { code, message }: ApiError,
  { method, name }: Pick<Asked, 'method' | 'name'>,
  isCurrent: boolean,
): Refusal | null {
  if (errorStatus[code] !== 400 && errorStatus[code] !== 404) return null;
  const isRead = method === 'resources/read';
  return {
    status: 200,
    code: isRead && errorStatus[code] === 404 && !isCurrent ? noResourceCode : codes.parameters,
    message: `${code}: ${message}`,
    data: { code, ...(isRead ? { uri: name } : {}) },
  };
}

/** The refusal of what needs a key, without a valid one. */
export function unauthorized(services: Services, exchange: Exchange): Refusal {
  const publicTools = tools.filter(({ access }) => access === 'public').map(({ name }) => name);
  const open =
    pathOf(exchange.target) === privateToolsPath
      ? `Every message to ${privateToolsPath} needs it`
      : `No key is needed for ${publicTools.join(' and ')}`;
  return {
    status: 401,
    code: unauthorizedCode,
    data: { code: 'unauthorized' },
    headers: challengeFor(services, exchange),
    message: `${usualMessages.unauthorized}: send x-api-key or Authorization: Bearer. ${open}.`,
  };
}

/** The refusal of a call whose key has used up its requests of the minute. */
export function overLimitRefusal({ code, message, headers }: ApiError): Refusal {
  return { status: errorStatus[code], code: codes.refused, message, data: { code }, headers };
}

/** The refusal of a call in a batch whose answers are long already. */
export function batchTooLong(): Refusal {
  return {
    status: 200,
    code: codes.refused,
    message: `The answers before this one in the batch have ${batchBytesMaximum} bytes or more, which is all that a batch may have; send this call by itself`,
    data: { code: 'payload_too_large' },
  };
}

/** The message for a refused request. */
export function refusalMessage({ code, message, data }: Refusal, id: RequestId): Buffer {
  return Buffer.from(JSON.stringify(errorMessage(id, { code, message, data })));
}

/** The reply to a refused request. `id` is that of the message; null if it has none or could not be read. */
export function refuse(exchange: Exchange, refusal: Refusal, id: RequestId = null): Reply {
  const { status, code, headers } = refusal;
  return failed(exchange, String(code), messageReply(status, refusalMessage(refusal, id), headers));
}
