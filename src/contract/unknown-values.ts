import { exchanges, sicCodes, stateNames } from '../domain/company-codes.ts';
import { foldFilterValue, type CompanyFilterName } from './company-filters.ts';
import { mustBe } from './errors.ts';
import { eventTypes } from '../domain/event-types.ts';
import { transactionCodes } from '../domain/transaction-codes.ts';
import { nearest, nearestEventTypes, nearestForms, nearestItems } from '../domain/nearest.ts';

/** A filter of companies whose values are codes or names. */
type CodeFilter = Exclude<CompanyFilterName, 'listed'>;

/** What EDGAR's list for a filter has, as it is written there and folded: a build looks for the values of each filing. */
const codeList = (described: string, known: readonly string[]) => ({
  described,
  known,
  folded: new Set(known.map(foldFilterValue)),
});

const codeLists: Readonly<Record<CodeFilter, ReturnType<typeof codeList>>> = {
  sic: codeList('industry codes', sicCodes),
  state: codeList('codes of states and countries', [...stateNames.keys()]),
  exchange: codeList('exchanges', Object.keys(exchanges)),
};

/** Whether EDGAR's lists have a folded value. */
export function isKnownFilterValue(filter: CodeFilter, value: string): boolean {
  return codeLists[filter].folded.has(value);
}

/**
 * The error message for a value of a filter of companies that EDGAR does not have. It names the nearest ones:
 * a state also by its name, an industry by the codes that begin with the same digits.
 */
export function unknownCompanyFilterMessage(filter: CodeFilter, value: string): string {
  return `${mustBe(filter, `${codeLists[filter].described} that /reference.json lists or that a company has`, value)}${nearestText(nearestCompanyValues(filter, value))}`;
}

/** The values that a folded value most probably means, nearest first, at most three. */
function nearestCompanyValues(filter: CodeFilter, value: string): readonly string[] {
  if (filter === 'exchange')
    return nearest(value.replace(/[^A-Z0-9]/g, ''), codeLists.exchange.known).slice(0, 3);
  if (filter === 'state') {
    const letters = value.replace(/[^A-Z0-9]/g, '');
    const names = new Map([...stateNames].map(([code, name]) => [name, code]));
    return nearest(letters, [...names.keys()])
      .slice(0, 3)
      .map((name) => `${names.get(name)} (${name})`);
  }
  const number = Number(value);
  if (!Number.isFinite(number)) return [];
  return sicCodes
    .filter((code) => code.startsWith(value.slice(0, 2)))
    .sort((a, b) => Math.abs(Number(a) - number) - Math.abs(Number(b) - number))
    .slice(0, 3);
}

/**
 * The error message for a form that can match nothing. `served` are the forms of the snapshot, most frequent
 * first.
 */
export function unknownFormMessage(form: string, served: readonly string[]): string {
  const family = form.toLowerCase().replace(/[^a-z]+/g, '_');
  const hint = (eventTypes as readonly string[]).includes(family)
    ? `; ${family} is an event family: ask for eventType=${family}`
    : '';
  return `${mustBe('form', 'a form that /reference.json lists or that a filing has', form)}${nearestText(nearestForms(form, served))}${hint}`;
}

/** The error message for the former name of a form, if no filing has it and nothing else is asked for. */
export function renamedFormMessage(form: string, newName: string): string {
  return `${mustBe('form', `${newName}, or both names with a comma between`, form)}; EDGAR has renamed it, and no filing here has the old name`;
}

/** The error message for an unknown event family. */
export function unknownEventTypeMessage(eventType: string): string {
  const { form, eventTypes: near } = nearestEventTypes(eventType);
  const reason = form === null ? '' : `, because ${form} is a form of that family`;
  const wanted = `one of the ${eventTypes.length} event families that /reference.json lists`;
  return `${mustBe('eventType', wanted, eventType)}${nearestText(near)}${reason}`;
}

/** The error message for an unknown item. */
export function unknownItemMessage(item: string): string {
  return `${mustBe('items', 'items of Form 8-K that /reference.json lists or that a filing has', item)}${nearestText(nearestItems(item))}`;
}

/** The error message for a value of a parameter that is no transaction code of Forms 4 and 5. */
export function unknownTransactionCodeMessage(name: string, code: string): string {
  return mustBe(name, `one of ${[...transactionCodes.keys()].join(', ')}`, code);
}

/** What a message says of the values that are nearest; empty if there are none. */
function nearestText(values: readonly string[]): string {
  if (values.length === 0) return '';
  return values.length === 1
    ? `; the nearest is ${values[0]}`
    : `; the nearest are ${values.slice(0, -1).join(', ')} and ${values.at(-1)}`;
}

/** The resources of the tool protocol that list the values of arguments. Over REST `/reference.json` has them all. */
export const valueLists = {
  form: 'reference://forms',
  eventType: 'reference://event-types',
  items: 'reference://items',
  sic: 'reference://sic-codes',
  state: 'reference://states',
  exchange: 'reference://exchanges',
} as const;

/** The message of an error in the words of the tool protocol: its caller reads a resource, and no path of REST. */
export function inToolWords(message: string): string {
  const list = Object.entries(valueLists).find(([name]) => message.startsWith(`${name}:`))?.[1];
  return list === undefined ? message : message.replaceAll('/reference.json', list);
}
