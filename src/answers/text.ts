import type { z } from 'zod';
import type {
  ChangeListResponse,
  CompanyProfileResponse,
  CompanySearchResponse,
  DemoResponse,
  EventListResponse,
  AppliedFilters,
  FilingsResponse,
  FilingSummaryResponse,
  StatsResponse,
  WatchlistChangesResponse,
} from '../contract/envelopes.ts';
import { limitBounds, type Query } from '../contract/parameters.ts';
import type { Change, Event } from '../contract/records.ts';
import type { SubscriptionResponse, Tool } from '../contract/tools.ts';
import type { Coverage } from '../snapshot/coverage.ts';

/**
 * The most rows of a list that a text names; the others are only counted. The structured content holds all
 * rows.
 */
const rowsMaximum = 50;

/** A filing or an event; filings have parties. */
type Row = Event & {
  readonly parties?: readonly {
    readonly cik: string;
    readonly name: string | null;
    readonly role: string | null;
  }[];
};

/** What a text says beside the rows: the request, and the coverage of the data. */
interface AnswerContext {
  readonly query: Query;
  readonly coverage: Coverage;
  /** The company that `ticker` names; null if the request names none. */
  readonly company: { readonly cik: string; readonly name: string } | null;
}

/** The names of parties that filed about the company: owners of a Form 4, holders of a Schedule 13D. */
const ownersOf = ({ parties = [] }: Row) =>
  parties
    .filter(({ role }) => role === 'reporting_owner' || role === 'filed_by')
    .map(({ cik, name }) => name ?? `CIK ${cik}`);

function filingLine(row: Row): string {
  const { filedAt, form, companyName, ticker, eventType, items, accessionNo } = row;
  const owners = ownersOf(row);
  return `- ${filedAt ?? 'no date'} ${form} ${named(companyName, ticker)}: ${eventType}${items.length > 0 ? `, items ${items.join(' ')}` : ''}${owners.length > 0 ? `, filed by ${owners.join(' and ')}` : ''} [${accessionNo}]`;
}

const named = (name: string, ticker: string | null) => `${name}${ticker === null ? '' : ` (${ticker})`}`;

const changeLine = ({ filing, corrected }: Change) =>
  `${filingLine(filing)}${corrected ? `, corrected: ${corrected.join(', ')}` : ''}`;

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

function lines<Row>(rows: readonly Row[], line: (row: Row) => string): string {
  const rest = rows.length - rowsMaximum;
  return [
    ...rows.slice(0, rowsMaximum).map(line),
    ...(rest > 0
      ? [
          `- and ${rest} more in the structured content; with a limit of ${rowsMaximum} or less each is named here`,
        ]
      : []),
  ].join('\n');
}

/** Joins the lines that are not empty or false. */
const paragraphs = (...texts: readonly (string | false)[]) =>
  texts.filter((text) => text !== false && text !== '').join('\n');

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
function narrowedText({ form, eventType, items, since, until }: AppliedFilters): string {
  const said = (word: string, value: string | null) =>
    value === null ? [] : [`${word} ${value.replaceAll(',', ' or ')}`];
  const filters = [...said('form', form), ...said('event type', eventType), ...said('item', items)];
  const bounds = [...said('since', since), ...said('until', until)];
  return `${filters.length > 0 ? ` with ${filters.join(' and ')}` : ''}${bounds.length > 0 ? ` filed ${bounds.join(' and ')}` : ''}`;
}

/**
 * The company of an answer. Says it in full, because a model may have guessed a symbol that belongs to
 * another company.
 */
const ofCompany = ({ company }: AnswerContext) =>
  company === null ? '' : ` of ${company.name} (CIK ${company.cik})`;

const afterCursor = ({ cursor }: Query) => (cursor === undefined ? '' : ', after the cursor');

/**
 * The first line of a list of changes: "5 changes filed since …". `isWhole` tells that the limit did not cut
 * the list.
 */
function changesHead(
  { count, filters }: { readonly count: number; readonly filters: AppliedFilters },
  of: string,
  isWhole: boolean,
  asked: AnswerContext,
): string {
  const range = `${of}${narrowedText(filters)}${afterCursor(asked.query)}`;
  if (count === 0) return nothingSince(filters.since, asked.coverage) ?? `No changes${range}.`;
  return `${isWhole ? '' : 'The first '}${counted(count, 'change', 'changes')}${range}, oldest first.`;
}

/** How to ask for more. */
const withCursor = (cursor: string) => `call again with the same arguments and the cursor ${cursor}`;

function howToContinue(nextCursor: string, isWhole: boolean): string {
  return isWhole
    ? `That is all so far. For what comes later, ${withCursor(nextCursor)}`
    : `There may be more. To go on, ${withCursor(nextCursor)}`;
}

function watchlistText(
  { data, meta }: z.infer<typeof WatchlistChangesResponse>,
  asked: AnswerContext,
): string {
  const limit = asked.query.limit ?? limitBounds.default;
  const isCut = (count: number) => count >= limit;
  const buckets = data.map(({ ticker, companyName, status, changes }) => {
    if (status !== 'ok') return `${ticker}: no company of this service has this symbol or CIK`;
    const count = changes.length === 0 ? 'none' : counted(changes.length, 'change', 'changes');
    return paragraphs(
      `${companyName} (${ticker}): ${isCut(changes.length) ? `the first ${count}, as many as the limit allows; there may be more` : count}`,
      lines(changes, changeLine),
    );
  });
  const isWhole = !data.some(({ count }) => isCut(count));
  return paragraphs(
    changesHead(meta, ` of ${counted(meta.tickerCount, 'company', 'companies')}`, isWhole, asked),
    ...buckets,
    howToContinue(meta.nextCursor, isWhole),
  );
}

function feedText({ data, meta }: z.infer<typeof ChangeListResponse>, asked: AnswerContext): string {
  const isWhole = data.length < (asked.query.limit ?? limitBounds.default);
  return paragraphs(
    changesHead(meta, ofCompany(asked), isWhole, asked),
    lines(data, changeLine),
    howToContinue(meta.nextCursor, isWhole),
  );
}

function searchText({ data, meta }: z.infer<typeof CompanySearchResponse>, { query }: AnswerContext): string {
  const isWhole = data.length < (query.limit ?? limitBounds.default);
  const asked = JSON.stringify(meta.query);
  if (data.length === 0)
    return `No company matches ${asked}. Search takes a ticker symbol, a CIK, or the beginnings of words of a present or former name.`;
  const found = `${isWhole ? '' : 'The first '}${counted(meta.count, 'company that matches', 'companies that match')}`;
  return paragraphs(
    `${meta.partial ? `No company matches all of ${asked}. ${found} a part of it` : `${found} ${asked}`}, best first${isWhole ? '' : `; there may be more, with a greater limit (${limitBounds.maximum} at most) or a longer name`}.`,
    lines(
      data,
      ({ name, ticker, cik, filingCount, latestFilingAt }) =>
        `- ${named(name, ticker)}, CIK ${cik}, ${counted(filingCount, 'filing', 'filings')}, newest ${latestFilingAt ?? 'none'}`,
    ),
  );
}

function demoText({ data, meta }: z.infer<typeof DemoResponse>): string {
  return `A public sample: ${data.latestFilings.length} of ${data.stats.filingCount} filings, newest first.\n${lines(data.latestFilings, filingLine)}\nEverything else needs a subscription: ${meta.subscribeUrl}`;
}

function subscriptionText({ data }: z.infer<typeof SubscriptionResponse>): string {
  return `Plans: ${data.pricingUrl}\nCheckout: ${data.checkoutUrl}\nDocumentation: ${data.docsUrl}\nKey set-up: ${data.keySetupUrl}\n${data.keyHeaders.map(({ header, value, access }) => `${access}: ${header}: ${value}`).join('\n')}`;
}

function filingsText({ data, meta }: z.infer<typeof FilingsResponse>): string {
  const { unknown } = meta;
  return paragraphs(
    `${counted(meta.count, 'filing', 'filings')}, in the order asked.`,
    lines(data, filingLine),
    unknown.length > 0 &&
      `This service has no ${unknown.length === 1 ? 'filing' : 'filings'} ${unknown.join(', ')}.`,
  );
}

function profileText({ data }: z.infer<typeof CompanyProfileResponse>): string {
  const { name, ticker, tickers, formerNames, cik, filingCount, forms, latestFiling } = data;
  const rest = forms.length - rowsMaximum;
  const counts = [
    ...forms.slice(0, rowsMaximum).map(({ form, count }) => `${count} ${form}`),
    ...(rest > 0 ? [`${rest} more forms`] : []),
  ].join(', ');
  return paragraphs(
    `${named(name, ticker)}, CIK ${cik}: ${counted(filingCount, 'filing', 'filings')} (${counts}).`,
    tickers.length > 1 && `Ticker symbols: ${tickers.join(', ')}.`,
    formerNames.length > 0 && `Former names: ${formerNames.join('; ')}.`,
    latestFiling !== null && `The newest:\n${filingLine(latestFiling)}`,
  );
}

function historyText(
  { data, meta }: z.infer<typeof EventListResponse>,
  isInsiderList: boolean,
  asked: AnswerContext,
): string {
  const rows: readonly Row[] = data;
  const { query, coverage } = asked;
  const kind = isInsiderList ? 'insider ' : '';
  const range = `${ofCompany(asked)}${narrowedText(meta.filters)}${afterCursor(query)}`;
  const unnamed = isInsiderList ? rows.filter((row) => ownersOf(row).length === 0).length : 0;
  return paragraphs(
    rows.length === 0
      ? (nothingSince(meta.filters.since, coverage) ?? `No ${kind}filings${range}.`)
      : `${counted(rows.length, `${kind}filing`, `${kind}filings`)}${range}, newest first${meta.nextCursor === null ? '; there are no older ones' : '; there are older ones'}.`,
    lines(rows, filingLine),
    unnamed > 0 &&
      `The metadata does not name the owner who filed${unnamed === rows.length ? '' : ` ${unnamed} of these`}; the form at \`documentUrl\` does.`,
    meta.nextCursor !== null && `To go on to older ones, ${withCursor(meta.nextCursor)}`,
  );
}

/**
 * An answer in words, for readers that do not look at the structured content. `body` is the parsed envelope.
 */
export function textOf({ answer }: Pick<Tool, 'answer'>, body: unknown, asked: AnswerContext): string {
  switch (answer.kind) {
    case 'watchlist':
      return watchlistText(body as z.infer<typeof WatchlistChangesResponse>, asked);
    case 'search':
      return searchText(body as z.infer<typeof CompanySearchResponse>, asked);
    case 'summary': {
      const { data } = body as z.infer<typeof FilingSummaryResponse>;
      const owners = ownersOf(data);
      return `${data.summary}${owners.length > 0 ? ` Filed by ${owners.join(' and ')}.` : ''} ${data.detailUrl ?? ''}`.trimEnd();
    }
    case 'filings':
      return filingsText(body as z.infer<typeof FilingsResponse>);
    case 'demo':
      return demoText(body as z.infer<typeof DemoResponse>);
    case 'subscription':
      return subscriptionText(body as z.infer<typeof SubscriptionResponse>);
    case 'profile':
      return profileText(body as z.infer<typeof CompanyProfileResponse>);
    case 'history':
      return historyText(body as z.infer<typeof EventListResponse>, answer.insiders === true, asked);
    case 'feed':
      return feedText(body as z.infer<typeof ChangeListResponse>, asked);
    case 'stats': {
      const { data } = body as z.infer<typeof StatsResponse>;
      return `${counted(data.filingCount, 'filing', 'filings')} of ${counted(data.companyCount, 'company', 'companies')}.`;
    }
    default:
      return JSON.stringify(body);
  }
}
