import { z } from 'zod';
import type { AnswerPlan } from './endpoints.ts';
import { CompanySearchResponse, DemoResponse, FilingSummaryResponse, WatchlistChangesResponse } from './envelopes.ts';
import { parameters, type Parameter } from './parameters.ts';

/** The path of the tool protocol. */
export const toolsPath = '/mcp';
/** What its operation is called in the schema document. */
export const toolsOperation = { id: 'callTools', summary: 'Tools for assistants' } as const;
/** The revision of the tool protocol without a handshake. */
export const currentRevision = '2026-07-28';
/** Revisions with a handshake, newest first. */
export const handshakeRevisions: readonly [string, ...string[]] = ['2025-11-25', '2025-06-18', '2025-03-26'];

/** What a subscription gives and where it is had. */
export const SubscriptionResponse = z
  .object({
    data: z.object({
      pricingUrl: z.string().describe('Plans and prices.'),
      checkoutUrl: z.string().describe('Where a plan is bought.'),
      docsUrl: z.string().describe('How the service is used.'),
      keySetupUrl: z.string().describe('How a key is got and sent.'),
      demoUrl: z.string().describe('The public sample.'),
      keyHeaders: z.array(z.object({ header: z.string(), value: z.string(), access: z.string() })).describe('Ways to send a key.'),
      toolsWithKey: z.array(z.string()).describe('Tools that need the key of direct access.'),
      operationsWithKey: z.array(z.string()).describe('Paths that need a key.'),
    }),
    meta: z.object({ notInvestmentAdvice: z.literal(true) }),
  })
  .meta({ id: 'SubscriptionResponse', description: 'What a subscription gives and where it is had.' });

/** One tool of the protocol endpoint: a REST operation by another door. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Tells a model when to use it, and what its dates and numbers mean. */
  readonly description: string;
  readonly access: 'public' | 'keyed';
  readonly arguments: readonly { readonly parameter: Parameter; readonly required?: boolean }[];
  /** The envelope of its structured content: the one that the REST answer has. */
  readonly response: z.ZodType;
  readonly answer: AnswerPlan;
  readonly example: Readonly<Record<string, string | number>>;
}

const { limit, since, tickers, q, cursor, accessionNo } = parameters;

const dates = '`filedAt` is the filing date (a filing accepted after 17:30 Eastern usually carries the next business day); `acceptanceDateTime` is US Eastern wall-clock time, yyyymmddhhmmss; `observedAt` and `ingestedAt` are UTC.';

/** Every tool, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  {
    name: 'sec_demo_latest_filings', title: 'Sample of the latest SEC filings (no key)', access: 'public',
    description: `A small public sample of real SEC filings, newest first, and of insider filings (Forms 3, 4 and 5), with links to a subscription. Use it to show what the data looks like, or when no key is configured. It is a sample: do not take it for everything that was filed. ${dates}`,
    arguments: [{ parameter: limit }], response: DemoResponse, answer: { kind: 'demo' }, example: { limit: 5 },
  },
  {
    name: 'sec_subscription_info', title: 'How to subscribe (no key)', access: 'public',
    description: 'Links to plans and prices, to checkout, to the documentation and to setting up a key, and how a key is sent. Use it when another tool says `unauthorized`, or when somebody asks about price or access.',
    arguments: [], response: SubscriptionResponse, answer: { kind: 'subscription' }, example: {},
  },
  {
    name: 'sec_watchlist_changes', title: 'New SEC filings of a watchlist', access: 'keyed',
    description: `What up to 25 companies filed with the SEC since a date, grouped by company, oldest first. Use it for "what is new at these companies". \`tickers\` are symbols or 10-digit CIKs with commas between; \`since\` is an inclusive filing date (left out: 30 days before the newest filing); \`limit\` holds for each company. To go on later without missing or repeating anything, pass \`meta.nextCursor\` of the last answer as \`cursor\`. \`changeType\`: \`material_event\` is a Form 8-K that reports more than exhibits, \`amended\` corrects an earlier filing, \`new\` is everything else. ${dates}`,
    arguments: [{ parameter: tickers, required: true }, { parameter: since }, { parameter: limit }, { parameter: cursor }], response: WatchlistChangesResponse, answer: { kind: 'watchlist' },
    example: { tickers: 'AAPL,MSFT', since: '2026-08-01', limit: 5 },
  },
  {
    name: 'sec_company_search', title: 'Find a company in SEC filings', access: 'keyed',
    description: 'Companies by ticker symbol, CIK, or the beginnings of words of a present or former name, best first. Use it to turn a name into the ticker or CIK that the other tools want. `filingCount` counts filings in this service; `latestFilingAt` is the filing date of the newest.',
    arguments: [{ parameter: q, required: true }, { parameter: limit }], response: CompanySearchResponse, answer: { kind: 'search' }, example: { q: 'apple' },
  },
  {
    name: 'sec_filing_summary', title: 'Summary of one SEC filing', access: 'keyed',
    description: `One filing by its accession number (0000320193-25-000079), with a plain sentence made from its metadata alone: nothing is read from its documents. \`detailUrl\` leads to the documents on sec.gov. ${dates}`,
    arguments: [{ parameter: accessionNo, required: true }], response: FilingSummaryResponse, answer: { kind: 'summary', table: 'summaries' }, example: { accessionNo: '0000320193-25-000079' },
  },
];

/** What an assistant is told about the tools as a whole. */
export const toolInstructions =
  'Metadata about public SEC filings, normalised: data, not investment advice. Find a company with sec_company_search, follow companies with sec_watchlist_changes, explain one filing with sec_filing_summary. These three need a key (header x-api-key, or Authorization: Bearer); sec_demo_latest_filings and sec_subscription_info need none.';
