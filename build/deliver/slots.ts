/**
 * A bound of how much is done at the same time. Those with the least rank get the next slot, and among them
 * whoever came first.
 */
export interface Slots {
  /** Resolves when there is a slot, to what gives it back. Rejects with the reason of the signal. */
  take(signal?: AbortSignal, rank?: number): Promise<() => void>;
  /** Runs a piece of work when there is a slot for it. Rejects with the reason of the signal. */
  use<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}

/** Greater ranks count as this one. */
const greatestRank = 9;

/** Makes slots. `count` is how many holders there may be at the same time. */
export function createSlots(count: number): Slots {
  let free = count;
  const waiting = Array.from({ length: greatestRank + 1 }, () => new Set<() => void>());

  function give(): void {
    for (const ranked of waiting)
      for (const next of ranked) {
        ranked.delete(next);
        return next();
      }
    free++;
  }

  async function take(signal?: AbortSignal, rank = 0): Promise<() => void> {
    signal?.throwIfAborted();
    if (free > 0) {
      free--;
      return give;
    }
    const ranked = waiting[Math.min(rank, greatestRank)] as Set<() => void>;
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        ranked.delete(enter);
        reject(signal?.reason as Error);
      };
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      ranked.add(enter);
    });
    return give;
  }

  return {
    take,
    async use(work, signal) {
      const end = await take(signal);
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}
