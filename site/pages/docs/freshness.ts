import { waitMaximum } from '../../../src/contract/parameters.ts';
import { defaultAddress } from '../../../src/contract/product.ts';
import { reconciliationPath } from '../../../build/content/reconciliation.ts';
import type { PublicInput } from '../../../build/content/public-file.ts';
import { code, html } from '../parts/html.ts';
import { codeBlock, origin } from '../parts/requests.ts';
import { table } from '../parts/prose.ts';
import type { DocsPage } from './layout.ts';

/** How soon a filing is served, and how it is proven that none is missing. */
export function freshnessPage({ settings }: PublicInput): DocsPage {
  const base = origin(settings.baseUrl, defaultAddress);
  return {
    slug: 'freshness',
    name: 'Freshness',
    title: 'How fresh, how proven',
    description:
      'How soon after EDGAR lists a filing it is served, and how each day is proven to be complete.',
    contents: [
      ['soon', 'How soon a filing is here'],
      ['see', 'See it for yourself'],
      ['first', 'What is known at first sight'],
      ['proven', 'How a day is proven'],
      ['not', 'What this does not say'],
    ],
    body: html`<p class="lead">A feed is worth what you know about its gaps. Here every filing says when it was accepted and when it came, and every day is held against EDGAR's own index.</p>
      <h2 id="soon">How soon a filing is here</h2>
      <p>EDGAR lists a filing some seconds after it accepts it. A service that follows EDGAR reads that list every few seconds, takes every filing of its universe, and publishes it: within ten seconds, plus the pause between two readings. A service that is rebuilt on a schedule is as fresh as its schedule. The <a href="/status">status page</a> shows when the newest filing was listed and when it was served.</p>
      <p>Ask with <a href="/docs/polling#wait"><code>wait</code></a>, up to ${waitMaximum} seconds, and you have a filing within a second of its publication.</p>
      <h2 id="see">See it for yourself</h2>
      <p>The time between <code>acceptedAt</code> and <code>observedAt</code> is how long a filing was on its way, EDGAR's own delay included:</p>
      ${codeBlock(code`curl -s "${base}/v1/sec/latest?limit=50" -H "x-api-key: $KEY" \\\n  | jq -r '.data[] | select(.acceptedAt) | [.acceptedAt, .ingestedAt, .form, .companyName] | @tsv'`, 'Request')}
      <p>Filings that were there before the service began to follow have the time of its first fill as <code>ingestedAt</code>.</p>
      <h2 id="first">What is known at first sight</h2>
      ${table(
        ['What', 'When it is served first'],
        [
          ['accession number, form, filing date, companies and their parts', 'always'],
          ['acceptance time', "always right: EDGAR's list tells it with its offset"],
          ['items of an 8-K', "always, from EDGAR's list"],
          [
            'documents, size, period of report',
            "mostly; EDGAR's file on the company can lag its list by minutes, and in the rush after 16:00 there are more filings than EDGAR allows questions. Then the filing is served without them, and a correction follows",
          ],
        ],
        'What is known when',
      )}
      <p>A <a href="/docs/polling#corrections">correction</a> is an entry of the feed with <code>revision</code> 2 and the names of the members that were filled in.</p>
      <h2 id="proven">How a day is proven</h2>
      <p>About 22:00 Eastern, EDGAR publishes the index of the day: every filing, with every company that it names. Each entry of it that is of the universe is then looked up in the ledger. What is not there is fetched; what cannot be had is counted as missing, with the reason. The results are <a href="${reconciliationPath}">one document</a> and a table on the <a href="/status">status page</a>; <a href="/health"><code>/health</code></a> says through which day all is proven:</p>
      ${codeBlock(code`curl -s "${base}/health" | jq '{reconciledFrom, reconciledThrough, missingFilings, withdrawnFilings}'\ncurl -s "${base}${reconciliationPath}" | jq '.data[0]'`, 'Requests')}
      <p>You need not believe it: take the index of a day from EDGAR, keep the rows of your companies, and ask for each accession number.</p>
      <p>EDGAR sometimes withdraws a filing. Its daily indexes keep it, its quarterly ones, made again every Saturday, do not. The difference is published as <code>withdrawn</code> with the day. What was served stays: whoever reads an old cursor sees what was true then.</p>
      <h2 id="not">What this does not say</h2>
      <ul><li>A day is complete for the universe that this service follows, which the <a href="/status">status page</a> names, and not for all of EDGAR.</li>
        <li>A filing that EDGAR itself lists late comes late, with its old date. A <a href="/docs/polling">cursor</a> brings it; a date would miss it.</li>
        <li>The time of acceptance is not the time at which the first reader could see the filing: EDGAR lists filings in batches, seconds later.</li></ul>`,
  };
}
