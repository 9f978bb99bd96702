/** Reads a header of a request by its name in lower case. */
export type HeaderReader = (name: string) => string | undefined;

/** Headers of a request by their names in lower case. One that was sent more than once may be a list. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * A request that can be held: it takes no part in the bound of requests in flight meanwhile, and may lose its
 * client.
 */
export interface Holdable {
  /** Called when the request begins and ends to be held. */
  onHold(isHeld: boolean): void;
  /** Calls the listener once the client is gone. */
  onGone(listener: () => void): void;
}

/**
 * A request, and what becomes known of it while it is answered. The log tells of it when the answer is sent.
 */
export interface Exchange {
  readonly method: string;
  /** Path and query as the client wrote them; begins with `/`. */
  readonly target: string;
  /** The host that the client asks, with its port; empty if it names none. */
  readonly host: string;
  readonly headers: RequestHeaders;
  /** The connection that it came over, for as long as that is known. */
  readonly connection: object | null;
  /** The text of the body; null if it is longer than `bodyBytesMaximum`. */
  readonly body: string | null | Promise<string | null>;
  /** How it is held for a while; null where nothing is known of its client. */
  holdable: Holdable | null;
  /** How metrics name what it asks for; empty as long as nobody looked. */
  operation: string;
  /** For how long it was held so far, in milliseconds. */
  heldMs: number;
  /** The id of the key, `gateway`, or null as long as no key was checked. */
  caller: string | null;
  /** Bytes of the body that is sent. */
  bytes: number;
  /** Why the request failed, and the id by which the client and the log know it; null if it did not. */
  failure: { readonly code: string; readonly requestId: string } | null;
}

/** What is sent to the client. */
export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
}

/** A request longer than this is refused. */
export const bodyBytesMaximum = 256 * 1024;

/** A request as Node parses it. */
export function nodeExchange(
  method: string,
  target: string,
  host: string,
  headers: RequestHeaders,
  body: Exchange['body'],
  connection: object | null = null,
): Exchange {
  return {
    method,
    target,
    host,
    headers,
    connection,
    body,
    holdable: null,
    operation: '',
    heldMs: 0,
    caller: null,
    bytes: 0,
    failure: null,
  };
}

/** A request as the web platform has it. */
export function webExchange(request: Request): Exchange {
  const { pathname, search, host } = new URL(request.url);
  const headers = Object.fromEntries(request.headers);
  return nodeExchange(
    request.method,
    pathname + search,
    headers['host'] ?? host,
    headers,
    request.body === null ? '' : boundedText(request),
  );
}

/** A header by its name in lower case. One that was sent more than once is one with commas between. */
export function headerOf(
  { headers }: { readonly headers: RequestHeaders },
  name: string,
): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The path of a target, without its query. */
export function pathOf(target: string): string {
  const queryAt = target.indexOf('?');
  return queryAt === -1 ? target : target.slice(0, queryAt);
}

/** The parameters behind the `?` of a target. */
export function queryOf(target: string): URLSearchParams {
  const queryAt = target.indexOf('?');
  return new URLSearchParams(queryAt === -1 ? '' : target.slice(queryAt));
}

/** The text of a body; what does not arrive whole is no text. */
async function boundedText(request: Request): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of request.body ?? []) {
      bytes += piece.length;
      if (bytes > bodyBytesMaximum) return null;
      pieces.push(piece);
    }
  } catch {
    return '';
  }
  return Buffer.concat(pieces).toString();
}
