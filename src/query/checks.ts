import { ApiError, mustBe, shown } from '../contract/errors.ts';
import type { Parameter } from '../contract/parameters.ts';

/** What a value has to be, and how it is read from its text. */
export type Rule = Pick<Parameter, 'allowed' | 'parse'>;

/**
 * The value that a text stands for under a rule. `came` is what the message shows where that is not the text;
 * null is the text of what has none. Throws `invalid_parameter`, whose message names the parameter, what is
 * allowed and what came.
 */
export function checkedValue(
  name: string,
  { allowed, parse }: Rule,
  text: string | null,
  came: unknown = text,
): unknown {
  const value = text === null ? undefined : parse.safeParse(text);
  if (!value?.success) throw invalid(mustBe(name, allowed, came));
  return value.data;
}

/** Throws `invalid_parameter` for a parameter that has more than one value. */
export function requireOne(name: string, values: readonly string[]): void {
  if (values.length > 1) throw invalid(`${name}: must be given once, not ${values.length} times`);
}

/** What is thrown for a parameter that is required and left out. */
export function missing({ name, allowed }: Parameter): ApiError {
  return invalid(`${name}: is required and must be ${allowed}`);
}

/**
 * What is thrown for a name that nobody knows. `who` takes the names of `known`, and if there is none,
 * `nothing`.
 */
export function unknownName(name: string, who: string, known: readonly string[], nothing: string): ApiError {
  return invalid(`${shown(name)}: ${who} takes ${known.join(', ') || nothing}`);
}

/** An `invalid_parameter` with a message. */
export function invalid(message: string): ApiError {
  return new ApiError('invalid_parameter', message);
}
