import { eventFamilies, eventTypes } from '../domain/event-types.ts';
import { parameters, type Parameter } from './parameters.ts';
import type { ReferenceSection } from './reference.ts';
import { maxTokens } from './tool-parameters.ts';
import { filerTextsNote, tools, type Tool } from './tools.ts';

/** What a resource is read from: a tool, or a list of the reference, which needs no key. */
export type Readable = Pick<Tool, 'name' | 'access' | 'arguments' | 'answer'>;

/** Resources that are named by a template, or one resource if its template has no braces. */
export interface ResourceTemplate {
  /** A URI with an argument of `reads` in braces. All other arguments may stand in the query of the URI. */
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly reads: Readable;
  /** Arguments that have a value of their own, unless the URI gives one. */
  readonly preset?: Readonly<Record<string, string>>;
}

const tool = (name: string) => tools.find((each) => each.name === name) as Tool;

/** What a template says of its query: all arguments of the tool but that in its path, beside which `tickers` is an error. */
function inQuery(name: string, inPath: string): string {
  const others = tool(name).arguments.flatMap(({ parameter }) =>
    [inPath, 'tickers', maxTokens.name].includes(parameter.name) ? [] : [`\`${parameter.name}\``],
  );
  return `The query may have ${others.join(', ')} and \`${maxTokens.name}\`, as the arguments of the tool.`;
}

const withNote = (templates: readonly ResourceTemplate[]): readonly ResourceTemplate[] =>
  templates.map((each) => ({ ...each, description: `${each.description} ${filerTextsNote}` }));

/** Resources of filings and companies: each gives what a tool gives, and needs the same key. */
const toolResources: readonly ResourceTemplate[] = withNote([
  {
    uriTemplate: 'filing://{accessionNo}',
    name: 'filing',
    title: 'One SEC filing',
    description:
      'What sec_filing_summary gives: a filing by its accession number (filing://0000320193-25-000079), with a sentence about it and links to its documents.',
    reads: tool('sec_filing_summary'),
  },
  {
    uriTemplate: 'filing://{accessionNo}/documents',
    name: 'filing-documents',
    title: 'The documents of a filing',
    description:
      'A filing with all of its documents: type, description, file name, size and address of each (filing://0001045810-26-000024/documents).',
    reads: tool('sec_filing_summary'),
    preset: { detail: 'full' },
  },
  {
    uriTemplate: 'company://{ticker}',
    name: 'company',
    title: 'Profile of a company',
    description:
      'What sec_company_profile gives: a company by ticker symbol or CIK (company://AAPL), with its industry, symbols, counts by form and newest filing.',
    reads: tool('sec_company_profile'),
  },
  {
    uriTemplate: 'company://{ticker}/filings',
    name: 'company-filings',
    title: 'Filings of a company',
    description: `What sec_company_filings gives: filings that name a company, newest first (company://AAPL/filings?form=10-K&limit=5). ${inQuery('sec_company_filings', 'ticker')}`,
    reads: tool('sec_company_filings'),
  },
  {
    uriTemplate: 'company://{ticker}/insider-filings',
    name: 'company-insider-filings',
    title: 'Insider filings of a company',
    description: `What sec_insider_filings gives: Forms 3, 4 and 5 of an issuer, newest first (company://NVDA/insider-filings?since=2026-07-01). ${inQuery('sec_insider_filings', 'ticker')}`,
    reads: tool('sec_insider_filings'),
  },
  {
    uriTemplate: 'company://{ticker}/insider-transactions',
    name: 'company-insider-transactions',
    title: 'What insiders of a company bought and sold',
    description: `What sec_insider_transactions gives: transactions in the shares of an issuer, newest filing first (company://NVDA/insider-transactions?code=S&since=2026-07-01). ${inQuery('sec_insider_transactions', 'ticker')}`,
    reads: tool('sec_insider_transactions'),
  },
  {
    uriTemplate: 'watchlist://{tickers}',
    name: 'watchlist',
    title: 'New filings of a watchlist',
    description: `What sec_watchlist_changes gives: changes of up to 25 companies with commas between, grouped by company (watchlist://AAPL,MSFT?since=2026-08-01). ${inQuery('sec_watchlist_changes', 'tickers')}`,
    reads: tool('sec_watchlist_changes'),
  },
]);

const { form, eventType, items } = parameters;

/** The name of a list in URIs: `event-types`. */
const pathOf = (section: ReferenceSection) =>
  section.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A list of the reference, with the filters that it takes. They need no key. */
function referenceList(
  section: ReferenceSection,
  title: string,
  description: string,
  ...filters: readonly Parameter[]
): ResourceTemplate {
  const path = pathOf(section);
  return {
    uriTemplate: `reference://${path}`,
    name: `reference-${path}`,
    title,
    description,
    reads: {
      name: 'reference',
      access: 'public',
      arguments: [...filters, maxTokens].map((parameter) => ({ parameter })),
      answer: { kind: 'reference', section },
    },
  };
}

const eventTypeList = referenceList(
  'eventTypes',
  'Event families',
  'Every value of `eventType`: what such a filing is, and its forms.',
  eventType,
);
const formList = referenceList(
  'forms',
  'Forms',
  'Every known form with its event family and what it is.',
  form,
  eventType,
);
const itemList = referenceList(
  'items',
  'Items of Form 8-K',
  'What each item of a current report says, with the codes from before 2004.',
  items,
);

const referenceLists: readonly ResourceTemplate[] = [
  eventTypeList,
  formList,
  itemList,
  referenceList(
    'transactionCodes',
    'Transaction codes',
    'What the codes of transactions of Forms 4 and 5 mean.',
  ),
  referenceList('changeTypes', 'Change types', 'Every value of `changeType`.'),
  referenceList('roles', 'Roles of parties', 'What a company or person has to do with a filing.'),
  referenceList('successors', 'Successor companies', 'Companies whose listing moved to another CIK.'),
  referenceList('exchanges', 'Exchanges', 'Every value of `exchange`.'),
  referenceList('states', 'States of incorporation', "EDGAR's codes of states, provinces and countries."),
  referenceList(
    'sicCodes',
    'Industries',
    'The codes of the Standard Industrial Classification that EDGAR uses.',
  ),
  referenceList('errorCodes', 'Error codes', 'Every error code, what it means and what to do.'),
];

/** Resources whose URI has an argument. */
export const resourceTemplates: readonly ResourceTemplate[] = [
  ...toolResources,
  {
    ...eventTypeList,
    uriTemplate: 'reference://event-types/{eventType}',
    name: 'reference-event-type',
    title: 'One event family',
    description:
      'What filings of an event family are, and its forms (reference://event-types/annual_report).',
  },
  {
    ...formList,
    uriTemplate: 'reference://forms/{form}',
    name: 'reference-form',
    title: 'One form',
    description: 'What a form is and which event family it belongs to (reference://forms/10-K).',
  },
  {
    ...itemList,
    uriTemplate: 'reference://items/{items}',
    name: 'reference-item',
    title: 'One item of Form 8-K',
    description: 'What an item of a current report says (reference://items/2.02).',
  },
];

/** What URIs are resolved with: the templates, and the lists of the reference as they are. */
export const allResources: readonly ResourceTemplate[] = [...resourceTemplates, ...referenceLists];

/** A resource as a list gives it. */
export type ListedResource = Pick<ResourceTemplate, 'name' | 'title' | 'description'> & {
  readonly uri: string;
};

/** The resources that need no key and no argument: the lists of the reference, and each event family. */
export const listedResources: readonly ListedResource[] = [
  ...referenceLists.map(({ uriTemplate, name, title, description }) => ({
    uri: uriTemplate,
    name,
    title,
    description,
  })),
  ...eventTypes.map((family) => ({
    uri: resourceUri('reference://event-types/{eventType}', { eventType: family }),
    name: family,
    title: `Event family: ${eventFamilies[family].noun}`,
    description: eventFamilies[family].description,
  })),
];

/** The URI of a resource: arguments that the template does not name stand in its query. */
export function resourceUri(
  uriTemplate: string,
  given: Readonly<Record<string, string | number | undefined>>,
): string {
  const path = uriTemplate.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(given[name] ?? '')).replaceAll('%2C', ','),
  );
  const rest = Object.entries(given).filter(
    ([name, value]) => value !== undefined && !uriTemplate.includes(`{${name}}`),
  );
  const query = new URLSearchParams(rest.map(([name, value]): [string, string] => [name, String(value)]));
  return rest.length === 0 ? path : `${path}?${query.toString().replaceAll('%2C', ',')}`;
}
