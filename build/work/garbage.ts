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
 * Sets by how many percent the heap may grow before garbage is collected, in all threads of this process; 0 leaves
 * it to V8, which lets it grow to four times of what is in use. Less growth takes more time.
 */
export function setHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
