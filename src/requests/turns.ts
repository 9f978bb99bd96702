/**
 * Divides the work of requests into turns of the event loop, so that a long answer, or many of them at once,
 * keep nobody waiting who asks for little.
 */
export interface Turns {
  /**
   * Call it when a request has arrived, with the time. Null if it may be looked at now; else the promise
   * resolves in a later turn, in the order of arrival, because many requests have arrived in this one.
   */
  arrive(nowMs: number): Promise<void> | null;
  /**
   * Resolves when the work for a caller may begin: at once, or in a later turn if requests have worked for
   * long in this one, or others that arrived were not looked at: most of those need little. Callers take turns, so
   * whoever asks for much waits for himself.
   */
  begin(caller: string): Promise<void>;
  /**
   * Call it where work may pause. Null if it may go on; else the promise resolves in a later turn. Work that
   * pauses goes on before other work begins, so that few answers are half made at the same time.
   */
  pause(): Promise<void> | null;
}

/**
 * Milliseconds of a turn for requests that arrived; as many again for long answers. A single step that takes
 * longer ends later.
 */
const turnMs = 5;
/**
 * A request that arrives within this time after another one, in milliseconds, does not make the process watch for
 * the end of the turn. Watching takes a round of the event loop: a tenth of the cost of a 304.
 */
const unwatchedMs = 2;
/** Requests that one turn takes from those that wait, at most. */
const arrivalsMaximum = 32;

/** Lets all work begin and go on at once: in a worker, requests must not wait for each other. */
export const noTurns: Turns = { arrive: () => null, begin: () => Promise.resolve(), pause: () => null };

/** Makes the turns of a process. `elapsed` is in milliseconds and never goes back. */
export function createTurns(elapsed: () => number): Turns {
  const hasTimeForArrivals = createArrivalBudget(elapsed);
  const hasTime = createBudget(elapsed, goOn);
  /** Requests that arrived and were not looked at. */
  const arrived: (() => void)[] = [];
  let willLook = false;
  const paused: (() => void)[] = [];
  /** Work that has not begun, by caller. The first caller is the next one. */
  const waiting = new Map<string, (() => void)[]>();

  /** Node finishes what one immediate began before it calls the next one, so their times are seen one by one. */
  function lookLater(): void {
    willLook = true;
    for (let more = Math.min(arrived.length, arrivalsMaximum); more > 1; more--) setImmediate(look);
    setImmediate(() => {
      look();
      willLook = false;
      if (arrived.length > 0) lookLater();
    });
  }

  function look(): void {
    if (arrived.length > 0 && hasTimeForArrivals(elapsed())) arrived.shift()?.();
  }

  function goOn(): void {
    const resume = paused.shift() ?? nextWaiting();
    if (resume === undefined) return;
    hasTime();
    resume();
  }

  function nextWaiting(): (() => void) | undefined {
    for (const [caller, works] of waiting) {
      const work = works.shift();
      waiting.delete(caller);
      if (works.length > 0) waiting.set(caller, works);
      return work;
    }
    return undefined;
  }

  return {
    arrive(nowMs) {
      if (arrived.length === 0 && hasTimeForArrivals(nowMs)) return null;
      return new Promise((resolve) => {
        arrived.push(resolve);
        if (!willLook) lookLater();
      });
    },
    begin(caller) {
      // Asked in any case: at the end of the turn that begins with it, work that waits goes on.
      const mayBegin = hasTime() && arrived.length === 0 && waiting.size === 0 && paused.length === 0;
      if (mayBegin) return Promise.resolve();
      return new Promise((resolve) => {
        const works = waiting.get(caller);
        if (works) works.push(resolve);
        else waiting.set(caller, [resolve]);
      });
    },
    pause: () => (hasTime() ? null : new Promise((resolve) => paused.push(resolve))),
  };
}

/**
 * Makes a function that tells whether there is time left in this turn of the event loop. The time begins when
 * it is first asked. `onNext` is called when that turn is over.
 */
function createBudget(elapsed: () => number, onNext: () => void): () => boolean {
  let startedMs: number | null = null;
  const next = () => {
    startedMs = null;
    onNext();
  };
  return () => {
    if (startedMs !== null) return elapsed() - startedMs < turnMs;
    startedMs = elapsed();
    setImmediate(next);
    return true;
  };
}

/** The same for requests that arrive. Up to `unwatchedMs` more may pass before the time of a turn begins. */
function createArrivalBudget(elapsed: () => number): (nowMs: number) => boolean {
  const hasTime = createBudget(elapsed, () => {
    isWatched = false;
    beganMs = elapsed();
  });
  let isWatched = false;
  let beganMs = -Infinity;
  return (nowMs) => {
    isWatched ||= nowMs - beganMs >= unwatchedMs;
    return !isWatched || hasTime();
  };
}
