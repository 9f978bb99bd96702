import type { Mutant } from '../mutant.ts';
import { searchMutants } from './search.ts';

/** Every mend that a test has to miss. Those that histories of the simulator find are in `test/simulate/mutants.ts`. */
export const mutants: readonly Mutant[] = [...searchMutants];
