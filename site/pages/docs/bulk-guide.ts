import { bulkFileRows } from '../../../src/contract/bulk.ts';
import { defaultAddress } from '../../../src/contract/product.ts';
import type { PublicInput } from '../../content/public-file.ts';
import { bulkPrograms, type Program } from '../parts/programs.ts';
import { code, html, type Html } from '../parts/html.ts';
import { codeBlock, origin } from '../parts/code-block.ts';
import { table } from '../parts/prose.ts';
import { answerBlock, requestTabs } from '../parts/request-tabs.ts';
import type { DocsPage } from './docs-page.ts';

/** A program that the site also serves as a file. Tests run these programs. */
function example({ path, text }: Program): Html {
  return html`${codeBlock(code`${text.trimEnd()}`, path.slice(path.lastIndexOf('/') + 1))}<p>The file: <a href="${path}"><code>${path}</code></a>.</p>`;
}

/** How to download the change feed as files, and what to do with them. */
export function bulkPage({ settings, examples }: PublicInput): DocsPage {
  const list = examples.find(({ endpoint }) => endpoint.id === 'listBulkFiles');
  const base = origin(settings.baseUrl, defaultAddress);
  const programs = bulkPrograms();
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
      ['on', 'Go on with the feed'],
    ],
    body: html`<p class="lead">The files contain the whole <a href="/docs/polling">change feed</a>, in its order. Each line is a row of <code>/v1/sec/changes</code>. Download them once, then only what is new.</p>
      <h2 id="list">The list of files</h2>
      ${requestTabs(settings, 'bulk', list?.path ?? '/v1/sec/bulk', true)}
      ${list && answerBlock(list.body)}
      <p>A file with ${bulkFileRows.toLocaleString('en')} rows, one to two megabytes, is closed. <strong>A closed file never changes</strong>: its name, its bytes and its digest stay the same. The last file of the list is open. A longer file of the same name replaces it, until it is full. So a mirror never has to delete or rename a file.</p>
      ${table(
        ['Header', 'What it is for'],
        [
          [html`<code>ETag</code>`, 'the first 32 digits of the SHA-256 of the file'],
          [
            html`<code>Repr-Digest</code>`,
            'the whole SHA-256 of the file in base64, also when you get only a part',
          ],
          [
            html`<code>Range</code>, <code>If-Range</code>`,
            'go on with a download that broke off. Send the ETag in If-Range: if the file has changed meanwhile, you get it from the beginning',
          ],
          [
            html`<code>Cache-Control</code>`,
            'caches ask again: the name of a file tells its range, and the ETag its content',
          ],
        ],
        'Headers of a file',
      )}
      <p>A file is a series of gzip members. The service sends it as it is and ignores <code>Accept-Encoding</code>. A <code>url</code> in the list is a path at the host that gave you the list.</p>
      <h2 id="mirror">Mirror them</h2>
      <p>This program downloads the missing files, goes on where a download broke off, and checks each file by its digest. Run it as often as you like:</p>
      ${codeBlock(code`curl -O ${base}/examples/mirror.py\nKEY=$KEY python3 mirror.py ${base} bulk`, 'Commands')}
      ${example(programs.mirror)}
      <h2 id="newest">The newest observation of each filing</h2>
      <p>The files have several rows for a filing that was <a href="/docs/polling#corrections">corrected</a>. The row with the greatest <code>sequence</code> is the valid one. These recipes keep only that row of each filing, with its <code>sequence</code>, <code>revision</code> and <code>observedAt</code>. They expect the files in the folder <code>bulk</code>, read them twice, and need less than 1 GB of memory for a million rows.</p>
      <h3>DuckDB</h3>
      ${example(programs.duckdb)}
      <p>With <code>SET memory_limit = '1GB';</code> before it, it stays within that. Dates become dates. <code>acceptedAt</code>, <code>ingestedAt</code> and <code>observedAt</code> become times with a time zone, UTC; <code>acceptanceDateTime</code> stays the Eastern wall clock, as text, and <code>ownership</code> and <code>exhibits</code> stay JSON.</p>
      <h3>pandas</h3>
      ${example(programs.pandas)}
      <h3>jq</h3>
      ${example(programs.jq)}
      <p>The second command of <code>jq</code> keeps results of operations (Form 8-K, item 2.02).</p>
      <h2 id="excel">CSV for a spreadsheet</h2>
      <p>Excel reads <code>0000320193</code> in a CSV file as a number and drops the zeros. It reads the item <code>5.10</code> as 5.1, and shows 14 digits as <code>2.02508E+13</code>. So the recipes above write such cells as <code>="0000320193"</code>, which in CSV is <code>"=""0000320193"""</code>. Excel and LibreOffice then show the text. Other programs show the sign and the quotes too: give them the Parquet file. A name or description that begins as a formula does gets an apostrophe.</p>
      <h2 id="on">Go on with the feed</h2>
      <p><code>meta.nextCursor</code> of the list continues after the last row of the last file. Download the files once, then <a href="/docs/polling#follow">follow this cursor</a> at <code>/v1/sec/changes</code>. You neither miss nor repeat a row.</p>
      <p>For SQL over all of it, the operator can export <a href="/docs/warehouse">tables for a warehouse</a>.</p>`,
  };
}
