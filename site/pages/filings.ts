import { defaultAddress } from '../../src/contract/product.ts';
import { filters } from '../../src/contract/parameters.ts';
import { eventTypes } from '../../src/domain/event-types.ts';
import { itemTitles } from '../../src/domain/items.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import type { Overview } from '../content/overview.ts';
import { code, html } from './parts/html.ts';
import { codeBlock, origin } from './parts/code-block.ts';
import { filingsPath, requestBlock, rowsAtOnce } from './parts/company-view.ts';
import { companyPage } from './parts/company-links.ts';
import { filingsTable, foldAlike } from './parts/filings-table.ts';
import { familyChoices, filterField, itemChoices, unreadNote, type Choice } from './parts/filter-fields.ts';
import { keyForm } from './parts/key-form.ts';
import type { Page } from './parts/shell.ts';
import { countText, numberText } from './parts/family-words.ts';

/** The names of the filters of the list: those of lists of filings, and a company. */
export const listFilterNames: readonly string[] = ['ticker', ...filters.map(({ name }) => name)];

const choicesOf: Readonly<Record<string, readonly Choice[]>> = {
  eventType: familyChoices(eventTypes),
  items: itemChoices(itemTitles.map(([item]) => item)),
};

/** Fields that most readers need. The others are behind one click. */
const plainFields: readonly string[] = ['ticker', 'form', 'eventType', 'items'];

/**
 * The newest filings of all companies, with every filter. Without a key it has the public sample; with one everything,
 * and new filings as they are published.
 */
export function filingsListPage(
  { baseUrl }: SnapshotSettings,
  { newestFilings, filingCount, shownCompanies }: Overview,
): Page {
  const address = origin(baseUrl, defaultAddress);
  return {
    path: '/filings',
    title: 'Newest filings',
    scripts: ['filings'],
    description: 'The newest filings of all companies with every filter, and new ones as they are published.',
    body: html`
      <div class="title"><h1>Filings</h1><p class="lead" id="lead">The newest ${countText(newestFilings.length, 'filing')} of ${numberText(filingCount)}, and more of ${shownCompanies.map(({ symbol }, at) => html`${at > 0 && ', '}<a href="${companyPage(symbol)}">${symbol}</a>`)}. A key shows all of them, and new ones as they are published.</p></div>
      <div class="gap">${keyForm('Your key', 'With a key this page has all filings, every filter, and what is published while you look.')}</div>
      <div id="list" data-filters="${listFilterNames.join(' ')}">
        <form class="filters" id="filters" aria-label="Filters">
          <div class="fields">${plainFields.map((name) => filterField(name, choicesOf[name]))}</div>
          <details id="more-filters"><summary>More filters</summary><div class="fields">${listFilterNames.filter((name) => !plainFields.includes(name)).map((name) => filterField(name))}</div></details>
          <p class="trouble" id="trouble" role="alert"></p>
        </form>
        <p class="actions gap"><button type="button" class="button quiet" id="live" hidden>Live</button> <button type="button" class="button quiet" id="csv">Save as CSV</button> <span class="faint" id="state" role="status"></span></p>
        ${unreadNote}
        <h2 class="unseen">Newest first</h2><p class="unseen" id="shown" role="status"></p>
        ${filingsTable('Filings of all companies, newest first', foldAlike(newestFilings.slice(0, rowsAtOnce)), null)}
        <p class="more"><button type="button" class="button quiet" id="more" hidden>Show more</button></p>
      </div>
      <section aria-labelledby="same"><h2 id="same">The same from the API</h2>${requestBlock(address, filingsPath({}), 'request')}
        ${codeBlock(
          code`curl -N "${address}<span id="stream-request">/v1/sec/changes?since=2026-08-01</span>" \\\n  -H "Accept: text/event-stream" -H "x-api-key: $KEY"`,
          'What is published, as it is published',
        )}</section>`,
  };
}
