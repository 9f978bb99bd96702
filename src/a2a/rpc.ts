import type { ErrorCode } from '../contract/errors.ts';

/** What can go wrong between two agents, with its code: those of JSON-RPC, of A2A, and one for a missing key. */
const codes = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal_error: -32603,
  unauthorized: -32000,
  task_not_found: -32001,
  push_notification_not_supported: -32003,
  unsupported_operation: -32004,
  content_type_not_supported: -32005,
  version_not_supported: -32009,
} as const;

/** A kind of refusal. */
export type Reason = keyof typeof codes;

/** A refusal as a JSON-RPC error. */
export class RpcError extends Error {
  readonly reason: Reason;
  /** The code that the REST operations have for it, where it is theirs. */
  readonly code: ErrorCode | null;
  constructor(reason: Reason, message: string, code: ErrorCode | null = null) {
    super(message);
    this.reason = reason;
    this.code = code;
  }
}

/** The versions of the protocol that are spoken here. */
export type Version = '1.0' | '0.3';

/** The name by which a request is answered: its `id`, null if it has none that counts. */
export type RequestId = string | number | null;

/** A request as far as every method has it. */
export interface RpcRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: unknown;
}

/** Reads the body of a request. Throws `RpcError`. */
export function readRequest(text: string): RpcRequest {
  const body = parse(text);
  if (!isObject(body)) throw new RpcError('invalid_request', 'Invalid request: a JSON-RPC 2.0 request is one object; batches are not served');
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0') throw new RpcError('invalid_request', 'Invalid request: jsonrpc must be "2.0"');
  if (idOf(body) === null && id !== null) throw new RpcError('invalid_request', 'Invalid request: id must be a string, an integer or null');
  if (typeof method !== 'string' || method === '') throw new RpcError('invalid_request', 'Invalid request: method must be a text');
  return { id: idOf(body), method, params };
}

/** The id of a request that may be wrong in other ways. */
export function idIn(text: string): RequestId {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? idOf(body) : null;
  } catch {
    return null;
  }
}

function idOf({ id }: Record<string, unknown>): RequestId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError('parse_error', 'Parse error: the body is no JSON');
  }
}

/** Whether a value is an object with members. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The answer to a request that is refused. */
export function refusalBody(id: RequestId, { reason, code, message }: RpcError, version: Version): string {
  const data = version === '1.0'
    ? [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: reason.toUpperCase(), domain: 'a2a-protocol.org', ...(code ? { metadata: { code } } : {}) }]
    : { code: code ?? reason };
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: codes[reason], message, data } });
}
