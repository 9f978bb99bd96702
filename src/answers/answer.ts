import type { AnswerPlan } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import { statisticsDaysDefault, type statisticsDays } from '../contract/intents.ts';
import type { Query } from '../contract/parameters.ts';
import { referencePath, type ReferenceResponse } from '../contract/reference.ts';
import type { Answer } from '../http/http-answer.ts';
import { eventsOf } from '../render/events.ts';
import { pageAnswer } from '../render/json.ts';
import type { Page } from '../render/page.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { inPasses } from '../table/passes.ts';
import { companiesPage } from './company-list.ts';
import { filingsPage, ownershipPage, profilePage, summaryPage } from './company-answers.ts';
import { searchPage } from './company-search.ts';
import {
  bulkFileAnswer,
  demoPage,
  documentAnswer,
  healthAnswer,
  probeAnswer,
  publicAnswer,
  readyAnswer,
  rootAnswer,
  statsPage,
  subscriptionPage,
} from './document-answers.ts';
import { countsPage } from './counts-answer.ts';
import { transactionsPage } from './transaction-list.ts';
import { requireKnownFilters } from './known-filters.ts';
import { feedPage, historyPage, readFeedPage } from './lists.ts';
import { sectionPage } from './reference-sections.ts';
import { readWatchlistPage, watchlistPage } from './watchlist.ts';

/**
 * Makes the answer of an operation to a plan of the contract and a checked query: a document, or a page as JSON.
 * `nowMs`, in milliseconds since 1970, only decides whether data counts as stale. `pause` is called where work may
 * pause, if requests take turns. Throws `ApiError`, and `CorruptSnapshot` for bytes that differ from their digest.
 */
export async function answer(
  snapshot: Snapshot,
  plan: AnswerPlan,
  query: Query,
  nowMs: number,
  pause: () => Promise<void> | null = () => null,
): Promise<Answer> {
  switch (plan.kind) {
    case 'root':
      return rootAnswer(snapshot);
    case 'live':
      return probeAnswer;
    case 'ready':
      return readyAnswer(snapshot, nowMs);
    case 'health':
      return healthAnswer(snapshot, nowMs);
    case 'demo':
      return requirePublic(snapshot, '/demo');
    case 'openapi':
      return requirePublic(snapshot, '/openapi.json');
    case 'reference':
      return requirePublic(snapshot, referencePath);
    case 'validation':
      return documentAnswer(
        snapshot,
        `validation-stats-${(query.days ?? statisticsDaysDefault) as (typeof statisticsDays)[number]}`,
      );
    case 'bulk':
      return documentAnswer(snapshot, 'bulk');
    case 'bulkFile':
      return bulkFileAnswer(snapshot, query.file ?? '');
    default:
      return pageAnswer(await findPage(snapshot, plan, query, nowMs), pause);
  }
}

/**
 * Finds what a plan and a checked query ask for, for a renderer: the same for operations, tools and agent.
 * Throws as `answer` does. Plans of documents that only operations give have no page.
 */
export async function findPage(
  snapshot: Snapshot,
  plan: AnswerPlan,
  query: Query,
  nowMs: number,
): Promise<Page> {
  if (plan.kind === 'reference' && plan.section !== undefined) {
    const whole = JSON.parse(
      (await requirePublic(snapshot, referencePath)).body().toString(),
    ) as ReferenceResponse;
    // It says what a former name of a form is, whether or not a filing has it.
    const listed = whole.forms.flatMap(({ form }) => [form, `${form}/A`]);
    requireKnownFilters({ ...snapshot, forms: [...snapshot.forms, ...listed] }, plan, query);
    return sectionPage(whole, plan.section, query);
  }
  requireKnownFilters(snapshot, plan, query);
  switch (plan.kind) {
    case 'stats':
      return statsPage(snapshot, nowMs);
    case 'subscription':
      return subscriptionPage(snapshot);
    case 'demo':
      return demoPage(await requirePublic(snapshot, '/demo'), query.limit, snapshot);
    case 'history':
      return inPasses(() => historyPage(snapshot, query, plan));
    default:
  }
  const read = pages[plan.kind];
  if (!read) throw new Error(`no page is made of ${plan.kind}`);
  return inPasses(() => read(snapshot, query));
}

/** What reads pages from tables and the log, by the kind of the plan alone. */
const pages: { readonly [Kind in AnswerPlan['kind']]?: (snapshot: Snapshot, query: Query) => Page } = {
  search: searchPage,
  companies: companiesPage,
  watchlist: watchlistPage,
  transactions: transactionsPage,
  counts: countsPage,
  feed: feedPage,
  profile: (snapshot, { ticker = '' }) => profilePage(snapshot, ticker),
  filings: (snapshot, { accessionNos = [] }) => filingsPage(snapshot, accessionNos),
  summary: (snapshot, { accessionNo = '' }) => summaryPage(snapshot, accessionNo),
  ownership: (snapshot, { accessionNo = '' }) => ownershipPage(snapshot, accessionNo),
};

/** The plans of the operations that can be streamed. */
export interface StreamPlan {
  readonly kind: 'feed' | 'watchlist';
}

/** Makes the next events of a stream. Throws `ApiError`. */
export async function eventsAnswer(snapshot: Snapshot, plan: StreamPlan, query: Query): Promise<Answer> {
  requireKnownFilters(snapshot, plan, query);
  const read = plan.kind === 'feed' ? readFeedPage : readWatchlistPage;
  return inPasses(() => eventsOf(read(snapshot, query), query.cursor === undefined));
}

async function requirePublic(snapshot: Snapshot, urlPath: string): Promise<Answer> {
  const found = await publicAnswer(snapshot, urlPath);
  if (!found) throw new ApiError('not_found', `nothing is at ${urlPath}`);
  return found;
}
