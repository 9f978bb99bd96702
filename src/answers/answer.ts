import type { AnswerPlan } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import type { ShortenedQuery } from '../contract/parameters.ts';
import { referencePath } from '../contract/reference.ts';
import { statisticsDaysDefault, type statisticsDays } from '../contract/intents.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { Answer } from '../http/http-answer.ts';
import { bulkFileAnswer } from './bulk-file.ts';
import { companiesAnswer } from './company-list.ts';
import { filingsAnswer, profileAnswer, summaryAnswer } from './company-answers.ts';
import {
  demoAnswer,
  documentAnswer,
  healthAnswer,
  probeAnswer,
  publicAnswer,
  readyAnswer,
  rootAnswer,
  statsAnswer,
} from './document-answers.ts';
import { requireKnownFilters } from './known-filters.ts';
import { feedAnswer, historyAnswer } from './lists.ts';
import { sectionAnswer } from './reference-sections.ts';
import { searchAnswer } from './search-answer.ts';
import { watchlistAnswer } from './watchlist.ts';

/**
 * Makes the answer to a plan of the contract and a checked query. REST, tools and agent all call it. `nowMs`,
 * in milliseconds since 1970, only decides whether data counts as stale. Throws `ApiError`, and
 * `CorruptSnapshot` for bytes that differ from their digest.
 */
export async function answer(
  snapshot: Snapshot,
  plan: AnswerPlan,
  query: ShortenedQuery,
  nowMs: number,
): Promise<Answer> {
  requireKnownFilters(snapshot, plan, query);
  switch (plan.kind) {
    case 'root':
      return rootAnswer(snapshot);
    case 'live':
      return probeAnswer;
    case 'ready':
      return readyAnswer(snapshot, nowMs);
    case 'health':
      return healthAnswer(snapshot, nowMs);
    case 'stats':
      return statsAnswer(snapshot, nowMs);
    case 'demo':
      return demoAnswer(await requirePublic(snapshot, '/demo'), query.limit);
    case 'openapi':
      return requirePublic(snapshot, '/openapi.json');
    case 'reference': {
      const reference = await requirePublic(snapshot, referencePath);
      return plan.section === undefined ? reference : sectionAnswer(reference, plan.section, query);
    }
    case 'subscription':
      return documentAnswer(snapshot, 'subscription');
    case 'validation':
      return documentAnswer(
        snapshot,
        `validation-stats-${(query.days ?? statisticsDaysDefault) as (typeof statisticsDays)[number]}`,
      );
    case 'bulk':
      return documentAnswer(snapshot, 'bulk');
    case 'bulkFile':
      return bulkFileAnswer(snapshot, query.file ?? '');
    case 'search':
      return searchAnswer(snapshot, query);
    case 'companies':
      return companiesAnswer(snapshot, query);
    case 'watchlist':
      return watchlistAnswer(snapshot, query);
    case 'history':
      return historyAnswer(snapshot, plan, query);
    case 'feed':
      return feedAnswer(snapshot, query);
    case 'profile':
      return profileAnswer(snapshot, query.ticker ?? '');
    case 'filings':
      return filingsAnswer(snapshot, query.accessionNos ?? []);
    case 'summary':
      return summaryAnswer(snapshot, query.accessionNo ?? '');
  }
}

async function requirePublic(snapshot: Snapshot, urlPath: string): Promise<Answer> {
  const found = await publicAnswer(snapshot, urlPath);
  if (!found) throw new ApiError('not_found', `nothing is at ${urlPath}`);
  return found;
}
