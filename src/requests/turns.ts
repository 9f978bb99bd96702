/**
 * Divides the work of requests into turns of the event loop, so that a long answer, or many of them at once,
 * keep nobody waiting who asks for little.
 */
export interface Turns {
  /**
   * Resolves when the work for a caller may begin: at once, or in a later turn if requests have worked for
   * long in this one. Callers take turns, so whoever asks for much waits for himself.
   */
  begin(caller: string): Promise<void>;
  /**
   * Call it where work may pause. Null if it may go on; else the promise resolves in a later turn. Work that
   * pauses goes on before other work begins, so that few answers are half made at the same time.
   */
  pause(): Promise<void> | null;
}

/** Requests work for about this long in one turn, in milliseconds. */
const turnMs = 8;

/** Lets all work begin and go on at once: in a worker, requests must not wait for each other. */
export const noTurns: Turns = { begin: () => Promise.resolve(), pause: () => null };

/** Makes the turns of a process. `elapsed` is in milliseconds and never goes back. */
export function createTurns(elapsed: () => number): Turns {
  const paused: (() => void)[] = [];
  /** Work that has not begun, by caller. The first caller is the next one. */
  const waiting = new Map<string, (() => void)[]>();
  /** When the first work of this turn began; null if there was none. */
  let startedMs: number | null = null;

  function hasTime(): boolean {
    if (startedMs !== null) return elapsed() - startedMs < turnMs;
    startedMs = elapsed();
    setImmediate(nextTurn);
    return true;
  }

  function nextTurn(): void {
    startedMs = null;
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
    begin(caller) {
      if (waiting.size === 0 && paused.length === 0 && hasTime()) return Promise.resolve();
      return new Promise((resolve) => {
        const works = waiting.get(caller);
        if (works) works.push(resolve);
        else waiting.set(caller, [resolve]);
      });
    },
    pause: () => (hasTime() ? null : new Promise((resolve) => paused.push(resolve))),
  };
}
