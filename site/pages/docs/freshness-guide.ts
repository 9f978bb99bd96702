import { waitMaximum } from '../../../src/contract/parameters.ts';
import { defaultAddress } from '../../../src/contract/product.ts';
import { reconciliationPath } from '../../content/reconciliation.ts';
import type { PublicInput } from '../../content/public-file.ts';
import { code, html } from '../parts/html.ts';
import { codeBlock, origin } from '../parts/code-block.ts';
import { table } from '../parts/prose.ts';
import type { DocsPage } from './docs-page.ts';

/** How soon a filing is served, and how a day is proven complete. */
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
      ['proven', 'How a day is proven complete'],
      ['not', 'What this does not say'],
    ],
    body: html`<p class="lead">You can only rely on a feed if you know its gaps. Here every filing says when EDGAR accepted it and when it arrived, and the service compares every day with EDGAR's own index.</p>
      <h2 id="soon">How soon a filing is here</h2>
      <p>EDGAR lists a filing some seconds after it accepts it. A service that follows EDGAR reads that list every few seconds. It publishes every filing of its universe within ten seconds, plus the pause between two readings. (The universe is the set of companies that a service covers.) A service that is rebuilt on a schedule is as fresh as its schedule. The <a href="/status">status page</a> shows when the newest filing was listed and when it was served.</p>
      <p>Ask with <a href="/docs/polling#wait"><code>wait</code></a>, up to ${waitMaximum} seconds, and you get a filing within a second of its publication.</p>
      <h2 id="see">See it for yourself</h2>
      <p>The time from <code>acceptedAt</code> to <code>ingestedAt</code> is how long a filing took to arrive here, including EDGAR's own delay:</p>
      ${codeBlock(code`curl -s "${base}/v1/sec/latest?limit=50" -H "x-api-key: $KEY" \\\n  | jq -r '.data[] | select(.acceptedAt) | [.acceptedAt, .ingestedAt, .form, .companyName] | @tsv'`, 'Request')}
      <p>Filings from before the service began to follow EDGAR have the time of its first fill as <code>ingestedAt</code>.</p>
      <h2 id="first">What is known at first sight</h2>
      ${table(
        ['What', 'When it is served first'],
        [
          ['accession number, form, filing date, companies and their roles', 'always'],
          ['acceptance time', "always, and always right: EDGAR's list has it with its offset"],
          ['items of an 8-K', "always, from EDGAR's list"],
          [
            'documents, size, period of report',
            "mostly. EDGAR's file on the company can be minutes behind its list, and after 16:00 there are more filings than requests that EDGAR allows. Then the filing is served without these members, and a correction follows",
          ],
        ],
        'What is known when',
      )}
      <p>A <a href="/docs/polling#corrections">correction</a> is an entry of the feed with <code>revision</code> 2 and the names of the members that were filled in.</p>
      <h2 id="proven">How a day is proven complete</h2>
      <p>About 22:00 Eastern, EDGAR publishes the index of the day: every filing, with every company that it names. The service then compares each filing of its universe with its own data: the accession number, the companies, the form, the date, and whether the documents are known. It fetches filings that are not there, and asks EDGAR again about those that it has otherwise. What was wrong becomes a correction in the feed. The results are in <a href="${reconciliationPath}">one document</a> and in a table on the <a href="/status">status page</a>. <a href="/health"><code>/health</code></a> says through which day all is proven:</p>
      ${codeBlock(code`curl -s "${base}/health" | jq '{reconciledFrom, reconciledThrough, missingFilings, openFilings, withdrawnFilings}'\ncurl -s "${base}${reconciliationPath}" | jq '.data[0]'`, 'Requests')}
      ${table(
        ['Member', 'Filings of the day'],
        [
          [html`<code>found</code>`, 'that the service has as the index lists them, with their documents'],
          [html`<code>fetched</code>, <code>corrected</code>`, 'that the comparison brought, or put right'],
          [
            html`<code>open</code>`,
            'that are served, but whose documents EDGAR has not shown yet, or about which it has not answered',
          ],
          [
            html`<code>different</code>`,
            "about which EDGAR's index says something else than the filing's own header; the header counts",
          ],
          [html`<code>missing</code>`, 'that could not be had'],
        ],
        'What a result says',
      )}
      <p>One comparison proves little: the index of a day never changes, and EDGAR goes on correcting. So each day is compared once more on the next business day, and every Saturday with the corrected index of its quarter, for 100 days. Days with open or missing filings are tried twice a day for a week. <code>looks</code> says when a day was compared first, and which later comparisons found something; <code>checkedAt</code> is the last one. After an interruption the service begins with the last day that was proven, however long ago it is.</p>
      <p>You can check it yourself: take the index of a day from EDGAR, keep the rows of your companies, and ask for each accession number.</p>
      <p>EDGAR sometimes withdraws a filing. The daily index still has it; the quarterly index, which EDGAR makes again every Saturday, does not. The service publishes the difference as <code>withdrawn</code> with the day. It does not delete the filing, so an old cursor still shows what was known then.</p>
      <h2 id="not">What this does not say</h2>
      <ul><li>A day is complete for the universe of this service, not for all of EDGAR. The <a href="/status">status page</a> names the universe.</li>
        <li>A filing that EDGAR itself lists late comes late, with its old date. A client that follows the <a href="/docs/polling">cursor</a> gets it. A client that asks by date misses it.</li>
        <li>Nobody can see a filing at its acceptance time: EDGAR lists filings in batches, seconds later.</li></ul>`,
  };
}
