import { html, type Html } from '../parts/html.ts';
import type { AssetName, Page } from '../parts/shell.ts';

/** One page of the documentation, without the navigation. */
export interface DocsPage {
  /** The path below `/docs/`; empty for the first page. */
  readonly slug: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly body: Html;
  /** Headings for the navigation: identifier and text. */
  readonly contents?: readonly (readonly [id: string, text: string])[];
  /** The pages below it. The navigation shows them on this page and on each of them. */
  readonly parts?: readonly DocsPage[];
  readonly scripts?: readonly AssetName[];
  /** Whether painting waits for the scripts, because they decide what the page shows. */
  readonly isPaintedByScript?: true;
  /** Whether it takes the whole width. */
  readonly wide?: boolean;
}

const pathOf = (slug: string) => (slug === '' ? '/docs' : `/docs/${slug}`);

/** The search of all pages. It needs a script, so it is hidden where there is none. */
const searchForm = html`<form class="docs-search" role="search"><label class="unseen" for="docs-search">Search the documentation</label><input id="docs-search" type="search" placeholder="Search" autocomplete="off" spellcheck="false">
  <p class="faint small" id="docs-said" role="status"></p><ul class="found" id="docs-found"></ul></form>`;

/** Pages for one kind of reader, with the heading that they have in the navigation. */
export interface DocsGroup {
  readonly name: string;
  readonly pages: readonly DocsPage[];
}

/** Pages with the navigation, in reading order: the parts of a page follow it. */
export function docsPages(groups: readonly DocsGroup[]): Page[] {
  const pages = groups.flatMap((group) => group.pages);
  const inOrder = pages.flatMap((page) => [page, ...(page.parts ?? [])]);
  return inOrder.map((page, at) => {
    const next = inOrder[at + 1];
    const whole = pages.find(({ parts }) => parts?.includes(page));
    return {
      path: pathOf(page.slug),
      title: page.title,
      description: page.description,
      scripts: ['search', ...(page.scripts ?? [])],
      ...(page.isPaintedByScript ? { isPaintedByScript: true } : {}),
      body: html`<div class="docs${page.wide === true && ' wide-docs'}">
        <div class="prose"><p class="crumbs narrow">${whole && html`<a href="${pathOf(whole.slug)}">${whole.title}</a> · `}<a href="#docs-nav">All pages of the documentation, and search</a></p><h1>${page.title}</h1>
          ${page.body}
          ${next && html`<p class="next">Next: <a href="${pathOf(next.slug)}">${next.title}</a></p>`}</div>
        <nav class="docs-nav" id="docs-nav" aria-label="Documentation">${searchForm}${groups.map((group) => html`<h2>${group.name}</h2><ul>${group.pages.map((each) => navigationEntry(each, page))}</ul>`)}</nav>
      </div>`,
    };
  });
}

/** A page in the navigation of `current`. It has its headings or the pages below it if the reader is there. */
function navigationEntry(page: DocsPage, current: DocsPage): Html {
  const isWhole = page.parts?.includes(current) === true;
  const link = (to: DocsPage) =>
    html`<a href="${pathOf(to.slug)}"${to === current && html` aria-current="page"`}${to === page && isWhole && html` aria-current="true"`}>${to.name}</a>`;
  const below =
    page === current || isWhole
      ? [
          ...(page.contents ?? []).map(([id, text]) => html`<a href="#${id}">${text}</a>`),
          ...(page.parts ?? []).map(link),
        ]
      : [];
  return html`<li>${link(page)}
    ${below.length > 0 && html`<ul>${below.map((each) => html`<li>${each}</li>`)}</ul>`}</li>`;
}
