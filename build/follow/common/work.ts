/**
 * Work that runs beside the loop. Each piece has a name, runs once at a time, and leaves its result in an
 * inbox.
 */
export interface Work<Event> {
  /**
   * Starts a piece of work, unless one of that name is running. If it resolves to null, it leaves nothing in
   * the inbox. `leave` leaves an event before the end.
   */
  start(name: string, run: (leave: (event: Event) => void) => Promise<Event | null>): void;
  isUnderway(name: string): boolean;
  /** The number of running pieces whose names begin with this prefix. */
  count(prefix: string): number;
  /**
   * Returns the events since the last call. Throws the error of a piece of work if that error ends
   * everything.
   */
  take(): Event[];
  /** Resolves when an event has come in, or after this time in milliseconds. */
  wait(forMs: number): Promise<void>;
  /** Waits until no work is running, or none of those names that are awaited. */
  settle(isAwaited?: (name: string) => boolean): Promise<void>;
}

/** What a part of a program sees of the work: it starts pieces of its own, which leave events of its own. */
export type Starter<Event> = Pick<Work<Event>, 'start' | 'isUnderway' | 'count' | 'settle'>;

/**
 * Creates the list of work, empty at first. An error of a piece is dropped unless `endsAll` says that it ends
 * everything.
 */
export function createWork<Event>(endsAll: (error: unknown) => boolean): Work<Event> {
  const underway = new Map<string, Promise<void>>();
  let inbox: Event[] = [];
  let failure: { readonly error: unknown } | null = null;
  let wake = () => {};
  return {
    start(name, run) {
      if (underway.has(name)) return;
      const running = (async () => {
        try {
          const event = await run((before) => {
            inbox.push(before);
            wake();
          });
          if (event !== null) inbox.push(event);
        } catch (error) {
          if (endsAll(error)) failure ??= { error };
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
      const events = inbox;
      inbox = [];
      return events;
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
