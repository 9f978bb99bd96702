/** What `createRateLimiter` needs. */
export interface RateLimiterOptions {
  /**
   * The current limit, above 0; it may change. A fraction is rounded down: 2.5 allows 2 requests in any
   * second. Below 1, a request may start every 1/limit seconds.
   */
  readonly requestsPerSecond: () => number;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Rejects if the run is stopped. The call of `start` that waits for it then rejects, too. */
  readonly sleep: (pauseMs: number) => Promise<void>;
  /**
   * Returns how long no request may start, in milliseconds, because another program was told so; 0 without a
   * pause. None if left out.
   */
  readonly pausedMs?: () => number;
}

/** Says when each request may start. */
export interface RateLimiter {
  /**
   * Resolves when a request may start, in the order of the calls. The caller must call the function that it
   * gets once upstream has certainly counted the request: when the answer begins, or when the request fails.
   */
  start(): Promise<() => void>;
  /** Lets no request start for this time from now on. Returns false if a pause was already running. */
  pauseAll(pauseMs: number): boolean;
}

/**
 * A little more than a second, because upstream counts by its own clock and our clock reading may be a
 * millisecond old.
 */
const windowMs = 1010;

/** How many starts the limiter remembers. It looks back as many starts as the limit, which is at most 10. */
const startsRemembered = 10;

/** A request that has started. */
interface Started {
  /** Null until upstream has certainly counted the request. */
  countedAt: number | null;
  /** Resolves when `countedAt` is set. */
  readonly counted: Promise<void>;
}

/**
 * Creates a limiter that keeps the number of requests in any second within a limit, as counted here and as
 * counted by upstream.
 *
 * The network may delay one request and not the next, so requests that start a second apart here can reach
 * upstream within one second. Therefore, with a limit of N, a request waits until one second after upstream
 * has certainly counted the request N before it. Starts are also spread evenly, so that no second begins with
 * a burst. Nothing starts within the first second: a run that has just ended may have used up the limit.
 */
export function createRateLimiter({
  requestsPerSecond,
  now,
  sleep,
  pausedMs = () => 0,
}: RateLimiterOptions): RateLimiter {
  const elapsedMs = createStopwatch(now);
  const recent: Started[] = [];
  let latestStart = -Infinity;
  let pausedUntil = -Infinity;
  let queue: Promise<unknown> = Promise.resolve();

  async function grant(): Promise<() => void> {
    for (;;) {
      // Compute this again after each sleep: the timer may fire early, a pause may have begun, and the limit
      // may have changed.
      const limit = requestsPerSecond();
      const before = recent.at(-Math.max(1, Math.floor(limit)));
      await before?.counted;
      const readyAt = Math.max(
        windowMs,
        pausedUntil,
        latestStart + Math.ceil(1000 / limit),
        before ? (before.countedAt ?? 0) + windowMs : -Infinity,
      );
      const waitMs = Math.max(readyAt - elapsedMs(), pausedMs());
      if (waitMs <= 0) break;
      await sleep(waitMs);
    }
    latestStart = elapsedMs();
    return begin();
  }

  function begin(): () => void {
    const { promise, resolve } = deferred();
    const started: Started = { countedAt: null, counted: promise };
    recent.push(started);
    if (recent.length > startsRemembered) recent.shift();
    return () => {
      started.countedAt ??= elapsedMs();
      resolve();
    };
  }

  return {
    start() {
      const slot = queue.then(grant);
      queue = slot.catch(() => undefined);
      return slot;
    },
    pauseAll(pauseMs) {
      const isPaused = pausedUntil > elapsedMs();
      pausedUntil = Math.max(pausedUntil, elapsedMs() + pauseMs);
      return !isPaused;
    },
  };
}

/**
 * Returns a function that gives the milliseconds since it was created. If the clock is set back, the
 * stopwatch stands still instead, so that no pause grows by an hour.
 */
function createStopwatch(now: () => number): () => number {
  let latest = now();
  let elapsedMs = 0;
  return () => {
    const reading = now();
    elapsedMs += Math.max(0, reading - latest);
    latest = reading;
    return elapsedMs;
  };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => void (resolve = settle));
  return { promise, resolve };
}
