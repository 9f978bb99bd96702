import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { outsidePauseMs } from '../../src/time/outside-pause.ts';
import {
  checkLiteral,
  isPublic,
  NotPublic,
  publicOnly,
  resolveByServers,
  resolveBySystem,
  type Resolve,
} from './public-addresses.ts';

/** How an attempt ended. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly status: number }
  /** The receiver wants nothing more (410). */
  | { readonly kind: 'gone'; readonly status: number }
  /** `status` is null if no answer came. */
  | {
      readonly kind: 'failed';
      readonly status: number | null;
      readonly reason: string;
      readonly retryAfterMs: number;
    };

/** Sends messages to receivers. */
export interface Poster {
  /** Makes one attempt. Never rejects. */
  post(url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<Outcome>;
  /** Cuts the attempts that run, and closes all connections. */
  close(): Promise<void>;
}

/** How receivers are reached. */
export interface PosterOptions {
  readonly isPrivateAllowed: boolean;
  readonly userAgent: string;
  /** Stands in for the name servers, in tests. */
  readonly resolve?: Resolve;
  /** For one attempt, from the question for the name to the answer. 15 seconds if not set. */
  readonly timeoutMs?: number;
}

const timeoutMsDefault = 15_000;
const connectMs = 10_000;
/** So much of an answer is read; whoever sends more is cut off. */
const answerBytesMaximum = 16 * 1024;
/** So much of an answer is shown. */
const shownCharacters = 200;

/** Makes a poster. It follows no redirects: they would lead past the checks of addresses. */
export async function createPoster(options: PosterOptions): Promise<Poster> {
  const { isPrivateAllowed, userAgent, timeoutMs = timeoutMsDefault } = options;
  // Loaded here, because other commands would start a tenth of a second later.
  const { Agent, buildConnector } = await import('undici');
  const connect = buildConnector({
    timeout: Math.min(connectMs, timeoutMs),
    allowH2: false,
    ...(isPrivateAllowed && options.resolve === undefined ? {} : { lookup: lookupOf(resolverOf(options)) }),
  });
  const agent = new Agent({
    // An endpoint sends one message at a time, so there are never more connections than endpoints.
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: answerBytesMaximum,
    connect(target, callback) {
      try {
        // An address in place of a name is not looked up.
        if (!isPrivateAllowed) checkLiteral(new URL(`http://${bracketed(target.hostname)}`));
      } catch (error) {
        return void callback(error as Error, null);
      }
      connect(target, (...result) => {
        const [error, socket] = result;
        if (error !== null || isPrivateAllowed || isPublic(socket.remoteAddress ?? ''))
          return callback(...result);
        socket.destroy();
        callback(
          new NotPublic(`${target.hostname} is at ${socket.remoteAddress}, which is no public address`),
          null,
        );
      });
    },
  });

  async function attempt(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: { 'user-agent': userAgent, accept: '*/*', ...headers },
      body,
      signal,
    });
    const { statusCode: status } = answer;
    const text = await readText(answer.body);
    if (status >= 200 && status < 300) return { kind: 'accepted', status };
    if (status === 410) return { kind: 'gone', status };
    const isRedirect = status >= 300 && status < 400;
    return {
      kind: 'failed',
      status,
      reason: isRedirect ? `${status}: redirects are not followed` : `${status} ${text}`.trim(),
      retryAfterMs: retryAfterMsOf([answer.headers['retry-after']].flat()[0]),
    };
  }

  return {
    async post(url, headers, body) {
      const cut = new AbortController();
      const timer = setTimeout(
        () => cut.abort(new Error(`no answer within ${timeoutMs / 1000} seconds`)),
        timeoutMs,
      );
      try {
        return await attempt(url, headers, body, cut.signal);
      } catch (error) {
        const { cause, message } = (cut.signal.aborted ? cut.signal.reason : error) as Error;
        const reason = inOneLine(message || (cause as Error | undefined)?.message || 'no answer');
        return { kind: 'failed', status: null, reason, retryAfterMs: 0 };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

/** Private receivers may have names that only this machine knows, such as `localhost`. */
function resolverOf({ isPrivateAllowed, resolve }: PosterOptions): Resolve {
  return isPrivateAllowed ? (resolve ?? resolveBySystem) : publicOnly(resolve ?? resolveByServers);
}

/** The connection goes to one of the addresses that were checked: nobody asks for the name again. */
function lookupOf(resolve: Resolve): LookupFunction {
  return (hostname, { all, family }, callback) => {
    resolve(hostname).then(
      (found) => {
        const fitting = found.filter(
          (each) => !family || each.family === Number(String(family).replace('IPv', '')),
        );
        const [first] = fitting;
        if (first === undefined) callback(new Error(`the name ${hostname} has no address of this kind`), '');
        else if (all === true) callback(null, [...fitting]);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

const bracketed = (hostname: string) =>
  hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;

/**
 * Reads the beginning of an answer. The status has come already and decides, so an answer that is cut off, or
 * too long, is no error.
 */
async function readText(body: Dispatcher.ResponseData['body']): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > answerBytesMaximum) break;
    }
  } catch {
    // What was read is enough.
  }
  return inOneLine(Buffer.concat(pieces).toString('utf8'));
}

const inOneLine = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, shownCharacters);

/** The header has seconds, or a date. Dates are not taken: the clocks of two machines differ. */
function retryAfterMsOf(text: string | undefined): number {
  return /^\d+$/.test(text ?? '') ? outsidePauseMs(Number(text) * 1000) : 0;
}
