import type { Owner, Schedule, Scheduled } from '../schedule.ts';

/** The clocks and timers of one process. */
export interface ProcessClock {
  readonly schedule: Schedule;
  readonly owner: Owner;
  /** Milliseconds since 1970 by the clock of the machine, which may be wrong. */
  readonly wallMs: () => number;
}

/** Longer timers fire at once, as in Node. */
const timerMaximumMs = 2 ** 31 - 1;

/** A timer of a program. */
class Timer {
  #scheduled: Scheduled;
  readonly #start: () => Scheduled;
  constructor(start: () => Scheduled) {
    this.#start = start;
    this.#scheduled = start();
  }
  stop(): void {
    this.#scheduled.cancel();
  }
  refresh(): this {
    this.#scheduled.cancel();
    this.#scheduled = this.#start();
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  [Symbol.toPrimitive](): number {
    return 0;
  }
}

/** Makes the globals of time of a process: timers, `Date`, `performance` and `AbortSignal`. */
export function timeGlobals({ schedule, owner, wallMs }: ProcessClock) {
  const startMs = schedule.nowMs();
  const clearTimer = (timer: unknown) => {
    if (timer instanceof Timer) timer.stop();
  };
  const setTimer = (happen: (...values: unknown[]) => void, pauseMs?: number, ...values: unknown[]) =>
    new Timer(() => schedule.after(timerPause(pauseMs), owner, () => happen(...values)));
  const setRepeated = (happen: (...values: unknown[]) => void, pauseMs?: number, ...values: unknown[]) => {
    const start: () => Scheduled = () =>
      schedule.after(timerPause(pauseMs), owner, () => {
        timer.refresh();
        happen(...values);
      });
    const timer = new Timer(start);
    return timer;
  };
  const setNext = (happen: (...values: unknown[]) => void, ...values: unknown[]) =>
    new Timer(() => schedule.after(0, owner, () => happen(...values)));

  class VirtualDate extends Date {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(wallMs());
      else super(...(given as [number]));
    }
    static override now(): number {
      return Math.floor(wallMs());
    }
  }
  const signals = new Proxy(AbortSignal, {
    get(target, name) {
      if (name !== 'timeout') return Reflect.get(target, name) as unknown;
      return (pauseMs: number) => {
        const stop = new AbortController();
        setTimer(
          () => stop.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
          pauseMs,
        );
        return stop.signal;
      };
    },
  });
  return {
    setTimeout: setTimer,
    clearTimeout: clearTimer,
    setInterval: setRepeated,
    clearInterval: clearTimer,
    setImmediate: setNext,
    clearImmediate: clearTimer,
    Date: VirtualDate,
    AbortSignal: signals,
    performance: { now: () => schedule.nowMs() - startMs, timeOrigin: startMs, mark() {}, measure() {} },
  };
}

const timerPause = (pauseMs: number | undefined) =>
  pauseMs === undefined || !(pauseMs >= 1) || pauseMs > timerMaximumMs ? 1 : pauseMs;

interface WaitOptions {
  readonly signal?: AbortSignal;
}

/** Makes `node:timers/promises` of a process. */
export function timersModule({ schedule, owner }: Pick<ProcessClock, 'schedule' | 'owner'>) {
  const wait = <Value>(pauseMs: number, value: Value, { signal }: WaitOptions = {}) =>
    new Promise<Value>((resolve, reject) => {
      const aborted = () => reject(new AbortedWait(signal?.reason));
      if (signal?.aborted) return aborted();
      const onAbort = () => {
        scheduled.cancel();
        aborted();
      };
      const scheduled = schedule.after(pauseMs, owner, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve(value);
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  return {
    setTimeout: <Value>(pauseMs?: number, value?: Value, options?: WaitOptions) =>
      wait(timerPause(pauseMs), value, options),
    setImmediate: <Value>(value?: Value, options?: WaitOptions) => wait(0, value, options),
  };
}

/** The error of a wait that was aborted, as Node makes it. */
class AbortedWait extends Error {
  override readonly name = 'AbortError';
  readonly code = 'ABORT_ERR';
  constructor(cause: unknown) {
    super('The operation was aborted', { cause });
  }
}
