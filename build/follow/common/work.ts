/** Handles what came of a piece of work. The loop calls it, one after the other. */
export type Handler = () => void | Promise<void>;

/**
 * Work that runs beside the loop. Each piece has a name, runs once at a time, and leaves in an inbox what handles its
 * result.
 */
export interface Work {
  /**
   * Starts a piece of work, unless one of that name is running. Its result is for `take`, if that is given. `leave` leaves
   * a handler before the end.
   */
  start<Result>(
    name: string,
    run: (leave: (handler: Handler) => void) => Promise<Result>,
    take?: (result: Result) => void | Promise<void>,
  ): void;
  isUnderway(name: string): boolean;
  /** The number of running pieces whose names begin with this prefix. */
  count(prefix: string): number;
  /**
   * Returns the handlers since the last call. Throws the error of a piece of work if that error ends
   * everything.
   */
  take(): Handler[];
  /** Resolves when a handler has come in, or after this time in milliseconds. */
  wait(forMs: number): Promise<void>;
  /** Waits until no work is running, or none of those names that are awaited. */
  settle(isAwaited?: (name: string) => boolean): Promise<void>;
}

/** What a part of a program sees of the work: it starts pieces of its own. */
export type Starter = Pick<Work, 'start' | 'isUnderway' | 'count' | 'settle'>;

/**
 * Creates the list of work, empty at first. An error of a piece is told, unless `endsAll` says that it ends everything.
 */
export function createWork(endsAll: (error: unknown) => boolean, tell: (error: unknown) => void): Work {
  const underway = new Map<string, Promise<void>>();
  let inbox: Handler[] = [];
  let failure: { readonly error: unknown } | null = null;
  let wake = () => {};
  return {
    start(name, run, take) {
      if (underway.has(name)) return;
      const running = (async () => {
        try {
          const result = await run((before) => {
            inbox.push(before);
            wake();
          });
          if (take) inbox.push(() => take(result));
        } catch (error) {
          if (endsAll(error)) failure ??= { error };
          else tell(error);
        } finally {
          underway.delete(name);
          wake();
        }
      })();
      underway.set(name, running);
    },
    isUnderway: (name) => underway.has(name),
    count: (prefix) => [...underway.keys()].filter((name) => name.startsWith(prefix)).length,
    take() {
      if (failure) throw failure.error;
      const handlers = inbox;
      inbox = [];
      return handlers;
    },
    async wait(forMs) {
      if (inbox.length > 0 || failure || forMs <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, forMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wake = () => {};
    },
    async settle(isAwaited = () => true) {
      await Promise.allSettled([...underway].flatMap(([name, running]) => (isAwaited(name) ? running : [])));
    },
  };
}

/** Waits for a piece of work, but not longer than until a signal is aborted. */
export async function untilAborted(running: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) {
    running.catch(() => undefined);
    return;
  }
  const ended = new AbortController();
  const aborted = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { signal: ended.signal }),
  );
  try {
    await Promise.race([running, aborted]);
  } finally {
    ended.abort();
  }
}
