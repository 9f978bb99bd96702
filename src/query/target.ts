import * as z from 'zod';
import type { SampleQuery } from '../contract/catalog.ts';
import type { Endpoint } from '../contract/endpoints.ts';
import { parameters, withoutControls, type Query } from '../contract/parameters.ts';
import { queryOf } from '../http/exchange.ts';
import { checkedValue, missing, requireOne, unknownName, type Rule } from './checks.ts';

/**
 * Checks the parameters of a request: query parameters from its target, and path parameters from `path`.
 * Keyed operations refuse unknown parameters: a misspelt filter would otherwise be ignored, and the answer
 * would be wrong. Throws `invalid_parameter`, whose message names the parameter, what is allowed and what
 * came.
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
    const { name } = parameter;
    const values = parameter.in === 'path' ? [path(name) ?? ''] : given.getAll(name);
    requireOne(name, values, parameter.isList);
    const [text] = values;
    if (text !== undefined) Object.assign(query, { [name]: checkedValue(name, parameter, text) });
    else if (required) throw missing(parameter);
  }
  return query;
}

function refuseUnknown(endpoint: Endpoint, given: URLSearchParams): void {
  for (const name of given.keys()) {
    const known: string[] = endpoint.parameters
      .filter(({ parameter }) => parameter.in === 'query')
      .map(({ parameter }) => parameter.name);
    if (!known.includes(name)) throw unknownName(name, thisOperation, known, 'no parameters');
  }
}

const thisOperation = 'this operation';

const textCharactersMaximum = 100;
const sampleRules: Readonly<Record<z.infer<typeof SampleQuery>['type'], Rule>> = {
  date: parameters.since,
  text: {
    allowed: `a text of 1 to ${textCharactersMaximum} characters`,
    parse: z
      .string()
      .max(textCharactersMaximum)
      .regex(withoutControls)
      .refine((text) => text.trim() !== ''),
  },
};

/**
 * Checks the parameters of a sample-only path, which takes only those in `known`. Throws `invalid_parameter`.
 */
export function checkSampleQuery(
  known: readonly z.infer<typeof SampleQuery>[],
  given: URLSearchParams,
): void {
  for (const name of new Set(given.keys())) {
    const parameter = known.find((each) => each.name === name);
    if (!parameter) {
      const names = known.map((each) => each.name);
      throw unknownName(name, thisOperation, names, 'no parameters');
    }
    const values = given.getAll(name);
    requireOne(name, values);
    checkedValue(name, sampleRules[parameter.type], values[0] ?? '');
  }
}
