import {
  deprecatedForMonths,
  deprecationHeaders,
  deprecations,
  versionPromises,
} from '../../../src/contract/versions.ts';
import { html } from '../parts/html.ts';
import { prose, table } from '../parts/prose.ts';
import type { DocsPage } from './docs-page.ts';

const list = (sentences: readonly string[]) =>
  html`<ul>${sentences.map((sentence) => html`<li>${prose(sentence)}</li>`)}</ul>`;

/** What may change below `/v1/`, and how a change is announced. */
export function versionsPage(): DocsPage {
  return {
    slug: 'versions',
    name: 'Versions',
    title: 'What may change',
    description:
      'What may change below /v1/, how long a deprecated member stays, and which headers announce it.',
    body: html`<p class="lead">A client that works today works as long as there is <code>/v1/</code>, if it ignores what it does not know.</p>
      <h2 id="may-change">What may change at any time</h2>
      ${list(versionPromises.mayChange)}
      <p>So let your program ignore members that it does not know, and take an unknown value of a list for “something else”.</p>
      <h2 id="stays">What stays the same</h2>
      ${list(versionPromises.staysTheSame)}
      <p>A change of another kind gets paths below <code>/v2/</code>, and <code>/v1/</code> stays beside them.</p>
      <h2 id="deprecated">When something is to go</h2>
      <p>It is announced in the <a href="/docs/changelog">changelog</a> and here, and stays for at least ${deprecatedForMonths} months after that. Until then each answer of the operation has these headers:</p>
      ${table(
        ['Header', 'Specified in', 'What it says'],
        deprecationHeaders.map(({ header, specification, description }) => [
          html`<code>${header}</code>`,
          specification,
          prose(description),
        ]),
        'Headers that announce the end of something',
      )}
      <h2 id="now">Deprecated now</h2>
      ${
        deprecations.length === 0
          ? html`<p>Nothing.</p>`
          : table(
              ['What', 'Instead', 'Announced', 'Stays at least until'],
              deprecations.map(({ what, instead, announcedOn, removedOn }) => [
                what,
                instead,
                announcedOn,
                removedOn,
              ]),
              'Deprecated now',
            )
      }
      <p>For programs: <code>versions</code> in <a href="/reference.json"><code>/reference.json</code></a> says the same.</p>`,
  };
}
