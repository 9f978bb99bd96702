import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Random } from './random.ts';
import type { Owner, Schedule } from './schedule.ts';

/** A request as a host gets it. */
export interface NetworkRequest {
  readonly origin: string;
  readonly path: string;
  /** `GET` if it does not say. */
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What is written with it. */
  readonly body?: string;
  /** When it reached the host, in milliseconds since 1970. */
  readonly atMs: number;
}

/** What a host does with a request. */
export interface NetworkAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** How long it takes until the answer begins, in milliseconds. */
  readonly afterMs?: number;
  /** After so many bytes the connection breaks; 0 breaks it before an answer. */
  readonly brokenAfter?: number;
  /** No byte comes any more after these. */
  readonly stalledAfter?: number;
}

/** A text that is there, with no more about it. */
export const textAnswer = (text: string): NetworkAnswer => ({
  status: 200,
  headers: {},
  body: Buffer.from(text),
});

/** A page of HTML or XML with a status. */
export function page(status: number, title: string): NetworkAnswer {
  const text =
    title === 'AccessDenied' || title === 'NoSuchKey'
      ? `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${title}</Code></Error>`
      : `<!DOCTYPE html><html><head><title>SEC.gov | ${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { status, headers: { 'content-type': 'text/html' }, body: Buffer.from(text) };
}

/** A file with an ETag: 304 if the client has it, and a part if it asks for one. */
export function fileAnswer(
  body: Buffer,
  asked: NetworkRequest['headers'],
  more: Readonly<Record<string, string>> = {},
): NetworkAnswer {
  const headers = { etag: `"${createHash('sha1').update(body).digest('hex').slice(0, 16)}"`, ...more };
  if (asked['if-none-match'] === headers.etag) return { status: 304, headers, body: Buffer.alloc(0) };
  const isOther = asked['if-range'] !== undefined && asked['if-range'] !== headers.etag;
  const range = isOther ? null : /^bytes=(\d+)-(\d*)$/.exec(asked['range'] ?? '');
  const lengthOf = (part: Buffer) => ({ 'content-length': String(part.length) });
  if (!range) return { status: 200, headers: { ...headers, ...lengthOf(body) }, body };
  const from = Number(range[1]);
  const to = Math.min(range[2] === '' ? Infinity : Number(range[2]), body.length - 1);
  if (from >= body.length) return page(416, 'range');
  const part = body.subarray(from, to + 1);
  const place = { 'content-range': `bytes ${from}-${to}/${body.length}` };
  return { status: 206, headers: { ...headers, ...lengthOf(part), ...place }, body: part };
}

/** Answers requests to one origin. */
export type Host = (request: NetworkRequest) => NetworkAnswer;

/** The hosts of a run, by origin. */
export type Network = Map<string, Host>;

/** A request as a service gets it. */
export interface LiveRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Calls the listener once the client is gone. */
  onGone(listener: () => void): void;
}

/** A program that answers, as a connection reaches it. */
export interface Connection {
  answer(request: LiveRequest): Promise<Response>;
  /** Resolves when it ends. */
  readonly ended: Promise<unknown>;
}

/** A service whose answers come piece by piece. */
export interface Live {
  /** Connects to the program that runs now; null if none does. */
  connect(): Connection | null;
  /** Is told of the silence before each piece of a body and its end, in milliseconds. */
  heard(path: string, headers: Headers, silentMs: number): void;
}

/** The services of a run that `fetch` reaches, by origin. */
export type LiveNetwork = Map<string, Live>;

/** What `undici` of a process needs. */
export interface NetworkCalls {
  readonly network: Network;
  readonly schedule: Schedule;
  readonly owner: Owner;
  readonly random: Random;
}

interface Asked {
  readonly origin: string | URL;
  readonly path: string;
  readonly method?: string;
  readonly body?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** An error of a connection, as undici makes it. */
function connectionError(code: string, text: string): Error {
  return Object.assign(new Error(text), { code });
}

/** Makes the part of `undici` that the programs use. */
export function undiciModule({ network, schedule, owner, random }: NetworkCalls) {
  class Agent {
    readonly #open = new Set<(error: Error) => void>();

    request({ origin, path, method = 'GET', headers = {}, body: written, signal }: Asked): Promise<unknown> {
      return new Promise((resolve, reject) => {
        let body: Readable | null = null;
        const fail = (error: Error) => {
          this.#open.delete(fail);
          signal?.removeEventListener('abort', onAbort);
          if (body === null) reject(error);
          else body.destroy(error);
        };
        const onAbort = () => fail(signal?.reason as Error);
        if (signal?.aborted) return reject(signal.reason as Error);
        signal?.addEventListener('abort', onAbort);
        this.#open.add(fail);
        schedule.after(5 + random.below(40), owner, () => {
          if (!this.#open.has(fail)) return;
          const host = network.get(String(origin).replace(/\/$/, ''));
          if (!host) return fail(connectionError('ENOTFOUND', `getaddrinfo ENOTFOUND ${String(origin)}`));
          const answer = host({
            origin: String(origin),
            path,
            method,
            headers,
            body: written ?? '',
            atMs: schedule.nowMs(),
          });
          if (answer.brokenAfter === 0) return fail(connectionError('UND_ERR_SOCKET', 'other side closed'));
          if (answer.stalledAfter === 0) return;
          schedule.after((answer.afterMs ?? 0) + 5 + random.below(40), owner, () => {
            if (!this.#open.has(fail)) return;
            body = bodyOf(answer, () => {
              this.#open.delete(fail);
              signal?.removeEventListener('abort', onAbort);
            });
            resolve({ statusCode: answer.status, headers: answer.headers, body });
          });
        });
      });
    }

    async close(): Promise<void> {}
    async destroy(): Promise<void> {
      for (const fail of this.#open) fail(connectionError('UND_ERR_DESTROYED', 'The client is destroyed'));
    }
  }

  /** A body that comes in one piece or two, or breaks. */
  function bodyOf({ body, brokenAfter, stalledAfter }: NetworkAnswer, ended: () => void): Readable {
    const end = Math.min(body.length, brokenAfter ?? body.length, stalledAfter ?? body.length);
    const stream = new Readable({
      read() {},
      destroy(error, done) {
        ended();
        done(error);
      },
    });
    schedule.after(1 + random.below(20), owner, () => {
      if (stream.destroyed) return;
      if (end > 0) stream.push(body.subarray(0, end));
      if (brokenAfter !== undefined && brokenAfter < body.length)
        stream.destroy(connectionError('UND_ERR_SOCKET', 'other side closed'));
      else if (stalledAfter === undefined || stalledAfter >= body.length) stream.push(null);
    });
    return stream;
  }
  // The connections of the model need no connector.
  return { Agent, buildConnector: () => () => {} };
}
