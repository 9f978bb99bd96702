import { parseArgs } from 'node:util';
import type { ChangeFilter } from '../source.ts';

/** An option of a command. Example: `{ name: 'form', value: 'FORM', text: 'whole form types' }`. */
export interface Option {
  readonly name: string;
  /** What stands for its value in the help; without it, the option has no value. */
  readonly value?: string;
  readonly text: string;
}

/** A wrong command line: one line that names what is wrong, and exit code 2. Example: `throw new UsageError('get: no ACCESSION')`. */
export class UsageError extends Error {}

/** The words of a command line. Example: `{ words: ['AAPL'], values: { limit: '5' } }`. */
export interface Given {
  readonly words: readonly string[];
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** Options that every command takes. Example: `commonOptions[0].name` is `url`. */
export const commonOptions: readonly Option[] = [
  { name: 'url', value: 'URL', text: 'address of the service; FILING_EVENTS_URL if not given' },
  { name: 'key', value: 'KEY', text: 'your key; FILING_EVENTS_KEY if not given' },
  { name: 'json', text: 'JSON Lines, also on a terminal' },
  { name: 'help', text: 'this text' },
];

/** Filters of filings that lists have in common. Example: `filterOptions.map(({ name }) => name)`. */
export const filterOptions: readonly Option[] = [
  { name: 'form', value: 'FORM', text: 'whole form types, with commas between' },
  { name: 'event-type', value: 'TYPE', text: 'event family, such as current_report' },
  { name: 'items', value: 'ITEMS', text: 'items of Form 8-K, with commas between' },
  {
    name: 'transaction-code',
    value: 'CODES',
    text: 'transaction codes of Forms 4 and 5, such as P, with commas between',
  },
  { name: 'min-value', value: 'DOLLARS', text: 'least value of a transaction in US dollars' },
  { name: 'sic', value: 'CODES', text: 'industry codes, with commas between' },
  { name: 'exchange', value: 'NAMES', text: 'exchanges, such as Nasdaq, with commas between' },
  { name: 'listed', value: 'TRUTH', text: 'true: of companies with a symbol; false: of all others' },
  { name: 'accepted-since', value: 'INSTANT', text: 'accepted then or later, with its zone' },
  { name: 'accepted-until', value: 'INSTANT', text: 'accepted then or earlier, with its zone' },
  { name: 'exhibit', value: 'TYPES', text: 'types of exhibits, such as EX-99.1, with commas between' },
  { name: 'since', value: 'DATE', text: 'filed on this day or later' },
  { name: 'until', value: 'DATE', text: 'filed on this day or earlier' },
];

/** Reads a command line. An option without a value becomes an empty text. Throws a `UsageError`. Example: `parseWords(['AAPL', '--json'], commonOptions)`. */
export function parseWords(given: readonly string[], options: readonly Option[]): Given {
  try {
    const { values, positionals } = parseArgs({
      args: [...given],
      allowPositionals: true,
      options: Object.fromEntries(
        options.map(({ name, value }) => [
          name,
          { type: value === undefined ? 'boolean' : 'string' } as const,
        ]),
      ),
    });
    const texts = Object.entries(values).map(([name, value]) => [name, value === true ? '' : String(value)]);
    return { words: positionals, values: Object.fromEntries(texts) as Given['values'] };
  } catch (error) {
    // What follows is advice for programs, in lines of its own.
    throw new UsageError((error as Error).message.split(/\. |\n/)[0]);
  }
}

/** The filters that were given, as parameters. Example: `filtersOf({ 'event-type': 'current_report' })`. */
export function filtersOf(values: Given['values']): Omit<ChangeFilter, 'ticker' | 'tickers' | 'corrections'> {
  return {
    form: values['form'],
    // The service names the families if it is none of them.
    eventType: values['event-type'] as 'current_report' | undefined,
    items: values['items'],
    transactionCode: values['transaction-code'],
    // The service says what is allowed if it is something else, and names what was given.
    minValue: values['min-value'] as unknown as number | undefined,
    sic: values['sic'],
    exchange: values['exchange'],
    listed: values['listed'] as unknown as boolean | undefined,
    acceptedSince: values['accepted-since'],
    acceptedUntil: values['accepted-until'],
    exhibit: values['exhibit'],
    since: values['since'],
    until: values['until'],
  };
}

/** A number that was given. Throws a `UsageError`. Example: `numberOf({ limit: '5' }, 'limit', 50)` is 5. */
export function numberOf(values: Given['values'], name: string, usual: number): number {
  const text = values[name];
  if (text === undefined) return usual;
  if (!/^\d+$/.test(text)) throw new UsageError(`--${name}: must be a number, not ${JSON.stringify(text)}`);
  return Number(text);
}

/** The one word that a command takes. Throws a `UsageError`. Example: `oneWord(['filings'], 'DIR')`. */
export function oneWord([word, ...others]: readonly string[], name: string): string {
  if (word === undefined || others.length > 0) throw new UsageError(`give one ${name}`);
  return word;
}
