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
