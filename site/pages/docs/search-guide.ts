import { jsonFile, type PublicFile } from '../../content/public-file.ts';
import { remembered } from '../../../src/domain/remembered.ts';
import { textIn } from './page-text.ts';
import { searchPath, type SearchSection } from '../parts/search-sections.ts';
import type { Page } from '../parts/shell.ts';

/** The text of markup on one line, without code blocks. */
const textOf = (markup: string): string =>
  textIn(markup.replaceAll(/<(pre|form|label|button)\b[^]*?<\/\1>/g, ' '), ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The heading of a section, with its id if it has one, and its text. */
type Section = Pick<SearchSection, 'heading' | 'text'> & { readonly id?: string | undefined };

/** Most pages are the same in the next snapshot. */
const pagesRemembered = 300;

/** The sections in the markup of a page. The first one has no heading. */
const sectionsIn = remembered(pagesRemembered, (markup: string): Section[] => {
  const content = markup.replace(/<nav class="docs-nav"[^]*$/, '').replace(/^[^]*?<\/h1>/, '');
  const [lead = '', ...rest] = content.split(/(?=<h[23]\b)/);
  return [
    { heading: '', text: textOf(lead) },
    ...rest.map((part) => {
      const [, attributes = '', heading = '', text = ''] =
        /^<h[23]([^>]*)>([^]*?)<\/h[23]>([^]*)$/.exec(part) ?? [];
      return { id: / id="([^"]+)"/.exec(attributes)?.[1], heading: textOf(heading), text: textOf(text) };
    }),
  ];
});

/** The sections of a page, each with the address of the nearest heading that has one. */
function sectionsOf({ path, title, body }: Page): SearchSection[] {
  let address: string = path;
  return sectionsIn(body.text).map(({ id, heading, text }, at) => {
    if (id !== undefined) address = `${path}#${id}`;
    return { path: address, page: title, heading: at === 0 ? title : heading, text };
  });
}

/** The file in which the search of the documentation looks: every section of its pages. */
export function searchFile(pages: readonly Page[]): PublicFile {
  return jsonFile(searchPath, pages.flatMap(sectionsOf));
}
