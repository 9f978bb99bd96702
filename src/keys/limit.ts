/** The requests that a key made lately. */
export interface KeyWindow {
  /**
   * Counts some requests, and returns 0, if the key may make them at `nowMs`: no more than `perMinute` in any
   * 60 seconds. Else counts nothing and returns after how many whole seconds it may. More requests at once
   * than `perMinute` count as that many.
   */
  take(perMinute: number, requests: number, nowMs: number): number;
}

/** A minute touches one second more than it has, where it does not begin with one. */
const seconds = 61;

/**
 * Makes a window in which nothing was counted. It slides: requests are counted by the second, so that the
 * limit holds in any minute, whenever that begins, in 61 numbers whatever the limit is. A bucket of tokens
 * would be as small, but lets twice as many through in its first minute; counting by the minute of the clock
 * does so at each turn of it; and neither tells a whole second to come again in.
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

  return {
    take(perMinute, requests, nowMs) {
      // A clock that is set back stands still here.
      const now = Math.max(newest, Math.floor(nowMs / 1000));
      for (let second = Math.max(newest + 1, now - seconds + 1); second <= now; second++) forget(second);
      newest = now;
      const wanted = Math.min(requests, perMinute);
      if (sum + wanted <= perMinute) {
        counted[slot(now)] = (counted[slot(now)] as number) + wanted;
        sum += wanted;
        return 0;
      }
      let left = sum;
      for (let wait = 1; wait < seconds; wait++) {
        left -= counted[slot(now + wait)] as number;
        if (left + wanted <= perMinute) return wait;
      }
      return seconds;
    },
  };
}
