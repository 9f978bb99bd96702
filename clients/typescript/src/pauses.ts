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

/**
 * Does what a signal ends when the seconds are over, an hour at most. Node does not stay alive for `AbortSignal.timeout`: beside
 * a request that never settles, a program would end in silence. Example: `await within(60, (signal) => fetch(url, { signal }))`.
 */
export async function within<Result>(
  seconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const bounded = boundedSeconds(seconds);
  const timer = setTimeout(() => late.abort(new Error(`nothing within ${bounded} seconds`)), bounded * 1000);
  try {
    return await work(late.signal);
  } finally {
    clearTimeout(timer);
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
