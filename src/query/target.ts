import type { Endpoint } from '../contract/endpoints.ts';
import { ApiError, shown } from '../contract/errors.ts';
import type { Parameter, Query } from '../contract/parameters.ts';
import { queryOf } from '../http/exchange.ts';

/**
 * Checks the parameters of a request: those behind the `?` of its target, and those that `path` finds in its
 * path. Keyed operations refuse parameters that they do not have, because a misspelt filter would answer
 * something else than what was asked. Throws `invalid_parameter`, whose message names the parameter, what is
 * allowed and what came.
 */
export function parseQuery(
  endpoint: Endpoint,
  target: string,
  path: (name: string) => string | undefined,
): Query {
  const query: Query = {};
  if (endpoint.parameters.length === 0 && endpoint.access === 'public') return query;
  const given = queryOf(target);
  if (endpoint.access === 'keyed') refuseUnknown(endpoint, given);
  for (const { parameter, required } of endpoint.parameters) {
    const values = parameter.in === 'path' ? [path(parameter.name) ?? ''] : given.getAll(parameter.name);
    if (values.length > 1) throw refusal(parameter, `given once, not ${values.length} times`);
    const [text] = values;
    if (text === undefined) {
      if (required)
        throw new ApiError(
          'invalid_parameter',
          `${parameter.name}: is required and must be ${parameter.allowed}`,
        );
      continue;
    }
    const value = parameter.parse.safeParse(text);
    if (!value.success) throw refusal(parameter, `${parameter.allowed}, not ${shown(text)}`);
    Object.assign(query, { [parameter.name]: value.data });
  }
  return query;
}

function refuseUnknown(endpoint: Endpoint, given: URLSearchParams): void {
  for (const name of given.keys()) {
    const known = endpoint.parameters
      .filter(({ parameter }) => parameter.in === 'query')
      .map(({ parameter }) => parameter.name as string);
    if (!known.includes(name)) {
      throw new ApiError(
        'invalid_parameter',
        `${shown(name)}: this operation takes ${known.length > 0 ? known.join(', ') : 'no parameters'}`,
      );
    }
  }
}

function refusal(parameter: Parameter, wanted: string): ApiError {
  return new ApiError('invalid_parameter', `${parameter.name}: must be ${wanted}`);
}
