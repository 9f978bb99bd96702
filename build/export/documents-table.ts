import { FilingDocument } from '../../src/contract/filing-documents.ts';
import { isExhibit } from '../../src/domain/exhibits.ts';
import { Filing, type Change } from '../../src/contract/records.ts';
import { compareText } from '../../src/domain/scalars.ts';
import { column, date, flag, instant, longOf, requiredText, text } from './columns.ts';
import type { Log } from './read-log.ts';
import { sequence, type TableDefinition } from './tables.ts';

/** A row of the table `documents`: a filing, and one of its documents. */
export interface DocumentOfFiling {
  readonly change: Change;
  /** Its place in the list of the filing, from 1; 1 is the main document. */
  readonly number: number;
  readonly document: FilingDocument;
}

const { shape: filing } = Filing;
const { shape: said } = FilingDocument;

/** Each document of a filing whose list was read, as the filing was observed last. */
export const documentsTable: TableDefinition<DocumentOfFiling> = {
  name: 'documents',
  columns: [
    sequence(({ change }) => change),
    requiredText(2, 'accessionNo', ({ change }) => change.filing.accessionNo, filing.accessionNo.description),
    column('int', true, [
      3,
      'number',
      ({ number }) => number,
      'Its place in the list, from 1; 1 is the main document.',
    ]),
    requiredText(4, 'form', ({ change }) => change.filing.form, filing.form.description),
    date(6, 'filedAt', ({ change }) => change.filing.filedAt, filing.filedAt.description),
    instant(7, 'acceptedAt', ({ change }) => change.filing.acceptedAt, filing.acceptedAt.description),
    requiredText(8, 'cik', ({ change }) => change.filing.cik, filing.cik.description),
    text(9, 'ticker', ({ change }) => change.filing.ticker, filing.ticker.description),
    requiredText(
      10,
      'companyName',
      ({ change }) => change.filing.companyName,
      filing.companyName.description,
    ),
    requiredText(30, 'type', ({ document }) => document.type, said.type.description),
    text(31, 'description', ({ document }) => document.description, said.description.description),
    text(32, 'name', ({ document }) => document.name, said.name.description),
    column('long', false, [33, 'size', ({ document }) => longOf(document.size), said.size.description]),
    text(34, 'url', ({ document }) => document.url, said.url.description),
    flag(
      35,
      'isExhibit',
      ({ document, number }) => number > 1 && isExhibit(document),
      'Whether it is neither the main document nor a picture nor data of XBRL.',
    ),
  ],
  identifiers: ['accessionNo', 'number'],
  sortedBy: ['ticker', 'cik', 'sequence', 'number'],
  bloomed: ['accessionNo', 'cik', 'type'],
  dividedBy: 'filedAt',
};

/** The documents of filings whose lists were read. */
export async function documentsOf(
  changes: readonly Change[],
  log: Log,
): Promise<readonly DocumentOfFiling[]> {
  const rows: DocumentOfFiling[] = [];
  for (const change of changes.toSorted((a, b) => compareText(a.filing.accessionNo, b.filing.accessionNo))) {
    if (change.filing.exhibits === null) continue;
    const documents = await log.documents(change.filing);
    rows.push(...documents.map((document, at) => ({ change, number: at + 1, document })));
  }
  return rows;
}
