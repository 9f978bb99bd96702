import type { ErrorCode } from '../contract/errors.ts';
import { isObject } from '../contract/scalars.ts';
import { parseMessage, type RequestId } from '../json-rpc/messages.ts';

/**
 * What can go wrong between two agents: the code of JSON-RPC, of A2A or of this service, and the HTTP status.
 */
const refusals = {
  parse_error: { code: -32700, status: 200 },
  invalid_request: { code: -32600, status: 200 },
  method_not_found: { code: -32601, status: 200 },
  invalid_params: { code: -32602, status: 200 },
  task_not_found: { code: -32001, status: 200 },
  push_notification_not_supported: { code: -32003, status: 200 },
  unsupported_operation: { code: -32004, status: 200 },
  content_type_not_supported: { code: -32005, status: 200 },
  version_not_supported: { code: -32009, status: 200 },
  unauthorized: { code: -32000, status: 401 },
  forbidden: { code: -32600, status: 403 },
  payload_too_large: { code: -32600, status: 413 },
  unsupported_media_type: { code: -32005, status: 415 },
  rate_limited: { code: -32603, status: 429 },
  internal_error: { code: -32603, status: 500 },
  snapshot_unavailable: { code: -32603, status: 503 },
} as const;

/** A kind of refusal. */
export type Reason = keyof typeof refusals;

/** A refusal as a JSON-RPC error. */
export class RpcError extends Error {
  readonly reason: Reason;
  /** The code that the REST operations have for it, where it is theirs. */
  readonly code: ErrorCode | null;
  /** Headers that its answer has beside those of every error. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    reason: Reason,
    message: string,
    code: ErrorCode | null = null,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.headers = headers;
    this.reason = reason;
    this.code = code;
  }
  get status(): number {
    return refusals[this.reason].status;
  }
}

/** Reads JSON. Throws `RpcError`. */
export function parseJson(text: string): unknown {
  const parsed = parseMessage(text);
  if (parsed.problem !== undefined) throw new RpcError('parse_error', parsed.problem);
  return parsed.value;
}

/** The id of a request, which may be wrong in every other way. */
export function idOf(request: unknown): RequestId {
  const id = isObject(request) ? request['id'] : null;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}

/** What a request wants. Throws `RpcError` where it is none of JSON-RPC 2.0. */
export function readCall(request: unknown): { readonly method: string; readonly params: unknown } {
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

/** The body of an answer to a request that succeeded. */
export function resultBody(id: RequestId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/** The body of an answer to a request that is refused. A2A 1.0 wants `data` to be a list of typed details. */
export function refusalBody(
  id: RequestId,
  { reason, code, message }: RpcError,
  typedDetails: boolean,
): string {
  const detail = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: reason.toUpperCase(),
    domain: 'a2a-protocol.org',
    ...(code ? { metadata: { code } } : {}),
  };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code: refusals[reason].code, message, data: typedDetails ? [detail] : { code: code ?? reason } },
  });
}
