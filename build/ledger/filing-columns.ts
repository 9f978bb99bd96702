import * as z from 'zod';
import type { Filing } from '../../src/contract/records.ts';
import { remembered } from '../../src/domain/remembered.ts';
import {
  accessionNo,
  calendarDate,
  cik,
  easternStamp,
  formPattern,
  isAccessionNo,
  isCalendarDate,
  isCik,
  isForm,
  itemCode,
} from '../../src/domain/scalars.ts';
import { readDay } from '../../src/time/eastern.ts';

/** One filing as a batch records it: upstream's values, cleaned, and without the rules of publication. */
export interface LedgerFiling {
  accessionNo: string;
  form: string;
  filedAt: string;
  reportDate: string | null;
  /** The acceptance: Eastern wall-clock time, 14 digits `yyyymmddhhmmss`. The column of the file is `acceptedAt`. */
  acceptedEastern: string | null;
  items: readonly string[];
  primaryDocument: string | null;
  primaryDocDescription: string | null;
  sizeBytes: number | null;
  isXbrl: boolean;
  isInlineXbrl: boolean;
  /** The issuer or subject company, if upstream names one. */
  subjectCik: string | null;
  /** Every other entity under which upstream lists the filing, sorted. */
  filerCiks: readonly string[];
  /**
   * The roles that the feed or the header told, each `<CIK>:<role>`, by CIK. Left out where neither told any:
   * a rule gives the role of a party that is not in it.
   */
  roles?: readonly string[];
}

/**
 * Who tells the value of a member: the header, the feed, the submissions file of the company to which the filing
 * belongs, the ledger's row, and the submissions files of other companies. An empty value counts as not told;
 * with `ownEvenEmpty` an empty value of the company's own file counts, too.
 */
export type TellerName = 'header' | 'feed' | 'own' | 'ownEvenEmpty' | 'known' | 'others';

/** What is known of one member of a filing, which is one column of a batch. */
export interface FilingColumn<Value> {
  /** The name of the column in files of a batch, if it is not that of the member. */
  readonly csv?: string;
  /** All rules for the value. */
  readonly check: z.ZodType;
  /** Whether the value surely breaks no rule, in a tenth of the time; `check` knows about the others. */
  readonly plain: (value: Value) => boolean;
  /** Reads the field of a line, and does not check it. The empty text stands for the empty value. */
  readonly read: (text: string) => Value;
  readonly write: (value: Value) => string;
  readonly same: (a: Value, b: Value) => boolean;
  /** The value of a filing about which no source tells the member: a source that gives it tells nothing. */
  readonly empty: Value;
  /** Who tells the value, the best source first. Left out for the companies of a filing, which all sources tell together. */
  readonly tellers?: readonly TellerName[];
  /** The member of the published filing that has the same value, if one has. */
  readonly published?: keyof Filing;
  /** Whether it is a text as upstream writes it. Only such texts may be long, or have tabs and line ends. */
  readonly isFree?: true;
}

const same = (a: unknown, b: unknown) => a === b;

/** Whether two lists have the same members in the same order. */
export function sameList<Value>(a: readonly Value[], b: readonly Value[]): boolean {
  return a === b || (a.length === b.length && a.every((each, at) => each === b[at]));
}

const text = (check: z.ZodType, plain: (value: string) => boolean): FilingColumn<string> => ({
  check,
  plain,
  read: (field) => field,
  write: (value) => value,
  same,
  empty: '',
});

const nullableText = (check: z.ZodType, plain: (value: string) => boolean): FilingColumn<string | null> => ({
  check: check.nullable(),
  plain: (value) => value === null || plain(value),
  read: (field) => (field === '' ? null : field),
  write: (value) => value ?? '',
  same,
  empty: null,
});

/** No texts. Empty lists of all rows share it. */
export const none: readonly string[] = Object.freeze([]);

/** The words of a field that has a list. */
export const wordsOf = (field: string): readonly string[] => (field === '' ? none : field.split(' '));

const list = (check: z.ZodType, plain: (value: string) => boolean): FilingColumn<readonly string[]> => ({
  check: z.array(check),
  plain: (value) => value.every(plain),
  read: wordsOf,
  write: (value) => value.join(' '),
  same: sameList,
  empty: none,
});

const flag = (name: string): FilingColumn<boolean> => ({
  check: z.boolean(),
  plain: () => true,
  read(field) {
    if (field !== '0' && field !== '1') throw new Error(`${name}: neither 0 nor 1`);
    return field === '1';
  },
  write: (value) => (value ? '1' : '0'),
  same,
  empty: false,
});

const isPlainDate = (day: string) =>
  day.length === '2026-08-17'.length && (!Number.isNaN(readDay(day)) || isCalendarDate(day));
const [stampPattern, itemPattern] = [/^\d{14}$/, /^\d{1,2}\.\d{2}$/];
const isAnyText = () => true;

/** Forms are looked up again and again. One that is cut out of a file would keep the whole file in memory. */
const formOf = remembered(1000, (form: string) => form);

/** The sources of a document: a filing that the ledger knows from the feed alone has none. */
const ofDocument: readonly TellerName[] = ['own', 'known', 'others'];
const ofForm: readonly TellerName[] = ['own', 'header', 'feed', 'known', 'others'];

/** Every member of a filing, in the order of the columns of a file. */
export const filingColumns: {
  readonly [Name in keyof Required<LedgerFiling>]: FilingColumn<LedgerFiling[Name]>;
} = {
  accessionNo: { ...text(accessionNo, isAccessionNo), published: 'accessionNo' },
  form: {
    ...text(z.string().max(40).regex(formPattern), isForm),
    read: formOf,
    tellers: ofForm,
    published: 'form',
  },
  filedAt: { ...text(calendarDate, isPlainDate), tellers: ofForm, published: 'filedAt' },
  reportDate: {
    ...nullableText(calendarDate, isPlainDate),
    tellers: ['own', 'header', 'known', 'others'],
    published: 'reportDate',
  },
  acceptedEastern: {
    ...nullableText(easternStamp, (value) => stampPattern.test(value)),
    csv: 'acceptedAt',
    tellers: ['header', 'feed', 'own', 'known', 'others'],
    published: 'acceptanceDateTime',
  },
  items: {
    ...list(itemCode, (value) => itemPattern.test(value)),
    // A source that names items names all of them. A header that describes its items in words names none.
    tellers: ['own', 'header', 'feed', 'ownEvenEmpty', 'known', 'others'],
    published: 'items',
  },
  primaryDocument: {
    ...nullableText(z.string(), isAnyText),
    tellers: ofDocument,
    published: 'primaryDocument',
    isFree: true,
  },
  primaryDocDescription: {
    ...nullableText(z.string(), isAnyText),
    tellers: ofDocument,
    published: 'primaryDocDescription',
    isFree: true,
  },
  sizeBytes: {
    check: z.int().min(0).nullable(),
    plain: (value) => value === null || (Number.isSafeInteger(value) && value >= 0),
    read: (field) => (field === '' ? null : Number(field)),
    write: (value) => (value === null ? '' : String(value)),
    same,
    empty: null,
    tellers: ofDocument,
    published: 'size',
  },
  isXbrl: { ...flag('isXbrl'), tellers: ['ownEvenEmpty', 'known', 'others'], published: 'isXbrl' },
  isInlineXbrl: {
    ...flag('isInlineXbrl'),
    tellers: ['ownEvenEmpty', 'known', 'others'],
    published: 'isInlineXbrl',
  },
  subjectCik: nullableText(cik, isCik),
  filerCiks: list(cik, isCik),
  roles: {
    check: z
      .array(z.string().regex(/^\d{10}:(filer|issuer|reporting_owner|subject|filed_by)$/))
      .min(1)
      .optional(),
    plain: (value) => value === undefined,
    read: (field) => (field === '' ? undefined : wordsOf(field)),
    write: (value) => value?.join(' ') ?? '',
    same: (a, b) => sameList(a ?? none, b ?? none),
    empty: undefined,
  },
};

/** The name of a member, and its column. */
type AnyColumn = FilingColumn<unknown> & { readonly name: keyof LedgerFiling };

/** The columns with their names. Whoever goes through them gives each column values of its own member only. */
export const filingMembers: readonly AnyColumn[] = Object.entries(filingColumns).map(([name, column]) => ({
  ...(column as FilingColumn<unknown>),
  name: name as keyof LedgerFiling,
}));

/** A filing of members whose names and values were gone through one after the other. */
export function filingOfMembers(valueOf: (column: AnyColumn, at: number) => unknown): LedgerFiling {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < filingMembers.length; at++) {
    const column = filingMembers[at] as AnyColumn;
    const value = valueOf(column, at);
    if (value !== undefined) row[column.name] = value;
  }
  return row as unknown as LedgerFiling;
}

/** All rules of a filing but that of its length. */
export const filingSchema = z
  .object(Object.fromEntries(filingMembers.map(({ name, check }) => [name, check])))
  .refine((filing) => namesCompany(filing as unknown as LedgerFiling), 'it names no company');

const namesCompany = ({ subjectCik, filerCiks }: LedgerFiling) => subjectCik !== null || filerCiks.length > 0;

/**
 * Whether a filing of the right types surely breaks no rule of the ledger but that of length. The schema knows
 * all rules; it is asked about the few others, and about those with roles.
 */
export const isPlainFiling = (row: LedgerFiling): boolean =>
  namesCompany(row) && filingMembers.every(({ name, plain }) => plain(row[name]));

/** Whether two rows of a filing are recorded alike. */
export const sameFiling = (a: LedgerFiling, b: LedgerFiling): boolean =>
  filingMembers.every((column) => column.same(a[column.name], b[column.name]));

/** The texts of a filing as upstream writes them. */
export const freeTextsOf = (row: LedgerFiling): (string | null)[] =>
  freeMembers.map(({ name }) => row[name] as string | null);

const freeMembers = filingMembers.filter(({ isFree }) => isFree);

/** The fields of a filing that was checked, as a line of CSV has them. */
export const fieldsOfFiling = (row: LedgerFiling): string[] =>
  filingMembers.map(({ name, write }) => write(row[name]));

/** Reads the fields of a filing, and does not check them. Fields that are missing at the end are empty. */
export const filingOfFields = (fields: readonly string[]): LedgerFiling =>
  filingOfMembers(({ read }, at) => read(fields[at] ?? ''));

/** Stands between the fields of a tuple. Filings with other texts than these, which are rare, are written as JSON. */
const separator = '\t';
const usual = /^[ -~]+$/;

/** A filing as a text on one line that is shorter than its JSON, for a row that was checked. */
export function tupleOf(row: LedgerFiling): string {
  const isUsual = freeTextsOf(row).every((value) => value === null || usual.test(value));
  return isUsual ? fieldsOfFiling(row).join(separator) : JSON.stringify(row);
}

/** Reads what `tupleOf` wrote. */
export const filingOfTuple = (tuple: string): LedgerFiling =>
  tuple.startsWith('{') ? (JSON.parse(tuple) as LedgerFiling) : filingOfFields(tuple.split(separator));
