import { exchanges, sicCodes } from '../domain/company-codes.ts';
import { foldFilterValue, isFilterValue } from './company-filters.ts';
import type { FilingFilter } from './filing-filters.ts';
import { isKnownFilterValue, unknownCompanyFilterMessage } from './unknown-values.ts';

/** The most values of a filter in a request. */
export const filterValuesMaximum = 10;

/** Exchanges with a large part of all filings: these are found among the filings, and only others have partitions. */
const commonExchanges: ReadonlySet<string> = new Set(['NASDAQ', 'NYSE', 'OTC']);

/** Why a snapshot has no filing of a company with a fact; null if it may have one. */
const unknownFact =
  (name: 'sic' | 'exchange'): NonNullable<FilingFilter['unknown']> =>
  (value, { unlistedFacts }) =>
    isKnownFilterValue(name, value) || unlistedFacts.includes(`${name} ${value}`)
      ? null
      : unknownCompanyFilterMessage(name, value);

/** What an instant may look like, for error messages. */
const instant = 'an instant with its zone, such as 2026-08-17T16:00:00-04:00';

/** Longer types cannot be asked for. */
const exhibitCharacters = 40;
/** Nor can those with quotes or other rare characters: filers invent types. Such as `EX-99.4(A)` can. */
const askable = /^[A-Z0-9][A-Z0-9 .&/()_#:-]*$/;

/** Filters of filings by what was known of their companies, by when EDGAR accepted them, and by the types of their exhibits. */
export const factFilters = [
  {
    name: 'sic',
    word: 'industry code',
    description: `Codes of industries in the Standard Industrial Classification, four digits, up to ${filterValuesMaximum} with commas between: filings whose company had any of them when they were observed. A code that neither EDGAR's list nor a filing has is an error that names the nearest ones; \`/reference.json\` lists them.`,
    brief: 'SIC codes: any of these (`reference://sic-codes`).',
    allowed: `1 to ${filterValuesMaximum} industry codes of four digits with commas between, for example 6022`,
    example: '6022',
    fold: foldFilterValue,
    values: sicCodes,
    isOfCompany: true,
    isByPartition: true,
    unknown: unknownFact('sic'),
  },
  {
    name: 'exchange',
    word: 'exchange',
    description: `Exchanges, up to ${filterValuesMaximum} with commas between: filings whose company was on any of them when they were observed. Case is folded. One that neither EDGAR's list nor a filing has is an error; \`/reference.json\` lists them.`,
    brief: 'Exchanges: any of these.',
    allowed: `1 to ${filterValuesMaximum} exchanges with commas between, for example Nasdaq`,
    example: 'Nasdaq',
    fold: foldFilterValue,
    values: Object.keys(exchanges),
    isOfCompany: true,
    valuesOf: (values) => values.map((value) => foldFilterValue(String(value))).filter(isFilterValue),
    hasPartition: (value) => !commonExchanges.has(value),
    unknown: unknownFact('exchange'),
  },
  {
    name: 'listed',
    word: 'listed',
    description:
      'Whether the company of the filing had a ticker symbol when it was observed: `true` for those that had one, `false` for all others.',
    brief: 'Had a ticker symbol.',
    allowed: 'true or false',
    example: 'true',
    takes: 'truth',
    isOfCompany: true,
    member: 'ticker',
    valuesOf: (tickers) => [String(tickers.length > 0)],
    hasPartition: () => false,
  },
  {
    name: 'acceptedSince',
    word: 'accepted since',
    description:
      'Filings that EDGAR accepted at this instant or later, as ISO 8601 with a zone. Filings without an acceptance are left out.',
    brief: 'Accepted then or later; with a zone.',
    allowed: instant,
    example: '2026-08-17T16:00:00-04:00',
    takes: 'instant',
  },
  {
    name: 'acceptedUntil',
    word: 'accepted until',
    description:
      'Filings that EDGAR accepted at this instant or earlier, as `acceptedSince` is written. An `acceptedUntil` before `acceptedSince` is an error.',
    brief: 'Accepted then or earlier.',
    allowed: instant,
    example: '2026-08-18T16:00:00-04:00',
    takes: 'instant',
  },
  {
    name: 'exhibit',
    member: 'exhibits',
    word: 'exhibit',
    description: `Types of exhibits, up to ${filterValuesMaximum} with commas between: filings with an exhibit of any of these types, such as \`EX-99.1\`, which press releases mostly have. A type matches whole; case is folded. Filers invent types, so one that no filing has gives an empty list. Filings whose list of documents was not read are left out.`,
    brief: 'Exhibit types: any of these; `EX-99.1` is mostly a press release.',
    allowed: `1 to ${filterValuesMaximum} types of exhibits of at most ${exhibitCharacters} characters with commas between, for example EX-99.1`,
    example: 'EX-99.1',
    charactersMaximum: exhibitCharacters,
    fold: foldFilterValue,
    isByPartition: true,
    valuesOf: (values) => {
      const types = values.map((value) => foldFilterValue(typeof value === 'string' ? value : value.type));
      return [...new Set(types.filter((type) => type.length <= exhibitCharacters && askable.test(type)))];
    },
    // Whatever filers invent, a block has few labels.
    labelled: (type) => /^EX-\d{1,3}(?!\d)/.exec(type)?.[0] ?? 'of another kind',
  },
] as const satisfies readonly FilingFilter[];
