import { successors } from '../../../src/domain/successors.ts';
import { tickersMaximum, waitMaximum } from '../../../src/contract/parameters.ts';
import { defaultAddress } from '../../../src/contract/product.ts';
import type { PublicInput } from '../../content/public-file.ts';
import { clientPackages } from '../../content/client-packages.ts';
import { code, html } from '../parts/html.ts';
import { codeBlock, origin } from '../parts/code-block.ts';
import { pollers } from '../parts/programs.ts';
import { table } from '../parts/prose.ts';
import { answerBlock, programTabs, requestTabs } from '../parts/request-tabs.ts';
import type { DocsPage } from './docs-page.ts';

/** How to follow the change feed. */
export function pollingPage({ settings, examples }: PublicInput): DocsPage {
  const changes = examples.find(({ endpoint }) => endpoint.id === 'listChanges');
  const base = origin(settings.baseUrl, defaultAddress);
  const { wheel } = clientPackages();
  return {
    slug: 'polling',
    name: 'Polling',
    title: 'Poll without losing anything',
    description: 'Begin at a date and follow the cursor: you get each matching change exactly once.',
    contents: [
      ['begin', 'Begin at a date'],
      ['follow', 'Follow the cursor'],
      ['wait', 'Wait for new filings'],
      ['stream', 'Or take a stream'],
      ['corrections', 'Corrections'],
      ['poller', 'A whole poller'],
      ['dates', 'Why not dates alone'],
      ['often', 'How often to ask'],
    ],
    body: html`<p class="lead">The change feed lists new and corrected filings in the order in which the service observed them, oldest first. A client reads it once and then goes on where it stopped.</p>
      <h2 id="begin">Begin at a date</h2>
      <p><code>since</code> selects filings with that filing date or a later one. If you send a timestamp, the service uses the calendar date written in it.</p>
      ${requestTabs(settings, 'begin', changes?.path ?? '/v1/sec/changes?since=2026-08-01&limit=5', true)}
      ${changes && answerBlock(changes.body)}
      <h2 id="follow">Follow the cursor</h2>
      <p>Every answer has <code>meta.nextCursor</code>, even an empty one. Store it, and send it as <code>cursor</code> next time. It remembers your <code>since</code> and <code>until</code>. It does not remember other <a href="/docs/filters">filters</a>: send them again with each request.</p>
      ${codeBlock(code`CURSOR=$(curl -s "${base}${changes?.path ?? '/v1/sec/changes?since=2026-08-01&limit=5'}" \\\n  -H "x-api-key: $KEY" | jq -r .meta.nextCursor)\ncurl "${base}/v1/sec/changes?cursor=$CURSOR&limit=200" \\\n  -H "x-api-key: $KEY"`, 'Request')}
      <p class="note">A client that follows <code>nextCursor</code> sees each matching change exactly once, however often the data is published anew. A page with fewer rows than <code>limit</code> is the end for now, unless <code>meta.endedEarly</code> is true: filters that rarely match together end a page after many rows that do not match, and it may be empty. Then ask at once with its cursor, and with <code>wait</code>, too, such a page comes at once. If there are more rows, the header <code>Link: &lt;…&gt;; rel="next"</code> has the address of the next page, for every list and for the watchlist.</p>
      <p>An empty page does not mean that nothing was filed today. <code>meta.newestFiledAt</code> is the newest filing date in the data.</p>
      <h2 id="wait">Wait for new filings</h2>
      <p>With <code>wait</code>, up to ${waitMaximum} seconds, the service holds an empty answer until something that matches is published, or until the time is over. So you get a filing within a second of its publication, and ask only once a minute when nothing happens. Cursor and key stay the same. The watchlist takes <code>wait</code>, too, and answers when one of its entries has something.</p>
      ${codeBlock(code`curl "${base}/v1/sec/changes?cursor=$CURSOR&form=8-K&wait=${waitMaximum}" \\\n  -H "x-api-key: $KEY"`, 'Request')}
      <p>Give your client a time limit longer than <code>wait</code>. What is published between two requests comes with the next answer.</p>
      <h2 id="stream">Or take a stream</h2>
      <p>With <code>Accept: text/event-stream</code>, the change feed and the watchlist answer with a stream of server-sent events that does not end: first what there is behind your cursor, then each change as soon as it is published. Filters and keys are the same; <code>limit</code> and <code>wait</code> are left out.</p>
      ${codeBlock(code`curl -N "${base}/v1/sec/changes?since=2026-08-01&form=8-K" \\\n  -H "Accept: text/event-stream" -H "x-api-key: $KEY"`, 'Request')}
      ${codeBlock(code`event: change\nid: ZX5hYmM…\ndata: {"sequence":4180,"revision":1, …}`, 'Each change')}
      <p>The <code>id</code> of an event is the cursor behind it. A client that lost its stream sends the last <code>id</code> in the header <code>Last-Event-ID</code>, as <code>EventSource</code> does, or as <code>cursor</code>, and goes on exactly there; a poll takes it, too. An event of a watchlist begins with its <code>ticker</code>, and a filing of two entries has two events. Where nothing is published, a comment or an <code>id</code> without data comes every 15 seconds. Begin anew when a minute passes without either. The stream ends when the service restarts or your key is revoked. The <a href="/docs/clients#follow">clients</a> do all this, and the page <a href="/filings">Filings</a> shows a stream in the browser.</p>
      <p>Whoever only reads along can subscribe to <a href="/feed.atom"><code>/feed.atom</code></a> or <a href="/feed.json"><code>/feed.json</code></a> in a reader of news, without a key: they have the newest filings of the public sample, and may leave some out.</p>
      <h2 id="corrections">Corrections</h2>
      <p>A correction is not a new filing. The service published something about a filing that was wrong or incomplete, and the correction has the right values. (An amendment such as a 10-K/A is a filing of its own, with an accession number of its own.)</p>
      <p>For example, an unknown acceptance time becomes known, a size changes, or a filing turns out to name another company. The feed then has a further entry with the same <code>accessionNo</code>. Its <code>revision</code> is 2 or more (see <a href="/docs/events#changes">change types</a>), <code>corrected</code> names the members that changed, and <code>observedAt</code> says when the service found this. <code>ingestedAt</code> stays the same. Store filings by <code>accessionNo</code>, and overwrite them with newer entries. Then your copy equals the lists.</p>
      <p><code>cause</code> says why: <code>source</code> (EDGAR says something else), <code>contents</code> (what the filing's document says came after the filing, which was accepted in the three days before), <code>history</code> (the same of an older filing) or <code>rules</code> (this service says something else, mostly after an update, of many filings at once). Whoever sends alarms wants few of them: <code>corrections</code> takes <code>none</code>, causes with commas between, or <code>all</code>, which is what comes without it. The cursor goes on behind what you do not get. Whoever keeps a copy wants all.</p>
      ${codeBlock(code`curl "${base}/v1/sec/changes?cursor=$CURSOR&corrections=source,contents" \\\n  -H "x-api-key: $KEY"`, 'New filings, and what EDGAR or their documents correct')}
      <p>Entries never change and never move. A filing has the company name and ticker of the time when the service observed it. A new name or ticker of a company causes no corrections. Profiles, search and watchlist buckets show the present name.</p>
      <p>If you follow one company, you get an entry when a filing turns out to name it, and also when a filing turns out not to name it. Look for the CIK of the company in <code>parties</code>, and drop the filing if it is not there. Filters look at each entry alone: with <code>form=8-K</code> you do not hear of a filing that turns out not to be an 8-K.</p>
      <h2 id="poller">A whole poller</h2>
      <p>The <a href="/docs/clients">clients</a> for TypeScript and Python do all of this page. If you write your own, store the cursor and the rows of its page in one transaction. Then a crash neither loses nor repeats anything. The mirror of the clients does so: these two programs keep an SQLite file in step with the feed, wait for new ones, overwrite corrected filings, drop those in which a company of the watchlist has no part after all, obey <code>Retry-After</code>, and can be killed at any moment. The files: ${pollers().map(({ path }, at) => html`${at > 0 && ', '}<a href="${path}"><code>${path}</code></a>`)}.</p>
      ${programTabs('poller', pollers())}
      ${codeBlock(code`pip install ${base}${wheel.path}\ncurl -O ${base}/examples/poller.py\nBASE_URL=${base} API_KEY=$KEY SINCE=2026-08-01 python3 poller.py --once\nsqlite3 filings.db "SELECT accepted_at, form, items, company_name, revision FROM filings ORDER BY sequence DESC LIMIT 5"`, 'Fetch, run and look')}
      <p>The table <code>filings</code> has the newest entry of each filing, <code>changes</code> the whole log, each entry as JSON. With <code>TICKERS=AAPL,MSFT</code> the program follows only these companies, as many as you like: it asks for the watchlists of ${tickersMaximum} at a time.</p>
      <p>You can add a ticker at the end of <code>TICKERS</code> at any time: the program first gets its changes from <code>SINCE</code> on, while the others go on where they were. So does a watchlist with the cursor that you have. In the change feed itself, an added ticker begins where the cursor is. <a href="/docs/watchlists#joining">More on joining</a>.</p>
      <h2 id="dates">Why not dates alone</h2>
      <p><code>meta.nextSince</code> is the newest filing date of a page, for clients that store dates. But dates lose filings or repeat them: a busy day has thousands of filings, and some arrive late with an old date. If you can only use dates, ask again for the days before, and skip the filings that you already have, by <code>accessionNo</code>.</p>
      ${table(
        ['You store', 'You get'],
        [
          [html`<code>nextCursor</code>`, 'each change once'],
          [
            html`<code>nextSince</code>`,
            'the newest day again each time, and no late filings with an older date',
          ],
        ],
        'What to store',
      )}
      <h2 id="often">How often to ask</h2>
      <p>The data changes when a snapshot is published: within seconds of EDGAR if the service follows EDGAR, else usually once a day. The <a href="/status">status page</a> says when that was last. Every answer has an <code>ETag</code>: send it back, and an unchanged answer is a 304 without a body. Answers with status 429 and 503 have <code>Retry-After</code>: wait that many seconds.</p>
      <p>The service refuses a cursor of another service, or of data that was begun anew, with <code>invalid_cursor</code>. Begin again with <code>since</code>.</p>`,
  };
}

/** How to follow some companies. */
export function watchlistPage({ settings, examples }: PublicInput): DocsPage {
  const example = examples.find(({ endpoint }) => endpoint.id === 'listWatchlistChanges');
  return {
    slug: 'watchlists',
    name: 'Watchlists',
    title: 'Follow a watchlist',
    description: 'Up to 25 companies grouped by company, or up to 250 in one feed; longer lists in parts.',
    body: html`<p class="lead">One request asks for up to 25 companies. The answer has a bucket for each company, in the order of your request.</p>
      ${requestTabs(settings, 'watchlist', example?.path ?? '/v1/sec/watchlist/changes?tickers=AAPL,MSFT', true)}
      ${example && answerBlock(example.body)}
      <h2>Entries</h2>
      <ul><li>An entry is a ticker of any share class of a company, or a 10-digit CIK. Symbols of fund classes such as <code>VFIAX</code> are not known: name the CIK of the fund. Case does not matter, and <code>.</code>, <code>-</code> and <code>/</code> are the same: <code>brk.b</code> finds <code>BRK-B</code>.</li>
        <li>Entries that name the same company, such as <code>GOOG</code> and <code>GOOGL</code> or a ticker and a CIK, share a bucket: <code>entries</code> has all of them, <code>ticker</code> the first.</li>
        <li>The <a href="/docs/filters">filters</a> apply to each bucket.</li>
        <li>An unknown entry has a bucket with <code>"status": "unknown_company"</code> and no changes. The others are answered. If no entry is known, the answer comes at once, also with <code>wait</code>.</li>
        <li id="successors">If a listing moved to a successor company, as that of BlackRock, Disney, Google and Exxon Mobil, the ticker and each of the CIKs find the filings of both, and they share a bucket. This holds for the ${successors.length} successions that <a href="/reference.json"><code>/reference.json</code></a> lists in <code>successors</code>, each with its source. EDGAR has no data for it, so the list is kept by hand and has large companies. Of any other successor, ask for the CIK of its predecessor, too.</li></ul>
      <h2>Limits and dates</h2>
      <p><code>limit</code> applies to each bucket: 25 companies with <code>limit=200</code> may give 5,000 changes. Without <code>since</code>, the watchlist begins 30 days before the newest filing. <code>meta.since</code> is that day.</p>
      <h2 id="joining">Going on, and joining later</h2>
      <p><code>meta.nextCursor</code> goes on for all entries. Each bucket also has a <code>nextCursor</code>, with which you can follow its company alone, here or at <code>/v1/sec/changes</code>.</p>
      <p>You can add an entry at any time and keep the cursor. The entry begins where the list began, and you get all its changes since then. An entry that you drop and add again goes on where it was: the cursor remembers the companies that you asked for last, at least 70 of them. If it had to forget one, that one begins like a new entry, and you get its changes again. Store one cursor for each list of companies. Everything in <a href="/docs/polling">Poll without losing anything</a> applies to watchlists.</p>
      <h2 id="one">One feed for all of them</h2>
      <p><code>/v1/sec/changes</code> takes <code>tickers</code>, too: up to 250 companies in one list, oldest first, with one cursor. A change that concerns several of them comes once, and <code>limit</code> is that of the whole page. <code>meta.unknown</code> names the entries that no company has: a symbol that was delisted costs the others nothing. If no entry is known, the answer is an error (404) that names them. An entry that you add later begins where the cursor is. Send <code>ticker</code> or <code>tickers</code>, not both.</p>
      ${requestTabs(settings, 'several', '/v1/sec/changes?tickers=AAPL,MSFT&since=2026-08-01&limit=5', true)}
      <h2 id="more">More than 250 companies</h2>
      <p>Divide the list into parts of up to 250, and store a cursor for each part. Add new companies to the last part, so that no other one moves from one part to another. <code>changes()</code> of the <a href="/docs/clients">clients</a> does this. With thousands of companies, read the whole feed without <code>tickers</code> instead, and look for their CIKs in <code>parties</code>.</p>`,
  };
}
