/** What the limiter needs from its surroundings. */
export interface RateLimiterOptions {
  /**
   * The limit now, above 0; it may change. A part of a request that is left over is not used: 2.5 gives 2 in
   * any second.
   */
  readonly requestsPerSecond: () => number;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Rejects if the run is stopped; the slot that was waiting then rejects, too. */
  readonly sleep: (pauseMs: number) => Promise<void>;
}

/** Hands out the moments at which requests may start. */
export interface RateLimiter {
  /**
   * Resolves, in the order of the calls, when a request may start. The function it gives must be called once
   * upstream has surely counted the request: when the answer begins, or when the request has failed.
   */
  start(): Promise<() => void>;
  /** Lets no request start for a time from now on. True if none was resting already. */
  pauseAll(pauseMs: number): boolean;
}

/**
 * A little more than a second: upstream counts by its own clock, and a reading of ours may be a millisecond
 * old.
 */
const windowMs = 1010;

/** No limit is above so many requests a second. */
const startsRemembered = 10;

interface Started {
  /** Null until upstream has surely counted the request. */
  countedAt: number | null;
  readonly counted: Promise<void>;
}

/**
 * Keeps the number of requests in any second at or under a limit, as seen here and as seen by upstream.
 *
 * The network may delay one request and not the next, so starts that are a second apart here can reach
 * upstream within one second. Therefore the request that comes N later waits for a second from the moment
 * at which upstream had surely counted this one. Starts are also spread evenly, so that no second begins with
 * a burst. Nothing starts within the first second: a run that ended a moment ago may have used it up.
 */
export function createRateLimiter({ requestsPerSecond, now, sleep }: RateLimiterOptions): RateLimiter {
  const elapsedMs = createStopwatch(now);
  const recent: Started[] = [];
  let latestStart = -Infinity;
  let pausedUntil = -Infinity;
  let queue: Promise<unknown> = Promise.resolve();

  async function grant(): Promise<() => void> {
    for (;;) {
      // A timer may fire early, and during the sleep a pause may begin or the limit change.
      const limit = requestsPerSecond();
      const before = recent.at(-Math.max(1, Math.floor(limit)));
      await before?.counted;
      const readyAt = Math.max(
        windowMs,
        pausedUntil,
        latestStart + Math.ceil(1000 / limit),
        before ? (before.countedAt ?? 0) + windowMs : -Infinity,
      );
      const waitMs = readyAt - elapsedMs();
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
      const resting = pausedUntil > elapsedMs();
      pausedUntil = Math.max(pausedUntil, elapsedMs() + pauseMs);
      return !resting;
    },
  };
}

/**
 * The time since the first reading. A clock that is set back stands still for it, so that no pause grows by
 * an hour.
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
