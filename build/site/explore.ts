import { defaultAddress } from '../../src/contract/product.ts';
import { eventTypeOfForm } from '../../src/contract/event-types.ts';
import type { CountByForm } from '../../src/contract/records.ts';
import type { SnapshotSettings } from '../../src/contract/snapshot.ts';
import { foldWords } from '../../src/contract/words.ts';
import type { ShownCompany } from '../documents/overview.ts';
import { countByEventType, countByForm } from './counts.ts';
import { weeklyStrip } from './chart.ts';
import { companyPage } from './companies.ts';
import { dataPath } from './data.ts';
import { code, html, type Html } from './html.ts';
import { dataset } from './linked-data.ts';
import { codeBlock, origin } from './requests.ts';
import { filingsTable } from './rows.ts';
import type { Page } from './shell.ts';
import { timeline } from './timeline.ts';
import { countText, dayText, familyLabel, groupOf, numberText, yearlyDayText } from './words.ts';

/** Rows that a page has before its script runs. */
const rowsInPage = 40;

/** The overview: a card with a picture for each company, and a search over them. */
export function explorePage(settings: SnapshotSettings, companies: readonly ShownCompany[], companyCount: number): Page {
  const end = newestDay(companies);
  return {
    path: '/explore', title: 'Explore filings', scripts: ['explore'],
    description: `The newest filings of ${countText(companies.length, 'company')} on a timeline, without a key.`,
    body: html`
      <div class="title"><h1>Explore</h1><p class="lead">${countText(companies.length, 'company')} of ${numberText(companyCount)}, open to everybody. Each bar is a week of the past year.</p></div>
      <form class="search" role="search" action="/explore"><label for="q">Find a company</label><input id="q" name="q" type="search" autocomplete="off" spellcheck="false" placeholder="Name, ticker or CIK"><output for="q" class="faint" id="found">${countText(companies.length, 'company')}</output></form>
      <ul class="cards" id="companies">${companies.map((each) => card(each, end))}</ul>
      <p id="nobody" hidden>None of these companies has that name. All ${numberText(companyCount)} are found with a key, by the request below.</p>
      <section aria-labelledby="same"><h2 id="same">The same from the API</h2>${request(settings, '/v1/sec/companies/search?q=apple')}</section>`,
  };
}

function newestDay(companies: readonly ShownCompany[]): string {
  return companies.reduce((newest, { filings }) => ((filings[0]?.filedAt ?? '') > newest ? (filings[0]?.filedAt ?? '') : newest), '') || '2026-01-01';
}

function card({ symbol, company, filings }: ShownCompany, end: string): Html {
  const words = [symbol, company.cik, String(Number(company.cik)), ...company.tickers, ...foldWords([company.name, ...company.formerNames].join(' '))].join(' ').toLowerCase();
  return html`<li data-words="${words}"><a href="${companyPage(symbol)}"><span class="name">${company.name}</span> <span class="ticker">${symbol}</span>${weeklyStrip(filings, end)}<span class="faint">${countText(company.filingCount, 'filing')}${filings[0]?.filedAt && `, newest ${dayText(filings[0].filedAt)}`}</span></a></li>`;
}

/** The page of one company: profile, timeline, filters and filings. */
export function companyPages(settings: SnapshotSettings, companies: readonly ShownCompany[]): Page[] {
  return companies.map((each) => ({
    path: companyPage(each.symbol), title: `${each.company.name} (${each.symbol})`, scripts: ['explore'],
    description: `The newest filings of ${each.company.name} with the SEC on a timeline, by form and event family.`,
    linkedData: companyData(settings, each),
    body: html`
      <nav class="crumbs switch" aria-label="Companies"><a href="/explore">All</a>${companies.map(({ symbol }) => html`<a href="${companyPage(symbol)}"${symbol === each.symbol && html` aria-current="page"`}>${symbol}</a>`)}</nav>
      <div class="title"><h1>${each.company.name}</h1></div>
      ${profile(each)}
      <div id="explorer" data-symbol="${each.symbol}" data-source="${dataPath(each.symbol)}.json">
        <div class="stage" id="stage">${timeline(each.filings)}<div class="bubble" id="bubble" hidden></div></div>
        ${filters(each)}
        <div class="pair wide"><section aria-labelledby="filings"><h2 id="filings">Filings <span class="count" id="shown" role="status">${shownText(each)}</span></h2>
          ${filingsTable(`Filings of ${each.company.name}, newest first`, each.filings.slice(0, rowsInPage), false)}
          <p class="more"><button type="button" class="button quiet" id="more" hidden>Show more</button></p></section>
        <aside><section aria-labelledby="same"><h2 id="same">The same from the API</h2>${request(settings, `/v1/sec/company/${each.symbol}/filings?limit=50`)}
          <p class="faint small" id="hint">Newest first. With a filter it becomes the change feed of the company, oldest first.</p></section>
        <section aria-labelledby="files"><h2 id="files">As files</h2><p><a href="${dataPath(each.symbol)}.csv" download>CSV</a> · <a href="${dataPath(each.symbol)}.json" download>JSON</a> <span class="faint">${countText(each.filings.length, 'filing')}, no key</span></p></section></aside></div>
      </div>`,
  }));
}

function companyData(settings: SnapshotSettings, { symbol, company, filings }: ShownCompany): unknown {
  return dataset(settings, {
    name: `Filings of ${company.name}`, description: `Metadata of the newest filings of ${company.name} (${symbol}) with the SEC: form, event family, items, filing date and acceptance time.`,
    path: companyPage(symbol), modified: company.updatedAt, span: [filings.at(-1)?.filedAt ?? null, filings[0]?.filedAt ?? '..'], isFree: true,
    files: [[`${dataPath(symbol)}.csv`, 'text/csv'], [`${dataPath(symbol)}.json`, 'application/json']],
  });
}

function shownText({ filings, company: { filingCount } }: ShownCompany): string {
  return filings.length < filingCount ? `newest ${numberText(filings.length)} of ${numberText(filingCount)}` : numberText(filingCount);
}

function profile({ company, filings }: ShownCompany): Html {
  const facts: readonly (readonly [string, string])[] = [
    ['CIK', company.cik], ['listed', [company.exchange, company.tickers.slice(0, 4).join(', ')].filter(Boolean).join(': ') || 'no'],
    ['filings', numberText(company.filingCount)], ['newest', filings[0]?.filedAt ? dayText(filings[0].filedAt) : 'none'],
    ...(company.sicDescription ? [['industry', company.sicDescription] as const] : []),
    ...(company.fiscalYearEnd ? [['fiscal year ends', yearlyDayText(company.fiscalYearEnd)] as const] : []),
    ...(company.formerNames.length > 0 ? [['formerly', company.formerNames.slice(0, 2).join('; ')] as const] : []),
  ];
  return html`<dl class="facts slim">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function filters({ filings }: ShownCompany): Html {
  const families = countByEventType(filings, eventTypeOfForm);
  const forms: CountByForm[] = countByForm(filings);
  return html`<form class="filters" id="filters" aria-label="Filters">
    <fieldset><legend class="unseen">Event family</legend>
      <button type="button" class="chip" data-family="" aria-pressed="true">All</button>
      ${families.map(({ eventType, count }) => html`<button type="button" class="chip" data-family="${eventType}" aria-pressed="false"><span class="dot ${groupOf(eventType)}"></span>${familyLabel(eventType)} <span class="count">${count}</span></button>`)}
    </fieldset>
    <label>Form <select id="form" name="form"><option value="">any</option>${forms.map(({ form, count }) => html`<option value="${form}">${form} (${count})</option>`)}</select></label>
  </form>`;
}

function request({ baseUrl }: SnapshotSettings, path: string): Html {
  return codeBlock(code`curl "${origin(baseUrl, defaultAddress)}<span id="request">${path}</span>" \\\n  -H "x-api-key: $KEY"`, 'Request');
}
