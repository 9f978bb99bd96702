import * as z from 'zod';
import { bulkName, bulkNamePattern } from './bulk.ts';
import { companyFilterCharacters, foldFilterValue } from './company-filters.ts';
import { corrections } from './corrections.ts';
import {
  eachFilter,
  filterValuesMaximum as valuesMaximum,
  type FilingFilter,
  type FilterName,
  type FilterQuery,
} from './filing-filters.ts';
import { by, type CountBy } from './counts.ts';
import type { ChangeCause } from './records.ts';
import { directions } from './ownership.ts';
import {
  amount,
  day,
  folded,
  instant,
  listOf,
  oneOf,
  wholeNumber,
  withoutControls,
  yesOrNo,
  type Parameter,
} from './parameter.ts';
import { relationships, type Relationship } from './transaction-filters.ts';
import { valueLists } from './unknown-values.ts';
import { cik, foldSymbol, tickerPattern } from '../domain/scalars.ts';
import { statisticsDays, statisticsDaysDefault } from './intents.ts';

export { withoutControls, type Parameter };

/** The least, the greatest and the default number of rows of a list. */
export const limitBounds = { minimum: 1, maximum: 200, default: 50 } as const;

/** The most companies of a watchlist: each has a bucket of its own, with up to `limit` changes. */
export const tickersMaximum = 25;

/** The most companies of a request for the change feed, of its stream and of an endpoint of webhooks. */
export const feedTickersMaximum = 250;

/** The most accession numbers in a request. */
export const accessionNosMaximum = 50;

/** The longest time for which an answer is held, in seconds: proxies close requests that take longer. */
export const waitMaximum = 60;

/** The content type of server-sent events: who accepts it gets changes as a stream. */
export const eventStreamType = 'text/event-stream';

/** The longest cursor that is accepted, in characters. Cursors of this service are never longer. */
export const cursorCharactersMaximum = 2000;

/** A request after its texts were checked. Members that the request leaves out are absent. */
export interface Query extends FilterQuery {
  limit?: number;
  /** `YYYY-MM-DD` */
  since?: string;
  /** `YYYY-MM-DD` */
  until?: string;
  /** As asked. */
  ticker?: string;
  /** As asked, in order, distinct under `foldSymbol`. */
  tickers?: string[];
  /** As asked; only prompts have it. */
  otherTicker?: string;
  q?: string;
  cursor?: string;
  accessionNo?: string;
  /** With dashes, in the order asked, distinct. */
  accessionNos?: string[];
  days?: number;
  /** Seconds. */
  wait?: number;
  /** The causes of the corrections that come, each once. */
  corrections?: ChangeCause[];
  /** The CIK of an insider. */
  owner?: string;
  /** Any of these codes of transactions, distinct. */
  code?: string[];
  direction?: (typeof directions)[number];
  relationship?: Relationship;
  /** What counts are told apart by. */
  by?: CountBy;
  isDerivative?: boolean;
  isPlanned?: boolean;
  /** Name of a file of the change feed. */
  file?: string;
  /** Any of these codes of states of incorporation, folded by `foldFilterValue`, distinct. */
  state?: string[];
  detail?: 'compact' | 'full';
  text?: 'full' | 'short';
  maxTokens?: number;
}

/** What an entry of `parameters` says. Its name and `query` as its place need not be said. */
type Own = Omit<Parameter, 'name' | 'in'> & Partial<Pick<Parameter, 'name' | 'in'>>;

/** Up to ten values with commas between, each not empty and at most so long. */
const filterList = (charactersMaximum: number, fold: (text: string) => string) =>
  listOf({
    valuesMaximum,
    charactersMaximum: valuesMaximum * (charactersMaximum + 2),
    text: z.string().regex(withoutControls),
    isValue: (value) => value !== '' && value.length <= charactersMaximum,
    distinct: folded(fold),
  });

/** The parameter of a filter of filings. */
function filterParameter(filter: FilingFilter & { readonly name: FilterName }): Parameter {
  const { name, description, brief, allowed, example, values = [] } = filter;
  const { charactersMaximum = 40, fold = (value) => value } = filter;
  const said = { name, in: 'query', description, brief, allowed, example } as const;
  switch (filter.takes) {
    case 'amount':
      return { ...said, ...amount };
    case 'truth':
      return { ...said, ...yesOrNo };
    case 'instant':
      return { ...said, ...instant };
    case 'one':
      return {
        ...said,
        parse: z.string().trim().min(1).max(charactersMaximum).regex(withoutControls).transform(fold),
        schema: { type: 'string', enum: [...values] },
      };
    default:
      return { ...said, ...filterList(charactersMaximum, fold) };
  }
}

const filterParameters = Object.fromEntries(
  eachFilter.map((filter) => [filter.name, filterParameter(filter)]),
) as Record<FilterName, Parameter>;

/** Characters of an entry of a list of companies, with the comma and the space beside it. */
const tickerCharacters = 40;

/** A list of at most so many companies. */
function tickersUpTo(maximum: number): Own {
  return {
    description: `Ticker symbols or 10-digit CIKs, separated by commas, at most ${maximum}.`,
    allowed: `1 to ${maximum} ticker symbols or 10-digit CIKs, separated by commas`,
    ...listOf({
      valuesMaximum: maximum,
      charactersMaximum: maximum * tickerCharacters,
      isValue: (entry) => tickerPattern.test(entry),
      distinct: distinctEntries,
    }),
    example: 'AAPL,MSFT',
  };
}

/** The entries of a list as they came, each once under `foldSymbol`. */
function distinctEntries(entries: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const entry of entries) {
    const symbol = foldSymbol(entry);
    if (!seen.has(symbol)) seen.set(symbol, entry);
  }
  return [...seen.values()];
}

/** The spellings of an accession number, as the source of a regular expression. */
export const accessionNoText = '\\d{10}-\\d{2}-\\d{6}|\\d{18}';
const accessionNoPattern = new RegExp(`^(${accessionNoText})$`);

function withDashes(accessionNumber: string): string {
  return accessionNumber.replace(/^(\d{10})(\d{2})(\d{6})$/, '$1-$2-$3');
}

/** A filter of the list of companies that takes up to ten values. */
function companyFilter(
  name: 'sic' | 'state' | 'exchange',
  one: string,
  description: string,
  example: string,
): Own & Pick<Parameter, 'name'> {
  return {
    name,
    brief: `Any of these ${one} (\`${valueLists[name]}\`).`,
    description: `${description}, up to ${valuesMaximum} with commas between; a company with any of them matches. One that EDGAR does not have is an error that names the nearest ones; \`/reference.json\` lists them.`,
    allowed: `1 to ${valuesMaximum} ${one} with commas between, for example ${example}`,
    ...filterList(companyFilterCharacters, foldFilterValue),
    example,
  };
}

const since: Own = {
  description:
    'Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written calendar date.',
  brief: 'First filing date.',
  ...day,
  example: '2026-08-01',
};

const ticker: Own = {
  description:
    'Ticker symbol or 10-digit CIK. Case is folded, and `.`, `-` and `/` are one. Symbols of fund classes (`VFIAX`) are not known: name the CIK of the fund.',
  brief: 'Ticker symbol or 10-digit CIK; of a fund only the CIK.',
  allowed: 'a ticker symbol or a 10-digit CIK',
  parse: z.string().regex(tickerPattern),
  schema: { type: 'string', minLength: 1, maxLength: 20 },
  example: 'AAPL',
};

const own = {
  limit: {
    description: `The most rows to return, ${limitBounds.minimum} to ${limitBounds.maximum}.`,
    brief: 'The most rows.',
    ...wholeNumber(limitBounds),
    example: '5',
  },
  since,
  until: {
    ...since,
    description:
      'Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is an error.',
    brief: 'Last filing date.',
    example: '2026-08-31',
  },
  ...filterParameters,
  ticker,
  /** The same as a parameter of the path. */
  pathTicker: { ...ticker, name: 'ticker', in: 'path' },
  tickers: tickersUpTo(tickersMaximum),
  feedTickers: { ...tickersUpTo(feedTickersMaximum), name: 'tickers' },
  q: {
    description:
      'A ticker symbol, a CIK, or the beginnings of words of a present or former name; at least 2 characters. Fewer than three letters of a word find companies with a ticker symbol.',
    brief: 'A symbol, a CIK, or beginnings of words of a name; at least 2 characters.',
    allowed: 'a text of 2 to 100 characters',
    parse: z.string().trim().min(2).max(100).regex(withoutControls),
    schema: { type: 'string', minLength: 2, maxLength: 100 },
    example: 'apple',
  },
  cursor: {
    description:
      'Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken from the cursor where they are left out, other filters from the request alone.',
    brief: '`nextCursor` of an answer; repeat the other arguments.',
    allowed: 'the nextCursor of an earlier answer',
    parse: z.string().min(1).max(cursorCharactersMaximum),
    schema: { type: 'string', minLength: 1, maxLength: cursorCharactersMaximum },
    example: '',
  },
  accessionNo: {
    in: 'path',
    description: 'Accession number, `<10 digits>-<2 digits>-<6 digits>`, or its 18 digits without dashes.',
    allowed: 'an accession number such as 0000320193-25-000079',
    parse: z.string().regex(accessionNoPattern).transform(withDashes),
    schema: { type: 'string', pattern: accessionNoPattern.source },
    example: '0000320193-25-000079',
  },
  accessionNos: {
    description: `Accession numbers, each as in \`accessionNo\`, separated by commas, at most ${accessionNosMaximum}. One that is given twice counts once.`,
    brief: `Accession numbers, at most ${accessionNosMaximum}.`,
    allowed: `1 to ${accessionNosMaximum} accession numbers such as 0000320193-25-000079, separated by commas`,
    ...listOf({
      valuesMaximum: accessionNosMaximum,
      charactersMaximum: accessionNosMaximum * 22,
      charactersMinimum: 18,
      isValue: (entry) => accessionNoPattern.test(entry),
      distinct: folded(withDashes),
    }),
    example: '0000320193-25-000079,0001045810-26-000021',
  },
  days: {
    description: `Length of the window in days: ${statisticsDays.join(', ')}.`,
    allowed: `one of ${statisticsDays.join(', ')}`,
    parse: z.enum(statisticsDays.map(String)).transform(Number),
    schema: { type: 'integer', enum: [...statisticsDays], default: statisticsDaysDefault },
    example: '7',
  },
  corrections,
  wait: {
    description: `Seconds, up to ${waitMaximum}: an answer that would be empty is held until something that matches is published, or the time is over. Follow the cursor as ever; what is published between two requests is not missed.`,
    ...wholeNumber({ minimum: 0, maximum: waitMaximum, default: 0 }),
    example: '0',
    isForRest: true,
  },
  file: {
    in: 'path',
    description: 'Name of a file, as the list of files gives it.',
    allowed: `the name of a file such as ${bulkName(1)}`,
    parse: z.string().regex(bulkNamePattern),
    schema: { type: 'string', pattern: bulkNamePattern.source },
    example: bulkName(1),
  },
  owner: {
    description:
      'CIK of an owner, 10 digits: a person or company that reports. `/v1/sec/companies/search` finds it.',
    brief: 'CIK of an insider, 10 digits; sec_company_search finds it.',
    allowed: 'a 10-digit CIK',
    parse: cik,
    schema: { type: 'string', pattern: '^\\d{10}$' },
    example: '0001197649',
  },
  code: {
    ...filterParameters.transactionCode,
    name: 'code',
    description: `Codes of transactions, up to ${valuesMaximum} with commas between; a transaction with any of them matches: \`P\` (purchase), \`S\` (sale). Case is folded. \`/reference.json\` says what each means.`,
    brief: 'Codes: any of these; P purchase, S sale, A grant, M exercise, F tax, G gift.',
    example: 'S',
  },
  direction: {
    description: 'Whether the owners acquired or disposed of the securities.',
    brief: 'What the owners did.',
    ...oneOf(directions),
    example: 'disposed',
  },
  relationship: {
    description: 'What an owner is to the issuer; of several owners one is enough.',
    brief: 'What an owner is to the issuer.',
    ...oneOf(relationships),
    example: 'officer',
  },
  isDerivative: {
    description: 'Only transactions in derivatives, such as options (`true`), or in shares (`false`).',
    brief: 'Only derivatives, such as options, or only shares.',
    ...yesOrNo,
    example: 'true',
  },
  isPlanned: {
    description:
      'Only filings whose box of Rule 10b5-1(c) is checked (`true`) or not (`false`); those without a box, as before April 2023, are neither.',
    brief: 'Only those under a plan of Rule 10b5-1, or only others.',
    ...yesOrNo,
    example: 'true',
  },
  by,
  companySic: companyFilter(
    'sic',
    'codes of industries',
    'Codes of industries in the Standard Industrial Classification, four digits',
    '3571',
  ),
  state: companyFilter(
    'state',
    'codes of states',
    "EDGAR's codes of the states or countries of incorporation. Case is folded",
    'DE',
  ),
  companyExchange: companyFilter('exchange', 'exchanges', 'Exchanges. Case is folded', 'Nasdaq'),
  companyListed: {
    name: 'listed',
    description:
      'Whether the company has a ticker symbol: `true` for those that have one, `false` for all others.',
    brief: 'Has a ticker symbol.',
    ...yesOrNo,
    example: 'true',
  },
} as const satisfies Readonly<Record<string, Own>>;

/** Every parameter of the service by name. */
export const parameters = Object.fromEntries(
  Object.entries(own).map(([name, each]) => [name, { name, in: 'query', ...each }]),
) as Record<keyof typeof own, Parameter>;

const { companySic, state, companyExchange, companyListed } = parameters;

/** The filters of the list of companies. */
export const companyFilters = [companySic, state, companyExchange, companyListed] as const;

/** The filters that every list of filings takes. */
export const filters: readonly Parameter[] = [
  ...eachFilter.map(({ name }) => parameters[name]),
  parameters.since,
  parameters.until,
];
