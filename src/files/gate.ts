/**
 * Runs pieces of work, a limited number at the same time; the others wait in the order in which they came.
 */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Makes a gate that runs at most `maximum` pieces of work at the same time. */
export function createGate(maximum: number): Gate {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < maximum) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
