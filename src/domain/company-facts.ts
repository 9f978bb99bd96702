import * as z from 'zod';
import { calendarDate, monthDay, sicCode } from './scalars.ts';

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
  phone: text.describe('Telephone number, as EDGAR has it.'),
  businessStreet: text.describe('Business address: street, its two lines with a comma between.'),
  businessCity: text.describe('Business address: city.'),
  businessState: text.describe(
    "Business address: EDGAR's code of the state or country, as in `stateOfIncorporation`.",
  ),
  businessZipCode: text.describe('Business address: postal code.'),
});
export type CompanyFacts = Readonly<z.infer<typeof CompanyFacts>>;

/** A name that a company had before, and when. */
export const FormerNamePeriod = z
  .object({
    name: z.string(),
    since: calendarDate.nullable().describe('First day of the name, as EDGAR has it.'),
    until: calendarDate.nullable().describe('Its last day, as EDGAR has it.'),
  })
  .meta({ id: 'FormerNamePeriod', description: 'A name that a company had before, and when.' });
export type FormerNamePeriod = Readonly<z.infer<typeof FormerNamePeriod>>;

/** The names of the facts. */
export const factNames = Object.keys(CompanyFacts.shape) as readonly (keyof CompanyFacts)[];

/** Makes the facts from a function that returns each value; a missing value becomes null. */
export function factsFrom(valueOf: (name: keyof CompanyFacts) => string | null | undefined): CompanyFacts {
  return Object.fromEntries(factNames.map((name) => [name, valueOf(name) ?? null])) as CompanyFacts;
}

/** Whether two companies had the same names at the same times. One of which no source told them had none. */
export function samePeriods(
  a: readonly FormerNamePeriod[] = [],
  b: readonly FormerNamePeriod[] = [],
): boolean {
  return (
    a.length === b.length &&
    a.every(
      (each, at) => each.name === b[at]?.name && each.since === b[at].since && each.until === b[at].until,
    )
  );
}

/** Whether two companies have the same facts. A company without facts equals one whose facts are all null. */
export function sameFacts(a: CompanyFacts | undefined, b: CompanyFacts | undefined): boolean {
  return factNames.every((name) => (a?.[name] ?? null) === (b?.[name] ?? null));
}
