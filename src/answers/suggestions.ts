import { ApiError, errorStatus } from '../contract/errors.ts';
import { parameters, tickersMaximum } from '../contract/parameters.ts';
import { isObject } from '../domain/scalars.ts';
import type { Tool } from '../contract/tools.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { quoted } from '../render/filer-text.ts';
import { findCompany } from './company-answers.ts';
import type { Coverage } from '../snapshot/coverage.ts';
import { foundCompanies } from './company-search.ts';
import { inPasses, together } from '../table/passes.ts';
import { coverageText } from '../render/text.ts';

/** How many unknown entries of a request are searched for, and how many companies are suggested for each. */
const suggestedMaximum = 3;

/**
 * A mistake of a client, in words for a model or a person. If the arguments name a company by anything but a
 * ticker symbol or CIK, the text suggests companies that search finds; a public tool suggests none, because search
 * needs a key. If something was not found, the text says what the data covers. `given` is the arguments as they came. Throws any other error
 * again: faults of the service are no mistakes.
 */
export async function mistakeOf(
  { snapshot, coverage }: { readonly snapshot: Snapshot; readonly coverage: Coverage },
  tool: Pick<Tool, 'access' | 'arguments'>,
  error: unknown,
  given: unknown,
): Promise<Pick<ApiError, 'code' | 'message'>> {
  if (!(error instanceof ApiError) || errorStatus[error.code] >= 500) throw error;
  const { code, message } = error;
  const found =
    code === 'company_not_found' || code === 'invalid_parameter'
      ? await inPasses(() => suggestions(snapshot, companiesIn(tool, given)))
      : [];
  if (errorStatus[code] !== 404)
    return { code, message: found.length > 0 ? `${message}. ${found.join(' ')}` : message };
  return {
    code,
    message: [...(found.length > 0 ? found : [`${message}.`]), coverageText(coverage)].join(' '),
  };
}

/** The texts with which those arguments that a keyed tool has name companies. */
function companiesIn(tool: Pick<Tool, 'access' | 'arguments'>, given: unknown): string[] {
  if (tool.access === 'public' || !isObject(given)) return [];
  return tool.arguments
    .filter(({ parameter }) => parameter.name === 'ticker' || parameter.name === 'tickers')
    .flatMap(({ parameter }): unknown[] => {
      const value = given[parameter.name];
      if (parameter.isList !== true) return [value];
      return typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
    })
    .filter((entry) => typeof entry === 'string')
    .map((entry) => entry.trim());
}

/** A sentence with suggestions for each of the first unknown entries for which search finds companies. */
export function suggestions(snapshot: Snapshot, entries: readonly string[]): string[] {
  const unknown: string[] = [];
  for (const entry of entries.slice(0, tickersMaximum))
    if (unknown.length < suggestedMaximum && isUnknownName(snapshot, entry)) unknown.push(entry);
  const sentences = together(unknown, (entry) => suggestion(snapshot, entry));
  return sentences.filter((sentence) => sentence !== null);
}

/**
 * Whether an entry can be searched for, and is neither a ticker symbol nor a CIK. Search finds the same CIKs
 * as `findCompany`, so digits are not searched for.
 */
function isUnknownName(snapshot: Snapshot, entry: string): boolean {
  return (
    !/^\d*$/.test(entry) &&
    parameters.q.parse.safeParse(entry).success &&
    findCompany(snapshot, entry) === null
  );
}

function suggestion(snapshot: Snapshot, entry: string): string | null {
  const { companies, partialBecause, didYouMean } = foundCompanies(snapshot, {
    q: entry,
    limit: suggestedMaximum,
  });
  const named = companies.map(({ ticker, name, cik }) =>
    ticker === null ? `CIK ${cik} (${quoted(name)})` : `${ticker} (${quoted(name)}, CIK ${cik})`,
  );
  const unknown = `${entry}: this service holds no company with that symbol`;
  if (didYouMean !== null) return `${unknown}; did you mean "${didYouMean}"? Search for that.`;
  if (named.length === 0) return null;
  return partialBecause.includes('missing_words')
    ? `${unknown}; a part of it fits the name of ${named.join(' or ')}.`
    : `${unknown}; did you mean ${named.join(' or ')}?`;
}
