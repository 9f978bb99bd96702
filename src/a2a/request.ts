import { isObject } from '../domain/scalars.ts';
import { parseMessage, type RequestId } from '../json-rpc/messages.ts';
import { RpcError } from './agent-refusals.ts';

/** Parses JSON. Throws `RpcError`. */
export function parseJson(text: string): unknown {
  const parsed = parseMessage(text);
  if (parsed.problem !== undefined) throw new RpcError('parse_error', parsed.problem);
  return parsed.value;
}

/** The id of a request, even if the rest of the request is wrong; null without a valid id. */
export function idOf(request: unknown): RequestId {
  const id = isObject(request) ? request['id'] : null;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}

/** The method and the parameters of a request. Throws `RpcError` if it is not a JSON-RPC 2.0 request. */
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
