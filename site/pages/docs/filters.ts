import { endpoints, type Endpoint } from '../../../src/contract/endpoints.ts';
import { filters } from '../../../src/contract/parameters.ts';
import type { PublicInput } from '../../../build/content/public-file.ts';
import { html } from '../parts/html.ts';
import { prose, table } from '../parts/prose.ts';
import { requestTabs } from '../parts/samples.ts';
import type { DocsPage } from './layout.ts';

const takesAll = ({ parameters }: Endpoint) =>
  filters.every((filter) => parameters.some(({ parameter }) => parameter === filter));

/** How to ask a list for some of its filings. */
export function filtersPage({ settings }: PublicInput): DocsPage {
  return {
    slug: 'filters',
    name: 'Filters',
    title: 'Ask for some filings',
    description:
      'Every list takes the same five filters: form, event family, items, and the first and last filing date.',
    contents: [
      ['all', 'The five filters'],
      ['examples', 'Examples'],
      ['nothing', 'What can match nothing'],
      ['cursors', 'Filters and cursors'],
    ],
    body: html`<p class="lead">Every list takes the same five filters. A filing has to match all that you give; those that you leave out do not restrict.</p>
      <h2 id="all">The five filters</h2>
      ${table(
        ['Filter', 'What it is'],
        filters.map(({ name, description }) => [html`<code>${name}</code>`, prose(description)]),
        'Filters',
      )}
      <p>They hold for ${(endpoints as readonly Endpoint[]).filter(takesAll).map(({ id, path }, at, { length }) => html`${at > 0 && (at === length - 1 ? ' and ' : ', ')}<a href="/docs/reference#${id}"><code>${path}</code></a>`)}; in a watchlist, for each of its buckets, and without <code>since</code> that begins 30 days before the newest filing, or before <code>until</code> if that is earlier.</p>
      <p>An amendment is a form of its own: <code>form=10-K,10-K/A</code> has both. <code>eventType=annual_report</code> has them too, with every other form of the family. Only forms of the 8-K family have items, and a filing with one of those you name matches whatever else it reports.</p>
      <h2 id="examples">Examples</h2>
      <p>The newest annual report of a company, however much it files beside it:</p>
      ${requestTabs(settings, 'newest', '/v1/sec/company/AAPL/filings?form=10-K&limit=1', true)}
      <p>Which companies of a watchlist have reported results (item 2.02) since July:</p>
      ${requestTabs(settings, 'results', '/v1/sec/watchlist/changes?tickers=AAPL,MSFT,NVDA&items=2.02&since=2026-07-01', true)}
      <p>What insiders of a company filed in the first half of June:</p>
      ${requestTabs(settings, 'insiders', '/v1/sec/insider-trades?ticker=NVDA&since=2026-06-01&until=2026-06-15', true)}
      <h2 id="nothing">What can match nothing</h2>
      <p>A filter that can match nothing would give empty lists for ever, so it is an error that names the nearest values: a form that is neither known nor served (<code>10k</code>, <code>8-K*</code>), the old name of a form (<code>SC 13G/A</code> is <code>SCHEDULE 13G/A</code> today), an event family or an item that does not exist, an <code>until</code> before <code>since</code>, and for insider filings a form or family that is not of Forms 3, 4 and 5. <a href="/reference.json"><code>/reference.json</code></a> lists all values.</p>
      <p>A form that is known and that nobody has filed yet is no error. Nor are filters that only together match nothing, such as <code>form=10-K</code> with <code>items=2.02</code>, or <code>items</code> of insider filings, which have none: such a list is empty.</p>
      <h2 id="cursors">Filters and cursors</h2>
      <p>A cursor remembers <code>since</code> and <code>until</code>. The other filters come from each request: send the same ones again. A <code>since</code> or <code>until</code> that you send beside a cursor counts instead of what it remembers.</p>
      <p>In the change feed <code>since</code> and <code>until</code> bound the filing date, and the order is that of observation: a filing that arrives late, or is corrected later, comes with its old date behind those that were observed before it. So a walk with <code>until</code> in the past may still bring something.</p>`,
  };
}
