import { agentPath } from '../../../src/contract/agent.ts';
import { samplesDescriptionPath } from '../../../src/contract/catalog.ts';
import { endpoints, type Endpoint } from '../../../src/contract/endpoints.ts';
import { errorStatus } from '../../../src/contract/errors.ts';
import type { Parameter } from '../../../src/contract/parameters.ts';
import type { SnapshotSettings } from '../../../src/contract/snapshot.ts';
import { schemaName } from '../../../src/contract/json-schema.ts';
import type { PageInput } from '../../../build/content/public-file.ts';
import type { Example } from '../../../build/content/examples.ts';
import { html, type Html } from '../parts/html.ts';
import { keyForm } from '../parts/key-form.ts';
import { prose, table } from '../parts/prose.ts';
import { answerBlock, requestTabs } from '../parts/samples.ts';
import type { DocsPage } from './layout.ts';

const operations = endpoints as readonly Endpoint[];

/** Every operation of the contract, with a request, its real answer, and a form that sends it. */
export function referencePage({ settings, examples, demo, reference }: PageInput): DocsPage {
  const exampleOf = (endpoint: Endpoint) =>
    examples.find((example) => example.endpoint.id === endpoint.id) ??
    documentOf(endpoint, { demo, reference });
  return {
    slug: 'reference',
    name: 'Reference',
    title: 'All operations',
    wide: true,
    scripts: ['reference'],
    description:
      'Every operation with its parameters, an example request in curl, JavaScript and Python, the real answer, its errors, and a form to try it.',
    contents: operations.map(({ id, summary }) => [id, summary]),
    body: html`<p class="lead">All operations only read. Answers are JSON, compressed if you accept that; <a href="/docs/bulk">bulk files</a> are always gzip. Every answer has an <code>ETag</code>. Send it back as <code>If-None-Match</code>, and an unchanged answer is a 304 without a body.</p>
      ${keyForm('Your key, for the forms below', null)}
      ${operations.map((endpoint) => operation(endpoint, exampleOf(endpoint), settings))}
      <p class="small">Assistants use <a href="/docs/assistants"><code>POST /mcp</code></a>, agents <code>POST ${agentPath}</code>. The sample-only paths of <a href="/markets">candidate markets</a> are not live. They have an <a href="${samplesDescriptionPath}">OpenAPI document of their own</a>.</p>`,
  };
}

/**
 * The example of `/demo` or `/reference.json`, whose answers are documents. Undefined for other operations:
 * the OpenAPI document is too long to show.
 */
function documentOf(
  endpoint: Endpoint,
  { demo, reference }: Pick<PageInput, 'demo' | 'reference'>,
): Example | undefined {
  const body = endpoint.id === 'getDemo' ? demo : endpoint.id === 'getReference' ? reference : undefined;
  return body && { endpoint, path: endpoint.path, body };
}

function operation(endpoint: Endpoint, example: Example | undefined, settings: SnapshotSettings): Html {
  const { id, path, access, summary, description, parameters, errors, response, fileType } = endpoint;
  const codes = [...errors, ...(access === 'keyed' ? (['unauthorized'] as const) : [])];
  const record = response ? schemaName(response) : undefined;
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-name">
    <div>
      <h2 id="${id}-name">${summary}</h2>
      <p class="route"><span class="method">GET</span> <code>${path}</code> <span class="access">${access === 'keyed' ? 'key' : 'no key'}</span></p>
      <p>${prose(description)}</p>
      ${
        parameters.length > 0 &&
        table(
          ['Parameter', 'What it is'],
          parameters.map(({ parameter, required }) => [
            html`<code>${parameter.name}</code>`,
            html`${required === true && html`<strong>Required.</strong> `}${prose(parameter.description)}${parameter.name === 'limit' && ' 50 if left out.'}`,
          ]),
          `Parameters of ${summary}`,
        )
      }
      <p class="small">${record && html`Gives <a href="/docs/records#${record}">${record}</a>. `}${fileType !== undefined && html`Gives a file, <code>${fileType}</code>; see <a href="/docs/bulk">bulk files</a>. `}${codes.length > 0 && html`Errors: ${codes.map((error, at) => html`${at > 0 && ', '}<a href="/docs/errors#${error}">${error}</a> ${errorStatus[error]}`)}.`}</p>
      ${fileType === undefined && tryIt(endpoint, example?.path ?? endpoint.example)}
    </div>
    <div class="samples">${requestTabs(settings, id, example?.path ?? endpoint.example, access === 'keyed', fileType !== undefined)}${example && answerBlock(example.body)}</div>
  </section>`;
}

/** A form that sends the request. Without scripts it still works for operations without a key. */
function tryIt({ id, path, access, parameters, summary }: Endpoint, example: string): Html {
  const given = new URLSearchParams(example.split('?')[1] ?? '');
  const inPath = (name: string) =>
    decodeURIComponent(example.split('?')[0]?.split('/')[path.split('/').indexOf(`{${name}}`)] ?? '');
  const field = ({ name, in: where, allowed }: Parameter, required: boolean) =>
    html`<label>${name} <input name="${name}"${where === 'path' && html` data-in="path"`}${required && ' required'} value="${where === 'path' ? inPath(name) : (given.get(name) ?? '')}" title="${allowed}" autocomplete="off" spellcheck="false"></label>`;
  return html`<details class="try"><summary>Try it</summary><form action="${path}" data-path="${path}"${access === 'keyed' && ' data-keyed'} aria-label="Try: ${summary}">
    ${parameters.map(({ parameter, required }) => field(parameter, required === true))}
    <button class="button" id="${id}-send">Send</button>
    <p class="outcome" role="status"></p></form></details>`;
}
