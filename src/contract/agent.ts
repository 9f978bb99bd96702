import { endpoints, type AnswerPlan, type Endpoint, type EndpointId } from './endpoints.ts';
import type { Parameter } from './parameters.ts';
import { filerTextsNote, argumentsLike, tools, type Tool } from './tools.ts';

/** The path of the agent. */
export const agentPath = '/a2a';
/** The name in metrics of a message to the agent that asks for no skill. */
export const agentOperation = 'callAgent';

/** A skill of the agent: an operation of the service that is asked for in words or as data. */
export interface Skill {
  /** The name of the skill in structured data. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly access: 'public' | 'keyed';
  /** Its arguments: the parameters of the REST operation, with the same names, and those of the budget. */
  readonly arguments: readonly { readonly parameter: Parameter; readonly required?: boolean }[];
  readonly answer: AnswerPlan;
  /** Example sentences; each fits one of the forms. */
  readonly examples: readonly string[];
  /**
   * The forms of the sentences that ask for it. `[a]` may be left out, `(a|b)` is one of the two, `{name}` is
   * the value of an argument, and everything else is taken literally, in upper or lower case. A form has to
   * fit the whole sentence.
   */
  readonly forms: readonly string[];
}

/** The members that a skill does not take from its tool or operation. */
type Words = Pick<Skill, 'tags' | 'examples' | 'forms'>;

/** The skills by the names of their tools. */
const skillIds = new Map<string, string>();

/** A description of a tool or operation in the words of the agent: it has skills, and neither resources nor streams. */
const inAgentWords = (description: string): string =>
  description
    .replaceAll(/sec_\w+/g, (tool) => skillIds.get(tool) ?? tool)
    .replaceAll(/reference:[\w/-]+/g, '/reference.json')
    .replaceAll(/\b(an)?other tools?\b/g, (words) => words.replace('tool', 'skill'))
    .replace(/ With `Accept: [^.]*\./, '');

/** Makes a skill from a tool, with the tool's title and description. */
function likeTool(id: string, name: string, words: Words): Skill {
  const {
    title,
    description,
    access,
    arguments: own,
    answer,
  } = tools.find((tool) => tool.name === name) as Tool;
  skillIds.set(name, id);
  return { id, name: title, description, access, arguments: own, answer, ...words };
}

/** Makes a skill from a REST operation that has no tool. */
function operation(id: string, endpointId: EndpointId, words: Words): Skill {
  const endpoint = endpoints.find((each) => each.id === endpointId) as Endpoint;
  const { summary, description, access, answer } = endpoint;
  return {
    id,
    name: summary,
    description: `${description} ${filerTextsNote}`,
    access,
    arguments: argumentsLike(endpoint),
    answer,
    ...words,
  };
}

/** Words that may come before any form. */
export const politeWords = '[please] [show|give|list|tell] [me] [the]';

const described: readonly Skill[] = [
  likeTool('latest-filings-sample', 'sec_demo_latest_filings', {
    tags: ['sec', 'filings', 'sample', 'public'],
    examples: ['latest filings', 'show me the latest 5 filings'],
    forms: ['latest [{limit}] [sec] filings', '[{limit}] latest [sec] filings', '(sample|demo)'],
  }),
  likeTool('subscription', 'sec_subscription_info', {
    tags: ['subscription', 'pricing', 'access', 'public'],
    examples: ['what does a subscription give', 'how do I subscribe'],
    forms: [
      'what does (a|the) subscription (give|include|cost) [me]',
      'how (do|can) i (subscribe|get a key)',
      'subscription [info|information]',
      '(plans|prices|pricing)',
    ],
  }),
  likeTool('watchlist-changes', 'sec_watchlist_changes', {
    tags: ['sec', 'filings', 'watchlist', 'changes', 'monitoring'],
    examples: ['changes for AAPL, MSFT since 2026-08-01', 'what changed at 0000320193'],
    forms: [
      '[new] changes (for|of|at|in) {tickers} [since {since}]',
      'what [has] changed (for|at|in) {tickers} [since {since}]',
      'watchlist {tickers} [since {since}]',
    ],
  }),
  operation('change-feed', 'listChanges', {
    tags: ['sec', 'filings', 'changes', 'feed'],
    examples: ['changes since 2026-08-01', '8-K changes since 2026-08-01'],
    forms: [
      '[all] changes since {since}',
      '{form} changes since {since}',
      'what [has] changed since {since}',
    ],
  }),
  likeTool('companies', 'sec_companies', {
    tags: ['sec', 'companies', 'industry', 'exchange'],
    examples: ['companies on Nasdaq', 'list all companies of industry 3674'],
    forms: [
      '[all] companies',
      '[all] companies (of|in) industry {sic}',
      '[all] companies incorporated in {state}',
      '[all] companies (on|at) {exchange}',
    ],
  }),
  likeTool('company-search', 'sec_company_search', {
    tags: ['sec', 'companies', 'search', 'ticker', 'cik'],
    examples: ['search apple', 'find company Johnson & Johnson'],
    forms: ['(search|find) [for] [companies|company] [named|called] {q}'],
  }),
  likeTool('company-profile', 'sec_company_profile', {
    tags: ['sec', 'companies', 'profile'],
    examples: ['profile of MSFT'],
    forms: ['[company] profile (of|for) {ticker}'],
  }),
  likeTool('insider-filings', 'sec_insider_filings', {
    tags: ['sec', 'filings', 'insider', 'form-4'],
    examples: ['insider filings', 'latest 5 insider filings of AAPL'],
    forms: ['[latest] [{limit}] insider (filings|trades) [(of|for|at|in) {ticker}]'],
  }),
  likeTool('insider-transactions', 'sec_insider_transactions', {
    tags: ['sec', 'insider', 'transactions', 'form-4'],
    examples: ['insider transactions of AMZN', 'latest 5 insider transactions'],
    forms: ['[latest] [{limit}] insider transactions [(of|for|at|in) {ticker}]'],
  }),
  likeTool('company-filings', 'sec_company_filings', {
    tags: ['sec', 'filings', 'companies', 'history'],
    examples: ['filings of MSFT', 'latest 10 filings of 0000320193'],
    forms: ['[latest] [{limit}] [sec] filings (of|by|for|from) {ticker}'],
  }),
  operation('company-events', 'listCompanyEvents', {
    tags: ['sec', 'events', 'companies'],
    examples: ['events of AAPL'],
    forms: ['[latest] [{limit}] events (of|for|at) {ticker}'],
  }),
  likeTool('recent-filings', 'sec_latest_filings', {
    tags: ['sec', 'filings', 'latest'],
    examples: ['recent filings', 'latest 10-K filings', 'recent 5 form 4 filings'],
    forms: [
      'recent [{limit}] [sec] filings',
      '(latest|recent) [{limit}] form {form} filings',
      '(latest|recent) [{limit}] {form} filings',
    ],
  }),
  likeTool('counts', 'sec_counts', {
    tags: ['sec', 'filings', 'count'],
    examples: ['how many form 8-K filings', 'how many filings of AAPL'],
    forms: [
      'how many [sec] filings',
      'how many form {form} filings',
      'how many [sec] filings (of|by|from) {ticker}',
    ],
  }),
  likeTool('filing-summary', 'sec_filing_summary', {
    tags: ['sec', 'filings', 'summary'],
    examples: ['summary of 0000320193-25-000079'],
    forms: [
      'summary (of|for) [filing] {accessionNo}',
      '(summarize|summarise|explain) [filing] {accessionNo}',
    ],
  }),
  operation('filing-ownership', 'getFilingOwnership', {
    tags: ['sec', 'filings', 'ownership', 'insider', 'form-4'],
    examples: ['ownership in 0001018724-26-000020'],
    forms: [
      'ownership (in|of) [filing] {accessionNo}',
      'what does [filing] {accessionNo} say about ownership',
    ],
  }),
  likeTool('filings-by-number', 'sec_filings_by_number', {
    tags: ['sec', 'filings', 'summary', 'batch'],
    examples: ['filings 0000320193-25-000079, 0001045810-26-000021'],
    forms: ['[(summaries|summary) of] filings {accessionNos}', 'look up [filings] {accessionNos}'],
  }),
  operation('statistics', 'getStats', {
    tags: ['sec', 'statistics', 'freshness'],
    examples: ['statistics', 'how fresh is the data'],
    forms: ['(statistics|stats)', 'how fresh is (the|your) data', 'how many filings (are there|do you have)'],
  }),
];

/**
 * Every skill, in the order of the agent card. If several skills have a form that fits a sentence, the first
 * one is taken.
 */
export const skills: readonly Skill[] = described.map((skill) => ({
  ...skill,
  description: inAgentWords(skill.description),
}));
