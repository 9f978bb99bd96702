import { agentPath } from '../../../src/contract/agent.ts';
import { bulkPath } from '../../../src/contract/bulk.ts';
import { samplesDescriptionPath } from '../../../src/contract/catalog.ts';
import { endpoints, type Endpoint } from '../../../src/contract/endpoints.ts';
import type { PageInput } from '../../content/public-file.ts';
import { html } from '../parts/html.ts';
import { operationPath } from '../parts/operation-paths.ts';
import type { DocsPage } from './docs-page.ts';
import { operationPage } from './operation-page.ts';

const operations = endpoints;

/** The groups of the index, in their order. Each operation is in the one whose rule it meets. */
const groups: readonly (readonly [name: string, has: (endpoint: Endpoint) => boolean])[] = [
  ['Filings', ({ path }) => path.startsWith('/v1/sec/') && !/^\/v1\/sec\/(compan|bulk|stats)/.test(path)],
  ['Companies', ({ path }) => path.startsWith('/v1/sec/compan')],
  ['Files', ({ path }) => path.startsWith(bulkPath)],
  ['Statistics', ({ path }) => path.endsWith('/stats')],
  ['Without a key', ({ access }) => access === 'public'],
];

/** The index of the operations of the contract, and a page for each of them. */
export function referencePage(input: PageInput): DocsPage {
  const grouped = groups.map(([name, has]) => ({ name, members: operations.filter(has) }));
  return {
    slug: 'reference',
    name: 'Reference',
    title: 'All operations',
    scripts: ['operations'],
    isPaintedByScript: true,
    description:
      'Every operation has a page with its parameters, an example request in curl, JavaScript and Python, the real answer, its errors, and a form to try it.',
    parts: grouped.flatMap(({ members }) => members.map((endpoint) => operationPage(endpoint, input))),
    body: html`<p class="lead">All operations only read. Answers are JSON, compressed if you accept that; <a href="/docs/bulk">bulk files</a> are always gzip. Every answer has an <code>ETag</code>. Send it back as <code>If-None-Match</code>, and an unchanged answer is a 304 without a body.</p>
      <p>The page of an operation has its parameters, a request in three languages, its real answer, its errors, and a form that sends the request. You put in your key once: the other pages have it, too.</p>
      ${grouped.map(
        ({ name, members }) => html`<h2>${name}</h2>
      <ul class="index operations">${members.map(({ id, path, summary }) => html`<li id="${id}"><a href="${operationPath(id)}">${summary}</a> <code>${path}</code></li>`)}</ul>`,
      )}
      <p class="small">Assistants use <a href="/docs/assistants"><code>POST /mcp</code></a>, agents <code>POST ${agentPath}</code>. The sample-only paths of <a href="/markets">candidate markets</a> are not live. They have an <a href="${samplesDescriptionPath}">OpenAPI document of their own</a>.</p>`,
  };
}
