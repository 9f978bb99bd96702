import { FilingEventsError, type ErrorCode } from './errors.ts';
import { boundedSeconds } from './pauses.ts';

/**
 * The most bytes of an answer, if a request does not say otherwise: 64 MiB. A longer one would fill the memory.
 * Example: `await bytesOf(response, usualBytesMaximum, '/health')`.
 */
export const usualBytesMaximum: number = 64 * 1024 * 1024;

/** The most bytes of the body of a refusal that are read. */
const refusalBytesMaximum = 64 * 1024;
const redirectsMaximum = 5;
const redirects = new Set([301, 302, 303, 307, 308]);
/** After these a request that changes something is sent again as it is. */
const redirectsOfAll = new Set([307, 308]);

/**
 * Sends a request, and follows redirects within its origin. A redirect to another origin is an error that names it: the
 * headers have the key of the caller, and `fetch` would send them there.
 * Example: `await fetchWithinOrigin('https://filings.example/health', { headers })`.
 */
export async function fetchWithinOrigin(
  address: string,
  request: RequestInit,
  send: typeof fetch = fetch,
): Promise<Response> {
  for (let at = address, hops = 0; ; hops++) {
    const response = await send(at, { ...request, redirect: 'manual' });
    if (!redirects.has(response.status) && response.type !== 'opaqueredirect') return response;
    drop(response);
    if (hops === redirectsMaximum)
      throw misled(response, `${address} leads to another address more than ${redirectsMaximum} times`);
    at = targetOf(response, at, request.method ?? 'GET');
  }
}

function targetOf(response: Response, at: string, method: string): string {
  const location = response.headers.get('location');
  // Browsers do not tell where a redirect leads.
  if (response.type === 'opaqueredirect') throw misled(response, `${at} leads to another address`);
  if (location === null || !URL.canParse(location, at)) throw misled(response, `${at} leads to no address`);
  const target = new URL(location, at);
  if (target.origin !== new URL(at).origin)
    throw misled(response, `${at} leads to ${target.href}, another origin, to which no key is sent`);
  if (method !== 'GET' && !redirectsOfAll.has(response.status))
    throw misled(response, `${at} leads to ${target.href}, to which only a GET may go`);
  return target.href;
}

const misled = ({ status }: Response, message: string) =>
  new FilingEventsError(message, { code: 'unexpected_answer', status });

/**
 * The error of a connection that was refused, came too late, or was cut off in the middle of the answer; another one of this
 * package stays. Example: `throw lostOf(error, 'https://filings.example')`.
 */
export function lostOf(error: unknown, address: string): FilingEventsError {
  if (error instanceof FilingEventsError) return error;
  const { cause = error } = error as Error;
  return new FilingEventsError(`no answer from ${address}: ${(cause as Error).message}`, {
    code: 'connection_failed',
    cause,
  });
}

/** Nobody waits for a body that is not read to its end. */
function drop({ body }: Response): void {
  void body?.cancel().catch(() => {});
}

/** The pieces of a body. Not every browser can loop over one. Example: `for await (const piece of piecesOf(response)) …`. */
export async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/**
 * Reads a body. Rejects with `answer_too_long` as soon as there are more bytes than the most.
 * Example: `await bytesOf(response, 64 * 1024, 'current.json')`.
 */
export async function bytesOf(response: Response, bytesMaximum: number, name: string): Promise<Uint8Array> {
  const { bytes, isWhole } = await beginningOf(response, bytesMaximum);
  if (!isWhole)
    throw new FilingEventsError(`the answer of ${name} is longer than ${bytesMaximum} bytes`, {
      code: 'answer_too_long',
    });
  return bytes;
}

interface Beginning {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

async function beginningOf(response: Response, bytesMaximum: number): Promise<Beginning> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  let isWhole = true;
  for await (const piece of piecesOf(response)) {
    isWhole = length + piece.length <= bytesMaximum;
    pieces.push(isWhole ? piece : piece.subarray(0, bytesMaximum - length));
    length += pieces.at(-1)?.length ?? 0;
    if (!isWhole) break;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return { bytes, isWhole };
}

/** The error of an answer that is not good. Of an endless one the beginning is read. Example: `throw await refusalOf(response)`. */
export async function refusalOf(response: Response): Promise<FilingEventsError> {
  const { bytes } = await beginningOf(response, refusalBytesMaximum);
  const text = new TextDecoder().decode(bytes);
  const { status, headers } = response;
  const { code, message } = errorIn(text);
  return new FilingEventsError(message ?? `${status} ${text.slice(0, 200)}`, {
    // A proxy between here and the service has no codes.
    code: code ?? 'unexpected_answer',
    status,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: secondsIn(headers.get('retry-after')),
  });
}

function errorIn(text: string): { readonly code?: ErrorCode; readonly message?: string } {
  try {
    const { code, message } = (JSON.parse(text) as { error: Record<string, unknown> }).error;
    return typeof code === 'string' && typeof message === 'string'
      ? { code: code as ErrorCode, message }
      : {};
  } catch {
    return {};
  }
}

/** Seconds of a `Retry-After`, which has a number or a date. */
function secondsIn(value: string | null): number {
  if (value === null) return 0;
  return boundedSeconds(/^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000);
}
