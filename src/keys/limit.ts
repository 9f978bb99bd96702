/** Counts the requests of a key in the last minute. */
export interface KeyWindow {
  /**
   * Counts requests and returns 0 if the key may make them now: no more than `perMinute` in any 60 seconds.
   * Otherwise counts nothing and returns after how many whole seconds they are allowed, or 61 if they never
   * are. `elapsedMs` is the time of a clock that nobody sets.
   */
  take(perMinute: number, requests: number, elapsedMs: number): number;
  /**
   * How many requests the window allows now, and after how many whole seconds it allows more: 0 if nothing is
   * counted.
   */
  left(perMinute: number, elapsedMs: number): { readonly requests: number; readonly moreInSeconds: number };
}

/** A limit that requests exceeded, and after how many whole seconds they are allowed. */
export interface Exceeded {
  readonly perMinute: number;
  readonly waitSeconds: number;
}

/** What is left of a limit: how many requests may come now, and after how many whole seconds there are more. */
export interface Standing {
  readonly perMinute: number;
  readonly requests: number;
  readonly moreInSeconds: number;
}

/** The limit of one caller, and what it counted in the last minute. */
export interface KeyLimit {
  readonly perMinute: number;
  readonly window: KeyWindow;
  /** Counts requests and returns null if they are allowed now. Otherwise counts nothing. */
  take(requests: number, elapsedMs: number): Exceeded | null;
  standing(elapsedMs: number): Standing;
}

/** Makes a limit. It goes on with what the limit before it counted, if there was one. */
export function createKeyLimit(perMinute: number, before?: Pick<KeyLimit, 'window'>): KeyLimit {
  const window = before?.window ?? createKeyWindow();
  return {
    perMinute,
    window,
    take(requests, elapsedMs) {
      const waitSeconds = window.take(perMinute, requests, elapsedMs);
      return waitSeconds === 0 ? null : { perMinute, waitSeconds };
    },
    standing: (elapsedMs) => ({ perMinute, ...window.left(perMinute, elapsedMs) }),
  };
}

/** Any 60 seconds touch 61 seconds of the clock, unless they begin with one. */
const seconds = 61;

/**
 * Makes a window in which nothing was counted. It slides: requests are counted by the second, so the limit
 * holds in any 60 seconds, with 61 numbers for any limit. A token bucket would be as small, but lets twice
 * the limit through in its first minute. Counting by the minute of the clock lets twice the limit through
 * around each full minute. Neither says after how many whole seconds to try again.
 */
export function createKeyWindow(): KeyWindow {
  const counted = new Uint32Array(seconds);
  let newest = 0;
  let sum = 0;

  const slot = (second: number) => ((second % seconds) + seconds) % seconds;

  function forget(second: number): void {
    const at = slot(second);
    sum -= counted[at] as number;
    counted[at] = 0;
  }

  /** Forgets what is older than a minute, and returns the second of the clock. */
  function turnTo(elapsedMs: number): number {
    const now = Math.floor(elapsedMs / 1000);
    for (let second = Math.max(newest + 1, now - seconds + 1); second <= now; second++) forget(second);
    return (newest = now);
  }

  return {
    left(perMinute, elapsedMs) {
      const now = turnTo(elapsedMs);
      let wait = sum === 0 ? 0 : 1;
      while (wait > 0 && wait < seconds && counted[slot(now + wait)] === 0) wait++;
      return { requests: Math.max(0, perMinute - sum), moreInSeconds: wait };
    },
    take(perMinute, requests, elapsedMs) {
      const now = turnTo(elapsedMs);
      if (sum + requests <= perMinute) {
        counted[slot(now)] = (counted[slot(now)] as number) + requests;
        sum += requests;
        return 0;
      }
      let left = sum;
      for (let wait = 1; wait < seconds; wait++) {
        left -= counted[slot(now + wait)] as number;
        if (left + requests <= perMinute) return wait;
      }
      return seconds;
    },
  };
}
