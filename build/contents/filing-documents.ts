import { clean, decodeEntities, textOf } from '../sources/source-text.ts';

/** A document of a filing, as the filer sent it. */
export interface FilingDocument {
  readonly sequence: number | null;
  /** Such as `8-K`, `EX-99.1` or `GRAPHIC`; filers invent types. */
  readonly type: string;
  readonly description: string | null;
  /** Null where the list names no file, as of parts of submissions before 2001. */
  readonly name: string | null;
  /** In bytes; null where the list does not tell it. */
  readonly size: number | null;
  readonly url: string | null;
}

/** Types that EDGAR makes, or extracts from what was sent. */
const madeTypes = new Set(['XML', 'ZIP', 'EXCEL', 'JSON']);

/** More documents than any filing has. */
const documentsMaximum = 20_000;

const tables = ['Document Format Files', 'Data Files'];
/** The folder of a page that EDGAR makes of an XML document. */
const rendering = /\/xsl[^/]*\/[^/]+$/i;

/**
 * Parses the index page of a filing (`…-index.html`). It is the source of the list, because it alone has everything:
 * recorded pages have types and sizes, of filings from 1994 to 2026. `-index-headers.html` lacks sizes, and is missing for
 * filings of 2010 to 2013; `index.json` has no types, no descriptions and no order, and names EDGAR's own files among
 * the filer's. Left out are EDGAR's renderings, the data that it extracts, and the complete submission. Throws an
 * `Error` that tells the reason if the page is none, is about another filing, or was cut off.
 */
export function parseIndexPage(body: Buffer, accessionNo: string): FilingDocument[] {
  const page = textOf(body, 'utf8');
  if (!page.includes(accessionNo)) throw new Error('it is not about the filing');
  const documents: FilingDocument[] = [];
  let read = 0;
  for (const summary of tables) {
    const begin = page.indexOf(`summary="${summary}"`);
    if (begin < 0 && summary === tables[0]) throw new Error('it has no list of documents');
    if (begin < 0) continue;
    const end = page.indexOf('</table>', begin);
    if (end < 0) throw new Error('it is cut off');
    for (const row of page.slice(begin, end).split(/<tr\b/i).slice(1)) {
      const document = documentOf(cellsOf(row));
      if (document) documents.push(document);
      if (documents.length > documentsMaximum) throw new Error('it lists too many documents');
    }
    read = end;
  }
  // Behind the list stands who filed: without it a second table may be missing.
  if (!/filerDiv|companyInfo/.test(page.slice(read))) throw new Error('it is cut off');
  return documents;
}

/** What stands in the cells of a row, as HTML. Heads are no cells. */
function cellsOf(row: string): string[] {
  return row
    .split(/<td\b/i)
    .slice(1)
    .map((cell) => cell.slice(cell.indexOf('>') + 1).split(/<\/td>/i)[0] ?? '');
}

function documentOf(cells: readonly string[]): FilingDocument | null {
  const [sequence = '', description = '', link = '', type = '', size = ''] = cells;
  if (cells.length < 5) return null;
  const href = decoded(/<a\b[^>]*\bhref="([^"]*)"/i.exec(link)?.[1] ?? '').replace(/^\/ix\?doc=/, '');
  const kind = plain(type);
  // The complete submission has neither a number nor a type.
  if (kind === '' && plain(sequence) === '') return null;
  if (madeTypes.has(kind) || rendering.test(href)) return null;
  const name = href.slice(href.lastIndexOf('/') + 1);
  return {
    sequence: numberOf(plain(sequence)),
    type: kind,
    description: plain(description) || null,
    name: name === '' ? null : name,
    size: numberOf(plain(size)),
    url: name === '' || !href.startsWith('/Archives/') ? null : `https://www.sec.gov${href}`,
  };
}

/**
 * Parses the heads of the documents in a full submission, or in `-index-headers.html`: what the list of a filing is
 * before its index page was read. They have no sizes. `folder` is the address of the filing's folder on www.sec.gov.
 */
export function parseSubmissionDocuments(body: Buffer, folder: string): FilingDocument[] {
  const head = body.toString('latin1', 0, 200);
  const text = /<html>/i.test(head) ? decoded(textOf(body, 'utf8')) : textOf(body, 'utf8');
  const documents: FilingDocument[] = [];
  for (let at = nextLine(text, '<DOCUMENT>', 0); at >= 0; ) {
    const end = nextLine(text, '<TEXT>', at);
    const lines = text.slice(at, end < 0 ? undefined : end).split('\n');
    const member = (tag: string) =>
      clean(lines.find((line) => line.startsWith(`<${tag}>`))?.slice(tag.length + 2) ?? '');
    const [type, name] = [member('TYPE'), member('FILENAME')];
    if (type !== '' && !madeTypes.has(type))
      documents.push({
        sequence: numberOf(member('SEQUENCE')),
        type,
        description: member('DESCRIPTION') || null,
        name: name === '' ? null : name,
        size: null,
        url: name === '' ? null : `${folder}/${encodeURIComponent(name)}`,
      });
    if (documents.length > documentsMaximum) throw new Error('it has too many documents');
    const closed = nextLine(text, '</DOCUMENT>', end < 0 ? at : end);
    at = closed < 0 ? -1 : nextLine(text, '<DOCUMENT>', closed);
  }
  if (documents.length === 0) throw new Error('it has no documents');
  return documents;
}

/** Where a line begins with a tag, from an offset on; -1 if none does. */
function nextLine(text: string, tag: string, from: number): number {
  if (from === 0 && text.startsWith(tag)) return 0;
  const at = text.indexOf(`\n${tag}`, from);
  return at < 0 ? -1 : at + 1;
}

/** HTML whose entities are decoded, with the one that XML has not. */
const decoded = (html: string) => decodeEntities(html.replaceAll('&nbsp;', ' '));

/** The text of a cell, without tags. */
const plain = (html: string) => clean(decoded(html.replace(/<[^>]*>/g, '')).replace(/\s+/gu, ' '));

const numberOf = (text: string): number | null => (/^\d{1,12}$/.test(text) ? Number(text) : null);

/** The main document and pictures, and the data of XBRL, are no exhibits. */
const noExhibit = /^(?:GRAPHIC|EX-10[01](?:\..*)?)$/;

/** Returns the documents of a filing beyond the main one that are neither graphic nor XBRL: `Filing.exhibits`. */
export function exhibitsOf(documents: readonly FilingDocument[]): { type: string; name: string | null }[] {
  return documents
    .slice(1)
    .filter(({ type }) => !noExhibit.test(type) && !madeTypes.has(type))
    .map(({ type, name }) => ({ type, name }));
}

const pressReleaseTypes = new Set(['EX-99', 'EX-99.1', 'EX-99.01']);

/** Returns the address of the press release of a current report or Form 6-K: its first exhibit 99; null if it has none. */
export function pressReleaseOf(form: string, documents: readonly FilingDocument[]): string | null {
  if (!/^(?:8-K|6-K)/.test(form)) return null;
  return documents.find(({ type }) => pressReleaseTypes.has(type))?.url ?? null;
}
