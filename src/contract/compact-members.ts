import type { InsiderTransaction } from './insider-transactions.ts';
import type { Owner } from './ownership.ts';
import { Filing } from './records.ts';

/** The members of a filing that compact answers to assistants have. */
const compactMembers: ReadonlySet<string> = new Set<keyof Filing>([
  'accessionNo',
  'cik',
  'ticker',
  'companyName',
  'form',
  'eventType',
  'items',
  'filedAt',
  'acceptedAt',
  'parties',
  'documentUrl',
]);

/** The members of a filing that compact answers to assistants leave out. */
export const leftOutOfCompact: ReadonlySet<string> = new Set(
  Object.keys(Filing.shape).filter((name) => !compactMembers.has(name)),
);

/** The members of a filing with its summary that they leave out: a list may have hundreds of documents. */
export const leftOutOfSummary: ReadonlySet<string> = new Set([...leftOutOfCompact, 'documents']);

/** The members of an insider transaction that compact answers leave out. */
export const leftOutOfTransactions: ReadonlySet<string> = new Set<keyof InsiderTransaction>([
  'form',
  'isAmendment',
  'companyName',
  'acceptedAt',
  'cik',
  'detailUrl',
  'documentUrl',
  'deemedExecutedOn',
  'isEquitySwap',
  'timeliness',
  'totalValue',
  'sharesAfter',
  'valueAfter',
  'isDirect',
  'nature',
  'exercisePrice',
  'exercisableOn',
  'expiresOn',
  'underlying',
]);

/** The members of its owners that they leave out: the text says what owners are. */
export const leftOutOfOwners: ReadonlySet<string> = new Set<keyof Owner>([
  'cik',
  'isDirector',
  'isOfficer',
  'isTenPercentOwner',
  'isOther',
]);

/** What compact answers leave out, by the schemas of records. */
export const leftOutBySchema: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Filing', leftOutOfCompact],
  ['FilingSummary', leftOutOfSummary],
  ['InsiderTransaction', leftOutOfTransactions],
  ['Owner', leftOutOfOwners],
]);
