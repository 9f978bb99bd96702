import { endpoints, type Endpoint } from '../../../src/contract/endpoints.ts';
import { errorHelp } from '../../../src/contract/error-help.ts';
import { ErrorResponse, errorStatus, type ErrorCode } from '../../../src/contract/errors.ts';
import { namedJsonSchemas, type JsonSchema } from '../../../src/contract/json-schema.ts';
import { html, type Html } from '../parts/html.ts';
import { prose, table } from '../parts/prose.ts';
import { answerBlock } from '../parts/samples.ts';
import type { DocsPage } from './layout.ts';

const prefix = '#';
const first: readonly string[] = ['Filing', 'Change', 'Event', 'Company', 'CompanyProfile', 'FilingSummary'];

/** Every record and envelope, member by member. */
export function recordsPage(): DocsPage {
  const schemas = namedJsonSchemas(
    [ErrorResponse, ...(endpoints as readonly Endpoint[]).flatMap(({ response }) => response ?? [])],
    prefix,
  );
  const names = [...first, ...Object.keys(schemas).filter((name) => !first.includes(name))].filter(
    (name) => schemas[name],
  );
  return {
    slug: 'records',
    name: 'Records',
    title: 'Records',
    description: 'Every record and envelope of the interface, member by member.',
    contents: [
      ['absent', 'What is not in them'],
      ...names.slice(0, first.length).map((name) => [name, name] as const),
    ],
    body: html`<p class="lead">What the members of answers mean. The same is in <a href="/openapi.json">OpenAPI</a>, for programs.</p>
      <h2 id="absent">What is not in them</h2>
      <p>The service holds metadata of filings: what was filed, when, by or about which company, on which form. It does not read documents. So there are <strong>no share counts, prices or amounts</strong> of insider transactions, no holdings, no figures of financial statements, no text of documents and no market prices. A filing's text belongs to those who wrote it, and what a program makes of it is an interpretation; metadata comes from EDGAR as it is.</p>
      <p>Links lead to the rest: <code>documentUrl</code> to what a person reads, for Forms 3, 4 and 5 the page that EDGAR makes of the form, and <code>links.xml</code> of a <a href="#FilingSummary">summary</a> to the same form as data, with persons, transactions, shares and prices. For inline XBRL <code>documentUrl</code> is the document itself, not EDGAR's viewer. It is null where EDGAR names no document, and for names that it has no file for: parts of submissions of 2000 and 2001 such as <code>0001.txt</code>, and filings on paper.</p>
      ${names.map((name) => html`<h2 id="${name}">${name}</h2><p>${prose(String(schemas[name]?.['description'] ?? ''))}</p>${members(name, schemas[name] as JsonSchema)}`)}`,
  };
}

function members(name: string, schema: JsonSchema): Html {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  return table(
    ['Member', 'Type', 'What it is'],
    Object.entries(properties).map(([member, shape]) => [
      html`<code>${member}</code>`,
      typeOf(shape),
      prose(String(shape['description'] ?? '')),
    ]),
    `Members of ${name}`,
  );
}

/** The type of a member in words; a named one leads to its own table. */
function typeOf(shape: JsonSchema): Html {
  const {
    $ref,
    anyOf,
    items,
    type,
    enum: values,
    const: only,
  } = shape as {
    $ref?: string;
    anyOf?: JsonSchema[];
    items?: JsonSchema;
    type?: string | string[];
    enum?: unknown[];
    const?: unknown;
  };
  if ($ref) return html`<a href="${$ref}">${$ref.slice(prefix.length)}</a>`;
  if (anyOf) return html`${anyOf.map((each, at) => html`${at > 0 && ' or '}${typeOf(each)}`)}`;
  if (items) return html`list of ${typeOf(items)}`;
  if (values && values.length < 5) return html`${values.map((value) => JSON.stringify(value)).join(' or ')}`;
  if (only !== undefined) return html`${JSON.stringify(only)}`;
  return html`${(Array.isArray(type) ? type : [type ?? 'any']).join(' or ')}`;
}

/** Every error code, and what to do about it. */
export function errorsPage(): DocsPage {
  const codes = Object.keys(errorStatus) as ErrorCode[];
  return {
    slug: 'errors',
    name: 'Errors',
    title: 'Errors',
    description: 'The closed set of error codes, and what to do about each.',
    body: html`<p class="lead">Every error has the same shape: a code for programs from a closed set, and a message for people. Its header <code>X-Request-Id</code> names the request in the service's log; a request may bring an id of its own there.</p>
      ${answerBlock({ error: { code: 'invalid_parameter', message: 'limit: must be an integer from 1 to 200, not "1e2"' } })}
      ${table(
        ['Code', 'Status', 'What happened', 'What to do'],
        codes.map((each) => [
          html`<code id="${each}">${each}</code>`,
          errorStatus[each],
          errorHelp[each].meaning,
          errorHelp[each].advice,
        ]),
        'Error codes',
      )}
      <p>Parameters are checked strictly: a misspelt filter, an empty value, <code>1e2</code> or a repeated parameter is refused rather than guessed at. So is a <a href="/docs/filters#nothing">filter that can match nothing</a>: the message names the nearest ones, and <a href="/reference.json"><code>/reference.json</code></a> lists all.</p>`,
  };
}
