import type { z } from 'zod';
import type { CompanySearchResponse, WatchlistChangesResponse } from '../contract/envelopes.ts';
import { errorStatus, type ApiError } from '../contract/errors.ts';
import { parameters, tickersMaximum, type Query } from '../contract/parameters.ts';
import { isObject } from '../domain/scalars.ts';
import type { Tool } from '../contract/tools.ts';
import type { Answer } from '../http/http-answer.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { printableText, quoted } from './filer-text.ts';
import { findCompany } from './company-answers.ts';
import type { Coverage } from '../snapshot/coverage.ts';
import { searchAnswer } from './search-answer.ts';
import { coverageText, textOf, type Shortened } from './text.ts';

/** How many unknown entries of a request are searched for, and how many companies are suggested for each. */
const suggestedMaximum = 3;

/**
 * The text of an answer: what the data covers, the answer in words, and suggestions for entries of a
 * watchlist that are not ticker symbols. `cut` and `shortened` say what the answer left out.
 */
export async function describedAnswer(
  snapshot: Snapshot,
  tool: Pick<Tool, 'answer'>,
  query: Query,
  body: unknown,
  coverage: Coverage,
  { cut, shortened }: { readonly cut?: Answer['cut']; readonly shortened?: Shortened | undefined } = {},
): Promise<string> {
  const isList = tool.answer.kind === 'history' || tool.answer.kind === 'feed';
  const company = isList && query.ticker !== undefined ? await findCompany(snapshot, query.ticker) : null;
  const { companyCount } = snapshot.manifest;
  const answered = textOf(tool, body, { query, coverage, company, companyCount, cut, shortened });
  // The reference is the same whatever was filed.
  if (tool.answer.kind === 'reference') return answered;
  const said = printableText(`${coverageText(coverage)}\n${answered}`);
  if (tool.answer.kind !== 'watchlist') return said;
  const { data } = body as z.infer<typeof WatchlistChangesResponse>;
  const unknown = data.filter(({ status }) => status === 'unknown_company').map(({ ticker }) => ticker);
  return [said, ...(await suggestions(snapshot, unknown))].join('\n');
}

/**
 * The text of an error. If the arguments name a company by anything but a ticker symbol or CIK, the text
 * suggests companies that search finds; a public tool suggests none, because search needs a key. If something
 * was not found, the text says what the data covers. `given` is the arguments as they came.
 */
export async function describedError(
  snapshot: Snapshot,
  tool: Pick<Tool, 'access' | 'arguments'>,
  { code, message }: ApiError,
  given: unknown,
  coverage: Coverage,
): Promise<string> {
  const found =
    code === 'company_not_found' || code === 'invalid_parameter'
      ? await suggestions(snapshot, companiesIn(tool, given))
      : [];
  if (errorStatus[code] === 404)
    return [...(found.length > 0 ? found : [`${message}.`]), coverageText(coverage)].join(' ');
  return found.length > 0 ? `${message}. ${found.join(' ')}` : message;
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
async function suggestions(snapshot: Snapshot, entries: readonly string[]): Promise<string[]> {
  const unknown: string[] = [];
  for (const entry of entries.slice(0, tickersMaximum))
    if (unknown.length < suggestedMaximum && (await isUnknownName(snapshot, entry))) unknown.push(entry);
  const sentences = await Promise.all(unknown.map((entry) => suggestion(snapshot, entry)));
  return sentences.filter((sentence) => sentence !== null);
}

/**
 * Whether an entry can be searched for, and is neither a ticker symbol nor a CIK. Search finds the same CIKs
 * as `findCompany`, so digits are not searched for.
 */
async function isUnknownName(snapshot: Snapshot, entry: string): Promise<boolean> {
  return (
    !/^\d*$/.test(entry) &&
    parameters.q.parse.safeParse(entry).success &&
    (await findCompany(snapshot, entry)) === null
  );
}

async function suggestion(snapshot: Snapshot, entry: string): Promise<string | null> {
  const { data, meta } = JSON.parse(
    (await searchAnswer(snapshot, { q: entry, limit: suggestedMaximum })).body().toString(),
  ) as z.infer<typeof CompanySearchResponse>;
  const named = data.map(({ ticker, name, cik }) =>
    ticker === null ? `CIK ${cik} (${quoted(name)})` : `${ticker} (${quoted(name)}, CIK ${cik})`,
  );
  const unknown = `${entry}: this service holds no company with that symbol`;
  if (meta.didYouMean !== null) return `${unknown}; did you mean "${meta.didYouMean}"? Search for that.`;
  if (named.length === 0) return null;
  return meta.partialBecause.includes('missing_words')
    ? `${unknown}; a part of it fits the name of ${named.join(' or ')}.`
    : `${unknown}; did you mean ${named.join(' or ')}?`;
}
