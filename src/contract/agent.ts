import { endpoints, type AnswerPlan, type Endpoint, type EndpointId } from './endpoints.ts';
import { parameters, type Parameter } from './parameters.ts';

/** Where the agent is spoken to. */
export const agentPath = '/a2a';

/** One skill of the agent: an operation of the service, asked for in words or as data. */
export interface Skill {
  /** The name by which structured data asks for it. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly access: 'public' | 'keyed';
  /** What it may be asked with: the parameters of the REST operation, by the same names. */
  readonly arguments: readonly { readonly parameter: Parameter; readonly required?: boolean }[];
  readonly answer: AnswerPlan;
  /** Sentences of which each one is of one of its forms. */
  readonly examples: readonly string[];
  /**
   * The forms of the sentences that ask for it. `[a]` may be left out, `(a|b)` is one of the two, `{name}` stands for the
   * value of an argument, and everything else stands for itself, in any case of its letters. A sentence that does not have
   * a form from its beginning to its end is not understood.
   */
  readonly forms: readonly string[];
}

type Words = Pick<Skill, 'name' | 'description' | 'tags' | 'examples' | 'forms'>;

/** A skill that a REST operation answers. */
function operation(id: string, endpointId: EndpointId, words: Words): Skill {
  const { access, parameters: own, answer } = endpoints.find((endpoint) => endpoint.id === endpointId) as Endpoint;
  return { id, ...words, access, arguments: own, answer };
}

/** What may stand before any form. */
export const politeWords = '[please] [show|give|list|tell] [me] [the]';

/** Every skill, in the order in which the card lists them. A sentence belongs to the first one that has its form. */
export const skills: readonly Skill[] = [
  {
    ...operation('latest-filings-sample', 'getDemo', {
      name: 'Sample of the latest filings', tags: ['sec', 'filings', 'sample', 'public'],
      description: 'A public sample of real SEC filings, newest first, and of insider filings. Needs no key. It is a sample, not everything that was filed.',
      examples: ['latest filings', 'show me the latest 5 filings'],
      forms: ['latest [{limit}] [sec] filings', '[{limit}] latest [sec] filings', '(sample|demo)'],
    }),
    arguments: [{ parameter: parameters.limit }],
  },
  {
    id: 'subscription', name: 'What a subscription gives', tags: ['subscription', 'pricing', 'access', 'public'],
    description: 'What needs a key, and where plans, documentation and a key are found. Needs no key.',
    access: 'public', arguments: [], answer: { kind: 'subscription' },
    examples: ['what does a subscription give', 'how do I subscribe'],
    forms: ['what does (a|the) subscription (give|include|cost) [me]', 'how (do|can) i (subscribe|get a key)', 'subscription [info|information]', '(plans|prices|pricing)'],
  },
  operation('watchlist-changes', 'listWatchlistChanges', {
    name: 'Changes of a watchlist', tags: ['sec', 'filings', 'watchlist', 'changes', 'monitoring'],
    description: 'What up to 25 companies filed since a date, grouped by company, oldest first.',
    examples: ['changes for AAPL, MSFT since 2026-08-01', 'what changed at 0000320193'],
    forms: ['[new] changes (for|of|at|in) {tickers} [since {since}]', 'what [has] changed (for|at|in) {tickers} [since {since}]', 'watchlist {tickers} [since {since}]'],
  }),
  operation('change-feed', 'listChanges', {
    name: 'Change feed', tags: ['sec', 'filings', 'changes', 'feed'],
    description: 'What all companies, or one, filed since a date, in the order in which it was observed, oldest first.',
    examples: ['changes since 2026-08-01', '8-K changes since 2026-08-01'],
    forms: ['[all] changes since {since}', '{form} changes since {since}', 'what [has] changed since {since}'],
  }),
  operation('company-search', 'searchCompanies', {
    name: 'Find a company', tags: ['sec', 'companies', 'search', 'ticker', 'cik'],
    description: 'Companies by ticker symbol, CIK, or the beginnings of words of a present or former name, best first.',
    examples: ['search apple', 'find company Johnson & Johnson'],
    forms: ['(search|find) [for] [companies|company] [named|called] {q}'],
  }),
  operation('company-profile', 'getCompanyProfile', {
    name: 'Company profile', tags: ['sec', 'companies', 'profile'],
    description: 'One company with its counts by form and its newest filing.',
    examples: ['profile of MSFT'],
    forms: ['[company] profile (of|for) {ticker}'],
  }),
  operation('insider-filings', 'listInsiderTrades', {
    name: 'Insider filings', tags: ['sec', 'filings', 'insider', 'form-4'],
    description: 'Metadata of Forms 3, 4 and 5, newest first, of all issuers or one.',
    examples: ['insider filings', 'latest 5 insider filings of AAPL'],
    forms: ['[latest] [{limit}] insider (filings|trades) [(of|for|at|in) {ticker}]'],
  }),
  operation('company-filings', 'listCompanyFilings', {
    name: 'Filings of a company', tags: ['sec', 'filings', 'companies', 'history'],
    description: 'Every filing that names a company, newest first.',
    examples: ['filings of MSFT', 'latest 10 filings of 0000320193'],
    forms: ['[latest] [{limit}] [sec] filings (of|by|for|from) {ticker}'],
  }),
  operation('company-events', 'listCompanyEvents', {
    name: 'Events of a company', tags: ['sec', 'events', 'companies'],
    description: 'The filings of a company as events, newest first.',
    examples: ['events of AAPL'],
    forms: ['[latest] [{limit}] events (of|for|at) {ticker}'],
  }),
  operation('recent-filings', 'listLatestFilings', {
    name: 'Recent filings', tags: ['sec', 'filings', 'latest'],
    description: 'Filings of all companies, newest first, of all forms or one.',
    examples: ['recent filings', 'latest 10-K filings', 'recent 5 form 4 filings'],
    forms: ['recent [{limit}] [sec] filings', '(latest|recent) [{limit}] form {form} filings', '(latest|recent) [{limit}] {form} filings'],
  }),
  operation('filing-summary', 'getFilingSummary', {
    name: 'Summary of a filing', tags: ['sec', 'filings', 'summary'],
    description: 'One filing by its accession number, with a sentence made from its metadata alone.',
    examples: ['summary of 0000320193-25-000079'],
    forms: ['summary (of|for) [filing] {accessionNo}', '(summarize|summarise|explain) [filing] {accessionNo}'],
  }),
  operation('statistics', 'getStats', {
    name: 'Counts and freshness', tags: ['sec', 'statistics', 'freshness'],
    description: 'Counts by form and by event family, and when the data was fetched.',
    examples: ['statistics', 'how fresh is the data'],
    forms: ['(statistics|stats)', 'how fresh is (the|your) data', 'how many filings (are there|do you have)'],
  }),
];
