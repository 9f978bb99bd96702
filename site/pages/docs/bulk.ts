import { readFileSync } from 'node:fs';
import { bulkFileRows } from '../../../src/contract/bulk.ts';
import { defaultAddress } from '../../../src/contract/product.ts';
import type { PublicInput } from '../../../build/content/public-file.ts';
import { code, html } from '../parts/html.ts';
import { codeBlock, origin } from '../parts/requests.ts';
import { table } from '../parts/prose.ts';
import { answerBlock, requestTabs } from '../parts/samples.ts';
import type { DocsPage } from './layout.ts';

/** An example that tests run, as the page shows it. */
const example = (name: string) =>
  code`${readFileSync(new URL(`../../examples/bulk/${name}`, import.meta.url), 'utf8').trimEnd()}`;

/** How to have all of the change feed as files, and what to do with them. */
export function bulkPage({ settings, examples }: PublicInput): DocsPage {
  const list = examples.find(({ endpoint }) => endpoint.id === 'listBulkFiles');
  const base = origin(settings.baseUrl, defaultAddress);
  return {
    slug: 'bulk',
    name: 'Bulk files',
    title: 'Everything as files',
    description:
      'The whole change feed as JSON Lines that never change, with digests; recipes for DuckDB, pandas and jq.',
    contents: [
      ['list', 'The list of files'],
      ['mirror', 'Mirror them'],
      ['newest', 'The newest observation of each filing'],
      ['excel', 'CSV for a spreadsheet'],
      ['on', 'Going on with the feed'],
    ],
    body: html`<p class="lead">The files are the <a href="/docs/polling">change feed</a> from its beginning, in its order: each line is the row that <code>/v1/sec/changes</code> gives. Take them once, then only what is new.</p>
      <h2 id="list">The list of files</h2>
      ${requestTabs(settings, 'bulk', list?.path ?? '/v1/sec/bulk', true)}
      ${list && answerBlock(list.body)}
      <p>A file is closed when it has ${bulkFileRows.toLocaleString('en')} rows, about a megabyte. <strong>A closed file never changes</strong>: neither its name, nor its bytes, nor its digest. The last file of the list is open: it is replaced by a longer one of the same name until it is full. So a mirror never has to delete or rename anything.</p>
      ${table(
        ['Header', 'What it is for'],
        [
          [html`<code>ETag</code>`, 'the first 32 digits of the SHA-256 of the file'],
          [html`<code>Repr-Digest</code>`, 'the whole SHA-256, in base64, also beside a part of the file'],
          [
            html`<code>Range</code>, <code>If-Range</code>`,
            'a download that broke off goes on where it was; with the ETag in If-Range it begins again if the file is another one by now',
          ],
          [html`<code>Cache-Control</code>`, 'a closed file may be kept for ever by whoever asked for it'],
        ],
        'Headers of a file',
      )}
      <p>A file is a series of gzip members, sent as it is: <code>Accept-Encoding</code> changes nothing, and no encoding is laid over it. An address in the list is a path at the host that gave the list.</p>
      <h2 id="mirror">Mirror them</h2>
      <p>This program fetches what is missing, goes on with what broke off, and proves each file. Run it as often as you like:</p>
      ${codeBlock(code`python3 mirror.py ${base} bulk`, 'Command')}
      ${codeBlock(example('mirror.py'), 'mirror.py')}
      <h2 id="newest">The newest observation of each filing</h2>
      <p>A filing that was <a href="/docs/polling#corrections">corrected</a> stands in the files several times; the row with the greatest <code>sequence</code> holds. These recipes keep that one of each filing. They expect the files in the folder <code>bulk</code>.</p>
      <h3>DuckDB</h3>
      ${codeBlock(example('newest.sql'), 'newest.sql')}
      <p>Dates become dates. <code>acceptedAt</code>, <code>ingestedAt</code> and <code>observedAt</code> become times in UTC; <code>acceptanceDateTime</code> stays the Eastern wall clock, as text.</p>
      <h3>pandas</h3>
      ${codeBlock(example('newest.py'), 'newest.py')}
      <h3>jq</h3>
      ${codeBlock(example('newest.sh'), 'newest.sh')}
      <p>The second line keeps results of operations (Form 8-K, item 2.02). <code>jq</code> holds all filings in memory: take one of the others for many millions.</p>
      <h2 id="excel">CSV for a spreadsheet</h2>
      <p>Excel takes <code>0000320193</code> in a CSV file for a number and drops the zeros, takes the item <code>5.10</code> for 5.1, and shows 14 digits as <code>2.02508E+13</code>. In the CSV files above these cells are written as <code>="0000320193"</code>, which in CSV is <code>"=""0000320193"""</code>: Excel and LibreOffice then show the text as it is. Other programs see the sign and the quotes; give them the Parquet file.</p>
      <h2 id="on">Going on with the feed</h2>
      <p><code>meta.nextCursor</code> of the list stands behind the last row of the last file. Pass it as <code>cursor</code> to <code>/v1/sec/changes</code>, and you neither miss nor repeat a row: take the files once, then <a href="/docs/polling#follow">follow the cursor</a>.</p>`,
  };
}
