import { rowBytes, type BlockEntry, type TablePlace } from '../segments/table.ts';
import { extentOf, filingExtentOf, textBehind } from './extents.ts';

const formNeedle = Buffer.from('"form":"');
const itemsNeedle = Buffer.from('"items":[');
const companyNeedle = Buffer.from(',"cik":"');
const issuerNeedle = Buffer.from('"role":"issuer"');
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
  /** Filings whose issuer is one of these companies. */
  readonly issuers?: readonly string[] | undefined;
}

/** Whether a block may hold what is wanted, by its entry in the index. */
export type BlockFilter = (entry: BlockEntry) => boolean;
/** Whether a row is wanted. */
export type PlaceFilter = (row: TablePlace) => boolean;

/** The blocks that hold one of the forms and one of the items. A block with rows that hide or replace others is looked at whatever these are. */
export function labelFilter({ forms, items }: RowFilter): BlockFilter | undefined {
  if (!forms && !items) return undefined;
  return ({ labels }) => labels.includes('*') || ((!forms || forms.some((form) => labels.includes(form))) && (!items || items.some((item) => labels.includes(item))));
}

/** The blocks that hold a filing date between the bounds. */
export function dateRange({ since, until }: RowFilter): BlockFilter | undefined {
  if (since === undefined && until === undefined) return undefined;
  return ({ filedFrom, filedTo }) => (since === undefined || filedTo >= since) && (until === undefined || filedFrom <= until);
}

/** The rows that have one of the forms and one of the items. */
export function memberFilter({ forms, items }: RowFilter): PlaceFilter | undefined {
  if (!forms && !items) return undefined;
  return (row) => {
    const extent = extentOf(row);
    if (forms && !forms.includes(textBehind(extent, formNeedle))) return false;
    if (!items) return true;
    const own = textBehind(extent, itemsNeedle, bracket);
    return items.some((item) => own.includes(`"${item}"`));
  };
}

/** The rows whose filing date is between the bounds. */
export function dateFilter({ since, until }: RowFilter, filedAtOf: (row: TablePlace) => string): PlaceFilter | undefined {
  if (since === undefined && until === undefined) return undefined;
  return (row) => {
    const { filedFrom = '', filedTo = '' } = row.chunk;
    // Where all rows of a block are between the bounds, none has to be looked at.
    if (filedFrom !== '' && (since === undefined || filedFrom >= since) && (until === undefined || filedTo <= until)) return true;
    const filedAt = filedAtOf(row);
    return (since === undefined || filedAt >= since) && (until === undefined || filedAt <= until);
  };
}

/** The date that is the whole of a row. */
export function dateOf(row: TablePlace): string {
  return rowBytes(row).toString('latin1').slice(1, -1);
}

/** What both let pass; one that is left out lets everything pass. */
export function both<Value>(a: ((value: Value) => boolean) | undefined, b: ((value: Value) => boolean) | undefined): ((value: Value) => boolean) | undefined {
  return a && b ? (value) => a(value) && b(value) : (a ?? b);
}

/** Whether one of these companies is the issuer in a change: the company that a filing belongs to is its issuer where it has one. */
export function hasIssuer(row: TablePlace, issuers: readonly string[]): boolean {
  const extent = filingExtentOf(row);
  const at = extent.bytes.indexOf(issuerNeedle, extent.from);
  return at !== -1 && at < extent.to && issuers.includes(textBehind(extent, companyNeedle));
}
