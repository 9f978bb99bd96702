import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';

/** One request. */
export interface WireRequest {
  readonly url: URL;
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time for the whole answer, from connecting to the last byte, in milliseconds; see `WireAnswer.prolong`. */
  readonly wholeMs: number;
  /** The message of the error after that time. */
  readonly lateReason: string;
  /**
   * Returns where to go on after an answer that leads elsewhere, or throws; `hops` is how many there were before. Without
   * it, `read` gets such an answer, too.
   */
  readonly redirect?: (from: URL, location: string | null, hops: number) => URL;
}

/** An answer whose body is still to be read. */
export interface WireAnswer {
  readonly status: number;
  /** A header, the first one if it is repeated; null if there is none. */
  header(name: string): string | null;
  /** As received, without decompression. An error ends a loop over it and is otherwise ignored. */
  readonly body: Readable;
  /** Whether the time for the whole answer is over. */
  isLate(): boolean;
  /** Lets the time for the whole answer begin again. */
  prolong(): void;
}

/** Sends single HTTP requests: no retries, no rate limit, no cache. */
export interface Wire {
  /**
   * Sends a request and resolves to what `read` makes of the answer, whatever its status; then what is left of the body is
   * thrown away. Rejects as `read` does, with the error of the connection, or with `lateReason`.
   */
  send<Result>(request: WireRequest, read: (answer: WireAnswer) => Promise<Result>): Promise<Result>;
  /** Ends the requests under way and closes all connections. */
  close(): Promise<void>;
}

/** What a wire may connect to. */
export interface WireGuard {
  /** Throws if nothing may be connected to under this name or address. */
  checkHost(hostname: string): void;
  /** Throws if the address of a connection that was made is not allowed. */
  checkPeer(hostname: string, address: string): void;
}

/** Options of a wire. Times are in milliseconds. */
export interface WireOptions {
  /** Connections to one origin at the same time; no limit if left out. */
  readonly connections?: number;
  readonly connectMs?: number;
  /** Longest time until the answer begins, and between two pieces of it; no limit if left out. */
  readonly silentMs?: number;
  /** Bytes of the headers of an answer; as Node allows if left out. */
  readonly headerBytesMaximum?: number;
  /** Stands in for the name servers of the system. */
  readonly lookup?: LookupFunction;
  readonly guard?: WireGuard;
}

/** Makes a wire that opens connections when they are needed. */
export function createWire(options: WireOptions): Wire {
  const { connections, connectMs = 10_000, silentMs = 0, headerBytesMaximum, lookup, guard } = options;
  // Loaded here, because commands that never ask anybody would start a tenth of a second later.
  const opened = import('undici').then(({ Agent, buildConnector }) => {
    const connect = buildConnector({ timeout: connectMs, allowH2: false, ...(lookup && { lookup }) });
    const guarded: typeof connect = (target, callback) => {
      try {
        guard?.checkHost(target.hostname);
      } catch (error) {
        return void callback(error as Error, null);
      }
      connect(target, (...result) => {
        const [failure, socket] = result;
        if (failure !== null) return callback(...result);
        try {
          guard?.checkPeer(target.hostname, socket.remoteAddress ?? '');
        } catch (error) {
          socket.destroy();
          return callback(error as Error, null);
        }
        callback(...result);
      });
    };
    return new Agent({
      ...(connections === undefined ? {} : { connections }),
      ...(headerBytesMaximum === undefined ? {} : { maxHeaderSize: headerBytesMaximum }),
      pipelining: 1,
      headersTimeout: silentMs,
      bodyTimeout: silentMs,
      connect: guarded,
    });
  });

  /** Asks, and follows where the answers lead. */
  async function ask(request: WireRequest, signal: AbortSignal) {
    const { url, method = 'GET', headers, body, redirect } = request;
    const agent = await opened;
    let at = url;
    for (let hops = 0; ; hops++) {
      const answer = await agent.request({
        origin: at.origin,
        path: at.pathname + at.search,
        method,
        headers,
        signal,
        ...(body === undefined ? {} : { body }),
      });
      // An error that nobody listens for would end the process. It also ends a loop over the body, but perhaps none runs.
      answer.body.on('error', () => {});
      const header = (name: string) => [answer.headers[name]].flat()[0] ?? null;
      if (!redirect || !redirects.has(answer.statusCode)) return { answer, header };
      answer.body.destroy();
      at = redirect(at, header('location'), hops);
    }
  }

  return {
    async send(request, read) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(new Error(request.lateReason)), request.wholeMs);
      let body: Readable | null = null;
      try {
        const { answer, header } = await ask(request, late.signal);
        ({ body } = answer);
        return await read({
          status: answer.statusCode,
          header,
          body,
          isLate: () => late.signal.aborted,
          prolong: () => void timer.refresh(),
        });
      } catch (error) {
        throw late.signal.aborted ? late.signal.reason : error;
      } finally {
        clearTimeout(timer);
        body?.destroy();
      }
    },
    close: async () => (await opened).destroy(),
  };
}

/** The statuses of answers that lead elsewhere. */
export const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The address to which an answer leads; null if it names none. */
export function redirectTarget(from: URL, location: string | null): URL | null {
  return location !== null && URL.canParse(location, from.href) ? new URL(location, from) : null;
}

/** The text of an error. If a host has several addresses and none can be reached, the error has only a code. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}

/** The first buffer for the bytes of a stream, unless fewer are wanted. */
const firstBytes = 64 * 1024;

/** Bytes of a stream. `error` is why it ended before its end and before `length` bytes; null if it did not. */
export interface ReadBytes {
  readonly bytes: Buffer;
  readonly error: Error | null;
}

/**
 * Reads `length` bytes of a stream, from an offset on; fewer if the stream ends before. Does not wait for the rest of
 * the stream. The bytes are copied into one buffer that grows, so that a host that sends them one at a time, each in a
 * piece of its own, takes no more memory than another.
 */
export async function readBytes(
  stream: AsyncIterable<Buffer>,
  from: number,
  length: number,
): Promise<ReadBytes> {
  let bytes = Buffer.allocUnsafeSlow(Math.min(length, firstBytes));
  let [passed, taken] = [0, 0];
  let error: Error | null = null;
  try {
    for await (const piece of stream) {
      const start = Math.max(0, from - passed);
      const wanted = piece.subarray(start, start + length - taken);
      passed += piece.length;
      if (taken + wanted.length > bytes.length) {
        const longer = Buffer.allocUnsafeSlow(
          Math.min(length, Math.max(2 * bytes.length, taken + wanted.length)),
        );
        bytes.copy(longer, 0, 0, taken);
        bytes = longer;
      }
      taken += wanted.copy(bytes, taken);
      if (taken === length) break;
    }
  } catch (reason) {
    error = reason as Error;
  }
  return { bytes: taken === bytes.length ? bytes : Buffer.from(bytes.subarray(0, taken)), error };
}
