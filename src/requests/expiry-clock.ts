import { dayMs, minuteMs } from '../time/units.ts';

/** A later time is remembered once the clock has shown it for this long, in milliseconds. */
const rememberedAfterMs = 10 * minuteMs;
/** A remembered time is given up once the clock has shown an earlier one for this long, in milliseconds. */
const givenUpAfterMs = dayMs;

/**
 * Makes the clock by which keys and pointers expire: milliseconds since 1970. `now` is the clock of the
 * machine, which somebody may set forward or back; `elapsed` never goes back. Both are in milliseconds.
 *
 * It follows `now`, and never shows less than the time that it remembers: what has expired stays so when the
 * clock is set back. A time that is ahead counts at once, but is remembered only after ten minutes: when a
 * clock that was ahead for a moment is set right, everything is valid again. An earlier time is believed after
 * a day: so even a clock that was ahead for hours does not shut a key for as long as the process runs, and by
 * then everything that expired before a clock was set back by less than a day has expired by that clock, too.
 * Call it at least once in a minute or so: it knows only the times at which it was called.
 */
export function createExpiryClock(now: () => number, elapsed: () => number): () => number {
  /** The difference of the two clocks that is remembered; none at the start, when `now` may be wrong. */
  let rememberedMs = -Infinity;
  /** Since when the difference has been on one side of it, and the difference that was nearest to it. */
  let other: { readonly isAhead: boolean; readonly sinceMs: number; readonly nearestMs: number } | null =
    null;

  return () => {
    const elapsedMs = elapsed();
    const differenceMs = now() - elapsedMs;
    const isAhead = differenceMs > rememberedMs;
    if (differenceMs === rememberedMs) other = null;
    else {
      const nearest = isAhead ? Math.min : Math.max;
      other =
        other?.isAhead === isAhead
          ? { ...other, nearestMs: nearest(other.nearestMs, differenceMs) }
          : { isAhead, sinceMs: elapsedMs, nearestMs: differenceMs };
      if (elapsedMs - other.sinceMs >= (isAhead ? rememberedAfterMs : givenUpAfterMs))
        [rememberedMs, other] = [other.nearestMs, null];
    }
    return elapsedMs + Math.max(rememberedMs, differenceMs);
  };
}
