import type { PublicInput } from '../../content/public-file.ts';
import { defaultAddress } from '../../../src/contract/product.ts';
import { clientPackages } from '../../content/client-packages.ts';
import { code, html } from '../parts/html.ts';
import { followers } from '../parts/programs.ts';
import { table } from '../parts/prose.ts';
import { codeBlock, origin } from '../parts/code-block.ts';
import { programTabs } from '../parts/request-tabs.ts';
import type { DocsPage } from './docs-page.ts';

/** The packages for TypeScript and Python, and the command line. */
export function clientsPage({ settings }: PublicInput): DocsPage {
  const base = origin(settings.baseUrl, defaultAddress);
  const { npm, wheel } = clientPackages();
  return {
    slug: 'clients',
    name: 'Clients',
    title: 'Clients for TypeScript and Python',
    description: 'A typed loop over the change feed, a mirror in SQLite or Postgres, and a command line.',
    contents: [
      ['follow', 'Follow the feed'],
      ['terminal', 'In a terminal'],
      ['ask', 'Every operation'],
      ['mirror', 'A mirror'],
      ['check', 'Check files'],
    ],
    body: html`<p class="lead">The package <code>filing-events</code>, for Node and for Python, needs no other packages. For Node, <code>filing-events/node</code> has all of it; <code>filing-events</code> alone has no files and no mirror, and runs in browsers, workers, Deno and Bun, too. Its types are made from the <a href="/openapi.json">OpenAPI document</a>.</p>
      ${codeBlock(code`npm install ${base}${npm.path}   # Node 20.19 or newer\npip install ${base}${wheel.path}   # Python 3.10 or newer`, 'Install one')}
      <p>This service has them itself: no registry has the name <code>filing-events</code>, so install neither of them by that alone. <a href="/clients/index.json"><code>/clients/index.json</code></a> lists both archives with their digests. The same release has the same bytes on every service.</p>
      ${table(
        ['Archive', 'SHA-256'],
        [npm, wheel].map(({ name, path, sha256 }) => [
          html`<a href="${path}"><code>${name}</code></a>`,
          html`<code>${sha256}</code>`,
        ]),
        'Archives of the clients',
      )}
      <h2 id="follow">Follow the feed</h2>
      <p>This loop prints each 8-K as it is published. It keeps its place in the file <code>state</code>. The first time it begins now; with <code>since</code> it begins at that filing date.</p>
      ${programTabs('follow', followers())}
      <p>The loop takes a <a href="/docs/polling#stream">stream</a>, so each change is here as soon as it is published. Where no stream comes through, because a proxy holds it back or closes it, the loop asks with <code>wait</code>, and tries a stream again after a while.</p>
      <p>The cursor is saved when the loop asks for the next change. If the program is stopped while it handles one, that one comes again, and no other one. If the service no longer has what was handled last, because its ledger was restored from a backup, the loop ends with <code>invalid_cursor</code>: nothing is left out without a word. The loop waits through 429, restarts of the service and cut connections, as <code>Retry-After</code> says. In Python, <code>async for</code> does the same. The files: ${followers().map(({ path }, at) => html`${at > 0 && ', '}<a href="${path}"><code>${path}</code></a>`)}.</p>
      <p><code>tickers</code> takes any number of companies: up to 250 in one request, more in several, with one file for all their places. Add companies at the end of the list. An entry that no company has is told to <code>onUnknown</code> (<code>on_unknown</code>), or printed once, and costs the others nothing.</p>
      <h2 id="terminal">In a terminal</h2>
      <p>The package for Node has the command <code>filing-events</code>: install it with <code>npm install -g</code>, or run it with <code>npx</code> in the folder where it is installed. Rows are a table on a terminal and JSON Lines in a pipe.</p>
      ${codeBlock(code`export FILING_EVENTS_URL=${base} FILING_EVENTS_KEY=$KEY\nfiling-events tail --form 8-K --ticker AAPL\nfiling-events search apple\nfiling-events filings AAPL --form 10-K\nfiling-events get 0000320193-25-000079 | jq -r .links.text`, 'Commands')}
      ${table(
        ['Command', 'Does'],
        [
          [html`<code>tail</code>`, 'prints each change as it is published'],
          [html`<code>search</code>`, 'finds companies'],
          [html`<code>filings</code>`, 'lists filings of a company, or of all'],
          [html`<code>get</code>`, 'prints filings by their accession numbers'],
          [html`<code>mirror DIR</code>`, 'copies the log: its files, and an SQLite database'],
          [html`<code>verify DIR</code>`, 'compares these files with their digests'],
          [
            html`<code>mcp</code>`,
            html`is a local server of <a href="/docs/assistants">tools</a> for assistants that start programs: it passes on their messages with your key`,
          ],
          [html`<code>completion</code>`, 'completes commands and options in bash, zsh and fish'],
        ],
        'Commands of filing-events',
      )}
      <p>It exits with 0 if all went well, 1 if something was refused or failed, 2 for a wrong command line, and 130 after Ctrl+C.</p>
      <h2 id="ask">Every operation</h2>
      <p>There is a method for each operation, by its name in the <a href="/docs/reference">reference</a>: <code>client.getCompanyProfile({ ticker: 'AAPL' })</code>, in Python <code>client.get_company_profile("AAPL")</code>. <code>rows</code> and <code>pages</code> go through a whole history. An error has the <a href="/docs/errors">code</a> of the service in <code>code</code>. A request that may succeed later is repeated five times.</p>
      <h2 id="mirror">A mirror</h2>
      <p><code>client.mirror('filings.db')</code> keeps a database in step with the whole feed: the table <code>changes</code> has each entry, <code>filings</code> the newest one of each filing with the columns of the <a href="/docs/warehouse">export</a>, <code>parties</code> whom it names. It begins with the <a href="/docs/bulk">files</a>, checks their digests, and goes on with the feed. Rows and cursor are written together, so it can be killed at any moment. If the service no longer has what is in the database, because its ledger was restored from a backup, the mirror ends with <code>mirror_mismatch</code>: mirror into a new database. With <code>tickers</code> it follows any number of companies; you can add one at the end later. In Python you can also give a connection to Postgres. The <a href="/docs/polling#poller">pollers</a> are two programs that use it.</p>
      <h2 id="check">Check files</h2>
      <p><code>filing-events verify DIR</code> compares the files of a mirror with the digests that the service lists. A file that is older than the list says so only if its rows are the first rows of the listed file; else it is <code>unproven</code> or <code>damaged</code>, and the exit code is 1. Where you can read the snapshots, <code>--snapshots</code> and <code>--trusted-key</code> prove these digests from the <a href="/docs/verify">signature of the pointer</a>. DIR keeps the greatest number of a pointer that was accepted, so an older pointer is refused; <code>--at-least</code> gives a number for the first time.</p>`,
  };
}
