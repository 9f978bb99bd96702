import { ciksOf } from '../ledger/parties.ts';
import type { LedgerFiling } from '../ledger/ledger-rows.ts';
import type { IndexFiling } from '../sources/master-index.ts';

/** What the ledger has otherwise than an index, or lacks, of one filing. */
export interface Difference {
  /** Companies under which the index lists the filing and the ledger does not. */
  readonly ciks: readonly string[];
  readonly isFormOther: boolean;
  readonly isDateOther: boolean;
  /** No submissions file has told the document and the size. */
  readonly lacksDocuments: boolean;
  /** Nothing has told the acceptance: the clock of a submissions file may not decide it. */
  readonly lacksAcceptance: boolean;
}

/**
 * Compares a filing of an index with the ledger's row; null if they agree and the row is complete. The ledger
 * may name more companies than the index: headers name depositors and others that no index lists.
 */
export function differenceOf(listed: IndexFiling, held: LedgerFiling): Difference | null {
  const known = new Set(ciksOf(held));
  const difference = {
    ciks: listed.entities.map(({ cik }) => cik).filter((cik) => !known.has(cik)),
    isFormOther: !listed.forms.includes(held.form),
    isDateOther: listed.filedAt !== held.filedAt,
    lacksDocuments: held.primaryDocument === null && held.sizeBytes === null,
    lacksAcceptance: held.acceptedEastern === null,
  };
  const isWhole = !difference.lacksDocuments && !difference.lacksAcceptance;
  return difference.ciks.length === 0 && !isOther(difference) && isWhole ? null : difference;
}

/** Whether form or date differ. */
export function isOther({ isFormOther, isDateOther }: Difference): boolean {
  return isFormOther || isDateOther;
}

/** The most companies that a description names. */
const ciksShown = 3;

/**
 * Describes how the index differs from the ledger's row in what an index tells. It depends on nothing else,
 * so the same difference is described alike at each look. Empty if only documents or the acceptance are
 * lacking.
 */
export function describeDifference(listed: IndexFiling, held: LedgerFiling): string {
  const difference = differenceOf(listed, held);
  if (difference === null) return '';
  const { ciks, isFormOther, isDateOther } = difference;
  const more = ciks.length > ciksShown ? ` and ${ciks.length - ciksShown} more` : '';
  return [
    isFormOther ? `form ${listed.forms.join(' and ')} in the index, ${held.form} here` : null,
    isDateOther ? `filed on ${listed.filedAt} in the index, on ${held.filedAt} here` : null,
    ciks.length > 0 ? `the index also lists it under ${ciks.slice(0, ciksShown).join(', ')}${more}` : null,
  ]
    .filter((part) => part !== null)
    .join('; ');
}
