import { readFileSync } from 'node:fs';
import { html, type Html } from '../parts/html.ts';
import { prose } from '../parts/prose.ts';
import type { DocsPage } from './docs-page.ts';

const source = new URL('../../../CHANGELOG.md', import.meta.url);

/**
 * `CHANGELOG.md` as a page of what is not released and the newest release, with a page below it for each older one: so no
 * page becomes longer with the years.
 */
export function changelogPage(text = readFileSync(source, 'utf8')): DocsPage {
  const [introduction = '', ...sections] = text.split(/^(?=## )/m);
  const nameIn = (section: string) => /^## \[([^\]]+)\]/.exec(section)?.[1] ?? '';
  const newest = sections.findIndex((section) => nameIn(section) !== 'Unreleased') + 1;
  return {
    slug: 'changelog',
    name: 'Changelog',
    title: 'Changelog',
    description: 'What changed in the service and its interface.',
    body: html`${blocksOf(introduction + sections.slice(0, newest).join(''))}`,
    parts: sections.slice(newest).map((section) => ({
      slug: `changelog/${nameIn(section)}`,
      name: nameIn(section),
      title: `Changes of ${nameIn(section)}`,
      description: `What changed with version ${nameIn(section)}.`,
      body: html`${blocksOf(section)}`,
    })),
  };
}

/** Headings, lists and paragraphs: all that a changelog is made of. */
function blocksOf(text: string): Html[] {
  return text
    .split(/\n{2,}/)
    .filter((block) => !block.startsWith('# ') && block.trim() !== '')
    .map((block) => {
      const joined = block.trim().replace(/\n {2,}/g, ' ');
      if (joined.startsWith('## ')) return html`<h2>${joined.slice(3).replaceAll(/[[\]]/g, '')}</h2>`;
      if (joined.startsWith('### ')) return html`<h3>${joined.slice(4)}</h3>`;
      if (joined.startsWith('- '))
        return html`<ul>${joined
          .slice(2)
          .split('\n- ')
          .map((entry) => html`<li>${prose(entry)}</li>`)}</ul>`;
      // Pages lead to no other host: of a link only its text is shown.
      const paragraph = joined.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
      return html`<p>${prose(paragraph)}</p>`;
    });
}
