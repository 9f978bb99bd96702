import { itemTitles } from '../../../src/domain/items.ts';
import type { CompanyProfile, CountByEventType, CountByForm } from '../../../src/contract/records.ts';
import { code, html, isolated, type Html, type Part } from './html.ts';
import { codeBlock, plainCommas } from './code-block.ts';
import { filingsTable, foldAlike, type ShownFiling } from './filings-table.ts';
import { filterField, itemChoices, unreadNote, type Choice } from './filter-fields.ts';
import { timeline } from './timeline.ts';
import { aboutOwnShares, tradesOf, tradesSection } from './trades.ts';
import { countText, dayText, familyLabel, groupOf, numberText, yearlyDayText } from './family-words.ts';

/** Rows that are shown at once. A button shows the next ones. */
export const rowsAtOnce = 40;

/** Filings of one page of a list: as many as a request may ask for. */
export const pageRows = 200;

/** The filters that a reader has set, by name, as a request has them; empty texts for the others. */
export type Filters = Readonly<Record<string, string>>;

/** The request for filings: those of a company, as `ticker` names it, or of all. */
export function filingsPath({ ticker = '', ...filters }: Filters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== '') query.set(name, value);
  query.set('limit', String(pageRows));
  const list = ticker === '' ? '/v1/sec/latest' : `/v1/sec/company/${encodeURIComponent(ticker)}/filings`;
  return `${list}?${plainCommas(query)}`;
}

/**
 * Whether pages can test a filter with public data, which has members of filings: what transactions, profiles or
 * instants have to meet only the service tests.
 */
export const isForPublicData = (name: string): boolean =>
  ['ticker', 'form', 'eventType', 'items', 'since', 'until'].includes(name);

/** A company as the explorer shows it. */
export interface CompanyView {
  /** What requests call it: a symbol or its CIK. */
  readonly symbol: string;
  readonly company: Omit<CompanyProfile, 'latestFiling' | 'latestIngestedAt' | 'updatedAt' | 'forms'>;
  /** The newest ones, newest first. */
  readonly filings: readonly ShownFiling[];
  /** The choices of the filters, each with the number of its filings. */
  readonly eventTypes: readonly CountByEventType[];
  readonly forms: readonly CountByForm[];
  /** The names of the filters of lists, in their order in addresses. */
  readonly filterNames: readonly string[];
  /** The address of the service in requests. */
  readonly origin: Part;
  /** Where its public data is; null if filings come from requests with a key. */
  readonly source: string | null;
  /** What stands between the profile and the timeline. */
  readonly news?: Html;
  /** Further sections beside the table. */
  readonly aside?: Html;
}

/**
 * Profile, timeline, filters and filings of a company. The build puts it into pages; the explorer's script
 * makes it from answers.
 */
export function companyView(view: CompanyView): Html {
  const { symbol, company, filings, source, news, aside } = view;
  const filterNames = view.filterNames.filter((name) => source === null || isForPublicData(name));
  return html`<div class="title"><h1>${isolated(company.name)}</h1></div>
    ${profile(view)}
    ${news}
    <div id="explorer" data-symbol="${symbol}"${source !== null && html` data-source="${source}"`} data-ciks="${[company.cik, ...company.relatedCiks].join(' ')}" data-filters="${filterNames.join(' ')}">
      <div class="stage" id="stage">${timeline(filings)}<div class="bubble" id="bubble" hidden></div></div>
      <section id="trades">${tradesSection(tradesOf(aboutOwnShares(filings, [company.cik, ...company.relatedCiks])), scopeText(view))}</section>
      ${filterForm({ ...view, filterNames })}
      <div class="pair wide"><section aria-labelledby="filings"><h2 id="filings">Filings <span class="count" id="shown" role="status">${shownText(view)}</span></h2>
        ${filingsTable(html`Filings of ${isolated(company.name)}, newest first`, foldAlike(filings.slice(0, rowsAtOnce)), [company.cik, ...company.relatedCiks])}
        <p class="more"><button type="button" class="button quiet" id="more" hidden>Show more</button></p></section>
      <aside><section aria-labelledby="same"><h2 id="same">The same from the API</h2>${requestBlock(view.origin, filingsPath({ ticker: symbol }), 'request')}</section>${aside}</aside></div>
    </div>`;
}

/** A request with a path that scripts find by `id` and replace. The key is a variable of the shell. */
export function requestBlock(origin: Part, path: string, id: string): Html {
  return codeBlock(
    code`curl "${origin}<span id="${id}">${path}</span>" \\\n  -H "x-api-key: $KEY"`,
    'Request',
  );
}

function scopeText({ filings, company: { filingCount } }: CompanyView): string {
  return filings.length < filingCount
    ? `Read from the newest ${numberText(filings.length)} of ${countText(filingCount, 'filing')}.`
    : '';
}

function shownText({ filings, source, company: { filingCount } }: CompanyView): string {
  return source !== null && filings.length < filingCount
    ? `newest ${numberText(filings.length)} of ${numberText(filingCount)}`
    : numberText(filingCount);
}

function profile({ company, filings }: CompanyView): Html {
  const newest = company.latestFilingAt ?? filings[0]?.filedAt;
  const facts: readonly (readonly [string, Part])[] = [
    ['CIK', company.cik],
    ['listed', [company.exchange, company.tickers.slice(0, 4).join(', ')].filter(Boolean).join(': ') || 'no'],
    ['filings', numberText(company.filingCount)],
    ['newest', newest ? dayText(newest) : 'none'],
    ...(company.sic && company.sicDescription
      ? [
          [
            'industry',
            html`<a href="/explore?sic=${company.sic}">${company.sicDescription}</a> <span class="faint">SIC ${company.sic}</span>`,
          ] as const,
        ]
      : []),
    ...(company.businessCity
      ? [['offices', [company.businessCity, company.businessState].filter(Boolean).join(', ')] as const]
      : []),
    ...(company.fiscalYearEnd ? [['fiscal year ends', yearlyDayText(company.fiscalYearEnd)] as const] : []),
    ...(company.formerNames.length > 0
      ? [
          [
            'formerly',
            company.formerNames
              .slice(0, 2)
              .map((name, at) => [at > 0 && '; ', isolated(name), untilText(company, name)]),
          ] as const,
        ]
      : []),
  ];
  return html`<dl class="facts slim">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Until when a company had a former name; nothing if that is not known. */
function untilText({ formerNamePeriods = [] }: CompanyView['company'], name: string): Part {
  const until = formerNamePeriods.find((each) => each.name === name)?.until;
  return until ? ` (until ${dayText(until)})` : false;
}

function filterForm({ eventTypes, forms, filterNames }: CompanyView): Html {
  const hasItems = eventTypes.some(({ eventType }) => eventType === 'current_report');
  const choicesOf = new Map<string, readonly Choice[]>([
    ['form', forms.map(({ form, count }) => [form, `${form} (${numberText(count)})`])],
    ['items', itemChoices(itemTitles.map(([item]) => item))],
  ]);
  return html`<form class="filters" id="filters" aria-label="Filters">
    <fieldset><legend class="unseen">Event family</legend>
      <button type="button" class="chip" data-family="" aria-pressed="true">All</button>
      ${eventTypes.map(({ eventType, count }) => html`<button type="button" class="chip" data-family="${eventType}" aria-pressed="false"><span class="dot ${groupOf(eventType)}"></span>${familyLabel(eventType)} <span class="count">${numberText(count)}</span></button>`)}
    </fieldset>
    <div class="fields">
      ${filterNames.map((name) => name !== 'eventType' && (name !== 'items' || hasItems) && filterField(name, choicesOf.get(name)))}
    </div>
    <p class="trouble" id="trouble" role="alert"></p>
    ${unreadNote}
  </form>`;
}

/** What a card of a company shows. */
export interface CompanyCard {
  readonly name: string;
  readonly ticker: string | null;
  readonly filingCount: number;
  readonly latestFilingAt: string | null;
  /** The page that it links to. */
  readonly page: string;
  /** A picture on it. */
  readonly picture?: Html;
}

/** A card of a company. */
export function companyCard({ name, ticker, filingCount, latestFilingAt, page, picture }: CompanyCard): Html {
  return html`<a href="${page}"><span class="name">${isolated(name)}</span> <span class="ticker">${ticker}</span>${picture}<span class="faint">${countText(filingCount, 'filing')}${latestFilingAt !== null && `, newest ${dayText(latestFilingAt)}`}</span></a>`;
}
