import { bytesOf, fetchWithinOrigin, lostOf, piecesOf, refusalOf, usualBytesMaximum } from './answers.ts';
import { FilingEventsError } from './errors.ts';
import { pauseAfter, sleep, unlessAborted, within } from './pauses.ts';

/** Where the service is, and how it is asked. Example: `{ baseUrl: 'https://filings.example', apiKey: 'key' }`. */
export interface ClientSettings {
  /** The address of the service, with or without a slash at its end. */
  readonly baseUrl: string;
  /**
   * Public operations need none. A function is asked before the first request, and again when the service refuses the key
   * (401): if it gives another one, the request is sent once more. So a key can be changed while a program runs.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Headers for each request, for example those of a gateway. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How often a request is repeated that may succeed later. 5 if not set. A follower repeats for ever. */
  readonly retries?: number | undefined;
  /**
   * How long a try may take, in seconds, beside the time for which it asks the service to wait. 60 if not set, 3,600 at
   * most.
   */
  readonly timeoutSeconds?: number | undefined;
  /** Is told of each failure that is followed by another try. */
  readonly onRetry?: ((error: FilingEventsError, seconds: number) => void) | undefined;
  /** Is told which companies of a list of `changes` the service does not have, each once. They are printed if not set. */
  readonly onUnknown?: ((entries: readonly string[]) => void) | undefined;
  /** Stands in for the global `fetch`, for example one that goes through a proxy. */
  readonly fetch?: typeof fetch | undefined;
}

/** Options of a single request. Example: `client.getStats({}, { signal: AbortSignal.timeout(5_000) })`. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly retries?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** An answer with more bytes is an error, `answer_too_long`. 64 MiB if not set. */
  readonly bytesMaximum?: number | undefined;
}

/** A request below the address of the service. Example: `{ method: 'GET', path: '/health' }`. */
export interface Question {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  readonly body?: string | undefined;
}

/** Asks the service, and asks again where that may help. Example: `await transport.ask({ method: 'GET', path: '/health' }, parse)`. */
export interface Transport {
  /**
   * Resolves to what `read` makes of the body of a good answer. Rejects with a `FilingEventsError`, or with the reason of
   * the signal. A caller that never gives up (`retries: Infinity`) also asks again where `read` throws a `FilingEventsError`
   * with a good status: proxies show a page of theirs while they wait for the service.
   */
  ask<Result>(
    question: Question,
    read: (bytes: Uint8Array) => Result,
    options?: RequestOptions,
  ): Promise<Result>;
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
  /** Tells of a failure that is followed by another try, and after how many seconds. */
  tell(error: FilingEventsError, seconds: number): void;
}

/** Makes a transport. Example: `createTransport({ baseUrl: 'http://127.0.0.1:8787' })`. */
export function createTransport(settings: ClientSettings): Transport {
  const base = settings.baseUrl.replace(/\/+$/, '');
  const keyOf = async () => (typeof settings.apiKey === 'function' ? settings.apiKey() : settings.apiKey);
  let known: Promise<string | undefined> | null = null;
  const currentKey = async ({ signal }: RequestInit) => {
    const asked = (known ??= keyOf());
    try {
      return await unlessAborted(asked, signal);
    } catch (error) {
      // A function that fails, or does not answer, is asked again by the next request.
      if (known === asked) known = null;
      throw error;
    }
  };

  function send(path: string, more: RequestInit, key: string | undefined): Promise<Response> {
    const own = key === undefined ? {} : { 'x-api-key': key };
    const headers = { ...own, ...settings.headers, ...more.headers };
    requireSendable(base, headers);
    return fetchWithinOrigin(base + path, { ...more, headers }, settings.fetch);
  }

  async function request(path: string, more: RequestInit): Promise<Response> {
    const key = await currentKey(more);
    const response = await send(path, more, key);
    if (response.ok) return response;
    const refusal = await refusalOf(response);
    if (refusal.status !== 401 || typeof settings.apiKey !== 'function') throw refusal;
    // Another request may have asked for a new key meanwhile.
    if ((await currentKey(more)) === key) known = null;
    const other = await currentKey(more);
    if (other === key) throw refusal;
    const answer = await send(path, more, other);
    if (answer.ok) return answer;
    throw await refusalOf(answer);
  }

  /** What a request failed with. `signal` is what its caller ends it with. */
  const failureOf = (error: unknown, signal: AbortSignal | undefined): unknown =>
    signal?.aborted ? signal.reason : lostOf(error, base);

  async function tryOnce({ method, path, body }: Question, options: RequestOptions): Promise<Uint8Array> {
    const seconds = options.timeoutSeconds ?? settings.timeoutSeconds ?? 60;
    try {
      return await within(
        seconds,
        async (signal) => {
          const response = await request(path, {
            method,
            signal,
            ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
          });
          return bytesOf(response, options.bytesMaximum ?? usualBytesMaximum, path);
        },
        options.signal,
      );
    } catch (error) {
      throw failureOf(error, options.signal);
    }
  }

  const tell = (error: FilingEventsError, seconds: number) => settings.onRetry?.(error, seconds);

  return {
    async ask(question, read, options = {}) {
      const retries = options.retries ?? settings.retries ?? 5;
      for (let failures = 0; ; ) {
        try {
          return read(await tryOnce(question, options));
        } catch (error) {
          if (!(error instanceof FilingEventsError) || failures >= retries) throw error;
          const isPage = error.code === 'unexpected_answer' && error.status === 200;
          if (!error.isPassing && !(isPage && retries === Infinity)) throw error;
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
        yield* piecesOf(response);
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
    tell,
  };
}

/** Refuses what no request can have: who asks again for ever would do so in silence. The message does not have the key. */
function requireSendable(base: string, headers: ConstructorParameters<typeof Headers>[0]): void {
  const invalid = (message: string) => new FilingEventsError(message, { code: 'invalid_parameter' });
  // In a page an address may be a path.
  const isRelative = !URL.canParse(base) && 'location' in globalThis;
  if (!isRelative && !isAddress(base))
    throw invalid('baseUrl: must begin with http:// or https://, and have no user');
  try {
    new Headers(headers);
  } catch {
    throw invalid('a header of the request has what no header can have: is the key one line?');
  }
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
