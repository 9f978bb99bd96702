import { foundCompanies } from '../answers/company-search.ts';
import { findCompany } from '../answers/company-answers.ts';
import { ApiError, mustBe } from '../contract/errors.ts';
import { eachFilter } from '../contract/filing-filters.ts';
import { formsByPrefix } from '../domain/nearest.ts';
import { parameters, type Parameter } from '../contract/parameters.ts';
import { allResources } from '../contract/resources.ts';
import { isObject } from '../domain/scalars.ts';
import { details, textLengths } from '../contract/tool-parameters.ts';
import type { Services } from '../requests/services.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { invalid } from '../query/checks.ts';
import { beginAnswer } from '../requests/caller.ts';
import { requireKeyFor } from './call.ts';
import { promptNamed, unknownPrompt } from './get-prompt.ts';
import { inPasses } from '../table/passes.ts';

/** The protocol allows at most this many values. */
const valuesMaximum = 100;
/** How many companies are searched for. */
const companiesMaximum = 20;

/** An argument that is completed, and what its user has typed. */
export interface Completed {
  readonly parameter: Parameter;
  readonly value: string;
}

/** The arguments that name companies: their completion tells which ones there are, so it needs a key. */
const companyArguments: ReadonlySet<string> = new Set(['ticker', 'tickers', 'otherTicker']);

/** Whether the completion of an argument needs a key. */
export function needsKey({ parameter }: Completed): boolean {
  return companyArguments.has(parameter.name);
}

/**
 * The argument of a prompt or a resource that the parameters of `completion/complete` name. Throws
 * `invalid_parameter` or `not_found` if there is none.
 */
export function completedArgument({ ref, argument }: Readonly<Record<string, unknown>>): Completed {
  const { name, value } = isObject(argument) ? argument : {};
  if (typeof value !== 'string') throw invalid(mustBe('argument.value', 'a text', value));
  const own = argumentsOf(isObject(ref) ? ref : {});
  const found = own.find(({ parameter }) => parameter.name === name);
  if (!found) {
    const names = own.map(({ parameter }) => parameter.name);
    throw invalid(mustBe('argument.name', `one of ${names.join(', ')}`, name));
  }
  return { parameter: found.parameter, value };
}

function argumentsOf({ type, name, uri }: Readonly<Record<string, unknown>>) {
  if (type === 'ref/prompt') {
    const prompt = promptNamed(name);
    if (!prompt) throw unknownPrompt(name);
    return prompt.arguments;
  }
  if (type !== 'ref/resource') throw invalid(mustBe('ref.type', 'ref/prompt or ref/resource', type));
  const template = allResources.find(({ uriTemplate }) => uriTemplate === uri);
  if (!template)
    throw new ApiError('not_found', mustBe('ref.uri', 'a template that resources/templates/list names', uri));
  return template.reads.arguments;
}

/**
 * Completes what a user has typed of an argument. Returns the result of a `completion/complete` as JSON. Of a
 * list with commas the last entry is completed. Symbols of companies need a key.
 */
export async function complete(services: Services, asked: Completed, caller: string | null): Promise<Buffer> {
  const { parameter, value } = asked;
  const comma = parameter.isList === true ? value.lastIndexOf(',') + 1 : 0;
  const [before, typed] = [value.slice(0, comma), value.slice(comma).trim()];
  const found = needsKey(asked)
    ? await symbolsFor(services, typed, caller)
    : { values: valuesOf(parameter, typed), hasMore: false };
  const values = found.values.map((each) => `${before}${each}`);
  const hasMore = found.hasMore || values.length > valuesMaximum;
  const total = found.hasMore ? {} : { total: values.length };
  return Buffer.from(
    JSON.stringify({ completion: { values: values.slice(0, valuesMaximum), ...total, hasMore } }),
  );
}

/** The values of an argument that begin with a text; none for arguments that take any value. */
function valuesOf({ name }: Parameter, typed: string): readonly string[] {
  const beginning = (values: readonly string[]) =>
    values.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
  switch (name) {
    case 'form':
      return formsByPrefix(typed);
    case 'detail':
      return beginning(details);
    case 'text':
      return beginning(textLengths);
    default:
      return beginning(eachFilter.find((filter) => filter.name === name)?.values ?? []);
  }
}

/** The symbols, or CIKs where there is none, of the companies that search finds. */
function symbolsFor(
  services: Services,
  typed: string,
  caller: string | null,
): Promise<{ readonly values: readonly string[]; readonly hasMore: boolean }> {
  requireKeyFor({ access: 'keyed' }, caller);
  return services.served.use(async (snapshot) => {
    await beginAnswer(services, caller);
    const q = parameters.q.parse.safeParse(typed);
    if (!q.success) return { values: await inPasses(() => exactSymbol(snapshot, typed)), hasMore: false };
    const { companies } = await inPasses(() =>
      foundCompanies(snapshot, { q: q.data as string, limit: companiesMaximum }),
    );
    return {
      values: companies.map(({ ticker, cik }) => ticker ?? cik),
      hasMore: companies.length === companiesMaximum,
    };
  });
}

/** Search wants two characters; a symbol may have one. */
function exactSymbol(snapshot: Snapshot, typed: string): string[] {
  const isSymbol = parameters.ticker.parse.safeParse(typed).success;
  return isSymbol && findCompany(snapshot, typed) !== null ? [typed.toUpperCase()] : [];
}
