import { jsonFile, type PublicFile } from '../../content/public-file.ts';
import { searchPath, type SearchSection } from '../parts/search-sections.ts';
import type { Page } from '../parts/shell.ts';

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** The text of markup, without code blocks. */
function textOf(markup: string): string {
  return markup
    .replaceAll(/<(pre|form|label|button)\b[^]*?<\/\1>/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => entities[entity] as string)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The sections of a page, each with the address of the nearest heading that has one. */
function sectionsOf({ path, title, body }: Page): SearchSection[] {
  const content = body.text.replace(/<nav class="docs-nav"[^]*$/, '').replace(/^[^]*?<\/h1>/, '');
  const [lead = '', ...rest] = content.split(/(?=<h[23]\b)/);
  let address: string = path;
  return [
    { path, page: title, heading: title, text: textOf(lead) },
    ...rest.map((part) => {
      const [, attributes = '', heading = '', text = ''] =
        /^<h[23]([^>]*)>([^]*?)<\/h[23]>([^]*)$/.exec(part) ?? [];
      const id = / id="([^"]+)"/.exec(attributes)?.[1];
      if (id !== undefined) address = `${path}#${id}`;
      return { path: address, page: title, heading: textOf(heading), text: textOf(text) };
    }),
  ];
}

/** The file in which the search of the documentation looks: every section of its pages. */
export function searchFile(pages: readonly Page[]): PublicFile {
  return jsonFile(searchPath, pages.flatMap(sectionsOf));
}
