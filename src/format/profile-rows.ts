import * as z from 'zod';
import { CompanyProfile } from '../contract/records.ts';
import { cik, timestamp } from '../domain/scalars.ts';

/**
 * A profile as tables hold it. In place of its newest filing it says where that is: the sequence of its newest
 * observation in the log, and its sort key in lists.
 */
export const ProfileRow = CompanyProfile.extend({
  latestFiling: z.object({ sequence: z.int().min(1), sort: z.string() }).nullable(),
});
export type ProfileRow = z.infer<typeof ProfileRow>;

/** The company of a folded ticker symbol. */
export const SymbolRow = z.object({
  symbol: z.string().min(1).describe('Folded ticker symbol.'),
  cik: cik.describe('The company that it was last given to.'),
  at: timestamp.optional().describe('When the batch was recorded that gave it to this company, UTC.'),
});
export type SymbolRow = z.infer<typeof SymbolRow>;
