import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects garbage now. Before a step that needs much memory: the garbage collector would wait until there is
 * several times as much garbage as what is in use, because the machine has the memory.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/**
 * Does a piece of work while the heap of each thread of this process may grow by `percent` before its garbage is
 * collected. V8 by itself lets it grow to four times of what is in use. Less growth takes more time.
 */
export async function withHeapGrowth<Result>(percent: number, work: () => Promise<Result>): Promise<Result> {
  setHeapGrowth(percent);
  try {
    return await work();
  } finally {
    setHeapGrowth(leftToV8);
  }
}

const leftToV8 = 0;
const setHeapGrowth = (percent: number) => setFlagsFromString(`--heap-growing-percent=${percent}`);
