import { html, type Html } from '../parts/html.ts';
import type { AssetName, Page } from '../parts/shell.ts';

/** One page of the documentation, without the navigation. */
export interface DocsPage {
  /** Last part of the path; empty for the first page. */
  readonly slug: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly body: Html;
  /** Headings for the navigation: identifier and text. */
  readonly contents?: readonly (readonly [id: string, text: string])[];
  readonly scripts?: readonly AssetName[];
  /** Whether it takes the whole width. */
  readonly wide?: boolean;
}

const pathOf = (slug: string) => (slug === '' ? '/docs' : `/docs/${slug}`);

/** The search of all pages. It needs a script, so it is hidden where there is none. */
const searchForm = html`<form class="docs-search" role="search"><label class="unseen" for="docs-search">Search the documentation</label><input id="docs-search" type="search" placeholder="Search" autocomplete="off" spellcheck="false">
  <p class="faint small" id="docs-said" role="status"></p><ul class="found" id="docs-found"></ul></form>`;

/** Pages with the navigation. */
export function docsPages(pages: readonly DocsPage[]): Page[] {
  return pages.map((page, at) => {
    const next = pages[at + 1];
    return {
      path: pathOf(page.slug),
      title: page.title,
      description: page.description,
      scripts: ['search', ...(page.scripts ?? [])],
      body: html`<div class="docs${page.wide === true && ' wide-docs'}">
        <div class="prose"><p class="crumbs narrow"><a href="#docs-nav">All pages of the documentation, and search</a></p><h1>${page.title}</h1>
          ${page.body}
          ${next && html`<p class="next">Next: <a href="${pathOf(next.slug)}">${next.title}</a></p>`}</div>
        <nav class="docs-nav" id="docs-nav" aria-label="Documentation">${searchForm}<ul>${pages.map(
          (
            each,
          ) => html`<li><a href="${pathOf(each.slug)}"${each === page && html` aria-current="page"`}>${each.name}</a>
          ${each === page && each.contents && html`<ul>${each.contents.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}</ul>`}</li>`,
        )}</ul></nav>
      </div>`,
    };
  });
}
