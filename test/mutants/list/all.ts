import type { Mutant } from '../mutant.ts';
import { feedMutants } from './feed.ts';
import { httpMutants } from './http.ts';
import { keyMutants } from './keys.ts';
import { ledgerMutants } from './ledger.ts';
import { positionMutants } from './positions.ts';
import { searchMutants } from './search.ts';
import { trustMutants } from './trust.ts';

/** Every mend that a test has to miss. Those that histories of the simulator find are in `test/simulate/mutants.ts`. */
export const mutants: readonly Mutant[] = [
  ...feedMutants,
  ...httpMutants,
  ...keyMutants,
  ...ledgerMutants,
  ...positionMutants,
  ...searchMutants,
  ...trustMutants,
];
