import { rowBytes, type BlockEntry, type TableRow } from '../table/table.ts';
import { issuerLabel } from '../contract/snapshot.ts';
import type { Extent } from './body.ts';
import { extentOf, textBehind } from './extents.ts';

const formNeedle = Buffer.from('"form":"');
const itemsNeedle = Buffer.from('"items":[');
const issuerNeedle = Buffer.from(',"issuer":true');
const bracket = 0x5d;

/** Which rows of a list are wanted. What is left out does not restrict. */
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
  /** In the history of a company: filings of which it is the issuer. */
  readonly isIssuer?: boolean | undefined;
}

/**
 * Whether a block may hold what is wanted, by its entry in the index. `isOldest`: there is no older table
 * whose rows its own could hide or replace.
 */
export type BlockFilter = (entry: BlockEntry, isOldest: boolean) => boolean;
/** Whether a row is wanted. */
export type RowTest = (row: TableRow) => boolean;

/**
 * The blocks that hold one of the forms, one of the items and filings of the issuer. A block whose rows hide
 * or replace others is looked at whatever these are.
 */
export function labelFilter({ forms, items, isIssuer }: RowFilter): BlockFilter | undefined {
  if (!forms && !items && isIssuer !== true) return undefined;
  return ({ labels }, isOldest) =>
    (!isOldest && labels.includes('*')) ||
    ((!forms || forms.some((form) => labels.includes(form))) &&
      (!items || items.some((item) => labels.includes(item))) &&
      (isIssuer !== true || labels.includes(issuerLabel)));
}

/** The blocks that hold a filing date between the bounds. */
export function dateRange({ since, until }: RowFilter): BlockFilter | undefined {
  if (since === undefined && until === undefined) return undefined;
  return ({ filedFrom, filedTo }) =>
    (since === undefined || filedTo >= since) && (until === undefined || filedFrom <= until);
}

/** The same, exactly: blocks whose labels are the filing dates of their rows. */
export function dayFilter({ since = '', until = '\uffff' }: RowFilter): BlockFilter | undefined {
  if (since === '' && until === '\uffff') return undefined;
  return ({ filedFrom, filedTo, labels }) => {
    if (filedTo < since || filedFrom > until) return false;
    // The first or the last day of the block is between the bounds, or both bounds are between these.
    return filedFrom >= since || filedTo <= until || labels.some((day) => day >= since && day <= until);
  };
}

/** The rows that have one of the forms and one of the items, and are filings of the issuer. */
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

/** The rows whose filing date is between the bounds. */
export function dateFilter(
  { since, until }: RowFilter,
  filedAtOf: (row: TableRow) => string,
): RowTest | undefined {
  if (since === undefined && until === undefined) return undefined;
  return (row) => {
    const { filedFrom = '', filedTo = '' } = row.chunk;
    // Where all rows of a block are between the bounds, none has to be looked at.
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

/** The date that is the whole of a row. */
export function dateOf(row: TableRow): string {
  return rowBytes(row).toString('latin1').slice(1, -1);
}

/** What both let pass; one that is left out lets everything pass. */
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
