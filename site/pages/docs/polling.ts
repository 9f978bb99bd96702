import { waitMaximum } from '../../../src/contract/parameters.ts';
import { defaultAddress } from '../../../src/contract/product.ts';
import type { PublicInput } from '../../../build/content/public-file.ts';
import { code, html } from '../parts/html.ts';
import { codeBlock, origin } from '../parts/requests.ts';
import { pollers } from '../parts/programs.ts';
import { table } from '../parts/prose.ts';
import { answerBlock, programTabs, requestTabs } from '../parts/samples.ts';
import type { DocsPage } from './layout.ts';

/** How to follow the change feed. */
export function pollingPage({ settings, examples }: PublicInput): DocsPage {
  const changes = examples.find(({ endpoint }) => endpoint.id === 'listChanges');
  const base = origin(settings.baseUrl, defaultAddress);
  return {
    slug: 'polling',
    name: 'Polling',
    title: 'Poll without losing anything',
    description: 'Begin at a date, follow the cursor: every change that matches arrives exactly once.',
    contents: [
      ['begin', 'Begin at a date'],
      ['follow', 'Follow the cursor'],
      ['corrections', 'Corrections'],
      ['poller', 'A whole poller'],
      ['wait', 'Wait for what is new'],
      ['dates', 'Why not dates alone'],
      ['often', 'How often to ask'],
    ],
    body: html`<p class="lead">The change feed tells what is new or corrected in the order in which the service observed it, oldest first. It is made for a client that goes on where it stopped.</p>
      <h2 id="begin">Begin at a date</h2>
      <p><code>since</code> keeps filings whose filing date is that day or later. A timestamp counts as its written calendar date.</p>
      ${requestTabs(settings, 'begin', changes?.path ?? '/v1/sec/changes?since=2026-08-01&limit=5', true)}
      ${changes && answerBlock(changes.body)}
      <h2 id="follow">Follow the cursor</h2>
      <p>Each answer has <code>meta.nextCursor</code>, also an empty one. Keep it, and pass it as <code>cursor</code> next time. It remembers the <code>since</code> and <code>until</code> that it began with; other <a href="/docs/filters">filters</a> come from each request, so send the same ones again.</p>
      ${codeBlock(code`curl "${base}/v1/sec/changes?cursor=$CURSOR&limit=200" \\\n  -H "x-api-key: $KEY"`, 'Request')}
      <p class="note">A client that follows <code>nextCursor</code> sees every change that matches exactly once, across any number of rebuilds. A page with fewer rows than <code>limit</code> is the end for now.</p>
      <p>An empty page does not say that nothing was filed today: <code>meta.newestFiledAt</code> names the newest filing date that the snapshot holds.</p>
      <h2 id="corrections">Corrections</h2>
      <p>A correction is not a new filing. It says that something which the service published about a filing was wrong or incomplete, and what is right. (An amendment such as a 10-K/A is a filing of its own, with an accession number of its own.)</p>
      <p>Sometimes EDGAR says something else about a filing later: an acceptance time that could not be decided becomes known, a size changes, another company turns out to be named. The feed then has a further entry for the same <code>accessionNo</code>: <code>revision</code> is 2 or more, <code>changeType</code> is <code>amended</code>, <code>corrected</code> names the members that changed, and <code>observedAt</code> says when that was found. The filing keeps its <code>ingestedAt</code>. Keep filings by <code>accessionNo</code> and write what the newest entry says: your copy then is what the lists show.</p>
      <p>Entries never change, and stand where they stood. A filing has the company name and ticker that were known when it was observed: a company that is renamed, or whose ticker somebody else takes, makes no correction. Profiles, search and the heads of watchlist buckets show the present name.</p>
      <p>The feed of one company has an entry when a filing is found to name the company, and when it is found not to: look for its CIK in <code>parties</code>, and drop the filing where it is missing. A filter looks at each entry by itself: with <code>form=8-K</code> you are not told of a filing that is found to be no 8-K.</p>
      <h2 id="poller">A whole poller</h2>
      <p>Store the cursor together with what you made of the page, in one transaction. After a crash you then neither miss nor repeat anything. These two do so: they keep an SQLite file in step with the feed, write corrections over, wait when they are told to, and go on after a kill at any moment. Copy one and change what it does with a row. The files: ${pollers().map(({ path }, at) => html`${at > 0 && ', '}<a href="${path}"><code>${path}</code></a>`)}.</p>
      ${programTabs('poller', pollers())}
      ${codeBlock(code`curl -O ${base}/examples/poller.py\nBASE_URL=${base} API_KEY=$KEY SINCE=2026-08-01 python3 poller.py --interval 300\nsqlite3 filings.db "SELECT filed_at, form, company_name, revision FROM filings ORDER BY sequence DESC LIMIT 5"`, 'Fetch, run and look')}
      <p>The column <code>change</code> has the whole entry as JSON. <code>TICKERS=AAPL,MSFT</code> makes it follow these companies alone.</p>
      <p>A ticker can join a list that is followed at any time: ask for it together with the others, by the cursor that you have. It begins where the list began, so its first answers have everything since <code>since</code>, while the others go on where they were. <a href="/docs/watchlists#joining">More on joining</a>.</p>
      <h2 id="wait">Wait for what is new</h2>
      <p>With <code>wait</code>, up to ${waitMaximum} seconds, an answer that would be empty is held until something that matches is published, or until the time is over. You hear of a filing within a second of its publication, by the same cursor and key, and ask once a minute when nothing happens. The watchlist takes it, too: it answers when one of its entries has something.</p>
      ${codeBlock(code`curl "${base}/v1/sec/changes?cursor=$CURSOR&form=8-K&wait=${waitMaximum}" \\\n  -H "x-api-key: $KEY"`, 'Request')}
      <p>Give your client a time limit that is longer than <code>wait</code>, and go on with the cursor that it got: what is published between two requests is in the next answer.</p>
      <h2 id="dates">Why not dates alone</h2>
      <p><code>meta.nextSince</code> is the filing date of the newest row of a page, for clients that keep dates. It cannot be lossless: a date is inclusive, a busy day holds thousands of filings, and some arrive late with an old date. With dates alone, ask again for the days before and drop what you know by <code>accessionNo</code>.</p>
      ${table(
        ['You keep', 'You get'],
        [
          [html`<code>nextCursor</code>`, 'every change once'],
          [
            html`<code>nextSince</code>`,
            'the newest day again each time; late filings with an older date are missed',
          ],
        ],
        'What to keep',
      )}
      <h2 id="often">How often to ask</h2>
      <p>The data changes when a snapshot is built, usually once a day; <a href="/status">status</a> says when that was last. Every answer has an <code>ETag</code>: a poll that finds nothing new costs a 304 without a body. Answers of 429 and 503 carry <code>Retry-After</code>: wait that long.</p>
      <p>A cursor of another service or of a ledger that was begun anew is refused with <code>invalid_cursor</code>: begin again with <code>since</code>.</p>`,
  };
}

/** How to follow some companies. */
export function watchlistPage({ settings, examples }: PublicInput): DocsPage {
  const example = examples.find(({ endpoint }) => endpoint.id === 'listWatchlistChanges');
  return {
    slug: 'watchlists',
    name: 'Watchlists',
    title: 'Follow a watchlist',
    description: 'Up to 25 companies in one request, grouped by entry.',
    body: html`<p class="lead">One request for up to 25 companies. Each entry has a bucket of its own, in the order in which you asked.</p>
      ${requestTabs(settings, 'watchlist', example?.path ?? '/v1/sec/watchlist/changes?tickers=AAPL,MSFT', true)}
      ${example && answerBlock(example.body)}
      <h2>Entries</h2>
      <ul><li>A ticker of any share class, or a 10-digit CIK. Case is folded; <code>.</code>, <code>-</code> and <code>/</code> are one, so <code>brk.b</code> finds <code>BRK-B</code>.</li>
        <li>Two spellings of the same entry are one.</li>
        <li>The <a href="/docs/filters">filters</a> of all lists hold for each entry.</li>
        <li>An unknown entry does not spoil the rest: its bucket has <code>"status": "unknown_company"</code> and no changes.</li>
        <li>Where a listing moved to a successor company, either CIK finds both.</li></ul>
      <h2>Limits and dates</h2>
      <p><code>limit</code> holds for each entry, so 25 entries with <code>limit=200</code> may give 5,000 changes. Without <code>since</code> the watchlist begins 30 days before the newest filing, and <code>meta.since</code> says which day that was.</p>
      <h2 id="joining">Going on, and joining later</h2>
      <p><code>meta.nextCursor</code> goes on for every entry at once. Each bucket has a <code>nextCursor</code> too, for following one company alone, here or at <code>/v1/sec/changes</code>.</p>
      <p>An entry can join the list at any time, with the cursor of the others. It begins where the list began and gets everything since then; one that comes back goes on where it was. For that the cursor remembers the companies that were asked for last, at least 70 of them. One that it had to forget joins like a new one when it comes back, and gives again what it gave before. Keep a cursor of its own for each list of companies. Everything in <a href="/docs/polling">Poll without losing anything</a> holds for watchlists.</p>`,
  };
}
