import type { ListedDocument } from '../../src/contract/filing-documents.ts';

/** The path below `/Archives/edgar/` of the index page of a filing, in the folder of an entity. */
export const indexPagePath = (cik: string, accessionNo: string): string =>
  `data/${Number(cik)}/${accessionNo.replaceAll('-', '')}/${accessionNo}-index.htm`;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The index page of a filing as EDGAR writes it: XBRL stands in a table of its own. */
export function indexPage(cik: string, accessionNo: string, documents: readonly ListedDocument[]): string {
  const folder = `/Archives/edgar/data/${Number(cik)}/${accessionNo.replaceAll('-', '')}/`;
  const row = (cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<td scope="row">${cell === '' ? '&nbsp;' : cell}</td>`).join('\n')}</tr>`;
  const rowOf = ({ sequence, type, description, name, size }: ListedDocument) =>
    row([
      String(sequence ?? ''),
      escaped(description ?? ''),
      `<a href="${folder}${name ?? ''}">${name ?? ''}</a>`,
      escaped(type),
      String(size ?? ''),
    ]);
  const table = (summary: string, rows: readonly string[]) =>
    `<table class="tableFile" summary="${summary}"><tr><th scope="col">Seq</th></tr>\n${rows.join('\n')}</table>`;
  const isData = ({ type }: ListedDocument) => type.startsWith('EX-101');
  const complete = row([
    '',
    'Complete submission text file',
    `<a href="${folder}${accessionNo}.txt">x</a>`,
    '',
    '9',
  ]);
  const data = documents.filter(isData);
  return [
    `<html><title>EDGAR Filing Documents for ${accessionNo}</title>`,
    table('Document Format Files', [...documents.filter((each) => !isData(each)).map(rowOf), complete]),
    ...(data.length === 0 ? [] : [table('Data Files', data.map(rowOf))]),
    '<div class="filerDiv"></div></html>',
  ].join('\n');
}

/** A made-up list of the documents of a filing, of which some have a press release. */
export function documentsOf({
  accessionNo,
  form,
}: {
  readonly accessionNo: string;
  readonly form: string;
}): ListedDocument[] {
  const number = Number(accessionNo.slice(-6));
  const types = ['EX-99.1', 'EX-10.1', 'GRAPHIC', 'EX-101.SCH'].filter((_, at) => (number >> at) % 2 === 1);
  return [form, ...types].map((type, at) => ({
    sequence: at + 1,
    type,
    description: at === 0 ? null : `${type} & more`,
    name: `d${number}-${at}.htm`,
    size: 1000 + number,
  }));
}
