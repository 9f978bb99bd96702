/** A bound of how much is done at the same time. Whoever comes first gets the next slot. */
export interface Slots {
  /** Runs a piece of work when there is a slot for it. Rejects with the reason of the signal. */
  use<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}

/** Makes so many slots. */
export function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  async function take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (free > 0) return void free--;
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(enter);
        reject(signal?.reason as Error);
      };
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.add(enter);
    });
  }

  function give(): void {
    const [next] = waiting;
    if (next === undefined) free++;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    async use(work, signal) {
      await take(signal);
      try {
        return await work();
      } finally {
        give();
      }
    },
  };
}
