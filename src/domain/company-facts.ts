import { z } from 'zod';
import { monthDay, sicCode } from './scalars.ts';

const text = z.string().min(1).nullable();

/**
 * What EDGAR says of a company beside its names and symbols. The ledger and the profile have these members,
 * in this order.
 */
export const CompanyFacts = z.object({
  sic: sicCode
    .nullable()
    .describe(
      'Code of its industry in the Standard Industrial Classification, four digits; null where EDGAR gives none, as for people.',
    ),
  sicDescription: text.describe('Name of that industry as EDGAR has it.'),
  category: text.describe(
    'What kind of filer it is, mostly by size, as EDGAR has it, e.g. `Large accelerated filer`; several are divided by `; `.',
  ),
  entityType: text.describe(
    'What kind of entity it is, as EDGAR has it: `operating`, `investment` or `other`, for example.',
  ),
  stateOfIncorporation: text.describe(
    "EDGAR's code of the state or country in which it is incorporated, e.g. `DE` for Delaware.",
  ),
  fiscalYearEnd: monthDay
    .nullable()
    .describe(
      'Month and day on which its fiscal year ends, four digits `mmdd`, e.g. `0926`, as EDGAR has it.',
    ),
});
export type CompanyFacts = Readonly<z.infer<typeof CompanyFacts>>;

/** The names of the facts. */
export const factNames = Object.keys(CompanyFacts.shape) as readonly (keyof CompanyFacts)[];

/** Makes the facts from a function that returns each value; a missing value becomes null. */
export function factsFrom(valueOf: (name: keyof CompanyFacts) => string | null | undefined): CompanyFacts {
  return Object.fromEntries(factNames.map((name) => [name, valueOf(name) ?? null])) as CompanyFacts;
}

/** Whether two companies have the same facts. A company without facts equals one whose facts are all null. */
export function sameFacts(a: CompanyFacts | undefined, b: CompanyFacts | undefined): boolean {
  return factNames.every((name) => (a?.[name] ?? null) === (b?.[name] ?? null));
}
