import { filteredMembers, type FilteredFiling } from '../../src/contract/filing-filters.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import { historyOrder } from '../../src/format/snapshot.ts';
import {
  companiesOf,
  issuerOf,
  listedFiling,
  partitionsOf,
  type FeedNote,
  type RevisionNote,
} from '../fold/observation-rows.ts';
import { createBalance, digestOf, digestUnder, replacedPart, type Balance } from './balance.ts';

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
 * The facts about an entry of the feed from which its rows in other tables are made. It is small, because
 * those of corrected filings are sorted on the disk.
 */
export interface FeedEntry
  extends Pick<Filing, 'accessionNo' | 'filedAt' | 'eventType' | 'ingestedAt'>,
    FilteredFiling {
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
  /** The digest of its line after the partition key, without a note. */
  readonly line: Buffer;
}

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

/** Makes the entry of a change. `line` is the digest of its line after the partition key. */
export function feedEntry(segment: number, { sequence, revision, filing }: Change, line: Buffer): FeedEntry {
  return {
    segment,
    sequence,
    revision,
    order: historyOrder(filing),
    accessionNo: filing.accessionNo,
    ...filteredMembers(filing),
    filedAt: filing.filedAt,
    eventType: filing.eventType,
    ingestedAt: filing.ingestedAt,
    companies: companiesOf(filing),
    issuer: issuerOf(filing),
    line,
  };
}

/** Adds the rows of a filing to all tables. `entries` are all its revisions, oldest first. */
export function expectFiling(expected: Expected, entries: readonly FeedEntry[]): void {
  entries.forEach((entry, at) => {
    expectEntry(expected, entry, entries[at - 1]);
    const next = entries[at + 1];
    // A segment lists the last revision among its own batches, even if newer segments replace it.
    if (next === undefined) {
      expectRows(expected, entry, '');
      countFiling(expected.counts, entry);
    } else if (next.segment !== entry.segment) expectRows(expected, entry, replacedPart);
  });
}

/** Adds the rows of an entry to `company-changes`. `before` is the revision before it. */
function expectEntry(
  { companyChanges }: Expected,
  { segment, companies, line }: FeedEntry,
  before: FeedEntry | undefined,
): void {
  for (const company of before ? new Set([...companies, ...before.companies]) : companies) {
    const note = before && JSON.stringify({ before: formUnder(before, company) } satisfies FeedNote);
    companyChanges.add(segment, '', digestUnder(company, withNote(line, note)));
  }
}

const formUnder = ({ companies, form }: FeedEntry, company: string) =>
  companies.includes(company) ? form : null;

/** Returns the digest of a line with a note, given the digest of the line without it. */
export function withNote(line: Buffer, note: string | null | undefined): Buffer {
  return note == null ? line : digestOf(Buffer.concat([Buffer.from(note), line]));
}

/**
 * Adds the rows of an entry that is the last revision of its filing in its segment. `state` is `replacedPart`
 * if newer segments replace the rows, otherwise empty.
 */
function expectRows({ latest, companyFilings, summaries }: Expected, entry: FeedEntry, state: string): void {
  const { segment, accessionNo, sequence, revision, order, companies, issuer } = entry;
  const ordered = digestOf(tail(order, String(sequence)));
  const note = revision === 1 ? undefined : JSON.stringify({ revision } satisfies RevisionNote);
  const listed = digestOf(tail(order, listedFiling(entry, sequence, false), note));
  const listedOfIssuer =
    issuer === null ? listed : digestOf(tail(order, listedFiling(entry, sequence, true), note));
  for (const partition of partitionsOf(entry)) latest.add(segment, `${state}${partition}`, ordered);
  for (const company of companies)
    companyFilings.add(segment, state, digestUnder(company, company === issuer ? listedOfIssuer : listed));
  summaries.add(segment, state, summaryDigest(accessionNo, revision, sequence));
}

function countFiling({ forms, days, families }: FilingCounts, { form, filedAt, eventType }: FeedEntry): void {
  count(forms, form);
  count(days, `${filedAt} ${eventType}`);
  count(families, eventType);
}

/** Returns the digest of what a summary says: which entry of the log has its filing, and which revision that is. */
export function summaryDigest(accessionNo: string, revision: number, sequence: number): Buffer {
  return digestOf(`${accessionNo} ${revision} ${sequence}`);
}

/** Returns the text of a line after its partition key. */
export function tail(sort: string, row: string, note?: string): string {
  return `"sort":"${sort}",${note === undefined ? '' : `"note":${note},`}"row":${row}}`;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
