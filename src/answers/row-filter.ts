import { rowText, type BlockEntry, type TableRow } from '../table/table.ts';
import { issuerLabel } from '../contract/snapshot.ts';
import type { Extent } from './body.ts';
import { extentOf, textBehind } from './extents.ts';

const formNeedle = Buffer.from('"form":"');
const itemsNeedle = Buffer.from('"items":[');
const issuerNeedle = Buffer.from(',"issuer":true');
const bracket = 0x5d;

/** Which rows of a list are wanted. A member that is left out does not restrict. */
export interface RowFilter {
  /** Any of these forms. */
  readonly forms?: readonly string[] | undefined;
  /** Any of these event families. */
  readonly eventTypes?: readonly string[] | undefined;
  /** Any of these items. */
  readonly items?: readonly string[] | undefined;
  /** Inclusive bounds of the filing date. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** In the history of a company: only filings of which it is the issuer. */
  readonly isIssuer?: boolean | undefined;
}

/**
 * Whether a block may hold wanted rows, by its entry in the index. `isOldest` tells that no older table has
 * rows that this block could hide or replace.
 */
export type BlockFilter = (entry: BlockEntry, isOldest: boolean) => boolean;
/** Whether a row is wanted. */
export type RowTest = (row: TableRow) => boolean;

/**
 * Selects blocks that may hold one of the forms, one of the items, and filings of the issuer. A block with
 * rows that hide or replace older rows is always selected, unless its table is the oldest.
 */
export function labelFilter({ forms, items, isIssuer }: RowFilter): BlockFilter | undefined {
  if (!forms && !items && isIssuer !== true) return undefined;
  return ({ labels }, isOldest) =>
    (!isOldest && labels.includes('*')) ||
    ((!forms || forms.some((form) => labels.includes(form))) &&
      (!items || items.some((item) => labels.includes(item))) &&
      (isIssuer !== true || labels.includes(issuerLabel)));
}

/** Selects blocks whose range of filing dates overlaps the bounds. */
export function dateRange({ since, until }: RowFilter): BlockFilter | undefined {
  if (since === undefined && until === undefined) return undefined;
  return ({ filedFrom, filedTo }) =>
    (since === undefined || filedTo >= since) && (until === undefined || filedFrom <= until);
}

/** Selects rows that have one of the forms and one of the items, and are filings of the issuer. */
export function memberFilter({ forms, items, isIssuer }: RowFilter): RowTest | undefined {
  if (!forms && !items && isIssuer !== true) return undefined;
  return (row) => {
    const extent = extentOf(row);
    if (isIssuer === true && !hasBytes(extent, issuerNeedle)) return false;
    if (forms && !forms.includes(textBehind(extent, formNeedle))) return false;
    if (!items) return true;
    const own = textBehind(extent, itemsNeedle, bracket);
    return items.some((item) => own.includes(`"${item}"`));
  };
}

/** Selects rows whose filing date is between the bounds. */
export function dateFilter(
  { since, until }: RowFilter,
  filedAtOf: (row: TableRow) => string,
): RowTest | undefined {
  if (since === undefined && until === undefined) return undefined;
  return (row) => {
    const { filedFrom = '', filedTo = '' } = row.chunk;
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

/** The date of a row that is only a date. */
export function dateOf(row: TableRow): string {
  return rowText(row).slice(1, -1);
}

/** Combines two filters; a filter that is left out selects everything. */
export function both<Values extends readonly unknown[]>(
  a: ((...values: Values) => boolean) | undefined,
  b: ((...values: Values) => boolean) | undefined,
): ((...values: Values) => boolean) | undefined {
  return a && b ? (...values) => a(...values) && b(...values) : (a ?? b);
}

function hasBytes({ bytes, from, to }: Extent, needle: Buffer): boolean {
  const at = bytes.indexOf(needle, from);
  return at !== -1 && at < to;
}
