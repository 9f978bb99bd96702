import type { Mutant } from '../mutant.ts';
import { assistantMutants } from './assistants.ts';
import { clientMutants } from './clients.ts';
import { deliverMutants } from './deliver.ts';
import { edgarMutants } from './edgar.ts';
import { feedMutants } from './feed.ts';
import { hostMutants } from './hosts.ts';
import { httpMutants } from './http.ts';
import { keyMutants } from './keys.ts';
import { ledgerMutants } from './ledger.ts';
import { positionMutants } from './positions.ts';
import { publishMutants } from './publish.ts';
import { searchMutants } from './search.ts';
import { sourceMutants } from './sources.ts';
import { transactionMutants } from './transactions.ts';
import { trustMutants } from './trust.ts';
import { verifyMutants } from './verify.ts';

/** Every mend that a test has to miss. Those that histories of the simulator find are in `test/simulate/mutants.ts`. */
export const mutants: readonly Mutant[] = [
  ...assistantMutants,
  ...clientMutants,
  ...deliverMutants,
  ...edgarMutants,
  ...feedMutants,
  ...hostMutants,
  ...httpMutants,
  ...keyMutants,
  ...ledgerMutants,
  ...positionMutants,
  ...publishMutants,
  ...searchMutants,
  ...sourceMutants,
  ...transactionMutants,
  ...trustMutants,
  ...verifyMutants,
];
