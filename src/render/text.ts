import type * as z from 'zod';
import type {
  ChangeListResponse,
  CompanyListResponse,
  CompanySearchResponse,
  DemoResponse,
  EventListResponse,
  AppliedFilters,
  FilingsResponse,
  StatsResponse,
  PartialReason,
  WatchlistChangesResponse,
} from '../contract/envelopes.ts';
import type { InsiderTransaction, InsiderTransactionListResponse } from '../contract/insider-transactions.ts';
import type { CountsResponse } from '../contract/counts.ts';
import { eachFilter } from '../contract/filing-filters.ts';
import { limitBounds, type Query } from '../contract/parameters.ts';
import type { Change, Company } from '../contract/records.ts';
import type { AnswerPlan } from '../contract/endpoints.ts';
import type { Tool } from '../contract/tools.ts';
import type { Coverage } from '../snapshot/coverage.ts';
import { companiesNarrowedText, companyLine } from './company-line.ts';
import { filingLine, insiderLine, named, namesOwner, transactionsLine, type Row } from './filing-line.ts';
import { quoted } from './filer-text.ts';
import { ownershipText, profileText, subscriptionText, summaryText } from './record-text.ts';
import { sectionLine, sectionText, type SectionBody } from './reference-text.ts';
import { byFiling, transactionsNarrowed } from './transaction-words.ts';
import { counted, firstCounted, paragraphs, said, withFilters } from './words.ts';

/** What a text says beside the rows: the request, and the coverage of the data. */
export interface AnswerContext {
  readonly query: Query;
  readonly coverage: Coverage;
  /** The company that `ticker` names; null if the request names none. */
  readonly company: { readonly cik: string; readonly name: string } | null;
  /** The buckets of a watchlist, by position, that have more changes than the answer gives. */
  readonly cut?: ReadonlySet<number> | undefined;
  /** The buckets of a watchlist that a budget left out: they have no changes in the answer. */
  readonly leftOut?: { readonly buckets: number; readonly withMore: number } | undefined;
  /** What a budget left out; absent if it left out nothing. */
  readonly shortened?: Shortened | undefined;
  /** Gives the lines of rows. */
  readonly line: LineOf;
}

/** How an answer was shortened to its budget. */
export interface Shortened {
  readonly maxTokens: number;
  /** The accession numbers that were asked for and not answered. */
  readonly unanswered: readonly string[];
}

const changeLine = ({ filing, corrected }: Change) =>
  `${filingLine(filing)}${corrected ? `, corrected: ${corrected.join(', ')}` : ''}`;

/** Gives the line of a row: a filing, a change, a company, or a row of the reference. */
export type LineOf = (row: unknown) => string;

const companyHitLine = ({ name, ticker, cik, filingCount, latestFilingAt }: Company) =>
  `- ${named(name, ticker)}, CIK ${cik}, ${counted(filingCount, 'filing', 'filings')}, newest ${latestFilingAt ?? 'none'}`;

/** How many rows a short text has: of a list, and of each company of a watchlist. */
const shortRows = { list: 3, bucket: 1 } as const;

/** The lines of rows. A short text has the newest ones, which `end` says where they are. */
function lines(
  rows: readonly unknown[],
  { line, query }: AnswerContext,
  end: 'first' | 'last' = 'first',
  rowsMaximum: number = shortRows.list,
): string {
  if (query.text !== 'short' || rows.length <= rowsMaximum) return rows.map(line).join('\n');
  const shown = end === 'first' ? rows.slice(0, rowsMaximum) : rows.slice(-rowsMaximum);
  const others = `(${rows.length - rowsMaximum} more in the structured content)`;
  const texts = shown.map(line);
  return (end === 'first' ? [...texts, others] : [others, ...texts]).join('\n');
}

/** The newest day in the data, when the data was fetched, and whether it is a sample or stale. */
export function coverageText({ newestFiledOn, fetchedAt, isSample, isStale }: Coverage): string {
  const fetched = `fetched ${fetchedAt.slice(0, 16)}Z.`;
  return `${newestFiledOn === null ? `No data, ${fetched}` : `Data up to ${newestFiledOn}, ${fetched}`}${isSample ? ' It is a sample for trying out, no live data.' : ''}${isStale ? ' It is stale: what was filed since then may be missing.' : ''}`;
}

/** Says that a `since` after the newest filing finds nothing; null for an earlier `since`. */
function nothingSince(since: string | null, { newestFiledOn }: Coverage): string | null {
  if (since === null || newestFiledOn === null || since <= newestFiledOn) return null;
  return `Nothing can match since ${since}: the newest filing in the data is of ${newestFiledOn}.`;
}

/** The filters of a list in words: " with form 8-K and item 2.02 or 5.02 filed since …". */
const narrowedText = (applied: AppliedFilters) =>
  withFilters(
    eachFilter.flatMap(({ word, name }) => said(word, applied[name])),
    applied,
  );

/**
 * The company of an answer. Says it in full, because a model may have guessed a symbol that belongs to
 * another company.
 */
const ofCompany = ({ company }: AnswerContext) =>
  company === null ? '' : ` of ${quoted(company.name)} (CIK ${company.cik})`;

const soFar = ' among those looked at so far.';
const afterCursor = ({ cursor }: Query) => (cursor === undefined ? '' : ', after the cursor');

/**
 * The first line of a list of changes: "5 changes filed since …". `isWhole` tells that nothing cut the list.
 */
function changesHead(
  { count, filters }: { readonly count: number; readonly filters: AppliedFilters },
  of: string,
  isWhole: boolean,
  asked: AnswerContext,
): string {
  const range = `${of}${narrowedText(filters)}${afterCursor(asked.query)}`;
  if (count === 0 && !isWhole) return `No changes${range}${soFar}`;
  if (count === 0) return nothingSince(filters.since, asked.coverage) ?? `No changes${range}.`;
  const changes = (isWhole ? counted : firstCounted)(count, 'change', 'changes');
  return `${isWhole ? '' : 'The '}${changes}${range}, oldest first.`;
}

/** Says that a budget left out rows, and how to get those that no cursor leads to; empty if it left out none. */
function shortenedText({ shortened }: AnswerContext, hasCursor: boolean): string {
  if (shortened === undefined) return '';
  const { maxTokens, unanswered } = shortened;
  const cause = `Shortened to ${counted(maxTokens, 'token', 'tokens')} (\`maxTokens\`)`;
  if (unanswered.length > 0)
    return `${cause}. To go on, call again with the accessionNos ${unanswered.join(',')}`;
  return hasCursor
    ? `${cause}: the cursor leads to the rest.`
    : `${cause}: a greater \`maxTokens\` gives more.`;
}

/** Whether a list has fewer rows than were asked for, and a budget left out none. */
const hasRoom = (rows: readonly unknown[], { query, shortened }: AnswerContext) =>
  shortened === undefined && rows.length < (query.limit ?? limitBounds.default);

/** How to ask for more. */
const withCursor = (cursor: string) => `call again with the same arguments and the cursor ${cursor}`;

function howToContinue(nextCursor: string, isWhole: boolean): string {
  return isWhole
    ? `That is all so far. For what comes later, ${withCursor(nextCursor)}`
    : `There may be more. To go on, ${withCursor(nextCursor)}`;
}

const noSuchCompany = 'no company of this service has this symbol or CIK';

function watchlistText(
  { data, meta }: z.infer<typeof WatchlistChangesResponse>,
  asked: AnswerContext,
): string {
  const { cut = new Set(), leftOut = { buckets: 0, withMore: 0 } } = asked;
  const buckets = data.map(({ ticker, companyName, status, changes }, at) => {
    if (status !== 'ok') return `${ticker}: ${noSuchCompany}`;
    const isNone = changes.length === 0;
    const count = isNone ? 'none' : counted(changes.length, 'change', 'changes');
    const more = isNone
      ? 'none here, but there are some'
      : `the ${firstCounted(changes.length, 'change', 'changes')}; there are more`;
    return paragraphs(
      `${quoted(companyName ?? '')} (${ticker}): ${cut.has(at) ? more : count}`,
      lines(changes, asked, 'last', shortRows.bucket),
    );
  });
  const isWhole = cut.size === 0 && leftOut.withMore === 0;
  return paragraphs(
    changesHead(meta, ` of ${counted(meta.tickerCount, 'company', 'companies')}`, isWhole, asked),
    ...buckets,
    leftOut.buckets > 0 &&
      `${counted(leftOut.buckets, 'company', 'companies')} without changes here ${leftOut.buckets === 1 ? 'is' : 'are'} left out${leftOut.withMore > 0 ? `; ${leftOut.withMore} of them ${leftOut.withMore === 1 ? 'has' : 'have'} some, to which the cursor leads` : ''}.`,
    shortenedText(asked, true),
    howToContinue(meta.nextCursor, isWhole),
  );
}

function feedText({ data, meta }: z.infer<typeof ChangeListResponse>, asked: AnswerContext): string {
  const isWhole = hasRoom(data, asked) && meta.endedEarly !== true;
  return paragraphs(
    changesHead(meta, ofCompany(asked), isWhole, asked),
    lines(data, asked, 'last'),
    ...meta.unknown.map((entry) => `${entry}: ${noSuchCompany}`),
    shortenedText(asked, true),
    howToContinue(meta.nextCursor, isWhole),
  );
}

/** What a search did not look at, by the reason. */
const unseenText: Record<PartialReason, string> = {
  missing_words: '',
  few_letters:
    ' With fewer than three letters only companies with a ticker symbol are found by the beginning of a word; there may be others.',
  many_names: ' So many names have these words that not all were looked at; a longer name finds the others.',
};

function searchText({ data, meta }: z.infer<typeof CompanySearchResponse>, context: AnswerContext): string {
  const isWhole = hasRoom(data, context);
  const greater = context.shortened
    ? 'a greater `maxTokens`'
    : `a greater limit (${limitBounds.maximum} at most)`;
  const asked = JSON.stringify(meta.query);
  const meant = meta.didYouMean === null ? '' : ` Did you mean ${JSON.stringify(meta.didYouMean)}?`;
  const unseen = meta.partialBecause.map((reason) => unseenText[reason]).join('');
  if (data.length === 0)
    return `No company matches ${asked}.${meant} Search takes a ticker symbol, a CIK, or the beginnings of words of a present or former name, of at least three letters.${unseen}`;
  const companies = (isWhole ? counted : firstCounted)(
    meta.count,
    'company that matches',
    'companies that match',
  );
  const found = `${isWhole ? '' : 'The '}${companies}`;
  return paragraphs(
    `${meta.partialBecause.includes('missing_words') ? `No company was found that matches all of ${asked}.${meant} ${found} a part of it` : `${found} ${asked}`}, best first${isWhole ? '' : `; there may be more, with ${greater} or a longer name`}.${unseen}`,
    lines(data, context),
    shortenedText(context, false),
  );
}

function companiesText({ data, meta }: z.infer<typeof CompanyListResponse>, asked: AnswerContext): string {
  const { nextCursor, filters, total } = meta;
  const all = total === null ? '' : ` of ${total}`;
  const range = `${companiesNarrowedText(filters)}${afterCursor(asked.query)}`;
  const found =
    data.length === 0
      ? `No companies${range}`
      : `${data.length}${all} ${data.length === 1 && all === '' ? 'company' : 'companies'}${range}, by CIK`;
  return paragraphs(
    `${found}; there ${nextCursor === null ? 'are no more' : 'may be more'}.`,
    lines(data, asked),
    nextCursor !== null && shortenedText(asked, true),
    nextCursor !== null && `To go on, ${withCursor(nextCursor)}`,
  );
}

function demoText({ data, meta }: z.infer<typeof DemoResponse>, asked: AnswerContext): string {
  return paragraphs(
    `A public sample: ${data.latestFilings.length} of ${data.stats.filingCount} filings, newest first.`,
    lines(data.latestFilings, asked),
    shortenedText(asked, false),
    `Everything else needs a key: ${meta.subscribeUrl}`,
  );
}

function filingsText({ data, meta }: z.infer<typeof FilingsResponse>, asked: AnswerContext): string {
  const { unknown } = meta;
  return paragraphs(
    `${counted(meta.count, 'filing', 'filings')}, in the order asked.`,
    lines(data, asked),
    unknown.length > 0 &&
      `This service has no ${unknown.length === 1 ? 'filing' : 'filings'} ${unknown.join(', ')}.`,
    shortenedText(asked, false),
  );
}

type Events = z.infer<typeof EventListResponse>;

/** Where readers of insider filings find more. */
const besideInsiderFilings =
  'What insiders bought and sold is in their transactions, a list of its own. Planned sales are announced on Form 144, which is not in this list: ask for the filings of the company with form 144.';

/** Said where a list by issuer is empty: who was asked for may be an owner. */
const asIssuer =
  'The company is asked for as an issuer here: what somebody reports as an owner is among the filings of that owner, and in insider transactions by `owner`.';

function historyText({ data, meta }: Events, asked: AnswerContext, isInsiderList = false): string {
  const rows: readonly Row[] = data;
  const { query, coverage } = asked;
  const kind = isInsiderList ? 'insider ' : '';
  const range = `${ofCompany(asked)}${narrowedText(meta.filters)}${afterCursor(query)}`;
  const unnamed = isInsiderList ? rows.filter((row) => !namesOwner(row)).length : 0;
  const { total } = meta;
  const found =
    total === null || total === rows.length
      ? counted(rows.length, `${kind}filing`, `${kind}filings`)
      : `${query.cursor === undefined ? 'The newest ' : ''}${rows.length} of ${counted(total, `${kind}filing`, `${kind}filings`)}`;
  return paragraphs(
    rows.length === 0 && meta.nextCursor !== null
      ? `No ${kind}filings${range}${soFar}`
      : rows.length === 0
        ? (nothingSince(meta.filters.since, coverage) ?? `No ${kind}filings${range}.`)
        : `${found}${range}, newest first${meta.nextCursor === null ? '; there are no older ones' : '; there are older ones'}.`,
    lines(rows, asked),
    unnamed > 0 &&
      `The metadata does not name the owner who filed${unnamed === rows.length ? '' : ` ${unnamed} of these`}; the form at \`documentUrl\` does.`,
    isInsiderList && rows.length === 0 && asked.company !== null && asIssuer,
    isInsiderList && besideInsiderFilings,
    meta.nextCursor !== null && shortenedText(asked, true),
    meta.nextCursor !== null && `To go on to older ones, ${withCursor(meta.nextCursor)}`,
  );
}

const countLine = ({ value, count }: CountsResponse['data'][number]) => `- ${value}: ${count}`;

const itemsTogether =
  'How many there are together is not known, because one filing may have several of these items: ask for one item, for a row each (`by` item), or for one company.';

function countsText({ data, meta: { total, by, filters } }: CountsResponse, asked: AnswerContext): string {
  const applied: Readonly<Record<string, string | null>> = filters;
  const narrowed = eachFilter.flatMap(({ word, name }) => said(word, applied[name] ?? null));
  const range = `${ofCompany(asked)}${withFilters(narrowed, filters)}`;
  const counts = total === null ? `Filings${range}` : `${counted(total, 'filing', 'filings')}${range}`;
  return paragraphs(
    total !== null && total === 0
      ? (nothingSince(filters.since, asked.coverage) ?? `${counts}.`)
      : `${counts}${by === null ? '' : `, by ${by}`}.`,
    lines(data, asked),
    total === null && itemsTogether,
    shortenedText(asked, false),
  );
}

const unreadFilings =
  'Filings whose document was not read yet have none here: the list of insider filings names them.';

function transactionsText(
  { data, meta }: z.infer<typeof InsiderTransactionListResponse>,
  asked: AnswerContext,
): string {
  const { nextCursor, filters, unknown } = meta;
  const range = `${ofCompany(asked)}${transactionsNarrowed(filters)}${afterCursor(asked.query)}`;
  const more =
    nextCursor === null ? 'there are no older ones' : 'there may be more, of the last filing here, too';
  return paragraphs(
    data.length === 0
      ? nextCursor === null
        ? (nothingSince(filters.since, asked.coverage) ?? `No insider transactions${range}. ${unreadFilings}`)
        : `No insider transactions${range}${soFar}`
      : `${counted(data.length, 'insider transaction', 'insider transactions')}${range}, newest filing first; ${more}.`,
    lines(byFiling(data), {
      ...asked,
      line: (rows) => transactionsLine(rows as ReturnType<typeof byFiling>[number]),
    }),
    data.length === 0 && nextCursor === null && asked.company !== null && asIssuer,
    ...unknown.map((entry) => `${entry}: ${noSuchCompany}`),
    nextCursor !== null && shortenedText(asked, true),
    nextCursor !== null && `To go on, ${withCursor(nextCursor)}`,
  );
}

const statsText = ({ data }: z.infer<typeof StatsResponse>) =>
  `${counted(data.filingCount, 'filing', 'filings')} of ${counted(data.companyCount, 'company', 'companies')}.`;

const referenceText = (body: SectionBody, asked: AnswerContext) =>
  paragraphs(sectionText(body, asked.line), shortenedText(asked, false));

/** How the rows of an answer become lines, if it has any, and its parsed envelope a text. */
interface Words {
  readonly line?: (row: never) => string;
  readonly text: (body: never, asked: AnswerContext) => string;
}

/** The words of answers by their kind. Other answers are given as JSON. */
const words: { readonly [Kind in AnswerPlan['kind']]?: Words } = {
  watchlist: { line: changeLine, text: watchlistText },
  feed: { line: changeLine, text: feedText },
  search: { line: companyHitLine, text: searchText },
  companies: { line: companyLine, text: companiesText },
  counts: { line: countLine, text: countsText },
  transactions: { line: (row: InsiderTransaction) => transactionsLine([row]), text: transactionsText },
  reference: { line: sectionLine, text: referenceText },
  history: { line: filingLine, text: (body: Events, asked) => historyText(body, asked) },
  filings: { line: filingLine, text: filingsText },
  demo: { line: filingLine, text: demoText },
  summary: { text: summaryText },
  ownership: { text: ownershipText },
  subscription: { text: subscriptionText },
  profile: { text: profileText },
  stats: { text: statsText },
};
const wordsOfInsiders: Words = {
  line: insiderLine,
  text: (body: Events, asked) => historyText(body, asked, true),
};

const wordsOf = (plan: AnswerPlan): Words | undefined =>
  plan.kind === 'history' && plan.insiders === true ? wordsOfInsiders : words[plan.kind];

/** How the rows of a list become lines. */
export const lineOf = ({ answer }: Pick<Tool, 'answer'>): LineOf =>
  (wordsOf(answer)?.line ?? (() => '')) as LineOf;

/**
 * An answer in words, for readers that do not look at the structured content. `body` is the parsed envelope. The
 * lines of its rows are those of `lineOf`, unless `line` gives them.
 */
export function textOf(
  tool: Pick<Tool, 'answer'>,
  body: unknown,
  { line = lineOf(tool), ...others }: Omit<AnswerContext, 'line'> & Partial<Pick<AnswerContext, 'line'>>,
): string {
  return wordsOf(tool.answer)?.text(body as never, { line, ...others }) ?? JSON.stringify(body);
}
