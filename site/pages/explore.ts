import { defaultAddress } from '../../src/contract/product.ts';
import { eventTypeOfForm } from '../../src/domain/event-types.ts';
import { eachFilter } from '../../src/contract/filing-filters.ts';
import { filters } from '../../src/contract/parameters.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import { foldWords } from '../../src/domain/folded-words.ts';
import type { ShownCompany } from '../content/overview.ts';
import { countByEventType, countByForm } from './parts/filing-counts.ts';
import { weeklyStrip } from './parts/chart.ts';
import { companyPage, dataPath, filingsPage } from './parts/company-links.ts';
import { companyCard, companyView, requestBlock } from './parts/company-view.ts';
import { html, type Html } from './parts/html.ts';
import { keyForm } from './parts/key-form.ts';
import { dataset } from './parts/linked-data.ts';
import { origin } from './parts/code-block.ts';
import type { Page } from './parts/shell.ts';
import { countText, numberText } from './parts/family-words.ts';

/**
 * The overview: a card with a picture for each company that is shown without a key, and a search. The search
 * finds only these companies without a key. With one it finds all companies, and the page lists them all.
 */
export function explorePage(
  { baseUrl }: SnapshotSettings,
  companies: readonly ShownCompany[],
  companyCount: number,
): Page {
  const end = newestDay(companies);
  const all = countText(companyCount, 'company');
  return {
    path: '/explore',
    title: 'Explore filings',
    scripts: ['companies'],
    isPaintedByScript: true,
    description: `The newest filings of ${countText(companies.length, 'company')} on a timeline, without a key, and of every other company with a key.`,
    body: html`
      <div class="title" id="intro"><h1>Explore</h1><p class="lead" id="lead">You see ${countText(companies.length, 'company')} of ${numberText(companyCount)} without a key. Each bar is a week of the past year. <a href="/filings">Newest filings of all companies</a></p></div>
      <form class="search" role="search" action="/explore"><label for="q">Find a company</label><input id="q" name="q" type="search" autocomplete="off" spellcheck="false" placeholder="Name, ticker, CIK or accession number"><output for="q" class="faint" id="found">${countText(companies.length, 'company')}</output><label class="check" id="only-listed" hidden><input type="checkbox" id="listed"> Listed companies only</label><p class="trouble" id="search-trouble" role="alert"></p></form>
      ${keyForm('Your key', `A key lets you search ${companyCount === 1 ? all : `all ${all}`} and see whole histories, corrections, and what is new since your last visit.`)}
      <div id="overview">
        <ul class="cards" id="companies">${companies.map((each) => card(each, end))}</ul>
        <div id="results" hidden></div>
        <p id="no-match" hidden>None of these companies has that name. With a key you search all ${numberText(companyCount)}.</p>
        <section aria-labelledby="search-same"><h2 id="search-same">The same from the API</h2>${requestBlock(origin(baseUrl, defaultAddress), '/v1/sec/companies/search?q=apple', 'search-request')}</section>
      </div>`,
  };
}

function newestDay(companies: readonly ShownCompany[]): string {
  return (
    companies.reduce(
      (newest, { filings }) => ((filings[0]?.filedAt ?? '') > newest ? (filings[0]?.filedAt ?? '') : newest),
      '',
    ) || '2026-01-01'
  );
}

function card({ symbol, company, filings }: ShownCompany, end: string): Html {
  const words = [
    symbol,
    company.cik,
    String(Number(company.cik)),
    ...company.tickers,
    ...foldWords([company.name, ...company.formerNames].join(' ')),
  ]
    .join(' ')
    .toLowerCase();
  return html`<li data-words="${words}" data-symbol="${symbol}">${companyCard({ ...company, ticker: symbol, latestFilingAt: filings[0]?.filedAt ?? null, page: companyPage(symbol), picture: weeklyStrip(filings, end) })}</li>`;
}

/** Filters that hardly tell the filings of one company apart. */
const ofCompanies: readonly string[] = eachFilter.flatMap(({ name, isOfCompany }) =>
  isOfCompany ? [name] : [],
);

/** The filters of the filings of a company. */
const filterNames = filters.map(({ name }) => name).filter((name) => !ofCompanies.includes(name));

/** One page for each shown company: profile, timeline, filters and filings. */
export function companyPages(settings: SnapshotSettings, companies: readonly ShownCompany[]): Page[] {
  return companies.map((each) => ({
    path: companyPage(each.symbol),
    title: `${each.company.name} (${each.symbol})`,
    scripts: ['company'],
    description: `The newest filings of ${each.company.name} with the SEC on a timeline, by form and event family.`,
    linkedData: companyData(settings, each),
    body: html`
      <nav class="crumbs switch" aria-label="Companies"><a href="/explore">All</a>${companies.map(({ symbol }) => html`<a href="${companyPage(symbol)}"${symbol === each.symbol && html` aria-current="page"`}>${symbol}</a>`)}</nav>
      <div id="company" data-filters="${filterNames.join(' ')}">${companyView({
        ...each,
        eventTypes: countByEventType(each.filings, eventTypeOfForm),
        forms: countByForm(each.filings),
        origin: origin(settings.baseUrl, defaultAddress),
        source: `${dataPath(each.symbol)}.json`,
        filterNames,
        aside: asideOf(each),
      })}</div>
      ${companyKeyForm}`,
  }));
}

const companyKeyForm = keyForm(
  'Your key',
  'A key shows whole histories, corrections, and what is new since your last visit.',
);

/** The page of every other company. Its script fills it. */
export const anyCompanyPage: Page = {
  path: '/explore/company',
  title: 'Company',
  scripts: ['company'],
  isForMany: true,
  description: 'The filings of a company with the SEC on a timeline, by form and event family.',
  body: html`
    <nav class="crumbs switch" aria-label="Companies"><a href="/explore">All companies</a></nav>
    <div class="gap">${companyKeyForm}</div>
    <div id="company" class="filled" data-filters="${filterNames.join(' ')}" aria-busy="true"><div class="title"><h1>Company</h1></div></div>
    <noscript><p class="note gap">This page is made by a script. <a href="/docs/reference/getCompanyProfile">The same from the API</a></p></noscript>`,
};

function asideOf({ symbol, company, filings }: ShownCompany): Html {
  return html`<section aria-labelledby="files"><h2 id="files">As files</h2><p><a href="${dataPath(symbol)}.csv" download>CSV</a> · <a href="${dataPath(symbol)}.json" download>JSON</a> <span class="faint">${countText(filings.length, 'filing')}, no key</span></p></section>
    <section aria-labelledby="like"><h2 id="like">Like it</h2><p><a href="${filingsPage({ ticker: symbol })}">Its filings with every filter</a></p>${company.sic && html`<p><a href="/explore?sic=${company.sic}">Companies of its industry</a>, with a key</p>`}</section>`;
}

function companyData(settings: SnapshotSettings, { symbol, company, filings }: ShownCompany): unknown {
  return dataset(settings, {
    name: `Filings of ${company.name}`,
    description: `Metadata of the newest filings of ${company.name} (${symbol}) with the SEC: form, event family, items, filing date and acceptance time.`,
    path: companyPage(symbol),
    modified: company.updatedAt,
    span: [filings.at(-1)?.filedAt ?? null, filings[0]?.filedAt ?? '..'],
    isFree: true,
    files: [
      [`${dataPath(symbol)}.csv`, 'text/csv'],
      [`${dataPath(symbol)}.json`, 'application/json'],
    ],
  });
}
