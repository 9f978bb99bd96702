import { causePartition } from '../../src/contract/corrections.ts';
import {
  companyFilterPartition,
  filteredMembers,
  filterPartition,
  formKeyOf,
  formPartition,
  isOfSomeForms,
  ownFilters,
  valuesOf,
  type FilingFilter,
  type FilteredFiling,
} from '../../src/contract/filing-filters.ts';
import type { Filing } from '../../src/contract/records.ts';
import {
  largestValuesOf,
  transactionKeysOf,
  transactionPartition,
  type LargestValues,
} from '../../src/contract/transaction-filters.ts';
import {
  isAcceptedOddly,
  kindNote,
  oddAcceptance,
  writeDayAndAcceptance,
} from '../../src/format/list-rows.ts';
import { filingPartition } from '../../src/format/filing-partition.ts';
import { allPartition, feedSortKey, historySortKey } from '../../src/format/snapshot.ts';
import { remembered } from '../../src/domain/remembered.ts';
import { newestCikOf } from '../../src/domain/successors.ts';
import type { KnownFiling, Observation } from '../ledger/observation.ts';
import type { LogWriter } from '../segments/log-writer.ts';
import type { Runs } from '../segments/runs.ts';
import { changeTexts } from './compact-observation.ts';
import { heldSummary } from './summary-row.ts';

/**
 * The note beside a correction in the feed of a company. `before` is the form of the filing before the
 * correction; null if the company did not have the filing then.
 */
export interface FeedNote {
  readonly before: string | null;
}

/** The note beside a filing in the list of a company. Revision 1 has no note. */
interface RevisionNote {
  readonly revision: number;
}

/**
 * The note beside a summary: its revision, unless it is 1, which parties have a role that was told, and which
 * only its document names, if any. There is no note without any of them.
 */
export type SummaryNote = Partial<RevisionNote> & Pick<KnownFiling, 'told' | 'added'>;

/** What takes the rows of an observation. */
export type RowsTaken = Pick<Runs, 'add' | 'keep' | 'addKept'>;

/**
 * Adds an observation to the log and its rows to every table of filings. A correction also hides those rows of
 * the observation before that have other keys now. The log and the feeds of companies hold the whole change;
 * lists in other orders, and summaries, hold its sequence, by which it is found there. For long rows the runs
 * hold less, of which `expandLines` makes them when the segment is written. `isByRule`: see `changeTexts`.
 */
export function addObservation(
  runs: RowsTaken,
  log: Pick<LogWriter, 'add'>,
  observation: Observation,
  isByRule = false,
): void {
  const { filing, before, sequence, revision, told, added } = observation;
  const order = historySortKey(filing);
  const members = JSON.stringify(filteredMembers(filing));
  const largestValues = largestValuesOf(filing);
  const { partitions, ofTransactions, companyFilters, kind } = placesOf(filing, members, largestValues);
  const companies = companiesOf(filing);
  const issuer = issuerOf(filing);
  const newest = runs.keep(order, String(sequence), kind);
  for (const partition of partitions) runs.addKept('latest', partition, newest);
  for (const [partition, value] of ofTransactions)
    runs.addKept('latest', partition, runs.keep(order, valued(String(sequence), value), kind));
  const revisionNote = before ? JSON.stringify({ revision } satisfies RevisionNote) : undefined;
  const keepListed = (isIssuer: boolean) =>
    runs.keep(order, listedFiling(members, sequence, largestValues, isIssuer), revisionNote);
  const others = issuer === null ? companies : companies.filter((company) => company !== issuer);
  if (issuer !== null) runs.addKept('company-filings', issuer, keepListed(true));
  const listed = others.length === 0 ? null : keepListed(false);
  for (const company of others) runs.addKept('company-filings', company, listed as number);
  if (before) hideBefore(runs, before, order, [...partitions, ...ofTransactions.keys()], companies);

  const { change, compact } = changeTexts(observation, isByRule);
  const feedKey = feedSortKey(sequence);
  log.add(sequence, filing.filedAt ?? '', change);
  const { cause } = observation;
  const note = cause === undefined ? kind : `${kind.slice(0, -1)},${JSON.stringify(cause)}]`;
  const { filedAt, acceptanceDateTime } = filing;
  // The acceptance takes as much as all else of the row, so only one partition has it.
  const timed = JSON.stringify(writeDayAndAcceptance(filedAt, acceptanceDateTime));
  runs.add('change-dates', causePartition(cause), feedKey, timed, note);
  const dated = runs.keep(feedKey, dayJson(filedAt), note);
  for (const partition of partitions)
    if (partition !== allPartition) runs.addKept('change-dates', partition, dated);
  for (const [partition, value] of ofTransactions)
    runs.addKept('change-dates', partition, runs.keep(feedKey, valued(dayJson(filedAt), value), note));
  if (before) {
    const companiesBefore = companiesOf(before);
    for (const company of new Set([...companies, ...companiesBefore])) {
      const note: FeedNote = { before: companiesBefore.includes(company) ? before.form : null };
      addToFeeds(runs, company, companyFilters, runs.keep(feedKey, compact, JSON.stringify(note)));
    }
  } else {
    const row = runs.keep(feedKey, compact);
    for (const company of companies) addToFeeds(runs, company, companyFilters, row);
  }
  const summaryNote: SummaryNote = {
    ...(before ? { revision } : {}),
    ...(told ? { told } : {}),
    ...(added ? { added } : {}),
  };
  runs.add(
    'summaries',
    filingPartition(filing.accessionNo),
    '',
    heldSummary(observation, isByRule),
    before || told || added ? JSON.stringify(summaryNote) : undefined,
  );
}

function hideBefore(
  runs: RowsTaken,
  before: Filing,
  order: string,
  partitions: readonly string[],
  companies: readonly string[],
): void {
  const orderBefore = historySortKey(before);
  const hasMoved = orderBefore !== order;
  for (const partition of partitionsOf(before))
    if (hasMoved || !partitions.includes(partition)) runs.add('latest', partition, orderBefore, null);
  for (const company of companiesOf(before))
    if (hasMoved || !companies.includes(company)) runs.add('company-filings', company, orderBefore, null);
}

/** The JSON of a row with the largest value of transactions, if there is one. */
const valued = (json: string, value: number | null) => (value === null ? json : `[${json},${value}]`);

const dayJson = remembered(10_000, (day: string | null) => JSON.stringify(writeDayAndAcceptance(day, null)));

/** The partition keys of a filing in `latest` and, without the first one, in `change-dates` beside that of its cause. */
export function partitionsOf(filing: Filing): readonly string[] {
  const places = placesOf(filing, JSON.stringify(filteredMembers(filing)), largestValuesOf(filing));
  return [...places.partitions, ...places.ofTransactions.keys()];
}

/** Where lists have a filing, beside the companies that list it. */
interface Places {
  /** See `partitionsOf`. Those of its transactions have the largest value of these in their rows, if there is one. */
  readonly partitions: readonly string[];
  readonly ofTransactions: ReadonlyMap<string, number | null>;
  /** The `KindNote` of the filing, as JSON. */
  readonly kind: string;
  /** The filters by which the changes of a company have feeds of their own, and of which it has values. */
  readonly companyFilters: readonly FilingFilter[];
}

/** The places of a filing. `members` is the JSON of those that filters ask for. */
function placesOf(filing: Filing, members: string, largestValues: LargestValues | null): Places {
  const key = formKeyOf(filing);
  const places = placesBy(
    key === filing.form ? members : `${members.slice(0, -1)},"key":${JSON.stringify(key)}}`,
  );
  const isOdd = isAcceptedOddly(filing);
  if (largestValues === null && !isOdd) return places;
  const keys = [...transactionKeysOf(filing, largestValues)];
  return {
    ...places,
    partitions: [...places.partitions, ...(isOdd ? [oddAcceptance] : [])],
    ofTransactions: new Map(keys.map(([each, value]) => [transactionPartition(each, key), value])),
  };
}

/** The places of a filing, by the JSON of the members that filters ask for, and of its key if that is not its form. */
const placesBy = remembered(50_000, (members: string): Places => {
  const filing = JSON.parse(members) as FilteredFiling & { readonly key?: string };
  const { key = filing.form } = filing;
  const own = ownFilters.flatMap((filter) =>
    valuesOf(filing, filter)
      .filter((value) => filter.hasPartition?.(value) !== false)
      .map((value) => filterPartition(filter, value, key)),
  );
  return {
    kind: JSON.stringify(kindNote(key, filing)),
    partitions: [allPartition, formPartition(key), ...own],
    ofTransactions: new Map(),
    companyFilters: ownFilters.filter((each) => isOfSomeForms(each) && valuesOf(filing, each).length > 0),
  };
});

/** Adds a change to the feed of a company, and to those by the filters of which it has values. */
function addToFeeds(
  runs: RowsTaken,
  company: string,
  filters: readonly FilingFilter[],
  change: number,
): void {
  runs.addKept('company-changes', company, change);
  for (const filter of filters)
    runs.addKept('company-changes', companyFilterPartition(company, filter), change);
}

/** The companies that list a filing: for each party the newest CIK of its chain of successors. */
export function companiesOf({ parties }: Pick<Filing, 'parties'>): string[] {
  return parties.length === 1
    ? [newestCikOf((parties[0] as Filing['parties'][number]).cik)]
    : [...new Set(parties.map(({ cik }) => newestCikOf(cik)))];
}

/** The newest CIK of the issuer of a filing; null if no party is its issuer. */
function issuerOf({ parties }: Pick<Filing, 'parties'>): string | null {
  const issuer = parties.find(({ role }) => role === 'issuer');
  return issuer ? newestCikOf(issuer.cik) : null;
}

/** The JSON of a row in the list of a company: a `ListedFiling`. `members` are those that filters ask for. */
function listedFiling(
  members: string,
  sequence: number,
  largestValues: LargestValues | null,
  isIssuer: boolean,
): string {
  const values = largestValues === null ? '' : `,"largestValues":${JSON.stringify(largestValues)}`;
  return `{"sequence":${sequence},${members.slice(1, -1)}${values}${isIssuer ? ',"issuer":true' : ''}}`;
}
