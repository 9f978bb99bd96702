import { productName } from '../contract/product.ts';
import { tools } from '../contract/tools.ts';
import { isJsonType } from '../http/negotiate.ts';
import { isForeign, type OwnAddress } from '../http/origin.ts';
import type { HeaderReader } from '../http/respond.ts';

/** A message longer than this is refused. The longest that a tool can want has some 3,000 characters. */
export const bodyBytesMaximum = 64 * 1024;

/** Codes of JSON-RPC, and of this service where JSON-RPC has none. */
export const codes = { parse: -32700, request: -32600, parameters: -32602, internal: -32603, refused: -32000, unauthorized: -32001 } as const;

/** Headers of every answer of the protocol. */
export const protocolHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** An error of JSON-RPC with the status that it comes with. */
export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: object;
}

/** What a request is refused for before its body is read; null if nothing is wrong. `url` is its own address. */
export function refusalOf(method: string, url: string, header: HeaderReader, own: OwnAddress): Refusal | null {
  if (method !== 'POST') return { status: 405, code: codes.refused, message: 'Method not allowed: POST one JSON-RPC message', headers: { Allow: 'POST' } };
  if (isForeign(url, header('origin'), own)) return { status: 403, code: codes.refused, message: 'Forbidden: the Origin or Host of this request is not this service' };
  if (!isJsonType(header('content-type'))) return { status: 415, code: codes.refused, message: 'Unsupported media type: Content-Type must be application/json' };
  if (!acceptsJson(header('accept'))) return { status: 406, code: codes.refused, message: 'Not acceptable: answers are application/json' };
  return null;
}

/** Clients that accept anything, or JSON alone, are served: every answer is JSON. */
function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || /(^|[\s,])(\*\/\*|application\/(\*|json))/i.test(accept);
}

/** A message from its text; undefined if that is no JSON. */
export function parseMessage(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What who calls a keyed tool without a key is told. */
export function unauthorized(): Refusal {
  const publicTools = tools.filter(({ access }) => access === 'public').map(({ name }) => name);
  return {
    status: 401, code: codes.unauthorized, data: { code: 'unauthorized' }, headers: { 'WWW-Authenticate': `Bearer realm="${productName}"` },
    message: `Invalid or missing API key: send x-api-key or Authorization: Bearer. No key is needed for ${publicTools.join(' and ')}.`,
  };
}

/** Sends a refusal. `id` is that of the message, null where it has none or could not be read. */
export function refuse({ status, code, message, headers, data }: Refusal, id: string | number | null = null): Response {
  const error = { code, message, ...(data ? { data } : {}) };
  return new Response(JSON.stringify({ jsonrpc: '2.0', id, error }), { status, headers: { 'Content-Type': 'application/json', ...protocolHeaders, ...headers } });
}
