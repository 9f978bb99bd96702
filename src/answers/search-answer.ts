import { limitBounds, type Query } from '../contract/parameters.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { Answer } from '../http/http-answer.ts';
import { jsonAnswer } from './body.ts';
import { searchCompanies } from './company-search.ts';

/**
 * Companies that match `q`: an exact symbol or CIK first, then names that begin with it, other names, former
 * names.
 */
export async function searchAnswer(snapshot: Pick<Snapshot, 'tables'>, query: Query): Promise<Answer> {
  const text = query.q ?? '';
  const { companies, partialBecause, didYouMean } = await searchCompanies(snapshot, {
    q: text,
    limit: query.limit ?? limitBounds.default,
  });
  const meta = {
    count: companies.length,
    query: text,
    partial: partialBecause.length > 0,
    partialBecause,
    didYouMean,
    notInvestmentAdvice: true,
  };
  return jsonAnswer([
    '{"data":[',
    { extents: companies.map((bytes) => ({ bytes, from: 0, to: bytes.length })) },
    `],"meta":${JSON.stringify(meta)}}`,
  ]);
}
