import { ApiError, shown } from '../contract/errors.ts';
import type { Query } from '../contract/parameters.ts';
import type { Tool } from '../contract/tools.ts';

/**
 * Checks the arguments of a tool call with the parameters of the REST operation. Throws `invalid_parameter`,
 * whose message names the argument, what is allowed and what came, so that a model can mend its call.
 */
export function checkArguments(tool: Pick<Tool, 'name' | 'arguments'>, given: unknown): Query {
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given)))
    throw new ApiError('invalid_parameter', `arguments: must be an object, not ${shown(given)}`);
  const members = new Map(Object.entries(given ?? {}));
  const names: string[] = tool.arguments.map(({ parameter }) => parameter.name);
  for (const name of members.keys()) {
    if (!names.includes(name))
      throw new ApiError(
        'invalid_parameter',
        `${shown(name)}: ${tool.name} takes ${names.length > 0 ? names.join(', ') : 'no arguments'}`,
      );
  }
  const query: Query = {};
  for (const { parameter, required } of tool.arguments) {
    const value = members.get(parameter.name);
    if (value === undefined || (value === null && !required)) {
      if (required)
        throw new ApiError(
          'invalid_parameter',
          `${parameter.name}: is required and must be ${parameter.allowed}`,
        );
      continue;
    }
    const text =
      textOfValue(value) ?? (parameter.isList === true && Array.isArray(value) ? joined(value) : null);
    const parsed = text === null ? undefined : parameter.parse.safeParse(text);
    if (!parsed?.success)
      throw new ApiError(
        'invalid_parameter',
        `${parameter.name}: must be ${parameter.allowed}, not ${shown(value)}`,
      );
    Object.assign(query, { [parameter.name]: parsed.data });
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
