import fc from 'fast-check';
import { expect, it } from 'vitest';
import { filingOfTuple, tupleOf } from '../../build/ledger/tuple.ts';
import { ledgerFiling } from '../support/arbitraries.ts';

const roles = fc.option(
  fc.constantFrom<readonly string[]>(['0000000001:filer'], ['0000000001:issuer', '0000000002:filer']),
  {
    nil: undefined,
  },
);

it('a tuple is one line, and gives its filing back, whatever texts it has', () =>
  fc.assert(
    fc.property(ledgerFiling(), roles, (filing, told) => {
      const row = { ...filing, ...(told ? { roles: told } : {}) };
      const tuple = tupleOf(row);
      expect(tuple).not.toMatch(/[\n\r]/);
      expect(filingOfTuple(Buffer.from(tuple).toString())).toEqual(row);
    }),
    { numRuns: 2000 },
  ));
