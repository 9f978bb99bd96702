import { factsFrom } from '../../src/domain/company-facts.ts';
import {
  companyOf,
  mostFrequentFirst,
  type Change,
  type CompanyEntry,
  type CountByForm,
  type Filing,
} from '../../src/contract/records.ts';
import type { ProfileRow } from '../../src/format/profile-rows.ts';
import type { ListedFiling } from '../../src/format/list-rows.ts';
import { allPartition, type TableName } from '../../src/format/snapshot.ts';
import { isCik } from '../../src/domain/scalars.ts';
import { relatedCiks } from '../../src/domain/successors.ts';
import { filterRowsOf } from '../../src/contract/company-filters.ts';
import { postingsOf, rankOf } from '../../src/format/search-rows.ts';
import { noteOf } from '../../src/table/line.ts';
import { mergedRows } from '../../src/table/merge.ts';
import { rowBytes } from '../../src/table/table.ts';
import { needleOf, textOf } from '../../src/rows/members.ts';
import { extentOf } from '../../src/rows/parts.ts';
import { createFinder } from '../../src/table/finder.ts';
import { hides, noteIn, rowOf, type Line } from '../segments/table-files.ts';
import type { Folded } from './fold-batch.ts';
import { companyOfProfile } from './past.ts';
import { filingOf, formAndTimeOf } from './compact-observation.ts';
import { companiesOf, type FeedNote } from './observation-rows.ts';
import { ledgerCompanies, type LedgerCompanyRow } from './fold-tables.ts';

/** The rows of companies may take this part of the memory that those of filings may take. */
const heldShare = 4;

/** The filings of a chain of successors, counted. The profiles of all its companies show the same numbers. */
interface Listed {
  readonly forms: Map<string, number>;
  latest: ProfileRow['latestFiling'];
  latestIngestedAt: string | null;
}

/** What of a fold makes the rows of companies. */
export interface CompaniesFold extends Pick<Folded, 'heldMaximum'> {
  /** Has the lists and feeds of companies, and their ledger rows. */
  readonly runs: Pick<Folded['runs'], 'lines'>;
  readonly companyRuns: Pick<Folded['companyRuns'], 'add' | 'held' | 'flush'>;
  readonly past: Pick<Folded['past'], 'older'>;
  readonly totals: Pick<Folded['totals'], 'addCompany'>;
}

/**
 * Writes the profile of each company that has a new ledger row or a new or corrected filing in the range, its
 * row in the order of ranks, and its rows for search. Each profile is written whole, so the bytes are the
 * same however many builds folded the range. The runs of the range are sorted by chain of successors and are
 * read line by line.
 */
export function foldCompanies(fold: CompaniesFold): void {
  const { runs, companyRuns, past, totals, heldMaximum } = fold;
  const feed = createGroups(feedsOfCompanies(runs.lines('company-changes')));
  const filings = createGroups(runs.lines('company-filings'));
  const rows = createGroups(runs.lines(ledgerCompanies));
  const findProfile = createFinder(past.older('profiles'));
  for (
    let chain = smaller(feed.next(), rows.next());
    chain !== null;
    chain = smaller(feed.next(), rows.next())
  ) {
    const inRange = new Map<string, LedgerCompanyRow>();
    for (const line of rows.lines(chain))
      inRange.set(line.keys.sort, JSON.parse(rowOf(line) as string) as LedgerCompanyRow);
    const old = new Map<string, ProfileRow>();
    for (const cik of relatedCiks(chain)) {
      const profile = findProfile(cik);
      if (profile) old.set(cik, JSON.parse(rowBytes(profile).toString()) as ProfileRow);
    }
    const newest = filings.firstShown(chain);
    const held = relatedCiks(chain).filter((cik) => inRange.has(cik) || old.has(cik));
    if (held.length === 0) {
      feed.skip(chain);
      continue;
    }
    const listed = listedAfter(fold, chain, feed.lines(chain), newest, [...old.values()][0]);
    for (const cik of held) {
      const before = old.get(cik);
      if (!before) totals.addCompany();
      addCompany(
        fold,
        profileOf(inRange.get(cik) ?? rowOfProfile(before as ProfileRow), listed, held),
        before,
      );
    }
    if (companyRuns.held() > heldMaximum / heldShare) companyRuns.flush();
  }
}

/** The lines of feeds that have every change of a company, without those of its feeds by filters. */
function* feedsOfCompanies(lines: Iterable<Line>): Generator<Line> {
  for (const line of lines) if (isCik(line.keys.partition)) yield line;
}

/** Returns the smaller of two partition keys. Null stands for no key; null if both are null. */
function smaller(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b < a) ? b : a;
}

/** Reads the lines of a table, one partition after the other. */
interface Groups {
  /** The partition key of the next line; null at the end. */
  next(): string | null;
  /** Yields the lines of a partition. Skips the partitions before it. */
  lines(partition: string): Iterable<Line>;
  /** Reads to the end of a partition. Returns its first line that hides no row; null if there is none. */
  firstShown(partition: string): Line | null;
  /** Reads to the end of a partition. */
  skip(partition: string): void;
}

function createGroups(lines: Iterator<Line>): Groups {
  let line = lines.next();
  function* linesOf(partition: string): Generator<Line> {
    for (; line.done !== true && line.value.keys.partition <= partition; line = lines.next())
      if (line.value.keys.partition === partition) yield line.value;
  }
  return {
    next: () => (line.done === true ? null : line.value.keys.partition),
    lines: linesOf,
    skip(partition) {
      for (const _ of linesOf(partition));
    },
    firstShown(partition) {
      let found: Line | null = null;
      for (const each of linesOf(partition)) if (found === null && !hides(each)) found = each;
      return found;
    },
  };
}

/**
 * Counts the filings of a chain at the end of the range. Takes the counts before the range from `profile`,
 * any older profile of the chain, and adds `entries`, the chain's feed of the range. `newest` is the chain's
 * newest filing in the range.
 */
function listedAfter(
  { past }: Pick<CompaniesFold, 'past'>,
  chain: string,
  entries: Iterable<Line>,
  newest: Line | null,
  profile: ProfileRow | undefined,
): Listed {
  const listed: Listed = { forms: new Map(), latest: null, latestIngestedAt: null };
  const corrected = new Set<string>();
  const hadProfile = profile !== undefined;
  if (profile) {
    for (const { form, count } of profile.forms) listed.forms.set(form, count);
    listed.latest = profile.latestFiling;
    listed.latestIngestedAt = profile.latestIngestedAt;
  } else {
    // A filing may name a company before the ledger has a row for it. Then older segments have a feed of the
    // company and no profile.
    for (const row of mergedRows(past.older('company-changes'), { partitions: [chain] })) {
      const { filing, observedAt } = JSON.parse(rowBytes(row).toString()) as Change;
      const note = noteOf(row.block, row.line);
      if (note === null) addFirst(listed, filing.form, observedAt);
      else addCorrection(listed, chain, filing, note, corrected);
    }
    corrected.clear();
  }
  for (const entry of entries) {
    const note = noteIn(entry);
    if (note === undefined) {
      const { form, observedAt } = formAndTimeIn(entry);
      addFirst(listed, form, observedAt);
    } else addCorrection(listed, chain, filingOf(rowOf(entry) as string), note, corrected);
  }
  const isLatestCorrected = listed.latest !== null && corrected.has(accessionIn(listed.latest.sort));
  if (!hadProfile || isLatestCorrected) listed.latest = newestOther(past.older, chain, corrected);
  if (newest && (listed.latest === null || newest.keys.sort > listed.latest.sort))
    listed.latest = latestIn(newest.keys.sort, rowOf(newest) as string);
  return listed;
}

/**
 * Returns the newest filing of a chain in older segments that the range does not correct; null if there is
 * none.
 */
function newestOther(
  older: CompaniesFold['past']['older'],
  chain: string,
  corrected: ReadonlySet<string>,
): Listed['latest'] {
  for (const row of mergedRows(older('company-filings'), { partitions: [chain] }))
    if (!corrected.has(accessionIn(row.sort))) return latestIn(row.sort, rowBytes(row).toString());
  return null;
}

/** The newest filing of a company, by its sort key and its row in the list of the company. */
function latestIn(sort: string, row: string): NonNullable<Listed['latest']> {
  return { sequence: (JSON.parse(row) as ListedFiling).sequence, sort };
}

const [formNeedle, observedAtNeedle] = [needleOf('form'), needleOf('observedAt')];

/** The form of an entry, and when it was observed. In a run it is a compact observation, on the disk a change. */
function formAndTimeIn(entry: Line): ReturnType<typeof formAndTimeOf> {
  if (entry.block === undefined) return formAndTimeOf(entry.row as string);
  const change = extentOf(entry);
  return { form: textOf(change, formNeedle), observedAt: textOf(change, observedAtNeedle) };
}

/** The accession number in a sort key of a list, which ends with it. */
const accessionIn = (sort: string) => sort.slice(sort.lastIndexOf(' ') + 1);
/** The filing date in such a key, which begins with it; null if the filing has none. */
const filedAtIn = (sort: string) => sort.slice(0, sort.indexOf(' ')) || null;

/** Adds the first observation of a filing to the counts: an entry of the feed without a note. */
function addFirst(listed: Listed, form: string, observedAt: string | null): void {
  count(listed, form, 1);
  if (observedAt !== null) ingested(listed, observedAt);
}

/** Adds a correction to the counts. `note` is the one of its entry in the feed. */
function addCorrection(
  listed: Listed,
  chain: string,
  filing: Filing,
  note: string,
  corrected: Set<string>,
): void {
  const { before } = JSON.parse(note) as FeedNote;
  if (before !== null) count(listed, before, -1);
  if (companiesOf(filing).includes(chain)) count(listed, filing.form, 1);
  if (filing.ingestedAt !== null) ingested(listed, filing.ingestedAt);
  corrected.add(filing.accessionNo);
}

function count({ forms }: Listed, form: string, by: number): void {
  const sum = (forms.get(form) ?? 0) + by;
  if (sum === 0) forms.delete(form);
  else forms.set(form, sum);
}

function ingested(listed: Listed, at: string): void {
  if (listed.latestIngestedAt === null || at > listed.latestIngestedAt) listed.latestIngestedAt = at;
}

/** The ledger's row of a company, of which its profile was made. */
export function rowOfProfile(profile: CompanyEntry): LedgerCompanyRow {
  return { ...companyOfProfile(profile), updatedAt: profile.updatedAt };
}

function profileOf(
  row: LedgerCompanyRow,
  { forms, latest, latestIngestedAt }: Listed,
  held: readonly string[],
): ProfileRow {
  const counts = countsByForm(forms);
  return {
    cik: row.cik,
    ticker: row.tickers[0] ?? null,
    name: row.name,
    exchange: row.exchange,
    updatedAt: row.updatedAt,
    filingCount: counts.reduce((sum, { count }) => sum + count, 0),
    latestFilingAt: latest && filedAtIn(latest.sort),
    forms: counts,
    latestFiling: latest,
    latestIngestedAt,
    tickers: [...row.tickers],
    formerNames: [...row.formerNames],
    relatedCiks: relatedCiks(row.cik).filter((cik) => cik !== row.cik && held.includes(cik)),
    ...factsFrom((name) => row.facts?.[name]),
    formerNamePeriods: [...(row.formerNamePeriods ?? [])],
  };
}

/** Returns counts by form, the most frequent form first, equal counts in the order of forms. */
function countsByForm(counts: ReadonlyMap<string, number>): CountByForm[] {
  return mostFrequentFirst(counts).map(([form, count]) => ({ form, count }));
}

function addCompany(
  { companyRuns: runs }: Pick<CompaniesFold, 'companyRuns'>,
  profile: ProfileRow,
  before: ProfileRow | undefined,
): void {
  const rank = rankOf(profile);
  runs.add('profiles', profile.cik, '', JSON.stringify(profile));
  if (before && rankOf(before) !== rank) runs.add('companies', allPartition, rankOf(before), null);
  runs.add('companies', allPartition, rank, JSON.stringify(companyOf(profile)));
  addUnderKeys(runs, 'companies', filterRowsOf(profile), before && filterRowsOf(before));
  addUnderKeys(runs, 'search', postingsOf(profile), before && postingsOf(before));
}

/** A row of a table that stands under several keys. */
interface UnderKeys {
  readonly keys: readonly { readonly partition: string; readonly sort: string }[];
  readonly row: unknown;
}

/** Adds a row under each of its keys, and hides it under those that it had only before. */
function addUnderKeys(
  runs: CompaniesFold['companyRuns'],
  table: TableName,
  { keys, row }: UnderKeys,
  before: UnderKeys | undefined,
): void {
  const kept = new Set(keys.map(({ partition, sort }) => `${partition} ${sort}`));
  for (const { partition, sort } of before?.keys ?? [])
    if (!kept.has(`${partition} ${sort}`)) runs.add(table, partition, sort, null);
  const json = JSON.stringify(row);
  for (const { partition, sort } of keys) runs.add(table, partition, sort, json);
}
