import {
  eventTypeOfForm,
  isFiledByNamedCompany,
  ownershipFamilies,
  type EventType,
} from '../../src/contract/event-types.ts';
import type { Party, PartyRole } from '../../src/contract/records.ts';
import type { LedgerFiling } from './rows.ts';

/** Event families of filings that somebody makes about a subject company. */
export const subjectFamilies: ReadonlySet<string> = new Set<EventType>([
  'restricted_sale_notice',
  'beneficial_ownership_active',
  'beneficial_ownership_passive',
  'tender_offer',
  'going_private',
  'merger_communication',
  'delisting',
]);

/** Members of a filing that name companies. */
export type Named = Pick<LedgerFiling, 'subjectCik' | 'filerCiks'>;

/**
 * Every company that a filing names, each once: the issuer or subject company, then the others in the order
 * of their CIKs.
 */
export function ciksOf({ subjectCik, filerCiks }: Named): readonly string[] {
  if (filerCiks.length < 2)
    return subjectCik === null ? filerCiks : [subjectCik, ...filerCiks.filter((cik) => cik !== subjectCik)];
  const others = [...new Set(filerCiks)].filter((cik) => cik !== subjectCik).sort();
  return subjectCik === null ? others : [subjectCik, ...others];
}

/**
 * The parties of a filing with their names. The submissions files of a company tell on which side of a filing
 * it stands, and not more: where several roles are on one side, the role is null.
 */
export function partiesOf(
  filing: Named & Pick<LedgerFiling, 'form'>,
  nameOf: (cik: string) => string | null,
): Party[] {
  const { subjectCik, form } = filing;
  const family = eventTypeOfForm(form);
  const subjectRole: PartyRole =
    ownershipFamilies.has(family) || family === 'restricted_sale_notice' ? 'issuer' : 'subject';
  const otherRole = roleBeside(subjectCik !== null, family, form);
  return ciksOf(filing).map((cik) => ({
    cik,
    name: nameOf(cik),
    role: cik === subjectCik ? subjectRole : otherRole,
  }));
}

/** The role of those who are not the issuer or subject company. */
function roleBeside(hasSubject: boolean, family: string, form: string): PartyRole {
  if (ownershipFamilies.has(family)) return 'reporting_owner';
  // On other forms the header or the feed alone names a subject company, and then tells who filed about it.
  if (hasSubject) return 'filed_by';
  if (subjectFamilies.has(family)) return null;
  return isFiledByNamedCompany(form) ? 'filer' : null;
}
