import { endpoints } from '../../../src/contract/endpoints.ts';
import { tools } from '../../../src/contract/tools.ts';
import type { PublicInput } from '../../content/public-file.ts';
import { html } from '../parts/html.ts';
import { operationPath } from '../parts/operation-paths.ts';
import { answerBlock, requestTabs } from '../parts/request-tabs.ts';
import type { DocsPage } from './docs-page.ts';

const guides: readonly (readonly [path: string, name: string, about: string])[] = [
  [
    '/docs/reference',
    'All operations',
    'a page for each: parameters, requests in three languages, the real answer, and a form to try it',
  ],
  ['/docs/filters', 'Ask for some filings', 'the filters that every list takes'],
  ['/docs/polling', 'Poll without losing anything', 'since, nextSince and the cursor'],
  ['/docs/watchlists', 'Follow a watchlist', '25 companies by company, or 250 in one feed'],
  ['/docs/webhooks', 'Webhooks', 'each change is sent to your address, signed'],
  ['/docs/bulk', 'Everything as files', 'the whole change feed, with recipes for DuckDB, pandas and jq'],
  ['/docs/clients', 'Clients', 'a typed loop in TypeScript or Python, a mirror, and a command line'],
  ['/docs/warehouse', 'In a warehouse', 'Iceberg tables for Spark, Trino, Snowflake, BigQuery and DuckDB'],
  [
    '/docs/assistants',
    'Connect an assistant',
    `${tools.length} tools, resources and prompts over the Model Context Protocol`,
  ],
  ['/docs/keys', 'Send a key', 'direct, or through the marketplace gateway'],
  ['/docs/events', 'Event families and items', '56 families, the forms in each, and the items of Form 8-K'],
  ['/docs/times', 'What the times mean', 'filing date, acceptance time and the rest'],
  ['/docs/freshness', 'How fresh, how proven', 'how soon a filing is here, and how a day is proven complete'],
  ['/docs/verify', 'Verify a snapshot', 'how one digest proves every byte'],
  ['/docs/records', 'Records', 'every member of every answer'],
  ['/docs/errors', 'Errors', 'every code, and what to do about it'],
  ['/docs/versions', 'What may change', 'what stays below /v1/, and how the end of something is announced'],
  ['/docs/security', 'Report a security fault', 'where to write, and which tests are welcome'],
  ['/docs/changelog', 'Changelog', 'what changed'],
];

/** The first page: a request that works at once, then one with a key. */
export function startPage({ settings, examples }: PublicInput): DocsPage {
  const latest = examples.find(({ endpoint }) => endpoint.id === 'listLatestFilings');
  const keyed = endpoints.filter(({ access }) => access === 'keyed').length;
  return {
    slug: '',
    name: 'Start',
    title: 'Documentation',
    description: 'From the first request to a poller that loses nothing.',
    body: html`<p class="lead">Two requests show you how the service works.</p>
      <h2 id="first">1. See real filings</h2>
      <p>The public sample needs no key. It has the newest filings, as all operations give them.</p>
      ${requestTabs(settings, 'demo', '/demo', false)}
      <h2 id="second">2. Ask your own question</h2>
      <p>The ${keyed} operations below <code>/v1/</code> need a key: <a href="/subscribe">get one</a>, put it into the shell variable <code>KEY</code>, and send it as <code>x-api-key</code>.</p>
      ${requestTabs(settings, 'latest', latest?.path ?? '/v1/sec/latest?limit=5', true)}
      ${latest && answerBlock(latest.body)}
      <p>You can also paste your key into the <a href="${operationPath('listLatestFilings')}">reference</a> and send the request there.</p>
      <h2 id="look">Or look around first</h2>
      <p>The <a href="/explore">explorer</a> shows some companies without a key: their filings on a timeline, with filters. Each filtered view has an address that you can share. With your key, it finds any company and shows its whole history: who filed, what was corrected (<code>revision</code> 2 or more in the <a href="/docs/polling#corrections">change feed</a>), and the request that gives the same. Your browser remembers the cursor of each company, so the explorer can show what is new since your last visit. It keeps the key for the tab, and on the device only if you tick that.</p>
      <h2 id="next">3. Go on</h2>
      <ul class="index">${guides.map(([path, name, about]) => html`<li><a href="${path}">${name}</a> <span class="faint">${about}</span></li>`)}</ul>
      <p>For programs: <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/reference.json">every value and what it means</a>, a <a href="/postman.json">Postman collection</a>, and <a href="/llms.txt">llms.txt</a>.</p>`,
  };
}
