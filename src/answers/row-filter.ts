import { acceptanceBounds } from './acceptance.ts';
import {
  askedFilters,
  filterLabel,
  isOfMember,
  transactionFilterOf,
  type FilterValues,
} from '../contract/filing-filters.ts';
import { causePartitions } from '../contract/corrections.ts';
import type { ChangeCause } from '../contract/records.ts';
import { meetsAny, type Relationship } from '../contract/transaction-filters.ts';
import { remembered } from '../domain/remembered.ts';
import { causeInNote, notedFilters, oddAcceptance, type KindNote } from '../format/list-rows.ts';
import { issuerLabel } from '../format/snapshot.ts';
import { noteOf } from '../table/line.ts';
import { rowText, type TableRow } from '../table/table.ts';
import type { BlockEntry, IndexedBlock } from '../table/table-head.ts';
import {
  causeOf,
  extentOf,
  filterValuesIn,
  isOfIssuer,
  largestValueBeside,
  largestValuesIn,
} from '../rows/parts.ts';

/**
 * Which rows of a list are wanted: those with any of the values of each filter. A member that is left out
 * does not restrict.
 */
export interface RowFilter extends FilterValues {
  /** Inclusive bounds of the filing date. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** In the history of a company: only filings of which it is the issuer. */
  readonly isIssuer?: boolean | undefined;
  /** In a feed: the causes of the corrections that are wanted beside first entries. */
  readonly corrections?: readonly ChangeCause[] | undefined;
  /** In the history of all companies: filings without transactions are left out. */
  readonly hasTransactions?: boolean | undefined;
  /** With `hasTransactions`: filings without an owner of this relationship may be left out. */
  readonly relationship?: Relationship | undefined;
}

/**
 * Whether a block may hold wanted rows, by its entry in the index. `isOldest` tells that no older table has
 * rows that this block could hide or replace.
 */
export type BlockFilter = (entry: IndexedBlock, isOldest: boolean) => boolean;
/** Whether a row is wanted. */
export type RowTest = (row: TableRow) => boolean;

/**
 * Selects blocks that may hold a value of each filter, and filings of the issuer. A block with rows that hide
 * or replace older rows is always selected, unless its table is the oldest.
 */
export function labelFilter(filter: RowFilter): BlockFilter | undefined {
  // No label tells the transactions of filings and when they were accepted.
  const wanted = askedFilters(filter).flatMap(({ filter: each, values }) =>
    isOfMember(each) ? [values.map((value) => filterLabel(each, value))] : [],
  );
  if (filter.isIssuer === true) wanted.push([issuerLabel]);
  if (wanted.length === 0) return undefined;
  return ({ labels }, isOldest) =>
    labels === undefined ||
    (!isOldest && labels.includes('*')) ||
    wanted.every((any) => any.some((label) => labels.includes(label)));
}

/** Selects blocks whose range of filing dates overlaps the bounds. */
export function dateRange({ since, until }: Pick<RowFilter, 'since' | 'until'>): BlockFilter | undefined {
  if (since === undefined && until === undefined) return undefined;
  return ({ filedFrom, filedTo }) =>
    (since === undefined || filedTo >= since) && (until === undefined || filedFrom <= until);
}

/** Selects blocks that may hold a change whose acceptance is between the bounds. */
export function acceptanceRange(filter: RowFilter): BlockFilter | undefined {
  const bounds = acceptanceBounds(filter);
  const inDates = bounds && dateRange(bounds);
  if (!inDates) return undefined;
  return (entry, isOldest) =>
    inDates(entry, isOldest) || entry.labels === undefined || entry.labels.includes(oddAcceptance);
}

/** Selects blocks all of whose rows have filing dates between the bounds. */
export function datesWithin({
  since = '',
  until = '\uffff',
}: Pick<RowFilter, 'since' | 'until'>): (entry: BlockEntry) => boolean {
  return ({ filedFrom, filedTo }) => filedFrom !== '' && filedFrom >= since && filedTo <= until;
}

/** Selects blocks that may hold a change that is wanted by its cause. */
export function causeLabels({ corrections }: RowFilter): BlockFilter | undefined {
  if (corrections === undefined) return undefined;
  const wanted = causePartitions(corrections);
  return ({ labels }) => labels === undefined || wanted.some((label) => labels.includes(label));
}

/** Notes of a request that are remembered: filings of one form and kind of company have the same one. */
const rememberedNotes = 5000;

/**
 * Selects filings in lists of all companies by their notes: those with any of the keys of forms, with a value of each
 * filter that the form does not decide, and of a wanted cause.
 */
export function noteFilter(filter: RowFilter, formKeys: readonly string[] | undefined): RowTest | undefined {
  const { corrections } = filter;
  const asked = notedFilters.flatMap(({ name }, at) => {
    const values = filter[name];
    return values === undefined ? [] : [{ at, values }];
  });
  if (asked.length === 0 && formKeys === undefined && corrections === undefined) return undefined;
  const isWanted = remembered(rememberedNotes, (note: string) => {
    const kind = JSON.parse(note) as KindNote;
    const [formKey, ...own] = kind;
    const cause = causeInNote(kind);
    return (
      formKeys?.includes(formKey) !== false &&
      asked.every(({ at, values }) => [own[at] ?? []].flat().some((value) => values.includes(value))) &&
      (cause === undefined || corrections?.includes(cause as ChangeCause) !== false)
    );
  });
  return ({ block, line }) => isWanted(noteOf(block, line) ?? '[]');
}

/** Selects rows whose acceptance is between the bounds. `stampOf` reads it from a row; empty if there is none. */
export function acceptanceFilter<Row extends TableRow>(
  filter: RowFilter,
  stampOf: (row: Row) => string,
): ((row: Row) => boolean) | undefined {
  const bounds = acceptanceBounds(filter);
  return bounds ? (row) => bounds.has(stampOf(row)) : undefined;
}

/** Selects blocks of `change-dates` all of whose rows have filing dates between the bounds, and wanted causes. */
export function isWholeBy({ corrections, ...bounds }: RowFilter): (entry: BlockEntry) => boolean {
  const areDatesWithin = datesWithin(bounds);
  if (corrections === undefined) return areDatesWithin;
  const wanted = causePartitions(corrections);
  return (entry) => areDatesWithin(entry) && entry.labels.every((label) => wanted.includes(label));
}

/** Selects rows of partitions of transactions that have at least a value; null selects all. */
export function leastValueFilter(leastValue: number | null): RowTest | undefined {
  if (leastValue === null) return undefined;
  return (row) => (largestValueBeside(row) ?? -Infinity) >= leastValue;
}

/** Selects changes that are wanted by their causes. */
function causeFilter({ corrections }: RowFilter): RowTest | undefined {
  if (corrections === undefined) return undefined;
  const wanted: readonly (string | undefined)[] = [undefined, ...corrections];
  return (row) => wanted.includes(causeOf(row));
}

/**
 * Selects rows that have a value of each filter, a transaction that meets those of transactions, are filings of the
 * issuer, and changes of a wanted cause.
 */
export function memberFilter(filter: RowFilter): RowTest | undefined {
  return both(valueFilter(filter), causeFilter(filter));
}

function valueFilter(filter: RowFilter): RowTest | undefined {
  const wanted = askedFilters(filter).filter((asked) => isOfMember(asked.filter));
  const ofTransactions = transactionFilterOf(filter);
  if (wanted.length === 0 && ofTransactions === null && filter.isIssuer !== true) return undefined;
  return (row) => {
    const extent = extentOf(row);
    if (filter.isIssuer === true && !isOfIssuer(extent)) return false;
    const hasValues = wanted.every(({ filter: each, values }) =>
      (filterValuesIn(extent, each) ?? []).some((value) => values.includes(value)),
    );
    return hasValues && (ofTransactions === null || meetsAny(largestValuesIn(extent), ofTransactions));
  };
}

/** Selects rows whose filing date is between the bounds. */
export function dateFilter(
  { since, until }: RowFilter,
  filedAtOf: (row: TableRow) => string,
): RowTest | undefined {
  if (since === undefined && until === undefined) return undefined;
  return (row) => {
    const { filedFrom = '', filedTo = '' } = row.block;
    // If all dates of the block are between the bounds, the row is not read.
    if (
      filedFrom !== '' &&
      (since === undefined || filedFrom >= since) &&
      (until === undefined || filedTo <= until)
    )
      return true;
    const filedAt = filedAtOf(row);
    return (since === undefined || filedAt >= since) && (until === undefined || filedAt <= until);
  };
}

/** The filing date in a row of `change-dates`; empty if there is none. */
export function dateOf(row: TableRow): string {
  const text = rowText(row);
  return text.slice(text.indexOf('"') + 1, text.indexOf(' '));
}

/** The acceptance in such a row; empty if there is none. */
export function stampOf(row: TableRow): string {
  const text = rowText(row);
  return text.slice(text.indexOf(' ') + 1, -1);
}

/** Combines two filters; a filter that is left out selects everything. */
export function both<Values extends readonly unknown[]>(
  a: ((...values: Values) => boolean) | undefined,
  b: ((...values: Values) => boolean) | undefined,
): ((...values: Values) => boolean) | undefined {
  return a && b ? (...values) => a(...values) && b(...values) : (a ?? b);
}
