import {
  eventTypeOfForm,
  isFiledByNamedCompany,
  ownershipFamilies,
  type EventType,
} from '../../src/contract/event-types.ts';
import type { Party, PartyRole } from '../../src/contract/records.ts';
import type { LedgerFiling } from './rows.ts';

/** Event families of filings that are made about a subject company. */
export const subjectFamilies: ReadonlySet<string> = new Set<EventType>([
  'restricted_sale_notice',
  'beneficial_ownership_active',
  'beneficial_ownership_passive',
  'tender_offer',
  'going_private',
  'merger_communication',
  'delisting',
]);

/** The members of a filing that name companies. */
export type Named = Pick<LedgerFiling, 'subjectCik' | 'filerCiks'>;

/**
 * Returns the companies that a filing names, each once: the issuer or subject company first, then the others
 * by CIK.
 */
export function ciksOf({ subjectCik, filerCiks }: Named): readonly string[] {
  if (filerCiks.length < 2)
    return subjectCik === null ? filerCiks : [subjectCik, ...filerCiks.filter((cik) => cik !== subjectCik)];
  const others = [...new Set(filerCiks)].filter((cik) => cik !== subjectCik).sort();
  return subjectCik === null ? others : [subjectCik, ...others];
}

/**
 * Returns the parties of a filing with their names. A company's submissions file tells only whether the
 * company is the subject of a filing or one of the others. If the others may have several roles, their role
 * is null.
 */
export function partiesOf(
  filing: Named & Pick<LedgerFiling, 'form'>,
  nameOf: (cik: string) => string | null,
): Party[] {
  const { subjectCik, form } = filing;
  const family = eventTypeOfForm(form);
  const subjectRole: PartyRole =
    ownershipFamilies.has(family) || family === 'restricted_sale_notice' ? 'issuer' : 'subject';
  const otherRole = otherRoleOf(subjectCik !== null, family, form);
  return ciksOf(filing).map((cik) => ({
    cik,
    name: nameOf(cik),
    role: cik === subjectCik ? subjectRole : otherRole,
  }));
}

/** Returns the role of the parties other than the issuer or subject company. */
function otherRoleOf(hasSubject: boolean, family: string, form: string): PartyRole {
  if (ownershipFamilies.has(family)) return 'reporting_owner';
  // On other forms only the header or the feed names a subject company, and they then tell who filed.
  if (hasSubject) return 'filed_by';
  if (subjectFamilies.has(family)) return null;
  return isFiledByNamedCompany(form) ? 'filer' : null;
}
