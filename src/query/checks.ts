import { ApiError, mustBe, shown } from '../contract/errors.ts';
import type { Parameter } from '../contract/parameters.ts';

/** What a value has to be, and how its text is parsed. */
export type Rule = Pick<Parameter, 'allowed' | 'parse'>;

/**
 * Parses a text under a rule. `text` is null if the value has no text. `came` is what the error message shows
 * as the value. Throws `invalid_parameter`, whose message names the parameter, what is allowed and what came.
 */
export function checkedValue(
  name: string,
  { allowed, parse }: Rule,
  text: string | null,
  came: unknown = text,
): unknown {
  const value = text === null ? undefined : parse.safeParse(text);
  if (!value?.success) throw invalid(`${mustBe(name, allowed, came)}${adviceFor(name, text)}`);
  return value.data;
}

/** What the error adds for a search for one character, which may be a ticker symbol. */
const adviceFor = (name: string, text: string | null) =>
  name === 'q' && text?.trim().length === 1
    ? '; a ticker symbol of one letter is an argument of what takes `ticker` or `tickers`'
    : '';

/**
 * Throws `invalid_parameter` for a parameter that was given more than once. For one that takes a list, the
 * message says how to write it.
 */
export function requireOne(name: string, values: readonly string[], isList = false): void {
  if (values.length > 1)
    throw invalid(
      `${name}: must be given once, not ${values.length} times${isList ? `; use commas: ${shown(values.join(','))}` : ''}`,
    );
}

/** The error for a required parameter that is left out. */
export function missing({ name, allowed }: Parameter): ApiError {
  return invalid(`${name}: is required and must be ${allowed}`);
}

/**
 * The error for an unknown name. The message says that `who` takes the names in `known`, or `nothing` if that
 * is empty.
 */
export function unknownName(name: string, who: string, known: readonly string[], nothing: string): ApiError {
  return invalid(`${shown(name)}: ${who} takes ${known.join(', ') || nothing}`);
}

/** An `invalid_parameter` error with a message. */
export function invalid(message: string): ApiError {
  return new ApiError('invalid_parameter', message);
}
