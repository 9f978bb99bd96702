/**
 * Bounds how much is done at the same time. Those that wait get their turn by their rank, the least first, and among
 * equals by the order in which they came.
 */
export interface Gate {
  /** Runs a piece of work in its turn. Rejects as the work does, or with the reason of the signal. */
  run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /**
   * Resolves when the turn comes, to the function that ends it, which is called once. Rejects with the reason of the
   * signal. A rank is an integer from 0 on.
   */
  enter(signal?: AbortSignal, rank?: number): Promise<() => void>;
}

/** Greater ranks count as this one. */
const greatestRank = 9;

/** Makes a gate for at most `maximum` pieces of work at the same time. */
export function createGate(maximum: number): Gate {
  let free = maximum;
  const waiting = Array.from({ length: greatestRank + 1 }, () => new Set<() => void>());

  function leave(): void {
    for (const ranked of waiting)
      for (const next of ranked) {
        ranked.delete(next);
        return next();
      }
    free++;
  }

  async function enter(signal?: AbortSignal, rank = 0): Promise<() => void> {
    signal?.throwIfAborted();
    if (free > 0) {
      free--;
      return leave;
    }
    const ranked = waiting[Math.min(rank, greatestRank)] as Set<() => void>;
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        ranked.delete(begin);
        reject(signal?.reason as Error);
      };
      const begin = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      ranked.add(begin);
    });
    return leave;
  }

  return {
    enter,
    async run(work, signal) {
      const end = await enter(signal);
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}

/** Does `work` for each item, for up to `width` items at the same time. Rejects as the first work that fails. */
export async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const gate = createGate(width);
  await Promise.all(items.map((item) => gate.run(() => work(item))));
}
