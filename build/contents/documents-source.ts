import { archivesUrl } from '../edgar/edgar-settings.ts';
import type { Source } from '../sources/registry.ts';
import type { ContentsAnswer, FiledRow } from './contents-kinds.ts';
import { parseIndexPage } from './index-page.ts';

const megabyte = 1024 * 1024;

/**
 * The index page of a filing, below `/Archives/edgar/`: see `documentsFile`. The longest recorded one has 0.4 MB. A page
 * that cannot be understood is an answer: asking at once again would change nothing.
 */
export const documentsSource: Source<ContentsAnswer> = {
  url: archivesUrl,
  bytesMaximum: 4 * megabyte,
  parse(body, file) {
    try {
      return { said: { documents: parseIndexPage(body, accessionNoIn(file)) }, refused: [] };
    } catch (error) {
      return { unfit: (error as Error).message };
    }
  },
};

const ending = '-index.htm';

const accessionNoIn = (file: string) => file.slice(file.lastIndexOf('/') + 1, -ending.length);

/** Returns the path below `/Archives/edgar/` of the page that lists the documents of a filing; null if it has none. */
export function documentsFile({ accessionNo, subjectCik, filerCiks }: FiledRow): string | null {
  const cik = subjectCik ?? filerCiks[0];
  if (cik === undefined) return null;
  return `data/${Number(cik)}/${accessionNo.replaceAll('-', '')}/${accessionNo}${ending}`;
}
