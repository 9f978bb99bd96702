import { EventEmitter } from 'node:events';
import type { Files } from '../disk/files.ts';
import type { Owner, Schedule } from '../schedule.ts';

/** One end of a channel between two threads. */
export interface Port {
  on(event: 'message', take: (message: unknown) => void): void;
  postMessage(message: unknown): void;
}

/** What `node:worker_threads` of a thread needs. */
export interface ThreadCalls {
  readonly given: { readonly data: unknown; readonly port: Port | null };
  readonly schedule: Schedule;
  readonly owner: Owner;
  /** Starts a thread: the same program once more, or the code that is given. */
  start(owner: Owner, given: { readonly data: unknown; readonly port: Port }, code: string | null): Files;
}

/** How long a message takes, in milliseconds. */
const messageMs = 0.05;

/** Makes `node:worker_threads` of a thread: its threads run in this process, and share nothing but messages. */
export function threadsModule({ given, schedule, owner, start }: ThreadCalls) {
  class Worker extends EventEmitter {
    #isEnded = false;
    #files: Files | null = null;
    readonly #messages: unknown[] = [];
    readonly #inner = new EventEmitter();

    constructor(entry: unknown, options: { readonly workerData?: unknown; readonly eval?: boolean }) {
      super();
      const isAlive = () => !this.#isEnded && owner.isAlive;
      const own: Owner = {
        get isAlive() {
          return isAlive();
        },
      };
      const port: Port = {
        on: (event, take) => {
          this.#inner.on(event, take);
          for (const message of this.#messages.splice(0)) this.#send(own, message);
        },
        postMessage: (message) => {
          const copy = structuredClone(message);
          schedule.after(messageMs, own, () => void this.emit('message', copy));
        },
      };
      schedule.after(1, own, () => {
        const data = structuredClone(options.workerData);
        this.#files = start(own, { data, port }, options.eval === true ? String(entry) : null);
      });
      this.#own = own;
    }

    readonly #own: Owner;

    #send(own: Owner, message: unknown): void {
      schedule.after(messageMs, own, () => void this.#inner.emit('message', message));
    }

    postMessage(message: unknown): void {
      const copy: unknown = structuredClone(message);
      if (this.#inner.listenerCount('message') === 0) this.#messages.push(copy);
      else this.#send(this.#own, copy);
    }

    async terminate(): Promise<number> {
      if (this.#isEnded) return 0;
      this.#isEnded = true;
      this.#files?.end();
      schedule.after(messageMs, owner, () => void this.emit('exit', 1));
      return 1;
    }

    unref(): void {}
    ref(): void {}
  }
  return { Worker, workerData: given.data, parentPort: given.port, isMainThread: given.port === null };
}
