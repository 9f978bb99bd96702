import { FilingEventsError, type ErrorCode } from './errors.ts';

/** Where the service is, and how it is asked. Example: `{ baseUrl: 'https://filings.example', apiKey: 'key' }`. */
export interface ClientSettings {
  /** The address of the service, with or without a slash at its end. */
  readonly baseUrl: string;
  /** Public operations need none. */
  readonly apiKey?: string | undefined;
  /** Headers for each request, for example those of a gateway. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How often a request is repeated that may succeed later. 5 if not set. A follower repeats for ever. */
  readonly retries?: number | undefined;
  /** How long a try may take, in seconds, beside the time for which it asks the service to wait. 60 if not set. */
  readonly timeoutSeconds?: number | undefined;
  /** Is told of each failure that is followed by another try. */
  readonly onRetry?: ((error: FilingEventsError, seconds: number) => void) | undefined;
  /** Stands in for the global `fetch`, for example one that goes through a proxy. */
  readonly fetch?: typeof fetch | undefined;
}

/** Options of a single request. Example: `client.getStats({}, { signal: AbortSignal.timeout(5_000) })`. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly retries?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/** A request below the address of the service. Example: `{ method: 'GET', path: '/health' }`. */
export interface Question {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  readonly body?: string | undefined;
}

/** Asks the service, and asks again where that may help. Example: `await transport.ask({ method: 'GET', path: '/health' })`. */
export interface Transport {
  /** Resolves to the body of a good answer. Rejects with a `FilingEventsError`, or with the reason of the signal. */
  ask(question: Question, options?: RequestOptions): Promise<Uint8Array>;
  /**
   * Asks once for a path, and gives the pieces of a good answer as they arrive; `check` throws if it cannot be taken.
   * Throws as `ask`.
   */
  stream(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    check: (response: Response) => void,
  ): AsyncIterable<Uint8Array>;
  /** Tells of a failure that is followed by another try after so many seconds. */
  tell(error: FilingEventsError, seconds: number): void;
}

const longestPauseSeconds = 60;

/** Makes a transport. Example: `createTransport({ baseUrl: 'http://127.0.0.1:8787' })`. */
export function createTransport(settings: ClientSettings): Transport {
  const base = settings.baseUrl.replace(/\/+$/, '');
  const headers = {
    ...(settings.apiKey === undefined ? {} : { 'x-api-key': settings.apiKey }),
    ...settings.headers,
  };

  async function request(path: string, more: RequestInit): Promise<Response> {
    const sent = { ...more, headers: { ...headers, ...more.headers } };
    const response = await (settings.fetch ?? fetch)(base + path, sent);
    if (response.ok) return response;
    throw refusalOf(response, await response.text());
  }

  /** What a request failed with. `signal` is what its caller ends it with. */
  function failureOf(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return signal.reason;
    if (error instanceof FilingEventsError) return error;
    // Refused, too late, or cut off in the middle of the answer.
    const { cause = error } = error as Error;
    return new FilingEventsError(`no answer from ${base}: ${(cause as Error).message}`, {
      code: 'connection_failed',
      cause,
    });
  }

  async function tryOnce({ method, path, body }: Question, options: RequestOptions): Promise<Uint8Array> {
    const seconds = options.timeoutSeconds ?? settings.timeoutSeconds ?? 60;
    try {
      return await within(seconds, async (late) => {
        const response = await request(path, {
          method,
          signal: options.signal ? AbortSignal.any([options.signal, late]) : late,
          ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
        });
        return new Uint8Array(await response.arrayBuffer());
      });
    } catch (error) {
      throw failureOf(error, options.signal);
    }
  }

  const tell = (error: FilingEventsError, seconds: number) => settings.onRetry?.(error, seconds);

  return {
    async ask(question, options = {}) {
      const retries = options.retries ?? settings.retries ?? 5;
      for (let failures = 0; ; ) {
        try {
          return await tryOnce(question, options);
        } catch (error) {
          if (!(error instanceof FilingEventsError) || !error.isPassing || failures >= retries) throw error;
          const seconds = pauseAfter(++failures, error.retryAfterSeconds);
          tell(error, seconds);
          await sleep(seconds, options.signal);
        }
      }
    },
    async *stream(path, more, signal, check) {
      try {
        const response = await request(path, { headers: more, signal });
        check(response);
        if (response.body) yield* piecesOf(response.body);
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
    tell,
  };
}

/**
 * How long to wait after so many failures: as long as the service asks for, and longer after each one. The random
 * part keeps clients apart that were cut off at the same moment. Example: `pauseAfter(1, 30)` is 30.
 */
export function pauseAfter(failures: number, retryAfterSeconds: number): number {
  const own = Math.min(longestPauseSeconds, 2 ** failures) * (0.25 + Math.random() / 4);
  return Math.max(retryAfterSeconds, own);
}

/**
 * Does what a signal ends after so many seconds. Node does not stay alive for `AbortSignal.timeout`: beside a request that
 * never settles, a program would end in silence. Example: `await within(60, (signal) => fetch(url, { signal }))`.
 */
export async function within<Result>(
  seconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`nothing within ${seconds} seconds`)), seconds * 1000);
  try {
    return await work(late.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits, or rejects with the reason of the signal. Example: `await sleep(1.5, signal)`. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** The pieces of a body. Not every browser can loop over one. */
async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Nobody waits for a body that is not read to its end.
    void reader.cancel().catch(() => {});
  }
}

function refusalOf({ status, headers }: Response, text: string): FilingEventsError {
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
    const { error = {} } = JSON.parse(text) as { error?: { code?: ErrorCode; message?: string } };
    return error;
  } catch {
    return {};
  }
}

/** Seconds of a `Retry-After`, which has a number or a date. */
function secondsIn(value: string | null): number {
  if (value === null) return 0;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}
