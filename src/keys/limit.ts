/** A limit that requests exceeded, and after how many whole seconds they are allowed: 61 if they never are. */
export interface Exceeded {
  readonly perMinute: number;
  readonly waitSeconds: number;
}

/** What is left of a limit: how many requests may come now, and after how many whole seconds there are more. */
export interface Standing {
  readonly perMinute: number;
  readonly requests: number;
  /** 0 if nothing is counted. */
  readonly moreInSeconds: number;
}

/** The limits of callers. Each process counts on its own. `elapsed` is a clock in milliseconds that nobody sets. */
export interface CallerLimits {
  /** Counts requests of a caller and returns null if its limit allows them now. Otherwise counts nothing. */
  take(caller: string, requests: number, elapsed: () => number): Exceeded | null;
  /** What is left of the limit of a caller; null if it has none. */
  standing(caller: string, elapsed: () => number): Standing | null;
}

/** The limit of one caller: no more than `perMinute` requests in any 60 seconds. */
export interface KeyLimit {
  readonly perMinute: number;
  readonly lastMinute: LastMinute;
  take(requests: number, elapsedMs: number): Exceeded | null;
  standing(elapsedMs: number): Standing;
}

/** The requests of the last minute: by the second, and all of them. */
interface LastMinute {
  readonly counted: Uint32Array;
  newest: number;
  sum: number;
}

/** Any 60 seconds touch 61 seconds of the clock, unless they begin with one. */
const seconds = 61;

/**
 * Makes a limit. It goes on with what the limit before it counted, if there was one.
 *
 * The minute slides: requests are counted by the second, so the limit holds in any 60 seconds, with 61 numbers
 * for any limit. A token bucket would be as small, but lets twice the limit through in its first minute.
 * Counting by the minute of the clock lets twice the limit through around each full minute. Neither says after
 * how many whole seconds to try again.
 */
export function createKeyLimit(perMinute: number, before?: Pick<KeyLimit, 'lastMinute'>): KeyLimit {
  const last = before?.lastMinute ?? { counted: new Uint32Array(seconds), newest: 0, sum: 0 };
  const { counted } = last;
  const slot = (second: number) => ((second % seconds) + seconds) % seconds;
  function forget(second: number): void {
    const at = slot(second);
    last.sum -= counted[at] as number;
    counted[at] = 0;
  }
  /** Forgets what is older than a minute, and returns the second of the clock. */
  function turnTo(elapsedMs: number): number {
    const now = Math.floor(elapsedMs / 1000);
    for (let second = Math.max(last.newest + 1, now - seconds + 1); second <= now; second++) forget(second);
    return (last.newest = now);
  }
  return {
    perMinute,
    lastMinute: last,
    standing(elapsedMs) {
      const now = turnTo(elapsedMs);
      let wait = last.sum === 0 ? 0 : 1;
      while (wait > 0 && wait < seconds && counted[slot(now + wait)] === 0) wait++;
      return { perMinute, requests: Math.max(0, perMinute - last.sum), moreInSeconds: wait };
    },
    take(requests, elapsedMs) {
      const now = turnTo(elapsedMs);
      if (last.sum + requests <= perMinute) {
        counted[slot(now)] = (counted[slot(now)] as number) + requests;
        last.sum += requests;
        return null;
      }
      let [left, wait] = [last.sum, 0];
      while (++wait < seconds) {
        left -= counted[slot(now + wait)] as number;
        if (left + requests <= perMinute) break;
      }
      return { perMinute, waitSeconds: wait };
    },
  };
}

/** The limits of callers, of which `limitOf` gives each. */
export const callerLimits = (limitOf: (caller: string) => KeyLimit | undefined): CallerLimits => ({
  take: (caller, requests, elapsed) => limitOf(caller)?.take(requests, elapsed()) ?? null,
  standing: (caller, elapsed) => limitOf(caller)?.standing(elapsed()) ?? null,
});
