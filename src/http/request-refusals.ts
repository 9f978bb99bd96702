import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, shown } from '../contract/errors.ts';
import { bodyBytesMaximum, exchangeOf, pathOf, type Exchange } from './exchange.ts';
import { failureReply } from './failures.ts';

const hostPattern = /^(?:[\w.~-]+|\[[\da-f:.]+\])?(?::\d{0,5})?$/i;

/** Why a request is refused before routing: its target, headers or body; null if they are in order. */
export function requestRefusal(
  { headers, rawHeaders, httpVersion }: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'httpVersion'>,
  { target, body }: Pick<Exchange, 'target' | 'body'>,
): ApiError | null {
  if (!/^\/[!-~]*$/.test(target) || pathOf(target).includes('\\'))
    return new ApiError(
      'invalid_parameter',
      `the target of the request must be a path without spaces, backslashes and characters beyond ASCII, not ${shown(target)}`,
    );
  if (headers.host === undefined && httpVersion === '1.1')
    return new ApiError('invalid_parameter', 'Host: is required');
  if (headers.host !== undefined && !hostPattern.test(headers.host))
    return new ApiError(
      'invalid_parameter',
      `Host: must be a host name or address with or without a port, not ${shown(headers.host)}`,
    );
  const repeated = repeatedHeader(rawHeaders);
  if (repeated !== null) return new ApiError('invalid_parameter', `${repeated}: must be sent once`);
  if (body === null)
    return new ApiError('payload_too_large', `the body of a request has at most ${bodyBytesMaximum} bytes`);
  return null;
}

/**
 * The header that a request sent twice although it may come once; null if there is none. Node keeps only the
 * first one, and a proxy before it may have looked at the other one (RFC 9110, section 5.3).
 */
function repeatedHeader(rawHeaders: readonly string[]): 'Host' | 'Authorization' | null {
  let [hosts, authorizations] = [0, 0];
  // Lengths first: this runs for every request.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++;
  }
  return hosts > 1 ? 'Host' : authorizations > 1 ? 'Authorization' : null;
}

/** Reports a refusal that was written straight to a connection: its status, and the bytes of its body. */
export type NoteRefusal = (exchange: Exchange, status: number, bytes: number) => void;

/**
 * How long the connection of a refused request stays open, in milliseconds, so that its client can read why.
 */
const lingerMs = 1000;

/**
 * Refuses bytes that are not an HTTP request, or a request that is too long or too slow, and closes the
 * connection. The answers to earlier requests on that connection are sent first. `requestMs` is how long a
 * request may take to arrive.
 */
export function refuseBytes(
  note: NoteRefusal,
  requestMs: number,
  error: NodeJS.ErrnoException,
  socket: Socket & { readonly _httpMessage?: ServerResponse | null },
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const answering = socket._httpMessage ?? null;
  const isWithinRequest = answering !== null && !answering.req.complete;
  if (answering !== null && !isWithinRequest)
    return void answering.once('close', () => refuseBytes(note, requestMs, error, socket));
  if (answering?.headersSent) return void socket.destroy();
  const { method = '', url: target = '', headers = {} } = answering?.req ?? {};
  const exchange = exchangeOf({ method, target, host: '', headers, body: '' });
  refuseSocket(note, socket, exchange, describe(error, requestMs));
}

/** Refuses `CONNECT`, because this is not a proxy, and closes the connection. */
export function refuseTunnel(note: NoteRefusal, { headers }: IncomingMessage, socket: Socket): void {
  socket.on('error', () => socket.destroy());
  refuseSocket(
    note,
    socket,
    exchangeOf({ method: 'CONNECT', target: '', host: '', headers, body: '' }),
    new ApiError('method_not_allowed', 'CONNECT is not allowed here: this is no proxy'),
    { Allow: 'GET, HEAD, POST, OPTIONS' },
  );
}

/** Writes a refusal straight to a connection, because Node has no response object for it, and closes it. */
function refuseSocket(
  note: NoteRefusal,
  socket: Socket,
  exchange: Exchange,
  error: ApiError,
  more: Readonly<Record<string, string>> = {},
): void {
  const { status, headers, body } = failureReply(exchange, error, more);
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body?.toString() ?? ''}`);
  setTimeout(() => socket.destroy(), lingerMs).unref();
  note(exchange, status, body?.length ?? 0);
}

function describe({ code = '' }: NodeJS.ErrnoException, requestMs: number): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('payload_too_large', 'the target and headers of a request have at most 16 KiB');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('invalid_parameter', `the request did not arrive within ${requestMs / 1000} seconds`);
  if (code === 'HPE_INVALID_URL')
    return new ApiError(
      'invalid_parameter',
      'the target of the request has characters that a URL must not have: percent-encode characters beyond ASCII, as %C3%A9 for é',
    );
  return new ApiError(
    'invalid_parameter',
    `these bytes are not an HTTP request${code.startsWith('HPE_') ? ` (${code})` : ''}`,
  );
}
