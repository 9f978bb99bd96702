/**
 * The number of the rules by which this version derives what is published from the ledger: event types,
 * change types, attribution, chains of successors, roles that nobody told, addresses, sentences, ranks, words
 * for search, and values for filters of companies. Segments carry the number that made them; a member that is
 * new in every record changes the format of snapshots instead. Raise it by one with every change that gives other rows for any ledger;
 * `test/domain/rules-number.test.ts` fails if that was forgotten. The next build then brings everything under
 * the new rules.
 */
export const rulesNumber = 7;

/** The rules of snapshots and ledgers that name none: those of the last version before rules had numbers. */
export const firstRules = 1;
