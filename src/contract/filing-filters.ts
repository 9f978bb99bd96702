import { eventTypeOfForm, eventTypes, hasItems } from '../domain/event-types.ts';
import { itemTitle, itemTitles } from '../domain/items.ts';
import { isFormInUse, renamedTo } from '../domain/nearest.ts';
import { transactionCodes } from '../domain/transaction-codes.ts';
import { factFilters, filterValuesMaximum } from './fact-filters.ts';
import { hasTransactions, type TransactionFilter } from './transaction-filters.ts';
import {
  renamedFormMessage,
  unknownEventTypeMessage,
  unknownFormMessage,
  unknownItemMessage,
  unknownTransactionCodeMessage,
} from './unknown-values.ts';
import type { Exhibit } from './filing-documents.ts';
import type { Filing } from './records.ts';

export { filterValuesMaximum };

/** A form with an event family that filings of it have, or had by older rules. */
export type FilingKind = Pick<Filing, 'form' | 'eventType'>;

/** What values the filings of a snapshot have, beside those that the program knows. */
export interface Vocabulary {
  /**
   * The forms of its filings, most frequent first. Forms that filings had only before a correction come last:
   * they are still in the change feed.
   */
  readonly forms: readonly string[];
  /**
   * Kinds of older entries of the change feed whose members the present rules would not derive from the form:
   * entries keep what older rules said.
   */
  readonly formerKinds: readonly FilingKind[];
  /** Items of entries of the change feed that the list of Form 8-K lacks. */
  readonly unlistedItems: readonly string[];
  /** Facts of companies in the log that EDGAR's lists lack, each with its filter: `exchange LSE`. */
  readonly unlistedFacts: readonly string[];
}

/** What a request gives for a filter that takes no list of values. */
interface Taken {
  one: string;
  amount: number;
  truth: boolean;
  instant: string;
}

/** A value of a member that filters ask for. */
export type MemberValue = string | Exhibit;

/**
 * A filter of lists of filings: all that the program knows about it. It asks for a member of filings, which
 * is one value or a list of values; a filing matches if it has one of the values asked. Filters of transactions ask
 * for no member, but together for a transaction that meets them all: see `transaction-filters.ts`.
 */
export interface FilingFilter {
  /** The name of its parameter, and of the member unless that is given. */
  readonly name: string;
  /** The member of filings that it asks for, if that has another name. */
  readonly member?: keyof Filing;
  /** Makes its values of those of the member. Left out if they are the same. Its own values stay as they are. */
  readonly valuesOf?: (values: readonly MemberValue[]) => readonly string[];
  /** Whether it asks for a transaction. */
  readonly isOfTransactions?: true;
  /** What a value is called: "8-K filings with item 2.02". Partitions and labels begin with it. */
  readonly word: string;
  /** The description of its parameter, and what tools say in place of it. */
  readonly description: string;
  readonly brief: string;
  /** What is allowed, for error messages: "must be …". */
  readonly allowed: string;
  readonly example: string;
  /** The longest value, in characters; 40 if left out. */
  readonly charactersMaximum?: number;
  /** Brings a value of a request into the spelling of filings. Left out if requests have it already. */
  readonly fold?: (value: string) => string;
  /**
   * What a request gives, if that is no list of values: one of those that the schema of its parameter lists, the least
   * amount wanted, true or false, or an instant that bounds the acceptance.
   */
  readonly takes?: keyof Taken;
  /** Whether it asks for what was known of the company of a filing. */
  readonly isOfCompany?: true;
  /** Whether only partitions tell its values in lists of all companies: notes would take more than these. */
  readonly isByPartition?: true;
  /** Whether filings with a value have a partition of their own. Left out if those with any value have. */
  readonly hasPartition?: (value: string) => boolean;
  /** Every value, for completions; left out if there is no end of them. */
  readonly values?: readonly string[];
  /** The value that all filings of a form have. Left out if filings of one form may have different ones. */
  readonly ofForm?: (form: string) => string;
  /** Whether filings of a form can have values. Left out if filings of every form can. */
  readonly isOfForm?: (form: string) => boolean;
  /** What labels of blocks say in place of a value. Left out if they say the value. */
  readonly labelled?: (value: string) => string;
  /** Whether labels of blocks are the bare values: no value may then be a bare label of another filter. */
  readonly hasBareLabels?: true;
  /**
   * Why no filing has a value, given what those of a snapshot have, and all values of the request; null if some
   * may have it. Left out if every value is accepted.
   */
  readonly unknown?: (value: string, served: Vocabulary, values: readonly string[]) => string | null;
}

const transactionCodeNames = [...transactionCodes.keys()];

/**
 * Every filter of lists of filings. An entry makes the parameter, its partitions and labels, the test of a
 * row, and the words about it. An entry with a member that its form does not decide, or another `word`, is a
 * change of rules.
 */
export const filingFilters = [
  {
    name: 'form',
    word: 'form',
    description: `Whole form types, up to ${filterValuesMaximum} with commas between; a filing with any of them matches. Case and spaces are folded: \`10-K\` does not match \`10-K/A\`. A form that nobody files is an error that names the nearest ones, and so is a former name alone, unless a filing has it: \`SC 13D,SCHEDULE 13D\` spans a rename; \`/reference.json\` lists the forms.`,
    brief: 'Form types: any of these (`reference://forms`); `10-K` is not `10-K/A`.',
    allowed: `1 to ${filterValuesMaximum} form types of at most 40 characters with commas between, for example 8-K`,
    example: '8-K',
    fold: (value) => value.toUpperCase().replace(/\s+/g, ' '),
    ofForm: (form) => form,
    hasBareLabels: true,
    unknown: unknownForm,
  },
  {
    name: 'eventType',
    word: 'event type',
    description:
      'Event family; it spans the amendments of its forms. Case is folded. One that does not exist is an error that names the nearest ones; `/reference.json` says what each family is.',
    brief: 'Event family with its amendments (`reference://event-types`).',
    allowed: 'an event family of at most 60 characters, for example current_report',
    example: 'current_report',
    charactersMaximum: 60,
    fold: (value) => value.toLowerCase(),
    takes: 'one',
    values: eventTypes,
    ofForm: eventTypeOfForm,
    unknown: (family) =>
      (eventTypes as readonly string[]).includes(family) ? null : unknownEventTypeMessage(family),
  },
  {
    name: 'items',
    word: 'item',
    description: `Item codes of Form 8-K, up to ${filterValuesMaximum} with commas between; a filing with any of them matches. A code that neither the list nor a filing has is an error that names the nearest ones; so is a form or family beside it that has no items. \`/reference.json\` says what each means.`,
    brief: 'Items of Form 8-K: any of these (`reference://items`).',
    allowed: `1 to ${filterValuesMaximum} item codes of Form 8-K with commas between, for example 2.02`,
    example: '2.02',
    charactersMaximum: 10,
    values: itemTitles.map(([code]) => code),
    isOfForm: hasItems,
    hasBareLabels: true,
    unknown: (code, { unlistedItems }) =>
      itemTitle(code) !== undefined || unlistedItems.includes(code) ? null : unknownItemMessage(code),
  },
  {
    name: 'transactionCode',
    isOfTransactions: true,
    word: 'transaction code',
    description: `Transaction codes of Forms 4 and 5, up to ${filterValuesMaximum} with commas between: filings with a transaction of any of them, such as \`P\` (purchase) and \`S\` (sale). Case is folded. With \`minValue\` one transaction has to meet both. A code that the forms do not have is an error; so is a form or family beside it that has no transactions. \`/reference.json\` says what each means.`,
    brief: 'Transaction codes (Forms 4, 5): any of these; P purchase, S sale.',
    allowed: `1 to ${filterValuesMaximum} transaction codes of Forms 4 and 5 with commas between, for example P`,
    example: 'P',
    charactersMaximum: 1,
    fold: (value) => value.toUpperCase(),
    values: transactionCodeNames,
    isOfForm: hasTransactions,
    unknown: (code) =>
      transactionCodes.has(code) ? null : unknownTransactionCodeMessage('transactionCode', code),
  },
  {
    name: 'minValue',
    isOfTransactions: true,
    word: 'transaction value of at least',
    description:
      'US dollars, with at most two decimals: filings of Forms 4 and 5 with a transaction of at least this value, shares times price. A transaction whose price is not known has no value.',
    brief: 'Least value of a transaction, US dollars.',
    allowed: 'a number of US dollars from 0 to 999999999999.99 with at most two decimals, such as 100000',
    example: '100000',
    takes: 'amount',
    isOfForm: hasTransactions,
  },
  ...factFilters,
] as const satisfies readonly FilingFilter[];

/**
 * Why no filing has a form. A former name beside a form that filings can have is no error: whoever spans a
 * rename names both.
 */
function unknownForm(form: string, { forms }: Vocabulary, values: readonly string[]): string | null {
  const isKnown = (each: string) => isFormInUse(each) || forms.includes(each);
  if (isKnown(form)) return null;
  const newName = renamedTo(form);
  if (newName === null) return unknownFormMessage(form, forms);
  return values.some(isKnown) ? null : renamedFormMessage(form, newName);
}

type Entry = (typeof filingFilters)[number];

/** The name of a filter of filings. */
export type FilterName = Entry['name'];

/** The values that requests ask for, by the names of filters. */
export type FilterQuery = {
  -readonly [Each in Entry as Each['name']]?: Each extends { readonly takes: infer Kind extends keyof Taken }
    ? Taken[Kind]
    : string[];
};

/**
 * The values that are asked for, by the names of filters: any of them. A filter that is left out does not
 * restrict.
 */
export type FilterValues = { readonly [Name in FilterName]?: readonly string[] | undefined };

/** The filters in their order, without what each of them has of its own in its type. */
export const eachFilter: readonly (FilingFilter & { readonly name: FilterName })[] = filingFilters;

type MemberFilter = (typeof eachFilter)[number] & { readonly name: keyof FilteredFiling | 'eventType' };

/** Whether a filter asks for a member of filings, or for what is made of one. */
export const isOfMember = (filter: FilingFilter): boolean =>
  filter.isOfTransactions === undefined && filter.takes !== 'instant';

/** The filters that ask for members of filings. */
const memberFilters = eachFilter.filter((filter): filter is MemberFilter => isOfMember(filter));

/** Those of them whose values the form does not decide: rows, labels and partitions tell them. */
export const ownFilters = memberFilters.filter(({ ofForm }) => ofForm === undefined);

/** What is asked of a transaction; null if nothing is. */
export function transactionFilterOf({
  transactionCode: codes,
  minValue,
}: FilterValues): TransactionFilter | null {
  if (codes === undefined && minValue === undefined) return null;
  return { codes, minValue: minValue === undefined ? undefined : Number(minValue[0]) };
}

/** The filters that are asked for, with their values. */
export function askedFilters(
  values: FilterValues,
): { readonly filter: (typeof eachFilter)[number]; readonly values: readonly string[] }[] {
  return eachFilter.flatMap((filter) => {
    const asked = values[filter.name];
    return asked === undefined ? [] : [{ filter, values: asked }];
  });
}

/** The values that a request asks for. */
export function valuesAsked(query: FilterQuery): FilterValues {
  const asked = eachFilter.flatMap(({ name }) => {
    const value = query[name];
    return value === undefined ? [] : [[name, [value].flat().map(String)] as const];
  });
  return Object.fromEntries(asked);
}

/** The entries that ask for members of filings. */
type MemberEntry = Exclude<Entry, { readonly isOfTransactions: true } | { readonly takes: 'instant' }>;

/** The filters whose values the form does not decide. */
type OwnEntry = Exclude<MemberEntry, { readonly ofForm: unknown }>;

/**
 * The form of a filing, and what filters ask for that its form does not decide: the member of the filing, or for
 * filters that make their values of one, these: one as a text, none as null, else a list.
 */
export type FilteredFiling = Pick<
  Filing,
  'form' | Exclude<OwnEntry, { readonly valuesOf: unknown }>['name']
> & {
  readonly [Each in Extract<OwnEntry, { readonly valuesOf: unknown }> as Each['name']]: FilterValue;
};

/** Values of a filter: one as a text, none as null, else a list. */
export type FilterValue = string | null | readonly string[];

/** The form of a filing and the members that `ownFilters` ask for, in the order of the filters. */
export function filteredMembers(filing: Filing): FilteredFiling {
  const members: Record<string, unknown> = { form: filing.form };
  for (const { name, member = name as keyof Filing, valuesOf: make } of ownFilters)
    members[name] = make ? asFilterValue(make(valuesIn(filing[member]))) : filing[member];
  return members as unknown as FilteredFiling;
}

/** Values in the shortest way that tells them. */
export const asFilterValue = (values: readonly string[]): FilterValue =>
  values.length > 1 ? values : (values[0] ?? null);

/** The values of a member of a filing. */
const valuesIn = (value: unknown): readonly MemberValue[] =>
  Array.isArray(value) ? (value as MemberValue[]) : value === null ? [] : [String(value)];

/** The values of a member of a filing as texts, each once. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length < 2 ? value : [...new Set(value as string[])];
  return value === null ? [] : [String(value)];
}

/** The members of a filing that the key of its form comes from. */
export type KeyedFiling = FilingKind &
  Pick<Filing, Extract<MemberEntry, { readonly ofForm: unknown } | { readonly isOfForm: unknown }>['name']>;

/** The values of a filing that a filter asks for, each once. */
export function valuesOf(
  filing: FilteredFiling | KeyedFiling,
  { name }: (typeof ownFilters)[number],
): readonly string[] {
  return textsOf((filing as Readonly<Record<string, unknown>>)[name]);
}

/**
 * The name by which partitions tell filings of a form apart: the form itself, and for a filing whose members
 * the present rules do not derive from its form, its kind. So the partitions of a form hold what the rules
 * tell, and the entries that older rules made are found by what they say.
 */
export function formKeyOf(filing: KeyedFiling): string {
  const isByForm = memberFilters.every((filter) => {
    const { name, ofForm, isOfForm } = filter;
    if (ofForm) return ofForm(filing.form) === (filing as Readonly<Record<string, unknown>>)[name];
    return isOfForm?.(filing.form) !== false || valuesOf(filing, filter).length === 0;
  });
  return isByForm ? filing.form : kindKey(filing);
}

/** The key of a kind. No form has a family in its name. */
export const kindKey = ({ form, eventType }: FilingKind): string => `${form} ${eventType}`;

/** The kind with a key. */
export function kindOfKey(key: string): FilingKind {
  const at = key.lastIndexOf(' ');
  return { form: key.slice(0, at), eventType: key.slice(at + 1) };
}

/** The form in the key of a form or kind: forms are in capitals, and families are not. */
export const formOfKey = (key: string): string => key.replace(/ [a-z_]+$/, '');

/**
 * The keys of forms and former kinds of which filings can have what is asked for; undefined if the form decides
 * nothing of it.
 */
export function formKeysAllowed(
  { forms, formerKinds }: Pick<Vocabulary, 'forms' | 'formerKinds'>,
  values: FilterValues,
): readonly string[] | undefined {
  const asked = askedFilters(values).filter(({ filter: { ofForm, isOfForm } }) => ofForm ?? isOfForm);
  if (asked.length === 0) return undefined;
  const isAllowed = (form: string) =>
    asked.every(({ filter: { ofForm, isOfForm }, values: wanted }) =>
      ofForm ? wanted.includes(ofForm(form)) : isOfForm?.(form),
    );
  const wasAllowed = (kind: FilingKind) =>
    asked.every(({ filter: { name, ofForm, isOfTransactions }, values: wanted }) =>
      isOfTransactions === true
        ? hasTransactions(kind.form)
        : !ofForm || wanted.includes(kind[name as keyof FilingKind]),
    );
  return [...forms.filter(isAllowed), ...formerKinds.filter(wasAllowed).map(kindKey)];
}

/**
 * The partition of `latest` and `change-dates` with the filings that have a value of a filter. Filters that
 * only some forms have values of have a partition for each of these forms, named by its key.
 */
export function filterPartition(filter: FilingFilter, value: string, formKey: string): string {
  return isOfSomeForms(filter) ? `${filter.word} ${value} ${formKey}` : `${filter.word} ${value}`;
}

/** The partition with the filings of a form, by its key. */
export const formPartition = (formKey: string): string => filterPartition(filingFilters[0], formKey, formKey);

/** Whether only some forms have values of a filter. */
export const isOfSomeForms = ({ isOfForm }: FilingFilter): boolean => isOfForm !== undefined;

/**
 * The partition of `company-changes` with the changes of a company that have a value of a filter which only some
 * forms have values of: few of its changes do.
 */
export const companyFilterPartition = (company: string, { word }: FilingFilter): string =>
  `${company} ${word}`;

/** The label of a block with filings that have a value of a filter. */
export function filterLabel({ word, hasBareLabels, labelled }: FilingFilter, value: string): string {
  return hasBareLabels === true ? value : `${word} ${labelled ? labelled(value) : value}`;
}
