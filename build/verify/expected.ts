import type { Change, Filing } from '../../src/contract/records.ts';
import { historyOrder } from '../../src/contract/snapshot.ts';
import { companiesOf, issuerOf, listedFiling, partitionsOf, type RevisionNote } from '../fold/rows.ts';
import { createBalance, digestOf, digestUnder, type Balance } from './balance.ts';

/** What the feed gives for the other tables of filings, by segment. */
export interface Expected {
  /** By partition. */
  readonly latest: Balance;
  readonly companyFilings: Balance;
  readonly companyChanges: Balance;
  readonly summaries: Balance;
  readonly counts: FilingCounts;
}

/** How many filings there are of each kind. */
export interface FilingCounts {
  /** By form. */
  readonly forms: Map<string, number>;
  /** By day and family, as the table of totals has them. */
  readonly days: Map<string, number>;
  /** By family. */
  readonly families: Map<string, number>;
}

/** What other tables say of an entry of the feed. It is kept of corrected filings, and therefore small. */
export interface FeedEntry extends Pick<Filing, 'form' | 'items'> {
  /** Number of its segment. */
  readonly segment: number;
  readonly sequence: number;
  readonly revision: number;
  /** Its sort key in lists of filings. */
  readonly order: string;
  /** The companies that list its filing. */
  readonly companies: readonly string[];
  /** The one among them that is its issuer. */
  readonly issuer: string | null;
  /** The digest of the bytes of its filing. */
  readonly digest: Buffer;
}

/** Whether rows are expected after all, or no longer. */
export type Sign = 1 | -1;

/** Nothing is expected yet. */
export function createExpected(): Expected {
  return {
    latest: createBalance(),
    companyFilings: createBalance(),
    companyChanges: createBalance(),
    summaries: createBalance(),
    counts: { forms: new Map(), days: new Map(), families: new Map() },
  };
}

/** What other tables say of a change. `digest` is that of the bytes of its filing. */
export function feedEntry(
  segment: number,
  { sequence, revision, filing }: Change,
  digest: Buffer,
): FeedEntry {
  return {
    segment,
    sequence,
    revision,
    order: historyOrder(filing),
    form: filing.form,
    items: filing.items,
    companies: companiesOf(filing),
    issuer: issuerOf(filing),
    digest,
  };
}

/**
 * Expects the rows of an entry which is the last one of its filing in its segment, or no longer does. `state`
 * tells whether newer segments replace them.
 */
export function expectRows(
  { latest, companyFilings, summaries }: Expected,
  entry: FeedEntry,
  state: string,
  sign: Sign,
): void {
  const { segment, sequence, revision, order, companies, issuer, digest } = entry;
  const put = (balance: Balance, part: string, row: Buffer) =>
    sign === 1 ? balance.add(segment, part, row) : balance.take(segment, part, row);
  const ordered = digestOf(tail(order, String(sequence)));
  const note = revision === 1 ? undefined : JSON.stringify({ revision } satisfies RevisionNote);
  const listed = digestOf(tail(order, listedFiling(entry, sequence, false), note));
  const listedOfIssuer =
    issuer === null ? listed : digestOf(tail(order, listedFiling(entry, sequence, true), note));
  for (const partition of partitionsOf(entry)) put(latest, `${state}${partition}`, ordered);
  for (const company of companies)
    put(companyFilings, state, digestUnder(company, company === issuer ? listedOfIssuer : listed));
  put(summaries, state, summaryDigest(revision, digest));
}

/** Counts a filing that is shown, or no longer is. */
export function countFiling(
  { forms, days, families }: FilingCounts,
  { form, filedAt, eventType }: Filing,
  sign: Sign,
): void {
  count(forms, form, sign);
  count(days, `${filedAt} ${eventType}`, sign);
  count(families, eventType, sign);
}

/** The digest of a summary: of its revision and the bytes of its filing. */
export function summaryDigest(revision: number, digest: Buffer): Buffer {
  return digestUnder(String(revision), digest);
}

/** A line behind its partition. */
export function tail(sort: string, row: string, note?: string): string {
  return `"sort":"${sort}",${note === undefined ? '' : `"note":${note},`}"row":${row}}`;
}

function count(counts: Map<string, number>, key: string, by: Sign): void {
  const sum = (counts.get(key) ?? 0) + by;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}
