import { FormerNamePeriod } from '../../src/domain/company-facts.ts';
import { Change, CompanyEntry, Filing, Party } from '../../src/contract/records.ts';
import { column, columnsOf, fieldsOf, required, type Column, type ListType } from './columns.ts';

/** The tables of an export, in the order in which they are written. */
export const tableNames = [
  'changes',
  'filings',
  'parties',
  'transactions',
  'holdings',
  'documents',
  'companies',
  'reference',
] as const;
/** The name of a table of an export. */
export type TableName = (typeof tableNames)[number];

/** A table: its columns, the order of its rows in a file, and how it is divided. */
export interface TableDefinition<Row> {
  readonly name: TableName;
  readonly columns: readonly Column<Row>[];
  /** The columns of which no two rows have the same values. */
  readonly identifiers: readonly string[];
  /** Columns by which the rows of a file are sorted, ascending, null last. */
  readonly sortedBy: readonly string[];
  /**
   * Columns with values that are looked up one at a time and are not sorted by: files have bloom filters of
   * them.
   */
  readonly bloomed: readonly string[];
  /** The column whose year divides the table; null if the table is not divided. */
  readonly dividedBy: string | null;
}

/** A row of the table `parties`: a filing and one of those that it names. */
export interface FilingParty {
  readonly change: Change;
  readonly party: Party;
}

/** The column with the sequence of the change that a row is of. */
export const sequence = <Row>(change: (row: Row) => Change): Column<Row> => {
  const [made] = columnsOf(Change.shape, change, [[1, 'sequence', 'long', required]]);
  return made as Column<Row>;
};

const texts = (elementId: number): ListType => ({ elementId, element: 'string' });
const { shape } = Filing;
const parties: ListType = {
  elementId: 201,
  element: fieldsOf(Party.shape, [
    [202, 'cik', 'string', required],
    [203, 'name', 'string'],
    [204, 'role', 'string'],
  ]),
};

/** The columns of an observation. Ids below 20 belong to the change, those above to its filing. */
const observation = columnsOf(Change.shape, (change: Change) => change, [
  sequence((change) => change),
  [2, 'revision', 'int', required],
  [3, 'observedAt', 'timestamptz'],
]);
const ofChangeAlone = columnsOf(Change.shape, (change: Change) => change, [
  [4, 'changeType', 'string', required],
  [5, 'corrected', texts(206)],
  [6, 'cause', 'string'],
]);
/** A column with a member of a filing as JSON. */
const jsonOf = (id: number, name: 'ownership' | 'exhibits') =>
  column<Change>(
    { id, name, isRequired: false, type: 'string', doc: `As JSON. ${shape[name].description}` },
    ({ filing }) => filing[name] && JSON.stringify(filing[name]),
  );
const ofFiling = columnsOf(shape, ({ filing }: Change) => filing, [
  [20, 'accessionNo', 'string', required],
  [21, 'companyName', 'string', required],
  [22, 'ticker', 'string'],
  [23, 'form', 'string', required],
  [24, 'eventType', 'string', required],
  [25, 'items', texts(205), required],
  [26, 'filedAt', 'date'],
  [27, 'detailUrl', 'string'],
  [28, 'acceptanceDateTime', 'string'],
  [29, 'cik', 'string', required],
  column(
    {
      id: 30,
      name: 'acceptedAt',
      isRequired: false,
      type: 'timestamptz',
      doc: '`acceptanceDateTime` as an instant.',
    },
    ({ filing }) => filing.acceptedAt,
  ),
  [31, 'reportDate', 'date'],
  [32, 'primaryDocument', 'string'],
  [33, 'primaryDocDescription', 'string'],
  [34, 'documentUrl', 'string'],
  [35, 'size', 'long'],
  [36, 'isXbrl', 'boolean', required],
  [37, 'isInlineXbrl', 'boolean', required],
  [38, 'ingestedAt', 'timestamptz'],
  [39, 'parties', parties, required],
  jsonOf(40, 'ownership'),
  [41, 'sic', 'string'],
  [42, 'exchange', 'string'],
  jsonOf(43, 'exhibits'),
]);

const byCompany = {
  sortedBy: ['ticker', 'cik', 'sequence'],
  bloomed: ['accessionNo', 'cik'],
  dividedBy: 'filedAt',
};

/** Every observation of every filing: the change feed. */
export const changesTable: TableDefinition<Change> = {
  name: 'changes',
  columns: [...observation, ...ofChangeAlone, ...ofFiling],
  identifiers: ['sequence'],
  ...byCompany,
};

/** The newest observation of each filing. */
export const filingsTable: TableDefinition<Change> = {
  name: 'filings',
  columns: [...observation, ...ofFiling],
  identifiers: ['accessionNo'],
  ...byCompany,
};

/** Each filing, as it was observed last, under each of those that it names. */
export const partiesTable: TableDefinition<FilingParty> = {
  name: 'parties',
  columns: [
    sequence(({ change }) => change),
    ...columnsOf(shape, ({ change }: FilingParty) => change.filing, [[2, 'accessionNo', 'string', required]]),
    ...columnsOf(Party.shape, ({ party }: FilingParty) => party, [
      [3, 'cik', 'string', required],
      [4, 'name', 'string'],
      [5, 'role', 'string'],
    ]),
    ...columnsOf(shape, ({ change }: FilingParty) => change.filing, [
      [6, 'form', 'string', required],
      [7, 'eventType', 'string', required],
      [8, 'filedAt', 'date'],
    ]),
  ],
  identifiers: ['accessionNo', 'cik'],
  sortedBy: ['cik', 'sequence'],
  bloomed: ['accessionNo'],
  dividedBy: 'filedAt',
};

const { shape: entry } = CompanyEntry;
const periods: ListType = {
  elementId: 104,
  element: [
    { id: 105, name: 'name', isRequired: true, type: 'string', doc: 'The name.' },
    ...fieldsOf(FormerNamePeriod.shape, [
      [106, 'since', 'date'],
      [107, 'until', 'date'],
    ]),
  ],
};

/** Whoever has a profile. */
export const companiesTable: TableDefinition<CompanyEntry> = {
  name: 'companies',
  columns: columnsOf(entry, (company: CompanyEntry) => company, [
    [1, 'cik', 'string', required],
    [2, 'ticker', 'string'],
    [3, 'name', 'string', required],
    [4, 'exchange', 'string'],
    [5, 'updatedAt', 'timestamptz'],
    [6, 'filingCount', 'long', required],
    [7, 'latestFilingAt', 'date'],
    [8, 'tickers', texts(101), required],
    [9, 'formerNames', texts(102), required],
    [10, 'relatedCiks', texts(103), required],
    [11, 'sic', 'string'],
    [12, 'sicDescription', 'string'],
    [13, 'category', 'string'],
    [14, 'entityType', 'string'],
    [15, 'stateOfIncorporation', 'string'],
    [16, 'fiscalYearEnd', 'string'],
    [17, 'phone', 'string'],
    [18, 'businessStreet', 'string'],
    [19, 'businessCity', 'string'],
    [20, 'businessState', 'string'],
    [21, 'businessZipCode', 'string'],
    [22, 'formerNamePeriods', periods],
  ]),
  identifiers: ['cik'],
  sortedBy: ['cik'],
  bloomed: ['ticker'],
  dividedBy: null,
};

/** Compares two rows by the columns that the table is sorted by. */
export function rowOrder<Row>({ columns, sortedBy }: TableDefinition<Row>): (a: Row, b: Row) => number {
  const keys = sortedBy.map((name) => columns.find((each) => each.name === name) as Column<Row>);
  return (a, b) => {
    for (const { value } of keys) {
      const [one, other] = [value(a), value(b)] as (string | bigint | null)[];
      if (one === other) continue;
      if (one === null || one === undefined) return 1;
      return other === null || other === undefined || one < other ? -1 : 1;
    }
    return 0;
  };
}
