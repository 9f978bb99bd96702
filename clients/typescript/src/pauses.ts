/** No pause is longer, in seconds: an hour. */
const longestSeconds = 3600;
/** After failures, this package waits no longer than this of its own accord. */
const longestOwnSeconds = 60;

/**
 * What another party or a caller says of a time in seconds, as a time that a timer takes: 0 to 3,600. A timer of
 * JavaScript ends at once if it gets more than 24 days, and a service that says so would be asked without a pause.
 * Example: `boundedSeconds(Infinity)` is 3600, `boundedSeconds(NaN)` is 0.
 */
export function boundedSeconds(seconds: number): number {
  return seconds > 0 ? Math.min(seconds, longestSeconds) : 0;
}

/**
 * How long to wait after failures in a row: as long as the service asks for, and longer after each one. The random
 * part keeps clients apart that were cut off at the same moment. Example: `pauseAfter(1, 30)` is 30.
 */
export function pauseAfter(failures: number, retryAfterSeconds: number): number {
  const own = Math.min(longestOwnSeconds, 2 ** failures) * (0.25 + Math.random() / 4);
  return Math.max(boundedSeconds(retryAfterSeconds), own);
}

/** A controller that another signal aborts, too. Example: `const { own, leave }: Follower = followingAbort(signal)`. */
interface Follower {
  readonly own: AbortController;
  /** From now on the other signal aborts nothing. */
  readonly leave: () => void;
}

/**
 * Makes a controller that a signal aborts, too, until it is left. `AbortSignal.any` leaves some bytes at a signal each time: at
 * that of a program that runs for years, they would add up. Example: `const { own, leave } = followingAbort(signal)`.
 */
export function followingAbort(signal: AbortSignal | undefined): Follower {
  const own = new AbortController();
  const end = () => own.abort(signal?.reason);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  return { own, leave: () => signal?.removeEventListener('abort', end) };
}

/**
 * Does what a signal ends when the seconds are over, an hour at most, or when the signal of its caller ends. Node does not stay
 * alive for `AbortSignal.timeout`: beside a request that never settles, a program would end in silence.
 * Example: `await within(60, (own) => fetch(url, { signal: own }), signal)`.
 */
export async function within<Result>(
  seconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const { own, leave } = followingAbort(signal);
  const bounded = boundedSeconds(seconds);
  const timer = setTimeout(() => own.abort(new Error(`nothing within ${bounded} seconds`)), bounded * 1000);
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    leave();
  }
}

/** Settles as some work does, or rejects with the reason of the signal. Example: `await unlessAborted(askForKey(), signal)`. */
export function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | null | undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal?.reason as Error);
    signal?.addEventListener('abort', end, { once: true });
    void work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', end));
    if (signal?.aborted) end();
  });
}

/** Waits, an hour at most, or rejects with the reason of the signal. Example: `await sleep(1.5, signal)`. */
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
    }, boundedSeconds(seconds) * 1000);
    signal?.addEventListener('abort', end, { once: true });
  });
}
