import { endpoints } from '../../../src/contract/endpoints.ts';
import { errorHelp, ErrorResponse, errorStatus, type ErrorCode } from '../../../src/contract/errors.ts';
import { namedJsonSchemas, type JsonSchema } from '../../../src/contract/json-schema.ts';
import { html, type Html } from '../parts/html.ts';
import { prose, table } from '../parts/prose.ts';
import { answerBlock } from '../parts/request-tabs.ts';
import type { DocsPage } from './docs-page.ts';

const prefix = '#';
const first: readonly string[] = ['Filing', 'Change', 'Event', 'Company', 'CompanyProfile', 'FilingSummary'];

/** Every record and envelope, member by member. */
export function recordsPage(): DocsPage {
  const schemas = namedJsonSchemas(
    [ErrorResponse, ...endpoints.flatMap(({ response }) => response ?? [])],
    prefix,
  );
  const names = [...first, ...Object.keys(schemas).filter((name) => !first.includes(name))].filter(
    (name) => schemas[name],
  );
  return {
    slug: 'records',
    name: 'Records',
    title: 'Records',
    description: 'Every record and envelope, member by member.',
    contents: [
      ['absent', 'What the records do not have'],
      ...names.slice(0, first.length).map((name) => [name, name] as const),
    ],
    body: html`<p class="lead">This page says what each member of an answer means. <a href="/openapi.json">OpenAPI</a> says the same for programs.</p>
      <h2 id="absent">What the records do not have</h2>
      <p>The service has metadata of filings: what was filed, when, by or about which company, on which form. Of the documents it reads those that are data themselves: Forms 3, 4, 5 and 144, and Schedules 13D and 13G, which give <a href="/docs/ownership"><code>ownership</code></a>. So there are <strong>no figures of financial statements</strong>, no holdings of Form 13F, no text of documents and no market prices. The text of a filing belongs to its authors, and a program could only interpret it. Metadata comes from EDGAR as it is.</p>
      <p>Links lead to the rest. <code>documentUrl</code> is the document that a person reads; for Forms 3, 4 and 5 it is the page that EDGAR makes of the form. <code>links.xml</code> of a <a href="#FilingSummary">summary</a> is the same form as the XML that was filed. <code>exhibits</code> has type and file name of each document beyond the main one, <code>documents</code> of a summary all that was sent, with sizes and addresses, and <code>links.pressRelease</code> leads to the press release of a current report. For inline XBRL, <code>documentUrl</code> is the document itself, not EDGAR's viewer. It is null if EDGAR names no document, or has no file of that name: filings on paper, and parts of submissions of 2000 and 2001 such as <code>0001.txt</code>.</p>
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

/** The type of a member in words. A named type links to its own table. */
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
    body: html`<p class="lead">Every error has a code for programs, from a closed set, and a message for people. The header <code>X-Request-Id</code> names the request in the log of the service. You can send an id of your own in that header.</p>
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
      <p>The service does not guess: it refuses a misspelt filter, an empty value, <code>1e2</code> and a repeated parameter. It also refuses a <a href="/docs/filters#nothing">filter that can match nothing</a>. The message names the nearest values, and <a href="/reference.json"><code>/reference.json</code></a> lists all.</p>`,
  };
}
