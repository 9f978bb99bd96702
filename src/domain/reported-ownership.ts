import type { EventType } from './event-types.ts';

// A file of its own, so that the scripts of pages load no descriptions of families.

/**
 * The event families whose filings may have a document about ownership that is read: Forms 3, 4, 5 and 144, and Schedules
 * 13D and 13G.
 */
export const familiesWithOwnership: ReadonlySet<string> = new Set<EventType>([
  'insider_initial_statement',
  'insider_transaction',
  'insider_annual_statement',
  'restricted_sale_notice',
  'beneficial_ownership_active',
  'beneficial_ownership_passive',
]);

/** Schedules before December 2024, whatever their documents are called. */
const runningText = /^SC 13[DG]/;

/**
 * Whether the document of a form may tell about ownership as data. That of `SC 13D` and `SC 13G`, as the schedules were
 * called before December 2024, is running text.
 */
export const mayTellOwnership = (eventType: string, form: string): boolean =>
  familiesWithOwnership.has(eventType) && !runningText.test(form);

/** The event families of the forms that report transactions: Forms 4 and 5. */
export const transactionFamilies: ReadonlySet<string> = new Set<EventType>([
  'insider_transaction',
  'insider_annual_statement',
]);
