import { FilingDocument } from '../../src/contract/filing-documents.ts';
import { isExhibit } from '../../src/domain/exhibits.ts';
import { Filing, type Change } from '../../src/contract/records.ts';
import { column, columnsOf, required } from './columns.ts';
import { byPartition, type Log } from './read-log.ts';
import { sequence, type TableDefinition } from './tables.ts';

/** A row of the table `documents`: a filing, and one of its documents. */
export interface DocumentOfFiling {
  readonly change: Change;
  /** Its place in the list of the filing, from 1; 1 is the main document. */
  readonly number: number;
  readonly document: FilingDocument;
}

/** Each document of a filing whose list was read, as the filing was observed last. */
export const documentsTable: TableDefinition<DocumentOfFiling> = {
  name: 'documents',
  columns: [
    sequence(({ change }) => change),
    ...columnsOf(Filing.shape, ({ change }: DocumentOfFiling) => change.filing, [
      [2, 'accessionNo', 'string', required],
      column(
        {
          id: 3,
          name: 'number',
          isRequired: true,
          type: 'int',
          doc: 'Its place in the list, from 1; 1 is the main document.',
        },
        ({ number }) => number,
      ),
      [4, 'form', 'string', required],
      [6, 'filedAt', 'date'],
      [7, 'acceptedAt', 'timestamptz'],
      [8, 'cik', 'string', required],
      [9, 'ticker', 'string'],
      [10, 'companyName', 'string', required],
    ]),
    ...columnsOf(FilingDocument.shape, ({ document }: DocumentOfFiling) => document, [
      [30, 'type', 'string', required],
      [31, 'description', 'string'],
      [32, 'name', 'string'],
      [33, 'size', 'long'],
      [34, 'url', 'string'],
    ]),
    column(
      {
        id: 35,
        name: 'isExhibit',
        isRequired: false,
        type: 'boolean',
        doc: 'Whether it is neither the main document nor a picture nor data of XBRL.',
      },
      ({ document, number }) => number > 1 && isExhibit(document),
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
  for (const change of byPartition(changes)) {
    if (change.filing.exhibits === null) continue;
    const documents = await log.documents(change.filing);
    rows.push(...documents.map((document, at) => ({ change, number: at + 1, document })));
  }
  return rows;
}
