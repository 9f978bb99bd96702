import { z } from 'zod';
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
import type { CountBy } from './counts.ts';
import type { ChangeCause } from './records.ts';
import type { directions } from './ownership.ts';
import type { Relationship } from './transaction-filters.ts';
import { transactionParameters, yesOrNo } from './transaction-parameters.ts';
import { instant } from './instant.ts';
import { tickersUpTo } from './ticker-lists.ts';
import { valueLists } from './value-lists.ts';
import { isCalendarDate, tickerPattern } from '../domain/scalars.ts';
import { statisticsDays, statisticsDaysDefault } from './intents.ts';

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

/** One parameter, defined once for validation, the OpenAPI document and the tools. */
export interface Parameter {
  readonly name: keyof Query;
  readonly in: 'path' | 'query';
  readonly description: string;
  /** What tools say of it, if that is shorter: an assistant reads the descriptions of all tools at once. */
  readonly brief?: string;
  /** What is allowed, for error messages: "must be …". */
  readonly allowed: string;
  /** Parses the text of the request. */
  readonly parse: z.ZodType<Query[keyof Query], string>;
  /** The JSON Schema of the text or number that a client sends. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string;
  /** Whether it takes several values with commas between. Tools and the agent then also take a list. */
  readonly isList?: true;
  /** The most values of a list. */
  readonly valuesMaximum?: number;
  /** The values that a list may hold, if they are few. */
  readonly values?: readonly string[];
  /** Whether only REST has it: tools and the agent never hold an answer. */
  readonly isForRest?: true;
}

/** A text without control characters. */
export const withoutControls = /^[^\p{Cc}]*$/u;
const timeOfDay =
  /^T([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)([.,]\d{1,9})?)?(Z|[+ -]([01]\d|2[0-3]):?[0-5]\d)?$/i;

function toDate(text: string): string | undefined {
  const date = text.slice(0, 10);
  return isCalendarDate(date) && (text.length === 10 || timeOfDay.test(text.slice(10))) ? date : undefined;
}

const limit: Parameter = {
  name: 'limit',
  in: 'query',
  description: `The most rows to return, ${limitBounds.minimum} to ${limitBounds.maximum}.`,
  brief: 'The most rows.',
  allowed: `an integer from ${limitBounds.minimum} to ${limitBounds.maximum}`,
  parse: z
    .string()
    .regex(/^[0-9]{1,3}$/)
    .transform(Number)
    .pipe(z.int().min(limitBounds.minimum).max(limitBounds.maximum)),
  schema: { type: 'integer', ...limitBounds },
  example: '5',
};

const since: Parameter = {
  name: 'since',
  in: 'query',
  description:
    'Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written calendar date.',
  brief: 'First filing date.',
  allowed: 'a date YYYY-MM-DD or an ISO 8601 timestamp',
  parse: z
    .string()
    .max(40)
    .transform((text, context) => toDate(text) ?? (context.addIssue('no date'), z.NEVER)),
  schema: { type: 'string', format: 'date' },
  example: '2026-08-01',
};

const until: Parameter = {
  ...since,
  name: 'until',
  description:
    'Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is an error.',
  brief: 'Last filing date.',
  example: '2026-08-31',
};

/**
 * Parses up to ten values with commas between, each not empty and at most `charactersMaximum` long. Values
 * that are equal after folding are taken once.
 */
function listOf(charactersMaximum: number, fold: (text: string) => string): Parameter['parse'] {
  return z
    .string()
    .max(valuesMaximum * (charactersMaximum + 2))
    .regex(withoutControls)
    .transform((text) => text.split(',').map((each) => each.trim()))
    .refine(
      (values) =>
        values.length <= valuesMaximum &&
        values.every((each) => each !== '' && each.length <= charactersMaximum),
    )
    .transform((values) => [...new Set(values.map(fold))]);
}

/** An amount of money in US dollars. */
const amount = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,2})?$/)
  .transform(Number);

/** The parameter of a filter of filings. */
function filterParameter(filter: FilingFilter & { readonly name: FilterName }): Parameter {
  const { name, description, brief, allowed, example, charactersMaximum, fold, values } = filter;
  const { isSingle, isAmount, isTruth, isInstant } = filter;
  const said = { name, in: 'query', description, brief, allowed, example } as const;
  if (isAmount === true) return { ...said, parse: amount, schema: { type: 'number', minimum: 0 } };
  if (isTruth === true) return yesOrNo(name as 'listed', description, brief);
  if (isInstant === true) return { ...said, parse: instant, schema: { type: 'string', format: 'date-time' } };
  if (isSingle === true)
    return {
      ...said,
      parse: z.string().trim().min(1).max(charactersMaximum).regex(withoutControls).transform(fold),
      schema: { type: 'string', enum: [...(values ?? [])] },
    };
  return {
    ...said,
    parse: listOf(charactersMaximum, fold),
    schema: { type: 'string', minLength: 1, maxLength: valuesMaximum * (charactersMaximum + 2) },
    isList: true,
    valuesMaximum,
  };
}

const filterParameters = Object.fromEntries(
  eachFilter.map((filter) => [filter.name, filterParameter(filter)]),
) as Record<FilterName, Parameter>;

const ticker: Parameter = {
  name: 'ticker',
  in: 'query',
  description:
    'Ticker symbol or 10-digit CIK. Case is folded, and `.`, `-` and `/` are one. Symbols of fund classes (`VFIAX`) are not known: name the CIK of the fund.',
  brief: 'Ticker symbol or 10-digit CIK; of a fund only the CIK.',
  allowed: 'a ticker symbol or a 10-digit CIK',
  parse: z.string().regex(tickerPattern),
  schema: { type: 'string', minLength: 1, maxLength: 20 },
  example: 'AAPL',
};

const tickers = tickersUpTo(tickersMaximum);
const feedTickers = tickersUpTo(feedTickersMaximum);

const q: Parameter = {
  name: 'q',
  in: 'query',
  description:
    'A ticker symbol, a CIK, or the beginnings of words of a present or former name; at least 2 characters. Fewer than three letters of a word find companies with a ticker symbol.',
  brief: 'A symbol, a CIK, or beginnings of words of a name; at least 2 characters.',
  allowed: 'a text of 2 to 100 characters',
  parse: z.string().trim().min(2).max(100).regex(withoutControls),
  schema: { type: 'string', minLength: 2, maxLength: 100 },
  example: 'apple',
};

const cursor: Parameter = {
  name: 'cursor',
  in: 'query',
  description:
    'Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken from the cursor where they are left out, other filters from the request alone.',
  brief: '`nextCursor` of an answer; repeat the other arguments.',
  allowed: 'the nextCursor of an earlier answer',
  parse: z.string().min(1).max(cursorCharactersMaximum),
  schema: { type: 'string', minLength: 1, maxLength: cursorCharactersMaximum },
  example: '',
};

/** The spellings of an accession number, as the source of a regular expression. */
export const accessionNoText = '\\d{10}-\\d{2}-\\d{6}|\\d{18}';

const accessionNo: Parameter = {
  name: 'accessionNo',
  in: 'path',
  description: 'Accession number, `<10 digits>-<2 digits>-<6 digits>`, or its 18 digits without dashes.',
  allowed: 'an accession number such as 0000320193-25-000079',
  parse: z
    .string()
    .regex(new RegExp(`^(${accessionNoText})$`))
    .transform(withDashes),
  schema: { type: 'string', pattern: `^(${accessionNoText})$` },
  example: '0000320193-25-000079',
};

function withDashes(accessionNumber: string): string {
  return accessionNumber.replace(/^(\d{10})(\d{2})(\d{6})$/, '$1-$2-$3');
}

const accessionNos: Parameter = {
  name: 'accessionNos',
  in: 'query',
  description: `Accession numbers, each as in \`accessionNo\`, separated by commas, at most ${accessionNosMaximum}. One that is given twice counts once.`,
  brief: `Accession numbers, at most ${accessionNosMaximum}.`,
  allowed: `1 to ${accessionNosMaximum} accession numbers such as 0000320193-25-000079, separated by commas`,
  parse: z
    .string()
    .max(accessionNosMaximum * 22)
    .transform((text) => text.split(',').map((each) => each.trim()))
    .refine(
      (entries) =>
        entries.length <= accessionNosMaximum &&
        entries.every((each) => new RegExp(`^(${accessionNoText})$`).test(each)),
    )
    .transform((entries) => [...new Set(entries.map(withDashes))]),
  schema: { type: 'string', minLength: 18, maxLength: accessionNosMaximum * 22 },
  example: '0000320193-25-000079,0001045810-26-000021',
  isList: true,
  valuesMaximum: accessionNosMaximum,
};

const days: Parameter = {
  name: 'days',
  in: 'query',
  description: `Length of the window in days: ${statisticsDays.join(', ')}.`,
  allowed: `one of ${statisticsDays.join(', ')}`,
  parse: z.enum(statisticsDays.map(String)).transform(Number),
  schema: { type: 'integer', enum: [...statisticsDays], default: statisticsDaysDefault },
  example: '7',
};

const wait: Parameter = {
  name: 'wait',
  in: 'query',
  description: `Seconds, up to ${waitMaximum}: an answer that would be empty is held until something that matches is published, or the time is over. Follow the cursor as ever; what is published between two requests is not missed.`,
  allowed: `an integer from 0 to ${waitMaximum}`,
  parse: z
    .string()
    .regex(/^[0-9]{1,2}$/)
    .transform(Number)
    .pipe(z.int().max(waitMaximum)),
  schema: { type: 'integer', minimum: 0, maximum: waitMaximum, default: 0 },
  example: '0',
  isForRest: true,
};

const file: Parameter = {
  name: 'file',
  in: 'path',
  description: 'Name of a file, as the list of files gives it.',
  allowed: `the name of a file such as ${bulkName(1)}`,
  parse: z.string().regex(bulkNamePattern),
  schema: { type: 'string', pattern: bulkNamePattern.source },
  example: bulkName(1),
};

/** A filter of the list of companies that takes up to ten values. */
function companyFilter(
  name: 'sic' | 'state' | 'exchange',
  one: string,
  description: string,
  example: string,
): Parameter {
  return {
    name,
    in: 'query',
    brief: `Any of these ${one} (\`${valueLists[name]}\`).`,
    description: `${description}, up to ${valuesMaximum} with commas between; a company with any of them matches. One that EDGAR does not have is an error that names the nearest ones; \`/reference.json\` lists them.`,
    allowed: `1 to ${valuesMaximum} ${one} with commas between, for example ${example}`,
    parse: listOf(companyFilterCharacters, foldFilterValue),
    schema: { type: 'string', minLength: 1, maxLength: valuesMaximum * (companyFilterCharacters + 2) },
    example,
    isList: true,
    valuesMaximum,
  };
}

const companySic = companyFilter(
  'sic',
  'codes of industries',
  'Codes of industries in the Standard Industrial Classification, four digits',
  '3571',
);
const state = companyFilter(
  'state',
  'codes of states',
  "EDGAR's codes of the states or countries of incorporation. Case is folded",
  'DE',
);
const companyExchange = companyFilter('exchange', 'exchanges', 'Exchanges. Case is folded', 'Nasdaq');

const companyListed = yesOrNo(
  'listed',
  'Whether the company has a ticker symbol: `true` for those that have one, `false` for all others.',
  'Has a ticker symbol.',
);

/** The filters of the list of companies. */
export const companyFilters = [companySic, state, companyExchange, companyListed] as const;

/** The filters that every list of filings takes. */
export const filters: readonly Parameter[] = [...Object.values(filterParameters), since, until];

/** Every parameter of the service by name. `pathTicker` is `ticker` as a parameter of the path. */
export const parameters = {
  limit,
  since,
  until,
  ...filterParameters,
  ticker,
  tickers,
  feedTickers,
  q,
  cursor,
  accessionNo,
  accessionNos,
  days,
  corrections,
  wait,
  file,
  ...transactionParameters(filterParameters.transactionCode),
  companySic,
  state,
  companyExchange,
  companyListed,
  pathTicker: { ...ticker, in: 'path' },
} as const satisfies Record<string, Parameter>;
