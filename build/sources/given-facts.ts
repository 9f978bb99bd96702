import { z } from 'zod';
import { CompanyFacts, factsFrom } from '../../src/domain/company-facts.ts';
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
};

/**
 * Returns the facts in an entity's own file. A value that is empty, not a text, or not in the expected format
 * becomes null. Breaks in `category` (`Non-accelerated filer<br>Smaller reporting company`) become `; `.
 */
export function factsOf(main: { readonly [name in keyof CompanyFacts]?: unknown }): CompanyFacts {
  return factsFrom((name) => {
    const value = main[name];
    const text = typeof value === 'string' ? clean(name === 'category' ? withoutBreaks(value) : value) : '';
    return CompanyFacts.shape[name].safeParse(text).success ? text : null;
  });
}

function withoutBreaks(category: string): string {
  return category
    .split(/<br\s*\/?>/i)
    .map(clean)
    .filter((part) => part !== '')
    .join('; ');
}
