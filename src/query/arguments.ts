import { mustBe } from '../contract/errors.ts';
import type { Query } from '../contract/parameters.ts';
import { isObject } from '../domain/scalars.ts';
import type { Tool } from '../contract/tools.ts';
import { checkedValue, invalid, missing, unknownName } from './checks.ts';

/**
 * Checks the arguments of a tool call with the parameters of the REST operation. Throws `invalid_parameter`,
 * whose message names the argument, what is allowed and what came, so that a model can correct its call. A value may
 * have the type that the list of tools names (a number, or true and false), or be the text of it.
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
      textOfValue(value) ??
      (typeof value === parameter.schema['type'] ? String(value) : null) ??
      (parameter.isList === true && Array.isArray(value) ? joined(value) : null);
    Object.assign(query, { [parameter.name]: checkedValue(parameter.name, parameter, text, value) });
  }
  return query;
}

/**
 * A value as the text of a query parameter: whole numbers are accepted for limits and CIKs. Null for other
 * values.
 */
function textOfValue(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

/** Joins the values of a list with commas; null if one of them has no text. */
function joined(values: readonly unknown[]): string | null {
  const texts = values.map(textOfValue);
  return texts.includes(null) ? null : texts.join(',');
}
