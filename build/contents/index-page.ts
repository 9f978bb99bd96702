import type { ListedDocument } from '../../src/contract/filing-documents.ts';
import { clean, decodeEntities, textOf } from '../sources/source-text.ts';
import type { FiledRow } from './contents-kinds.ts';

/** How the name of an index page ends. */
export const indexPageEnding = '-index.htm';

/** Returns the path below `/Archives/edgar/` of the page that lists the documents of a filing; null if it has none. */
export function indexPageFile({ accessionNo, subjectCik, filerCiks }: FiledRow): string | null {
  const cik = subjectCik ?? filerCiks[0];
  if (cik === undefined) return null;
  return `data/${Number(cik)}/${accessionNo.replaceAll('-', '')}/${accessionNo}${indexPageEnding}`;
}

/** Types that EDGAR makes, or extracts from what was sent. */
const madeTypes = new Set(['XML', 'ZIP', 'EXCEL', 'JSON']);

/** Documents of a filing, at most. The longest recorded list has some 120. */
const documentsMaximum = 2000;
/** Characters of a cell, at most: a link is twice as long as a path, and descriptions have 255. */
const cellMaximum = 4096;

const tables = ['Document Format Files', 'Data Files'];
/** The folder of a page that EDGAR makes of an XML document. */
const rendering = /\/xsl[^/]*\/[^/]+$/i;

/**
 * Parses the index page of a filing (`…-index.htm`). It is the source of the list, because it alone has everything in
 * one request: recorded pages have types and sizes, of filings from 1994 to 2026. `-index-headers.html` lacks sizes, and
 * is missing for filings of 2010 to 2013; `index.json` has no types, no descriptions and no order, and names EDGAR's own
 * files among the filer's; a complete submission has up to hundreds of megabytes. Left out are EDGAR's renderings, the
 * data that it extracts, and the complete submission. A document has a name only if the page links it in the folder of
 * the filing. Throws an `Error` that tells the reason if the page is none, is about another filing, or was cut off.
 */
export function parseIndexPage(body: Buffer, accessionNo: string): ListedDocument[] {
  const page = textOf(body, 'utf8');
  if (!page.includes(accessionNo)) throw new Error('it is not about the filing');
  const folder = `/${accessionNo.replaceAll('-', '')}/`;
  const documents: ListedDocument[] = [];
  let read = 0;
  for (const summary of tables) {
    const begin = page.indexOf(`summary="${summary}"`);
    if (begin < 0 && summary === tables[0]) throw new Error('it has no list of documents');
    if (begin < 0) continue;
    const end = page.indexOf('</table>', begin);
    if (end < 0) throw new Error('it is cut off');
    for (const row of rowsOf(page.slice(begin, end))) {
      const document = documentOf(cellsOf(row), folder);
      if (document) documents.push(document);
      if (documents.length > documentsMaximum)
        throw new Error(`it lists more than ${documentsMaximum} documents`);
    }
    read = end;
  }
  // Behind the list stands who filed: without it a second table may be missing.
  if (!/filerDiv|companyInfo/.test(page.slice(read))) throw new Error('it is cut off');
  if (documents.length === 0) throw new Error('its list of documents is empty');
  return documents;
}

/** The rows of a table as HTML, one after the other. */
function* rowsOf(table: string): Generator<string> {
  const begins = /<tr\b/gi;
  let from = begins.exec(table)?.index ?? table.length;
  while (from < table.length) {
    const to = begins.exec(table)?.index ?? table.length;
    yield table.slice(from, to);
    from = to;
  }
}

/** What stands in the first cells of a row, as HTML. Heads are no cells. Throws an `Error` for a cell that is too long. */
function cellsOf(row: string): string[] {
  return row
    .split(/<td\b/i, columns + 1)
    .slice(1)
    .map((cell) => {
      const html = cell.slice(cell.indexOf('>') + 1).split(/<\/td>/i, 1)[0] ?? '';
      if (html.length > cellMaximum) throw new Error('a cell of its list is too long');
      return html;
    });
}

const columns = 5;

function documentOf(cells: readonly string[], folder: string): ListedDocument | null {
  const [sequence = '', description = '', link = '', type = '', size = ''] = cells;
  if (cells.length < columns) return null;
  const href = hrefIn(link).replace(/^\/ix\?doc=/, '');
  const kind = plain(type);
  // The complete submission has neither a number nor a type.
  if (kind === '' && plain(sequence) === '') return null;
  if (madeTypes.has(kind) || rendering.test(href)) return null;
  return {
    sequence: numberOf(plain(sequence)),
    type: kind,
    description: plain(description) || null,
    name: nameIn(href, folder),
    size: numberOf(plain(size)),
  };
}

/** Where the first link of a cell leads; empty if it has none. */
function hrefIn(html: string): string {
  const [, link = ''] = html.split(/<a\b/i, 2);
  const [, quoted, bare = ''] = /\bhref=(?:"([^"]*)"|([^\s"]+))/i.exec(link.split('>', 1)[0] as string) ?? [];
  return decoded(quoted ?? bare);
}

const linkedFile = /^\/Archives\/edgar\/data\/\d{1,10}(\/\d{18}\/)([\w-][\w.-]{0,199})$/;

/** The name of a file in the folder of the filing; null for a link that leads elsewhere, as those before 2001 do. */
function nameIn(href: string, folder: string): string | null {
  const [, folderOfFile, name = null] = linkedFile.exec(href) ?? [];
  return folderOfFile === folder ? name : null;
}

/** HTML whose entities are decoded, with the one that XML has not. */
const decoded = (html: string) => decodeEntities(html.replaceAll('&nbsp;', ' '));

/** The text of a cell, without tags. An expression for tags would take time with the square of the length. */
function plain(html: string): string {
  const [before = '', ...tags] = html.split('<');
  const text = before + tags.map((tag) => tag.slice(tag.indexOf('>') + 1)).join('');
  return clean(decoded(text).replace(/\s+/gu, ' '));
}

const numberOf = (text: string): number | null => (/^\d{1,12}$/.test(text) ? Number(text) : null);
