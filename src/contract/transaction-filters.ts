import * as z from 'zod';
import { familyOfForm } from '../domain/form-family.ts';
import { transactionFamilies } from '../domain/reported-ownership.ts';
import type { Owner, Ownership, Section16Ownership, Transaction } from './ownership.ts';
import type { Filing } from './records.ts';

// Filters by what transactions of a filing say have no member of a filing of their own. One transaction has to meet all
// of them, so they ask together for the largest value of the transactions with each code.

/**
 * The largest value in US dollars of the transactions of a filing with each code; null where none of them has a value.
 * The empty text stands for transactions without a code.
 */
export const LargestValues = z.record(z.string(), z.number().nullable());
export type LargestValues = Readonly<z.infer<typeof LargestValues>>;

/** What one transaction of a filing has to meet: any of the codes, and a value of at least so many US dollars. */
export interface TransactionFilter {
  readonly codes?: readonly string[] | undefined;
  readonly minValue?: number | undefined;
}

/** Whether filings of a form, in its published spelling, can have transactions. */
export const hasTransactions = (form: string): boolean => transactionFamilies.has(familyOfForm(form));

/** What a filing of Form 4 or 5 or an amendment says; null for other forms, and where the document was not read. */
export function transactionsReport({
  form,
  ownership,
}: {
  readonly form: string;
  readonly ownership: Ownership | null;
}): Section16Ownership | null {
  return ownership?.kind === 'section_16' && hasTransactions(form) ? ownership : null;
}

/** What filters of transactions ask of a filing; null if it has no transactions. */
export function largestValuesOf(filing: Pick<Filing, 'form' | 'ownership'>): LargestValues | null {
  const { transactions = [] } = transactionsReport(filing) ?? {};
  if (transactions.length === 0) return null;
  const largest: Record<string, number | null> = {};
  for (const { code, value } of transactions) {
    const known = largest[code ?? ''] ?? null;
    largest[code ?? ''] = known === null || (value !== null && value > known) ? value : known;
  }
  return largest;
}

/** Whether one transaction of a filing meets a filter. */
export function meetsAny(largest: LargestValues | null, filter: TransactionFilter): boolean {
  return Object.entries(largest ?? {}).some(([code, value]) => meets({ code: code || null, value }, filter));
}

/** Whether a transaction meets a filter. */
export function meets(
  { code, value }: Pick<Transaction, 'code' | 'value'>,
  { codes, minValue }: TransactionFilter,
): boolean {
  return (
    (codes === undefined || (code !== null && codes.includes(code))) &&
    (minValue === undefined || (value !== null && value >= minValue))
  );
}

/** What an owner is to the issuer. */
export const relationships = ['director', 'officer', 'ten_percent_owner', 'other'] as const;
/** One of them. */
export type Relationship = (typeof relationships)[number];

/** Whether an owner has a relationship to the issuer. */
export function hasRelationship(owner: Owner, relationship: Relationship): boolean {
  switch (relationship) {
    case 'director':
      return owner.isDirector;
    case 'officer':
      return owner.isOfficer;
    case 'ten_percent_owner':
      return owner.isTenPercentOwner;
    case 'other':
      return owner.isOther;
  }
}

/** The relationships that few owners have. Directors and officers are found among all filings: most have one. */
const rareRelationships: readonly Relationship[] = ['ten_percent_owner', 'other'];

/**
 * The powers of ten, in US dollars, that have partitions of filings with a transaction of at least that value. Most values
 * are less; rows of all partitions tell them, so a request for these tests some rows for each that it gives.
 */
const valueDecades = [6, 7, 8, 9] as const;

const decadesUpTo = (value: number | null) =>
  valueDecades.filter((decade) => value !== null && value >= 10 ** decade);

/** The name of what each filing with transactions has a partition for. */
const anyTransaction = 'any';

/**
 * What a filing with transactions has partitions for: that it has some (`any`), each code (`S`), each decade that a value
 * reaches (`6`: a million dollars), both together (`S6`), and relationships of its owners that few have. Each has the
 * largest value of its transactions that it is about; null where none has a value.
 */
export function transactionKeysOf(
  filing: Pick<Filing, 'form' | 'ownership'>,
  largest: LargestValues | null,
): ReadonlyMap<string, number | null> {
  if (largest === null) return new Map();
  const ofAll = Object.values(largest).reduce<number | null>(
    (most, value) => (most === null || (value !== null && value > most) ? value : most),
    null,
  );
  const keys = new Map([[anyTransaction, ofAll]]);
  for (const [code, value] of Object.entries(largest)) {
    if (code !== '') keys.set(code, value);
    for (const decade of decadesUpTo(value)) keys.set(String(decade), ofAll).set(`${code}${decade}`, value);
  }
  for (const relationship of rareRelationships)
    if (transactionsReport(filing)?.owners.some((owner) => hasRelationship(owner, relationship)) === true)
      keys.set(relationship, ofAll);
  return keys;
}

/**
 * The names of the partitions whose filings together include all that meet a filter and have an owner of a relationship,
 * and the least value that their rows are tested for; null if none has to be tested.
 */
export function transactionKeysFor(
  { codes, minValue }: TransactionFilter,
  relationship?: Relationship,
): {
  readonly keys: readonly string[];
  readonly leastValue: number | null;
} {
  const decade = minValue === undefined ? undefined : decadesUpTo(minValue).at(-1);
  const isExact = minValue === undefined || (decade !== undefined && minValue === 10 ** decade);
  const leastValue = isExact ? null : minValue;
  const ofValue = decade === undefined ? '' : String(decade);
  if (codes !== undefined) return { keys: codes.map((code) => code + ofValue), leastValue };
  if (ofValue !== '') return { keys: [ofValue], leastValue };
  const isRare = relationship !== undefined && rareRelationships.includes(relationship);
  return { keys: [isRare ? relationship : anyTransaction], leastValue };
}

/** The partition of `latest` and `change-dates` with the filings of a form that have one of these names. */
export const transactionPartition = (key: string, formKey: string): string => `transaction ${key} ${formKey}`;
