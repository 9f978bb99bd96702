import * as z from 'zod';
import { firstCalendarDate, isCalendarDate } from '../domain/scalars.ts';
import type { Query } from './parameters.ts';

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

// What parameters take. Each function makes how a text is parsed and what its schema is, and says what is allowed where
// that follows.

/** What a parameter takes. */
type Taken = Pick<Parameter, 'allowed' | 'parse' | 'schema'>;

/** One of some texts; `usual` counts where the parameter is left out. */
export function oneOf<const Value extends string & Query[keyof Query]>(
  values: readonly [Value, ...Value[]],
  usual?: Value,
): Taken {
  return {
    allowed: `one of ${values.join(', ')}`,
    parse: z.enum(values),
    schema: { type: 'string', enum: [...values], ...(usual === undefined ? {} : { default: usual }) },
  };
}

/** Whole numbers between bounds. */
export function wholeNumber(bounds: Readonly<Record<'minimum' | 'maximum' | 'default', number>>): Taken {
  const { minimum, maximum } = bounds;
  return {
    allowed: `an integer from ${minimum} to ${maximum}`,
    parse: z
      .string()
      .regex(new RegExp(`^[0-9]{1,${String(maximum).length}}$`))
      .transform(Number)
      .pipe(z.int().min(minimum).max(maximum)),
    schema: { type: 'integer', ...bounds },
  };
}

/** True or false. */
export const yesOrNo: Taken = {
  allowed: 'true or false',
  parse: z.enum(['true', 'false']).transform((text) => text === 'true'),
  schema: { type: 'boolean' },
};

/** An amount of money in US dollars. */
export const amount: Pick<Taken, 'parse' | 'schema'> = {
  parse: z
    .string()
    .regex(/^\d{1,12}(\.\d{1,2})?$/)
    .transform(Number),
  schema: { type: 'number', minimum: 0, maximum: 999_999_999_999.99 },
};

/** What a list of values takes. */
interface ListRules {
  readonly valuesMaximum: number;
  /** Characters of the whole list. */
  readonly charactersMaximum: number;
  readonly charactersMinimum?: number;
  /** What holds for the text of the list as it came. */
  readonly text?: z.ZodString;
  readonly isValue: (value: string) => boolean;
  /** The values as the query has them, each once. */
  readonly distinct: (values: readonly string[]) => string[];
}

/** Several values with commas between, and perhaps spaces. */
export function listOf({
  valuesMaximum,
  charactersMaximum,
  charactersMinimum = 1,
  text = z.string(),
  isValue,
  distinct,
}: ListRules): Pick<Parameter, 'parse' | 'schema' | 'isList' | 'valuesMaximum'> {
  return {
    parse: text
      .max(charactersMaximum)
      .transform((list) => list.split(',').map((each) => each.trim()))
      .refine((values) => values.length <= valuesMaximum && values.every(isValue))
      .transform(distinct),
    schema: { type: 'string', minLength: charactersMinimum, maxLength: charactersMaximum },
    isList: true,
    valuesMaximum,
  };
}

/** Values after folding, each once. */
export const folded =
  (fold: (value: string) => string) =>
  (values: readonly string[]): string[] => [...new Set(values.map(fold))];

const timeOfDay =
  /^T([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)([.,]\d{1,9})?)?(Z|[+ -]([01]\d|2[0-3])(:?[0-5]\d)?)?$/i;

/** A time as `read` understands it; undefined where it does not. */
const timeBy = (
  read: (text: string) => string | undefined,
  format: 'date' | 'date-time',
): Pick<Taken, 'parse' | 'schema'> => ({
  parse: z
    .string()
    .max(40)
    .transform((text, context) => read(text) ?? (context.addIssue(`no ${format}`), z.NEVER)),
  schema: { type: 'string', format },
});

/** A day; of a timestamp the day as it is written there. */
export const day: Taken = {
  allowed: 'a date YYYY-MM-DD or an ISO 8601 timestamp',
  ...timeBy(dayOf, 'date'),
};

function dayOf(text: string): string | undefined {
  const date = text.slice(0, 10);
  return isCalendarDate(date) && (text.length === 10 || timeOfDay.test(text.slice(10))) ? date : undefined;
}

const instantPattern =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d{1,9})?)?(Z|[+ -]([01]\d|2[0-3])(:?[0-5]\d)?)$/i;
/** In a zone ahead of UTC the year 1 begins earlier, and in one behind it the year 9999 ends later. */
const [firstMs, lastMs] = [Date.parse(firstCalendarDate), Date.parse('9999-12-31T23:59:59.999Z')];

/** An instant with its zone, as UTC. In addresses an unescaped plus sign arrives as a space. */
export const instant: Pick<Taken, 'parse' | 'schema'> = timeBy(instantOf, 'date-time');

function instantOf(text: string): string | undefined {
  if (!instantPattern.test(text) || !isCalendarDate(text.slice(0, 10))) return undefined;
  const written = text
    .toUpperCase()
    .replace(' ', '+')
    .replace(',', '.')
    .replace(/([+-]\d{2}):?(\d{2})?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`);
  // Instants are compared as texts, and links give them again: each has a year that is accepted. No filing is beyond.
  const ms = Math.min(Math.max(Date.parse(written), firstMs), lastMs);
  return new Date(ms).toISOString();
}
