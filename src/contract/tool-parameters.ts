import { ownershipFamilies } from '../domain/event-types.ts';
import { oneOf, wholeNumber, type Parameter } from './parameter.ts';
import { parameters } from './parameters.ts';

/** The least, the greatest and the default budget of an answer to an assistant, in tokens. */
export const maxTokensBounds = { minimum: 1, maximum: 1_000_000, default: 8000 } as const;

/** Characters that count as a token. */
export const charactersPerToken = 4;

/** What an answer takes of the context of a model, in tokens: characters divided by four. */
export interface Size {
  /** Of the text. */
  readonly tokens: number;
  /** Of the structured content; absent where there is none. */
  readonly structuredTokens?: number;
  /** The budget of both together. */
  readonly maxTokens: number;
  /** Whether the budget left out rows; the text then says how to get them. */
  readonly shortened: boolean;
}

/** The member of `_meta` and of `metadata` that holds the size of a text. */
export const sizeMember = 'filing-event-intelligence/size';

/** How many tokens a number of characters counts as. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** How much an answer to an assistant gives of each record; the first one is the default. */
export const details = ['compact', 'full'] as const;

const detail: Parameter = {
  name: 'detail',
  in: 'query',
  description: '`full`: every member.',
  ...oneOf(details, details[0]),
  example: details[0],
};

/** How much the text of an answer to an assistant gives; the first one is the default. */
export const textLengths = ['full', 'short'] as const;

const text: Parameter = {
  name: 'text',
  in: 'query',
  description: '`short`: counts, newest rows, cursor.',
  ...oneOf(textLengths, textLengths[0]),
  example: textLengths[1],
};

/** The budget of an answer. */
export const maxTokens: Parameter = {
  name: 'maxTokens',
  in: 'query',
  description: 'Budget of the answer.',
  ...wholeNumber(maxTokensBounds),
  example: '2000',
};

/** What every tool and skill takes beside the parameters of its operation. */
export const budget: readonly Parameter[] = [detail, text, maxTokens];

const insiderForms = ['3', '4', '5', '3/A', '4/A', '5/A'] as const;

/**
 * The filters of insider filings as tools and skills take them. The operation takes other values as well, and
 * refuses them: its schema keeps what was released.
 */
export const insiderFilters = {
  form: {
    ...parameters.form,
    brief: `${insiderForms.join(', ')}: any of these.`,
    schema: { type: 'string', pattern: '^[345](/A)?(,[345](/A)?){0,9}$' },
    values: insiderForms,
    example: '4',
  },
  eventType: {
    ...parameters.eventType,
    brief: 'Form 3, 4 or 5, each with its amendments.',
    schema: { type: 'string', enum: [...ownershipFamilies] },
    example: 'insider_transaction',
  },
} as const satisfies Record<string, Parameter>;
