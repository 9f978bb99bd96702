import type { Endpoint } from '../../../src/contract/endpoints.ts';
import { errorStatus } from '../../../src/contract/errors.ts';
import { schemaName } from '../../../src/contract/json-schema.ts';
import type { Parameter } from '../../../src/contract/parameters.ts';
import type { PageInput } from '../../content/public-file.ts';
import type { Example } from '../../content/examples.ts';
import { html, type Html } from '../parts/html.ts';
import { keyForm } from '../parts/key-form.ts';
import { prose, table } from '../parts/prose.ts';
import { answerBlock, requestTabs } from '../parts/request-tabs.ts';
import type { DocsPage } from './docs-page.ts';

/** The page of an operation: a request, its real answer, and a form that sends it. */
export function operationPage(
  endpoint: Endpoint,
  { settings, examples, demo, reference }: PageInput,
): DocsPage {
  const { id, path, access, summary, description, parameters, errors, response, fileType } = endpoint;
  const example =
    examples.find((each) => each.endpoint.id === id) ?? documentOf(endpoint, { demo, reference });
  const request = example?.path ?? endpoint.example;
  const isKeyed = access === 'keyed';
  const codes = [...errors, ...(isKeyed ? (['unauthorized'] as const) : [])];
  const record = response ? schemaName(response) : undefined;
  return {
    slug: `reference/${id}`,
    name: summary,
    title: summary,
    wide: true,
    scripts: ['reference'],
    isPaintedByScript: true,
    description: `GET ${path}: parameters, an example request in curl, JavaScript and Python, the real answer, errors, and a form to try it.`,
    body: html`<div class="operation">
    <div>
      <p class="route"><span class="method">GET</span> <code>${path}</code> <span class="access">${isKeyed ? 'key' : 'no key'}</span></p>
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
      ${fileType === undefined && html`${isKeyed && keyForm('Your key', 'All operations and the explorer use it.')}${tryIt(endpoint, request)}`}
    </div>
    <div class="samples">${requestTabs(settings, id, request, isKeyed, fileType !== undefined)}${example && answerBlock(example.body)}</div>
  </div>`,
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

/** A form that sends the request. Without scripts it still works for operations without a key. */
function tryIt({ path, access, parameters, summary }: Endpoint, example: string): Html {
  const given = new URLSearchParams(example.split('?')[1] ?? '');
  const inPath = (name: string) =>
    decodeURIComponent(example.split('?')[0]?.split('/')[path.split('/').indexOf(`{${name}}`)] ?? '');
  const field = ({ name, in: where, allowed }: Parameter, required: boolean) =>
    html`<label>${name} <input name="${name}"${where === 'path' && html` data-in="path"`}${required && ' required'} value="${where === 'path' ? inPath(name) : (given.get(name) ?? '')}" title="${allowed}" autocomplete="off" spellcheck="false"></label>`;
  return html`<form class="try" id="try" action="${path}" data-path="${path}"${access === 'keyed' && ' data-keyed'} aria-label="Try: ${summary}">
    <strong>Try it</strong>
    ${parameters.map(({ parameter, required }) => field(parameter, required === true))}
    <button class="button">Send</button>
    <p class="outcome" id="outcome" role="status"></p></form>`;
}
