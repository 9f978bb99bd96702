import type { z } from 'zod';
import type { CompanySearchResponse, DemoResponse, FilingSummaryResponse, WatchlistChangesResponse } from '../contract/envelopes.ts';
import type { Filing } from '../contract/records.ts';
import type { SubscriptionResponse, Tool } from '../contract/tools.ts';

/** Rows that a text names one by one; the rest is counted. The structured content holds all of them. */
const rowsMaximum = 20;

const filingLine = ({ filedAt, form, companyName, ticker, eventType, items, accessionNo }: Filing) =>
  `- ${filedAt ?? 'no date'} ${form} ${companyName}${ticker === null ? '' : ` (${ticker})`}: ${eventType}${items.length > 0 ? `, items ${items.join(' ')}` : ''} [${accessionNo}]`;

function lines<Row>(rows: readonly Row[], line: (row: Row) => string): string {
  const rest = rows.length - rowsMaximum;
  return [...rows.slice(0, rowsMaximum).map(line), ...(rest > 0 ? [`- and ${rest} more in the structured content`] : [])].join('\n');
}

function watchlistText({ data, meta }: z.infer<typeof WatchlistChangesResponse>): string {
  const buckets = data.map(({ ticker, companyName, status, changes }) =>
    status === 'ok' ? `${companyName} (${ticker}): ${changes.length} changes\n${lines(changes, ({ filing }) => filingLine(filing))}`.trimEnd() : `${ticker}: no company of this service has this symbol or CIK`);
  return `${meta.count} changes of ${meta.tickerCount} companies filed since ${meta.since}, oldest first.\n${buckets.join('\n')}`;
}

function searchText({ data, meta }: z.infer<typeof CompanySearchResponse>): string {
  return `${meta.count} companies match ${JSON.stringify(meta.query)}.\n${lines(data, ({ name, ticker, cik, filingCount, latestFilingAt }) => `- ${name}${ticker === null ? '' : ` (${ticker})`}, CIK ${cik}, ${filingCount} filings, newest ${latestFilingAt ?? 'none'}`)}`.trimEnd();
}

function demoText({ data, meta }: z.infer<typeof DemoResponse>): string {
  return `A public sample: ${data.latestFilings.length} of ${data.stats.filingCount} filings.\n${lines(data.latestFilings, filingLine)}\nEverything else needs a subscription: ${meta.subscribeUrl}`;
}

function subscriptionText({ data }: z.infer<typeof SubscriptionResponse>): string {
  return `Plans: ${data.pricingUrl}\nCheckout: ${data.checkoutUrl}\nDocumentation: ${data.docsUrl}\nKey set-up: ${data.keySetupUrl}\n${data.keyHeaders.map(({ header, value, access }) => `${access}: ${header}: ${value}`).join('\n')}`;
}

/** A short text of an answer for a reader who does not look at the structured content. `body` is the parsed envelope. */
export function textOf({ answer }: Tool, body: unknown): string {
  switch (answer.kind) {
    case 'watchlist': return watchlistText(body as z.infer<typeof WatchlistChangesResponse>);
    case 'search': return searchText(body as z.infer<typeof CompanySearchResponse>);
    case 'summary': {
      const { data } = body as z.infer<typeof FilingSummaryResponse>;
      return `${data.summary} ${data.detailUrl ?? ''}`.trimEnd();
    }
    case 'demo': return demoText(body as z.infer<typeof DemoResponse>);
    case 'subscription': return subscriptionText(body as z.infer<typeof SubscriptionResponse>);
    default: return JSON.stringify(body);
  }
}
