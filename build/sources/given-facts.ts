import * as z from 'zod';
import { CompanyFacts, factsFrom } from '../../src/domain/company-facts.ts';
import { isObject } from '../../src/domain/scalars.ts';
import { clean } from './source-text.ts';

const given = z.unknown().optional();

/**
 * Members of an entity's own file that become facts. They are not checked here, because a strange value must
 * not keep the entity from being read.
 */
export const givenFacts = {
  sic: given,
  sicDescription: given,
  category: given,
  entityType: given,
  stateOfIncorporation: given,
  fiscalYearEnd: given,
  phone: given,
  addresses: given,
};

/**
 * Returns the facts in an entity's own file. A value that is empty, not a text, or not in the expected format
 * becomes null. Breaks in `category` (`Non-accelerated filer<br>Smaller reporting company`) become `; `.
 */
export function factsOf(main: { readonly [name in keyof typeof givenFacts]?: unknown }): CompanyFacts {
  const told: { readonly [name in keyof CompanyFacts]?: unknown } = { ...main, ...addressOf(main.addresses) };
  return factsFrom((name) => {
    const value = told[name];
    const text = typeof value === 'string' ? clean(name === 'category' ? withoutBreaks(value) : value) : '';
    return CompanyFacts.shape[name].safeParse(text).success ? text : null;
  });
}

/** The business address among the addresses of a file. */
function addressOf(addresses: unknown): { readonly [name in keyof CompanyFacts]?: unknown } {
  const business = isObject(addresses) ? addresses['business'] : null;
  if (!isObject(business)) return {};
  const { street1, street2, city, stateOrCountry, zipCode } = business;
  const lines = [street1, street2].filter((line) => typeof line === 'string' && clean(line) !== '');
  return {
    businessStreet: lines.join(', '),
    businessCity: city,
    businessState: stateOrCountry,
    businessZipCode: zipCode,
  };
}

function withoutBreaks(category: string): string {
  return category
    .split(/<br\s*\/?>/i)
    .map(clean)
    .filter((part) => part !== '')
    .join('; ');
}
