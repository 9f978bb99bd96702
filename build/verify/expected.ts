import type { Change, Filing } from '../../src/contract/records.ts';
import { historyOrder } from '../../src/contract/snapshot.ts';
import { companiesOf, issuerOf, listedFiling, partitionsOf, type RevisionNote } from '../fold/rows.ts';
import { createBalance, digestOf, digestUnder, type Balance } from './balance.ts';

/** The rows that the other tables of filings must have according to the feed, by segment. */
export interface Expected {
  /** By partition. */
  readonly latest: Balance;
  readonly companyFilings: Balance;
  readonly companyChanges: Balance;
  readonly summaries: Balance;
  readonly counts: FilingCounts;
}

/** Numbers of filings. */
export interface FilingCounts {
  /** By form. */
  readonly forms: Map<string, number>;
  /** By day and family, with the keys of the table `counts`. */
  readonly days: Map<string, number>;
  /** By family. */
  readonly families: Map<string, number>;
}

/**
 * The facts about an entry of the feed from which its rows in other tables are made. It is small, because all
 * corrected filings of a pass are kept in memory.
 */
export interface FeedEntry extends Pick<Filing, 'form' | 'items'> {
  /** The index of its segment. */
  readonly segment: number;
  readonly sequence: number;
  readonly revision: number;
  /** The sort key of its filing in lists of filings. */
  readonly order: string;
  /** The companies that list its filing. */
  readonly companies: readonly string[];
  /** The company among them that is its issuer, or null. */
  readonly issuer: string | null;
  /** The digest of the bytes of its filing. */
  readonly digest: Buffer;
}

/** 1 adds expected rows, -1 removes them. */
export type Sign = 1 | -1;

/** Creates an empty `Expected`. */
export function createExpected(): Expected {
  return {
    latest: createBalance(),
    companyFilings: createBalance(),
    companyChanges: createBalance(),
    summaries: createBalance(),
    counts: { forms: new Map(), days: new Map(), families: new Map() },
  };
}

/** Makes the entry of a change. `digest` is that of the bytes of its filing. */
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
 * Adds or removes the rows of an entry that is the last revision of its filing in its segment. `state` is
 * `replacedPart` if newer segments replace the rows, otherwise empty.
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

/** Adds a filing to the counts, or removes it. */
export function countFiling(
  { forms, days, families }: FilingCounts,
  { form, filedAt, eventType }: Filing,
  sign: Sign,
): void {
  count(forms, form, sign);
  count(days, `${filedAt} ${eventType}`, sign);
  count(families, eventType, sign);
}

/** Returns the digest of a summary: of its revision and the digest of its filing. */
export function summaryDigest(revision: number, digest: Buffer): Buffer {
  return digestUnder(String(revision), digest);
}

/** Returns the text of a line after its partition key. */
export function tail(sort: string, row: string, note?: string): string {
  return `"sort":"${sort}",${note === undefined ? '' : `"note":${note},`}"row":${row}}`;
}

function count(counts: Map<string, number>, key: string, by: Sign): void {
  const sum = (counts.get(key) ?? 0) + by;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}
