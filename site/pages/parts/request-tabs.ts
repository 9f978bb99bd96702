import { defaultAddress } from '../../../src/contract/product.ts';
import type { SnapshotSettings } from '../../../src/format/snapshot.ts';
import { code, html, raw, type Html } from './html.ts';
import type { Program } from './programs.ts';
import { codeBlock, origin } from './code-block.ts';

/** Rows of each list of an answer that a block shows, at most; it counts the others. */
const shownRowsMaximum = 2;

/** A text in one language, with the label of its block. */
interface LanguageText {
  readonly name: string;
  readonly text: Html;
  readonly label: string;
}

/**
 * Shows a text in one of up to three languages. Radio buttons choose the language, so the tabs work without
 * scripts.
 */
function languageTabs(id: string, label: string, texts: readonly LanguageText[], className = 'tabs'): Html {
  return html`<div class="${className}" role="group" aria-label="${label}">
    ${texts.map(({ name }, at) => html`<input type="radio" name="${id}-language" id="${id}-${name}" data-language="${name}"${at === 0 && ' checked'}><label for="${id}-${name}">${name}</label>`)}
    ${texts.map((each) => html`<div class="panel">${codeBlock(each.text, each.label)}</div>`)}
  </div>`;
}

/** The same request in three languages. */
export function requestTabs(
  { baseUrl }: SnapshotSettings,
  id: string,
  path: string,
  isKeyed: boolean,
  isFile = false,
): Html {
  const base = origin(baseUrl, defaultAddress);
  const samples: readonly (readonly [name: string, text: Html])[] = [
    [
      'curl',
      isKeyed
        ? code`curl ${isFile && '-O '}"${base}${path}" \\\n  -H "x-api-key: $KEY"`
        : code`curl "${base}${path}"`,
    ],
    [
      'JavaScript',
      code`const response = await fetch("${base}${path}"${isKeyed && ', {\n  headers: { "x-api-key": "YOUR_KEY" },\n  redirect: "error",\n}'});\nif (!response.ok) throw new Error(await response.text());\n${isFile ? 'const bytes = await response.arrayBuffer();' : 'const answer = await response.json();'}`,
    ],
    [
      'Python',
      code`import os, requests\n\nresponse = requests.get(\n    "${base}${path}",\n${isKeyed && '    headers={"x-api-key": os.environ["KEY"]},\n    allow_redirects=False,\n'}    timeout=30,\n)\nresponse.raise_for_status()\n${isFile ? 'content = response.content' : 'answer = response.json()'}`,
    ],
  ];
  return languageTabs(
    id,
    'Example request',
    samples.map(([name, text]) => ({ name, text, label: `Request, ${name}` })),
  );
}

/** Programs that do the same in several languages, with the text of the files that the site serves. */
export function programTabs(id: string, programs: readonly Program[]): Html {
  return languageTabs(
    id,
    'A whole program',
    programs.map(({ language, path, text }) => ({
      name: language,
      text: html`${text}`,
      label: path.slice(path.lastIndexOf('/') + 1),
    })),
    'tabs programs',
  );
}

/** An answer for people to read: indented, long lists cut, names marked. */
export function answerBlock(body: unknown, label = 'Answer'): Html {
  return codeBlock(raw(print(body, '')), label);
}

function print(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    if (value.every((each) => typeof each === 'string'))
      return `[${value.map((each) => print(each, inner)).join(', ')}]`;
    const rest = value.length - shownRowsMaximum;
    const shown = value
      .slice(0, shownRowsMaximum)
      .map((each) => `${inner}${print(each, inner)}`)
      .join(',\n');
    return `[\n${shown}${rest > 0 ? `,\n${inner}<i>… ${rest} more</i>` : ''}\n${indent}]`;
  }
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value).map(
      ([name, member]) => `${inner}<b>${html`${JSON.stringify(name)}`.text}</b>: ${print(member, inner)}`,
    );
    return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
  }
  return html`${JSON.stringify(value)}`.text;
}
