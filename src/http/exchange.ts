/** Reads a header of a request by its name in lower case. */
export type HeaderReader = (name: string) => string | undefined;

/** Headers of a request by their names in lower case. A header that was sent more than once may be a list. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Controls a request that can be held. While it is held, it does not count as in flight, and its client may
 * go away.
 */
export interface Holdable {
  /** Tells that the request is held from now on, or no longer. */
  onHold(isHeld: boolean): void;
  /** Calls the listener once the client is gone. */
  onGone(listener: () => void): void;
}

/**
 * A request, and what becomes known of it while it is answered. The log and the metrics read it when the
 * answer is sent.
 */
export interface Exchange {
  readonly method: string;
  /** Path and query as the client wrote them; begins with `/`. */
  readonly target: string;
  /** The host that the client asks, with its port; empty if the request names none. */
  readonly host: string;
  readonly headers: RequestHeaders;
  /** The connection of the request: requests with the same object share it. Null if it is not known. */
  readonly connection: object | null;
  /** The text of the body; null if it is longer than `bodyBytesMaximum`. */
  readonly body: string | null | Promise<string | null>;
  /** How the request is held for a while; null if nothing is known of its client. */
  holdable: Holdable | null;
  /** The name of the operation in metrics; empty until the request is routed. */
  operation: string;
  /** For how long the request was held before, in milliseconds. */
  heldMs: number;
  /** Since when it is held now, by `performance.now()`; null if it is not held. */
  heldSinceMs: number | null;
  /** The id of the key, or the buyer as `gateway:<name>`; null until a key was accepted. */
  caller: string | null;
  /** The id that client and log show; empty until it is made, at the latest when the answer is sent. */
  requestId: string;
  /** How many requests it counts for: each call of a batch is one. */
  calls: number;
  /** Bytes of the body that is sent; of a stream, those so far. */
  bytes: number;
  /** Whether its caller's usage has it already: a stream counts as it is sent. */
  isCounted: boolean;
  /** The error code; null unless the request failed. */
  failure: string | null;
}

/** What is sent to the client. */
export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
}

/** What is sent to a client piece by piece, as it becomes known. */
export interface StreamReply extends Omit<Reply, 'body'> {
  /** Whoever sends it asks for a piece when those before are taken. */
  readonly body: AsyncGenerator<Buffer>;
  /** Ends the body, whatever it waits for. */
  readonly end: () => void;
}

/** Requests with longer bodies are refused. */
export const bodyBytesMaximum = 256 * 1024;

/** What a request says of itself. */
export type Asking = Pick<Exchange, 'method' | 'target' | 'host' | 'headers' | 'body'> &
  Partial<Pick<Exchange, 'connection'>>;

/** Makes the exchange of a request that has arrived. */
export function exchangeOf({ method, target, host, headers, body, connection = null }: Asking): Exchange {
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
    heldSinceMs: null,
    caller: null,
    requestId: '',
    calls: 1,
    bytes: 0,
    isCounted: false,
    failure: null,
  };
}

/** Makes the exchange of a web `Request`. */
export function webExchange(request: Request): Exchange {
  const { pathname, search, host } = new URL(request.url);
  const headers = Object.fromEntries(request.headers);
  return exchangeOf({
    method: request.method,
    target: pathname + search,
    host: headers['host'] ?? host,
    headers,
    body: request.body === null ? '' : boundedText(request),
  });
}

/** A header by its name in lower case. The values of a repeated header are joined with commas. */
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

/** The query parameters of a target. */
export function queryOf(target: string): URLSearchParams {
  const queryAt = target.indexOf('?');
  return new URLSearchParams(queryAt === -1 ? '' : target.slice(queryAt));
}

/** The text of a body; null if it is too long, empty if it does not arrive whole. */
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
