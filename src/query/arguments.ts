import { mustBe } from '../contract/errors.ts';
import type { Query } from '../contract/parameters.ts';
import { isObject } from '../contract/scalars.ts';
import type { Tool } from '../contract/tools.ts';
import { checkedValue, invalid, missing, unknownName } from './checks.ts';

/**
 * Checks the arguments of a tool call with the parameters of the REST operation. Throws `invalid_parameter`,
 * whose message names the argument, what is allowed and what came, so that a model can mend its call.
 */
export function checkArguments(tool: Pick<Tool, 'name' | 'arguments'>, given: unknown): Query {
  if (given !== undefined && !isObject(given)) throw invalid(mustBe('arguments', 'an object', given));
  const members = new Map(Object.entries(given ?? {}));
  const names: string[] = tool.arguments.map(({ parameter }) => parameter.name);
  for (const name of members.keys())
    if (!names.includes(name)) throw unknownName(name, tool.name, names, 'no arguments');
  const query: Query = {};
  for (const { parameter, required } of tool.arguments) {
    const value = members.get(parameter.name);
    if (value === undefined || (value === null && !required)) {
      if (required) throw missing(parameter);
      continue;
    }
    const text =
      textOfValue(value) ?? (parameter.isList === true && Array.isArray(value) ? joined(value) : null);
    Object.assign(query, { [parameter.name]: checkedValue(parameter.name, parameter, text, value) });
  }
  return query;
}

/**
 * A value as a request would write it: a whole number is a limit or a CIK, whichever the parameter takes.
 * Null if it has no such text.
 */
function textOfValue(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

/** The values of a list with commas between; null if one of them has no text. */
function joined(values: readonly unknown[]): string | null {
  const texts = values.map(textOfValue);
  return texts.includes(null) ? null : texts.join(',');
}
