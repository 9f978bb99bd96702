import type { Transaction, Underlying } from '../../src/contract/ownership.ts';
import {
  footnotedMembers,
  type FootnotedMember,
  type FootnoteIds,
  type Holding,
} from '../../src/contract/ownership-document.ts';
import type { Raw, Values } from './values.ts';

// A row of a Form 3, 4 or 5, whether it comes from a document or from a data set, is a text and a list of footnotes
// for each of its values.

/** A value of a row: its text and the ids of its footnotes. */
export interface RawValue {
  readonly text: Raw;
  readonly footnoteIds: readonly string[];
}

/** The values of a row, by the members that they become, and the form type and equity swap, which have none. */
export type RawRow = Record<FootnotedMember, RawValue | null> & {
  isDerivative: boolean;
  formType: Raw;
  isEquitySwap: Raw;
};

const noValues = Object.fromEntries(footnotedMembers.map((name) => [name, null])) as Record<
  FootnotedMember,
  RawValue | null
>;

/** Makes a row without values. All rows have the same members in the same order, so that reading them is fast. */
export function emptyRow(isDerivative: boolean): RawRow {
  return { ...noValues, isDerivative, formType: null, isEquitySwap: null };
}

/** A transaction, and what stands beside it in the whole document. */
export interface TransactionRow {
  readonly transaction: Transaction;
  readonly details: { readonly formType: string | null; readonly footnoteIds: FootnoteIds };
}

const timelinesses = { E: 'early', L: 'late' } as const;
const acquiredOrDisposed = { A: 'acquired', D: 'disposed' } as const;
const directOrIndirect = { D: true, I: false } as const;
/** A code is a letter. */
const codes = Object.fromEntries([...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => [letter, letter]));

/** Reads a row as a transaction. `number` is its number in the filing. */
export function transactionOf(row: RawRow, number: number, values: Values): TransactionRow {
  values.at(`transaction ${number}`);
  const shares = values.number(row.shares?.text, 'shares');
  const price = values.number(row.price?.text, 'price');
  return {
    transaction: {
      number,
      isDerivative: row.isDerivative,
      security: values.text(row.security?.text),
      on: values.day(row.on?.text, 'on'),
      deemedExecutedOn: values.day(row.deemedExecutedOn?.text, 'deemedExecutedOn'),
      code: values.choice(row.code?.text, 'code', codes),
      isEquitySwap: values.flag(row.isEquitySwap, 'isEquitySwap'),
      timeliness: values.choice(row.timeliness?.text, 'timeliness', timelinesses),
      shares,
      totalValue: values.number(row.totalValue?.text, 'totalValue'),
      price,
      value: values.value(shares, price),
      direction: values.choice(row.direction?.text, 'direction', acquiredOrDisposed),
      ...ownedIn(row, values),
      ...derivativeIn(row, values),
    },
    details: { formType: values.text(row.formType), footnoteIds: footnoteIdsOf(row) },
  };
}

/** Reads a row as a holding. `number` is its number in the filing. */
export function holdingOf(row: RawRow, number: number, values: Values): Holding {
  values.at(`holding ${number}`);
  return {
    number,
    isDerivative: row.isDerivative,
    security: values.text(row.security?.text),
    formType: values.text(row.formType),
    ...ownedIn(row, values),
    ...derivativeIn(row, values),
    footnoteIds: footnoteIdsOf(row),
  };
}

function ownedIn(
  row: RawRow,
  values: Values,
): Pick<Holding, 'sharesAfter' | 'valueAfter' | 'isDirect' | 'nature'> {
  return {
    sharesAfter: values.number(row.sharesAfter?.text, 'sharesAfter'),
    valueAfter: values.number(row.valueAfter?.text, 'valueAfter'),
    isDirect: values.choice<boolean>(row.isDirect?.text, 'isDirect', directOrIndirect),
    nature: values.text(row.nature?.text),
  };
}

/** What only derivatives have. */
interface DerivativeMembers {
  readonly exercisePrice: number | null;
  readonly exercisableOn: string | null;
  readonly expiresOn: string | null;
  readonly underlying: Underlying;
}

const noMembers = {};

function derivativeIn(row: RawRow, values: Values): DerivativeMembers | typeof noMembers {
  if (!row.isDerivative) return noMembers;
  return {
    exercisePrice: values.number(row.exercisePrice?.text, 'exercisePrice'),
    exercisableOn: values.day(row.exercisableOn?.text, 'exercisableOn'),
    expiresOn: values.day(row.expiresOn?.text, 'expiresOn'),
    underlying: {
      security: values.text(row.underlyingSecurity?.text),
      shares: values.number(row.underlyingShares?.text, 'underlyingShares'),
      value: values.number(row.underlyingValue?.text, 'underlyingValue'),
    },
  };
}

/** The ids at each value of a row, each id once. */
function footnoteIdsOf(row: RawRow): FootnoteIds {
  const found: FootnoteIds = {};
  for (const name of footnotedMembers) {
    const ids = row[name]?.footnoteIds ?? [];
    if (ids.length > 0) found[name] = ids.length === 1 ? [...ids] : [...new Set(ids)];
  }
  return found;
}
