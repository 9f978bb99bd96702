import type { z } from 'zod';
import type {
  ChangeListResponse, CompanyProfileResponse, CompanySearchResponse, DemoResponse, EventListResponse, FilingSummaryResponse, StatsResponse, WatchlistChangesResponse,
} from '../contract/envelopes.ts';
import type { Change, Event } from '../contract/records.ts';
import type { SubscriptionResponse, Tool } from '../contract/tools.ts';

/** Rows that a text names one by one; the rest is counted. The structured content holds all of them. */
const rowsMaximum = 20;

const filingLine = ({ filedAt, form, companyName, ticker, eventType, items, accessionNo }: Event) =>
  `- ${filedAt ?? 'no date'} ${form} ${companyName}${ticker === null ? '' : ` (${ticker})`}: ${eventType}${items.length > 0 ? `, items ${items.join(' ')}` : ''} [${accessionNo}]`;

const changeLine = ({ filing, corrected }: Change) => `${filingLine(filing)}${corrected ? `, corrected: ${corrected.join(', ')}` : ''}`;

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

function lines<Row>(rows: readonly Row[], line: (row: Row) => string): string {
  const rest = rows.length - rowsMaximum;
  return [...rows.slice(0, rowsMaximum).map(line), ...(rest > 0 ? [`- and ${rest} more in the structured content`] : [])].join('\n');
}

function watchlistText({ data, meta }: z.infer<typeof WatchlistChangesResponse>): string {
  const buckets = data.map(({ ticker, companyName, status, changes }) =>
    status === 'ok' ? `${companyName} (${ticker}): ${counted(changes.length, 'change', 'changes')}\n${lines(changes, changeLine)}`.trimEnd() : `${ticker}: no company of this service has this symbol or CIK`);
  return `${counted(meta.count, 'change', 'changes')} of ${counted(meta.tickerCount, 'company', 'companies')} filed since ${meta.since}, oldest first.\n${buckets.join('\n')}`;
}

function searchText({ data, meta }: z.infer<typeof CompanySearchResponse>): string {
  return `${counted(meta.count, 'company matches', 'companies match')} ${JSON.stringify(meta.query)}.\n${lines(data, ({ name, ticker, cik, filingCount, latestFilingAt }) => `- ${name}${ticker === null ? '' : ` (${ticker})`}, CIK ${cik}, ${filingCount} filings, newest ${latestFilingAt ?? 'none'}`)}`.trimEnd();
}

function demoText({ data, meta }: z.infer<typeof DemoResponse>): string {
  return `A public sample: ${data.latestFilings.length} of ${data.stats.filingCount} filings.\n${lines(data.latestFilings, filingLine)}\nEverything else needs a subscription: ${meta.subscribeUrl}`;
}

function subscriptionText({ data }: z.infer<typeof SubscriptionResponse>): string {
  return `Plans: ${data.pricingUrl}\nCheckout: ${data.checkoutUrl}\nDocumentation: ${data.docsUrl}\nKey set-up: ${data.keySetupUrl}\n${data.keyHeaders.map(({ header, value, access }) => `${access}: ${header}: ${value}`).join('\n')}`;
}

function profileText({ data }: z.infer<typeof CompanyProfileResponse>): string {
  const { name, ticker, cik, filingCount, forms, latestFiling } = data;
  const counts = forms.slice(0, rowsMaximum).map(({ form, count }) => `${count} ${form}`).join(', ');
  return `${name}${ticker === null ? '' : ` (${ticker})`}, CIK ${cik}: ${counted(filingCount, 'filing', 'filings')} (${counts}).${latestFiling ? `\nThe newest:\n${filingLine(latestFiling)}` : ''}`;
}

function historyText({ data, meta }: z.infer<typeof EventListResponse>): string {
  return `${counted(data.length, 'filing', 'filings')}, newest first${meta.nextCursor === null ? '' : '; there are older ones'}.\n${lines(data, filingLine)}`.trimEnd();
}

function feedText({ data, meta }: z.infer<typeof ChangeListResponse>): string {
  return `${counted(meta.count, 'change', 'changes')} filed since ${meta.since}, oldest first.\n${lines(data, changeLine)}`.trimEnd();
}

function statsText({ data, meta }: z.infer<typeof StatsResponse>): string {
  const fetched = meta.dataFetchedAt === null ? '' : ` Fetched ${meta.dataFetchedAt}${meta.stale ? ', which is stale' : ''}.`;
  const kind = meta.sample ? ' It is a sample for trying out, no live data.' : '';
  return `${counted(data.filingCount, 'filing', 'filings')} of ${counted(data.companyCount, 'company', 'companies')}.${fetched}${kind}`;
}

/** A short text of an answer for a reader who does not look at the structured content. `body` is the parsed envelope. */
export function textOf({ answer }: Pick<Tool, 'answer'>, body: unknown): string {
  switch (answer.kind) {
    case 'watchlist': return watchlistText(body as z.infer<typeof WatchlistChangesResponse>);
    case 'search': return searchText(body as z.infer<typeof CompanySearchResponse>);
    case 'summary': {
      const { data } = body as z.infer<typeof FilingSummaryResponse>;
      return `${data.summary} ${data.detailUrl ?? ''}`.trimEnd();
    }
    case 'demo': return demoText(body as z.infer<typeof DemoResponse>);
    case 'subscription': return subscriptionText(body as z.infer<typeof SubscriptionResponse>);
    case 'profile': return profileText(body as z.infer<typeof CompanyProfileResponse>);
    case 'history': return historyText(body as z.infer<typeof EventListResponse>);
    case 'feed': return feedText(body as z.infer<typeof ChangeListResponse>);
    case 'stats': return statsText(body as z.infer<typeof StatsResponse>);
    default: return JSON.stringify(body);
  }
}
