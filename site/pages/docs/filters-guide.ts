import { endpoints, type Endpoint } from '../../../src/contract/endpoints.ts';
import { companyFilters, filters } from '../../../src/contract/parameters.ts';
import type { PublicInput } from '../../content/public-file.ts';
import { html } from '../parts/html.ts';
import { operationPath } from '../parts/operation-paths.ts';
import { prose, table } from '../parts/prose.ts';
import { requestTabs } from '../parts/request-tabs.ts';
import type { DocsPage } from './docs-page.ts';

const takesAll = ({ parameters }: Endpoint) =>
  filters.every((filter) => parameters.some(({ parameter }) => parameter === filter));

/** How to filter lists. */
export function filtersPage({ settings }: PublicInput): DocsPage {
  return {
    slug: 'filters',
    name: 'Filters',
    title: 'Ask for some filings',
    description:
      'Every list of filings takes the same filters: form, event family, items, transactions, exhibits, facts of the company, and days and times.',
    contents: [
      ['all', 'The filters'],
      ['examples', 'Examples'],
      ['nothing', 'Filters that can match nothing'],
      ['counts', 'How many'],
      ['cursors', 'Filters and cursors'],
      ['companies', 'Companies'],
    ],
    body: html`<p class="lead">Every list of filings takes the same filters. A list has the filings that match all the filters you give.</p>
      <h2 id="all">The filters</h2>
      ${table(
        ['Filter', 'What it is'],
        filters.map(({ name, description }) => [html`<code>${name}</code>`, prose(description)]),
        'Filters',
      )}
      <p>You can use them with ${endpoints.filter(takesAll).map(({ id, path }, at, { length }) => html`${at > 0 && (at === length - 1 ? ' and ' : ', ')}<a href="${operationPath(id)}"><code>${path}</code></a>`)}. In a watchlist they apply to each bucket. Without <code>since</code>, a watchlist begins 30 days before the newest filing, or 30 days before <code>until</code> if that is earlier.</p>
      <p>An amendment is a form of its own: <code>form=10-K,10-K/A</code> gives both. <code>eventType=annual_report</code> also gives both, and every other form of the family. Only forms of the 8-K family have items. A filing matches if it has one of the items you name; it may have others, too.</p>
      <h2 id="examples">Examples</h2>
      <p>The newest annual report of a company:</p>
      ${requestTabs(settings, 'newest', '/v1/sec/company/AAPL/filings?form=10-K&limit=1', true)}
      <p>Which companies of a watchlist have reported results (item 2.02) since July:</p>
      ${requestTabs(settings, 'results', '/v1/sec/watchlist/changes?tickers=AAPL,MSFT,NVDA&items=2.02&since=2026-07-01', true)}
      <p>Sales of insiders worth a million dollars or more, of all companies: one transaction has to meet both filters.</p>
      ${requestTabs(settings, 'sales', '/v1/sec/latest?transactionCode=S&minValue=1000000&limit=5', true)}
      <p>What insiders of a company filed in the first half of June:</p>
      ${requestTabs(settings, 'insiders', '/v1/sec/insider-trades?ticker=NVDA&since=2026-06-01&until=2026-06-15', true)}
      <h2 id="nothing">Filters that can match nothing</h2>
      <p>A filter that can match nothing would give empty lists for ever. So it is an error. For forms, families and items, the message names the nearest values. <a href="/reference.json"><code>/reference.json</code></a> lists all values. These are errors:</p>
      <ul><li>a form that does not exist (<code>10k</code>, <code>8-K*</code>), or only the old name of one, if no filing here has it (<code>SC 13G/A</code> is <code>SCHEDULE 13G/A</code> today). To span a rename, name both: <code>form=SC 13D,SCHEDULE 13D</code></li>
        <li>an event family that does not exist, or an item that neither Form 8-K nor a filing here has</li>
        <li>a transaction code that Forms 4 and 5 do not have, or one beside a form, family or item that has no transactions</li>
        <li>an <code>until</code> before <code>since</code></li>
        <li>filters that can never match together, such as <code>form=10-K</code> with <code>items=2.02</code> or with <code>eventType=current_report</code>: the message names both, and says what goes together. Of several forms, one that fits is enough</li>
        <li>for insider filings, a form or family other than those of Forms 3, 4 and 5, and <code>items</code>, because these forms have none</li></ul>
      <p>The list of a known form that nobody has filed yet is empty without an error.</p>
      <h2 id="counts">How many</h2>
      <p><code>meta.total</code> of a list says how many filings match on all its pages, so a page with <code>limit=1</code> answers "how many". The build keeps these counts: of all companies by form and month, by item and month, and by family and day; of each company by form. So <code>form</code> and <code>eventType</code> have a total, and for all companies also one item, and <code>since</code> and <code>until</code> that are the first and the last day of months, or any days for families. For every other filter, such as <code>exchange</code> or <code>exhibit</code>, and for several items at once, <code>meta.total</code> is null: then follow the cursor, and count. The feed has no total, because it goes on.</p>
      <p><a href="${operationPath('countFilings')}"><code>/v1/sec/counts</code></a> gives the counts themselves: by form, event family, item or month, of one company or of all. Of a company it also counts items and any days.</p>
      ${requestTabs(settings, 'counts', '/v1/sec/counts?form=8-K&items=5.02&since=2026-01-01&by=month', true)}
      <h2 id="cursors">Filters and cursors</h2>
      <p><code>meta.filters</code> of every list says what was applied, also what a cursor remembered. Filters that were not used are null.</p>
      <p>A cursor remembers <code>since</code> and <code>until</code>. The other filters come from each request: send the same ones again. If you send <code>since</code> or <code>until</code> with a cursor, yours counts.</p>
      <p>In the change feed, <code>since</code> and <code>until</code> bound the filing date, but entries come in the order in which the service observed them. A filing that arrives late or is corrected later has its old date and comes at the end. So even with <code>until</code> in the past, a cursor may still bring something new.</p>
      <h2 id="companies">Companies</h2>
      <p><a href="${operationPath('listCompanies')}"><code>/v1/sec/companies</code></a> lists all companies by CIK, with the facts of their profiles. It has filters of its own:</p>
      ${table(
        ['Filter', 'What it is'],
        companyFilters.map(({ name, description }) => [html`<code>${name}</code>`, prose(description)]),
        'Filters of companies',
      )}
      ${requestTabs(settings, 'companies', '/v1/sec/companies?sic=3674&state=DE&listed=true&limit=5', true)}
      <p>Follow <code>meta.nextCursor</code> until it is null. Where several filters rarely match together, a page may have fewer rows than <code>limit</code>, or none, although there are more: only the cursor tells the end. That holds for lists of filings, too; a page of the change feed then has <code>meta.endedEarly</code>.</p>`,
  };
}
