import {
  eventTypeOfForm,
  isFiledByNamedCompany,
  ownershipFamilies,
  type EventType,
} from '../../src/domain/event-types.ts';
import type { Ownership } from '../../src/contract/ownership.ts';
import type { Party, PartyRole } from '../../src/contract/records.ts';
import { compareText } from '../../src/domain/scalars.ts';
import type { LedgerFiling } from './ledger-rows.ts';

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

/** A person or company that a document names by its CIK, with its name as written. */
export interface NamedPerson {
  readonly cik: string;
  readonly name: string | null;
}

/** Returns the persons of a document that have a CIK: the owners of Forms 3, 4 and 5, and who files a Schedule 13D or 13G. */
export function personsOf(ownership: Ownership): NamedPerson[] {
  const persons =
    ownership.kind === 'section_16'
      ? ownership.owners
      : ownership.kind === 'schedule_13'
        ? ownership.persons
        : // A Form 144 names the seller without a CIK.
          [];
  return persons.flatMap(({ cik, name }) => (cik === null ? [] : [{ cik, name }]));
}

/** The CIKs of persons that a document adds to those that a filing names, sorted, each once. */
export function addedPersons(named: readonly string[], ownership: Ownership | null): readonly string[] {
  const persons = ownership === null ? [] : personsOf(ownership);
  return [...new Set(persons.map(({ cik }) => cik))].filter((cik) => !named.includes(cik)).sort();
}

/** The roles of the company that a filing is about. */
export const subjectRoles: ReadonlySet<PartyRole> = new Set<PartyRole>(['issuer', 'subject']);

/** A role that the feed or the header told of a party. */
export interface ToldRole {
  readonly cik: string;
  readonly role: PartyRole;
}

/**
 * Writes the roles that were told, as the ledger keeps them: one for each party, by CIK. The role of the
 * subject counts before others of the same party, then the first one. Returns undefined if none was told.
 */
export function writeRoles(told: Iterable<ToldRole>): readonly string[] | undefined {
  const roles = new Map<string, PartyRole>();
  for (const { cik, role } of told)
    if (
      role !== null &&
      (!roles.has(cik) || (subjectRoles.has(role) && !subjectRoles.has(roles.get(cik) ?? null)))
    )
      roles.set(cik, role);
  return roles.size === 0 ? undefined : [...roles].map(([cik, role]) => `${cik}:${role}`).sort();
}

/** Reads the roles of a row that were told. */
export function readRoles({ roles = [] }: Pick<LedgerFiling, 'roles'>): ToldRole[] {
  return roles.map((text) => ({
    cik: text.slice(0, cikLength),
    role: text.slice(cikLength + 1) as PartyRole,
  }));
}

const cikLength = '0000320193'.length;

/**
 * Returns the parties of a filing with their names. The role of a party is the one that the feed or the
 * header told. Where neither told it, a rule gives the role: a company's submissions file tells only whether
 * the company is the subject of a filing or one of the others. If the others may have several roles, their
 * role is null.
 */
export function partiesOf(
  filing: Named & Pick<LedgerFiling, 'form' | 'roles'>,
  nameOf: (cik: string) => string | null,
  ownership: Ownership | null = null,
): Party[] {
  const { subjectCik, form } = filing;
  const told = filing.roles && new Map(readRoles(filing).map(({ cik, role }) => [cik, role]));
  const family = eventTypeOfForm(form);
  const subjectRole: PartyRole = ownershipFamilies.has(family) ? 'issuer' : 'subject';
  const otherRole = otherRoleOf(subjectCik !== null, family, form);
  const named = ciksOf(filing);
  const parties = named.map((cik) => ({
    cik,
    name: nameOf(cik),
    role: told?.get(cik) ?? (cik === subjectCik ? subjectRole : otherRole),
  }));
  return ownership === null ? parties : withPersons(parties, named, subjectCik, ownership, nameOf);
}

/** The roles of persons by the kind of their document. */
const personRoles = { section_16: 'reporting_owner', form_144: null, schedule_13: 'filed_by' } as const;

/**
 * Adds the persons of a document to the parties of a filing: those that it does not name come in, and those that it
 * names without a role get one. The order stays: the subject first, then by CIK.
 */
function withPersons(
  parties: readonly Party[],
  named: readonly string[],
  subjectCik: string | null,
  ownership: Ownership,
  nameOf: (cik: string) => string | null,
): Party[] {
  const role = personRoles[ownership.kind];
  const persons = new Set(personsOf(ownership).map(({ cik }) => cik));
  const all = [
    ...parties.map((party) => (party.role === null && persons.has(party.cik) ? { ...party, role } : party)),
    ...addedPersons(named, ownership).map((cik) => ({ cik, name: nameOf(cik), role })),
  ];
  const subjects = subjectCik === null ? 0 : 1;
  return [...all.slice(0, subjects), ...all.slice(subjects).sort((a, b) => compareText(a.cik, b.cik))];
}

/**
 * Returns the role by rule of the parties other than the issuer or subject company. EDGAR's feed and headers
 * call the person who sells by a Form 144 `Reporting`, like the owners of Forms 3, 4 and 5 (all 263 filings
 * of a recorded day).
 */
function otherRoleOf(hasSubject: boolean, family: string, form: string): PartyRole {
  if (ownershipFamilies.has(family)) return 'reporting_owner';
  if (hasSubject && family === 'restricted_sale_notice') return 'reporting_owner';
  // On other forms only the header or the feed names a subject company, and they then tell who filed.
  if (hasSubject) return 'filed_by';
  if (subjectFamilies.has(family)) return null;
  return isFiledByNamedCompany(form) ? 'filer' : null;
}
