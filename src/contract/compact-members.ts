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

/** The members of a filing that compact answers to assistants leave out, also where a filing has a summary. */
export const leftOutOfCompact: ReadonlySet<string> = new Set(
  Object.keys(Filing.shape).filter((name) => !compactMembers.has(name)),
);

/** The schemas of records that are filings. */
export const schemasOfFilings: readonly string[] = ['Filing', 'FilingSummary'];
