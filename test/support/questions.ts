import type { Filing } from '../../src/contract/records.ts';
import { meets } from './filter-model.ts';

/** A question about the sample that is answered by one number: in one request, one call of a tool, one line of SQL. */
export interface Question {
  readonly asks: string;
  /** The address, whose answer counts all that match. */
  readonly path: string;
  /** The tool and its arguments. */
  readonly tool: string;
  readonly given: Readonly<Record<string, string>>;
  /** What a row of the exported table `filings` has to meet. */
  readonly where: string;
  /** What a filing has to meet: the naive way. */
  readonly matches: (filing: Filing) => boolean;
}

const apple = '0000320193';
const hour = '2026-08-05T16:00:00-04:00';
const isNamed = (cik: string) => `accessionNo IN (SELECT accessionNo FROM parties WHERE cik = '${cik}')`;
const isTraded = (what: string) => `accessionNo IN (SELECT accessionNo FROM transactions WHERE ${what})`;

type Asked = readonly [asks: string, query: string, where: string];

/** Questions that counts answer: one call costs 200 tokens at most. */
const counted: readonly Asked[] = [
  ['How many filings are there?', '', 'true'],
  ['How many current reports with Form 8-K?', 'form=8-K', "form = '8-K'"],
  [
    'How many incidents of cybersecurity (item 1.05) since 2026?',
    'form=8-K&items=1.05&since=2026-01-01',
    "form = '8-K' AND list_contains(items, '1.05') AND filedAt >= DATE '2026-01-01'",
  ],
  ['How many late notices?', 'form=NT 10-K,NT 10-Q', "form IN ('NT 10-K', 'NT 10-Q')"],
  [
    'How many annual reports with their amendments?',
    'eventType=annual_report',
    "eventType = 'annual_report'",
  ],
  [
    'How many changes of officers and directors in March?',
    'form=8-K&items=5.02&since=2026-03-01&until=2026-03-31',
    "form = '8-K' AND list_contains(items, '5.02') AND filedAt BETWEEN DATE '2026-03-01' AND DATE '2026-03-31'",
  ],
  [
    'How many results since July?',
    'items=2.02&since=2026-07-01',
    "list_contains(items, '2.02') AND filedAt >= DATE '2026-07-01'",
  ],
  [
    'How many filings of insiders in March?',
    'eventType=insider_transaction&since=2026-03-01&until=2026-03-31',
    "eventType = 'insider_transaction' AND filedAt BETWEEN DATE '2026-03-01' AND DATE '2026-03-31'",
  ],
  [
    'How many filings of all kinds on a day?',
    'since=2026-08-05&until=2026-08-05',
    "filedAt = DATE '2026-08-05'",
  ],
  ['How many filings name Apple?', `ticker=${apple}`, isNamed(apple)],
  [
    'How many current reports of Apple since 2025?',
    `ticker=${apple}&form=8-K&since=2025-01-01`,
    `${isNamed(apple)} AND form = '8-K' AND filedAt >= DATE '2025-01-01'`,
  ],
  [
    'How often were planned sales of Apple announced?',
    `ticker=${apple}&form=144`,
    `${isNamed(apple)} AND form = '144'`,
  ],
];

/** Questions that a page of a list answers. */
const listed: readonly Asked[] = [
  [
    'Which filings did EDGAR accept after 16:00 of a day?',
    `acceptedSince=${hour}&acceptedUntil=2026-08-05T23:59:59-04:00`,
    `acceptedAt BETWEEN TIMESTAMPTZ '${hour}' AND TIMESTAMPTZ '2026-08-05T23:59:59-04:00'`,
  ],
  [
    'Which listed makers of semiconductors and software changed officers or directors?',
    'items=5.02&sic=3674,7372&listed=true',
    "list_contains(items, '5.02') AND sic IN ('3674', '7372') AND ticker IS NOT NULL",
  ],
  [
    'Which annual reports came from companies of the New York Stock Exchange this year?',
    'form=10-K&exchange=NYSE&since=2026-01-01',
    "form = '10-K' AND upper(exchange) = 'NYSE' AND filedAt >= DATE '2026-01-01'",
  ],
  [
    'Which transactions of insiders are of companies without a symbol?',
    'form=4&listed=false',
    "form = '4' AND ticker IS NULL",
  ],
  [
    'Which filings have a material contract as an exhibit?',
    'exhibit=EX-10.1',
    "accessionNo IN (SELECT accessionNo FROM documents WHERE upper(type) = 'EX-10.1')",
  ],
  ['Which filings report that options were exercised?', 'transactionCode=M', isTraded("code = 'M'")],
  [
    'Which filings report a sale of a hundred thousand dollars or more?',
    'transactionCode=S&minValue=100000',
    isTraded("code = 'S' AND value >= 100000"),
  ],
  [
    'Who told of five percent of a company since July?',
    'eventType=beneficial_ownership_passive&since=2026-07-01',
    "eventType = 'beneficial_ownership_passive' AND filedAt >= DATE '2026-07-01'",
  ],
];

/** Whether a filing is among those that a query asks for; a company is asked for by its CIK. */
export function isAsked(query: string): (filing: Filing) => boolean {
  const { ticker, ...filter } = Object.fromEntries(new URLSearchParams(query));
  const isMet = meets(filter);
  return (filing) =>
    isMet(filing) && (ticker === undefined || filing.parties.some(({ cik }) => cik === ticker));
}

const questionOf =
  (operation: string, tool: string, more: Readonly<Record<string, string>>) =>
  ([asks, query, where]: Asked): Question => {
    const given = { ...Object.fromEntries(new URLSearchParams(query)), ...more };
    return {
      asks,
      path: `${operation}?${new URLSearchParams(given)}`,
      tool,
      given,
      where,
      matches: isAsked(query),
    };
  };

/** Twenty questions, of users and of what other services answer. */
export const questions: readonly Question[] = [
  ...counted.map(questionOf('/v1/sec/counts', 'sec_counts', {})),
  ...listed.map(questionOf('/v1/sec/latest', 'sec_latest_filings', { limit: '200' })),
];
