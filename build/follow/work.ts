/**
 * Work that goes on beside the loop: each piece has a name, is underway once at a time, and leaves what it
 * gave in an inbox.
 */
export interface Work<Event> {
  /**
   * Starts a piece of work, unless one of that name is underway. A piece that gives null leaves nothing;
   * `leave` leaves something before its end.
   */
  start(name: string, run: (leave: (event: Event) => void) => Promise<Event | null>): void;
  isUnderway(name: string): boolean;
  /** How many pieces are underway whose names begin so. */
  count(prefix: string): number;
  /**
   * What has come in since this was called last. Throws what a piece of work threw, if that ends everything.
   */
  take(): Event[];
  /** Resolves when something has come in, or after a time in milliseconds. */
  wait(forMs: number): Promise<void>;
  /** Waits for everything that is underway. */
  settle(): Promise<void>;
}

/** Begins without work. What a piece throws is dropped unless it ends everything. */
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
    async settle() {
      await Promise.allSettled(underway.values());
    },
  };
}
