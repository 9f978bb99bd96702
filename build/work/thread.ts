import { setTimeout as delay } from 'node:timers/promises';
import { Worker, workerData, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import { backoff } from '../../src/fetch/backoff.ts';
import type { LineLog, LogLevel } from '../../src/log/levels.ts';

/** Functions of another thread. What they take and return has to survive `structuredClone`. */
type Answers<Functions> = {
  readonly [Name in keyof Functions]: (...values: never[]) => Promise<unknown>;
};

/** What the calling thread sends. */
type Request =
  | { readonly id: number; readonly name: string; readonly values: readonly unknown[] }
  | { readonly abort: true };

/** What the answering thread sends. */
type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SentError }
  | { readonly line: string; readonly level: LogLevel | undefined };

/** An error on its way between threads. Classes and members of errors do not survive `structuredClone`. */
interface SentError {
  readonly type: string;
  readonly name: string;
  readonly message: string;
  readonly kind: unknown;
}

/** A class of errors that callers look for. */
export type ErrorClass = new (message: string) => Error;

/** What `openThread` needs. */
export interface ThreadOptions<Functions> {
  /** What the thread does, for the log: `looks up filings`. */
  readonly does: string;
  readonly names: readonly (keyof Functions & string)[];
  /** Starts the thread, which calls `answerCalls`. */
  readonly start: () => Worker;
  /** Errors of these classes arrive as what they were; all others as `Error`. */
  readonly errors: readonly ErrorClass[];
  /** Gets what the thread logs. */
  readonly log: LineLog;
  /** Aborts the signal of the thread, too. */
  readonly signal?: AbortSignal;
  /** The first pause before a thread that ended is started again, in milliseconds. */
  readonly pauseMs?: number;
}

/** A thread that answers calls. */
export interface Thread<Functions> {
  readonly calls: Functions;
  /** Ends the thread in the middle of what it does. Calls that it has not answered reject. */
  end(): Promise<void>;
}

const pauses = { firstMs: 100, longestMs: 10_000 };

/** Returns what starts a thread of this program: `entry` once more, from the first call on. `role` says which one it is. */
export const startThread =
  <Role extends { readonly name: string }>(entry: URL, role: Role, resourceLimits: ResourceLimits = {}) =>
  (): Worker =>
    new Worker(entry, { workerData: { role }, resourceLimits });

/** What this thread was started with; null in one that `startThread` has not started. */
export const ownRole = <Role extends { readonly name: string }>(): Role | null =>
  (workerData as { readonly role?: Role } | null)?.role ?? null;

/**
 * Makes functions that another thread answers. The thread starts at the first call. If it ends by itself,
 * calls that it has not answered reject, and the next call starts it again; after each end in a row the pause
 * before that is twice as long.
 */
export function openThread<Functions extends Answers<Functions>>({
  does,
  names,
  start,
  errors,
  log,
  signal = new AbortController().signal,
  pauseMs = pauses.firstMs,
}: ThreadOptions<Functions>): Thread<Functions> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let worker: Worker | null = null;
  let isEnded = false;
  let ids = 0;
  let endsInARow = 0;
  let pause: Promise<unknown> = Promise.resolve();
  const onAbort = () => worker?.postMessage({ abort: true } satisfies Request);
  signal.addEventListener('abort', onAbort);

  function take(reply: Reply): void {
    if ('line' in reply) return log(reply.line, reply.level);
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    endsInARow = 0;
    if ('error' in reply) call?.reject(received(reply.error, errors));
    else call?.resolve(reply.value);
  }

  function running(): Worker {
    if (worker) return worker;
    const started = start();
    let reason = '';
    started.on('message', take);
    started.on('error', (error: Error) => void (reason = `: ${error.message}`));
    started.on('exit', () => {
      worker = null;
      const ended = `the thread that ${does} has ended${reason}`;
      for (const call of waiting.values()) call.reject(new Error(ended));
      waiting.clear();
      if (isEnded) return;
      const forMs = backoff(++endsInARow, { firstMs: pauseMs, longestMs: pauses.longestMs });
      log(`${ended}; it is started again`, 'error');
      pause = delay(forMs, undefined, { signal, ref: false }).catch(() => undefined);
    });
    if (signal.aborted) started.postMessage({ abort: true } satisfies Request);
    return (worker = started);
  }

  async function call(name: string, values: readonly unknown[]): Promise<unknown> {
    await pause;
    if (isEnded) throw new Error(`the thread that ${does} has ended`);
    return new Promise((resolve, reject) => {
      const id = ++ids;
      const to = running();
      waiting.set(id, { resolve, reject });
      to.postMessage({ id, name, values } satisfies Request);
    });
  }

  return {
    calls: Object.fromEntries(
      names.map((name) => [name, (...values: unknown[]) => call(name, values)]),
    ) as unknown as Functions,
    async end() {
      isEnded = true;
      signal.removeEventListener('abort', onAbort);
      await worker?.terminate();
    },
  };
}

/**
 * Answers the calls of the thread that started this one. `make` gets a log whose lines the caller logs, and a
 * signal that is aborted when the caller's is.
 */
export function answerCalls<Functions extends Answers<Functions>>(
  port: MessagePort,
  make: (log: LineLog, signal: AbortSignal) => Functions,
): void {
  const stop = new AbortController();
  const send = (reply: Reply) => port.postMessage(reply);
  const functions = make((line, level) => send({ line, level }), stop.signal) as unknown as Record<
    string,
    (...values: unknown[]) => Promise<unknown>
  >;
  port.on('message', (request: Request) => {
    if ('abort' in request) return stop.abort();
    const { id, name, values } = request;
    const answer = async () => functions[name]?.(...values);
    void answer().then(
      (value) => send({ id, value }),
      (error: Error & { kind?: unknown }) =>
        send({
          id,
          error: { type: error.constructor.name, name: error.name, message: error.message, kind: error.kind },
        }),
    );
  });
}

function received({ type, name, message, kind }: SentError, classes: readonly ErrorClass[]): Error {
  const Found = classes.find((each) => each.name === type) ?? Error;
  return Object.assign(new Found(message), { name }, kind === undefined ? {} : { kind });
}
