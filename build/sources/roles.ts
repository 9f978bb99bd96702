import type { CompanyFacts, FormerNamePeriod } from '../../src/domain/company-facts.ts';
import { ownershipFamilies } from '../../src/domain/event-types.ts';
import { subjectFamilies } from '../ledger/parties.ts';

/** An entity as its own submissions file describes it. */
export interface Entity {
  readonly cik: string;
  readonly name: string;
  readonly tickers: readonly string[];
  readonly exchange: string | null;
  readonly formerNames: readonly string[];
  /** Each of these names with its days, newest first; left out where the source has none. */
  readonly formerNamePeriods?: readonly FormerNamePeriod[];
  readonly facts?: CompanyFacts;
  /** When EDGAR made its submissions file, in milliseconds since 1970; left out where that is not known. */
  readonly asOfMs?: number;
  /** Whether others report holdings in this entity (Forms 3, 4 and 5). */
  readonly isIssuer: boolean;
  /** Whether this entity reports holdings in others. */
  readonly isOwner: boolean;
  /** A list that holds only its CIK; all its filings share it. */
  readonly alone: readonly string[];
}

/**
 * Tells from an entity's own submissions file whether it is the subject of a filing (issuer, subject company)
 * or one of its filers. The SGML header gives a file number to the reporting owner of Forms 3, 4 and 5, and
 * to the subject company of Forms 144, 25 and 425 and Schedules 13D, 13G and TO; submissions files carry it
 * over (measured on 98,000 recorded rows). Rows of 2003 give issuers a file number, too, but without an act,
 * so both are checked.
 */
export function roleOf(
  eventType: string,
  entity: Pick<Entity, 'isIssuer' | 'isOwner'>,
  fileNumber: string,
  act: string,
): 'subject' | 'filer' {
  if (ownershipFamilies.has(eventType)) {
    if (!entity.isIssuer) return 'filer';
    if (!entity.isOwner) return 'subject';
    return fileNumber !== '' && act !== '' ? 'filer' : 'subject';
  }
  return subjectFamilies.has(eventType) && fileNumber !== '' ? 'subject' : 'filer';
}
