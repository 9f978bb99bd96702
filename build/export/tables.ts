import { FormerNamePeriod, type CompanyFacts } from '../../src/domain/company-facts.ts';
import { Change, CompanyEntry, Filing, Party } from '../../src/contract/records.ts';
import {
  column,
  date,
  daysOf,
  instant,
  longOf,
  requiredText,
  text,
  type Column,
  type Field,
} from './columns.ts';

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

const partyFields: readonly Field[] = [
  { id: 202, name: 'cik', isRequired: true, type: 'string', doc: Party.shape.cik.description },
  { id: 203, name: 'name', isRequired: false, type: 'string', doc: Party.shape.name.description },
  { id: 204, name: 'role', isRequired: false, type: 'string', doc: Party.shape.role.description },
];

/** The column with the sequence of the change that a row is of. */
export const sequence = <Row>(change: (row: Row) => Change): Column<Row> =>
  column('long', true, [
    1,
    'sequence',
    (row: Row) => longOf(change(row).sequence),
    Change.shape.sequence.description,
  ]);

/** The columns of an observation. Ids below 20 belong to the change, those above to its filing. */
const observation: readonly Column<Change>[] = [
  sequence((change) => change),
  column('int', true, [2, 'revision', ({ revision }) => revision, Change.shape.revision.description]),
  instant(3, 'observedAt', ({ observedAt }) => observedAt, Change.shape.observedAt.description),
];
const ofChangeAlone: readonly Column<Change>[] = [
  requiredText(4, 'changeType', ({ changeType }) => changeType, Change.shape.changeType.description),
  column({ elementId: 206, element: 'string' }, false, [
    5,
    'corrected',
    ({ corrected }) => corrected ?? null,
    Change.shape.corrected.description,
  ]),
  text(6, 'cause', ({ cause }) => cause ?? null, Change.shape.cause.description),
];
const { shape } = Filing;
const ofFiling: readonly Column<Change>[] = [
  requiredText(20, 'accessionNo', ({ filing }) => filing.accessionNo, shape.accessionNo.description),
  requiredText(21, 'companyName', ({ filing }) => filing.companyName, shape.companyName.description),
  text(22, 'ticker', ({ filing }) => filing.ticker, shape.ticker.description),
  requiredText(23, 'form', ({ filing }) => filing.form, shape.form.description),
  requiredText(24, 'eventType', ({ filing }) => filing.eventType, shape.eventType.description),
  column({ elementId: 205, element: 'string' }, true, [
    25,
    'items',
    ({ filing }) => filing.items,
    shape.items.description,
  ]),
  date(26, 'filedAt', ({ filing }) => filing.filedAt, shape.filedAt.description),
  text(27, 'detailUrl', ({ filing }) => filing.detailUrl, shape.detailUrl.description),
  text(
    28,
    'acceptanceDateTime',
    ({ filing }) => filing.acceptanceDateTime,
    shape.acceptanceDateTime.description,
  ),
  requiredText(29, 'cik', ({ filing }) => filing.cik, shape.cik.description),
  instant(30, 'acceptedAt', ({ filing }) => filing.acceptedAt, '`acceptanceDateTime` as an instant.'),
  date(31, 'reportDate', ({ filing }) => filing.reportDate, shape.reportDate.description),
  text(32, 'primaryDocument', ({ filing }) => filing.primaryDocument, shape.primaryDocument.description),
  text(
    33,
    'primaryDocDescription',
    ({ filing }) => filing.primaryDocDescription,
    shape.primaryDocDescription.description,
  ),
  text(34, 'documentUrl', ({ filing }) => filing.documentUrl, shape.documentUrl.description),
  column('long', false, [35, 'size', ({ filing }) => longOf(filing.size), shape.size.description]),
  column('boolean', true, [36, 'isXbrl', ({ filing }) => filing.isXbrl, shape.isXbrl.description]),
  column('boolean', true, [
    37,
    'isInlineXbrl',
    ({ filing }) => filing.isInlineXbrl,
    shape.isInlineXbrl.description,
  ]),
  instant(38, 'ingestedAt', ({ filing }) => filing.ingestedAt, shape.ingestedAt.description),
  column({ elementId: 201, element: partyFields }, true, [
    39,
    'parties',
    ({ filing }) => filing.parties,
    shape.parties.description,
  ]),
  text(
    40,
    'ownership',
    ({ filing: { ownership } }) => ownership && JSON.stringify(ownership),
    `As JSON. ${shape.ownership.description}`,
  ),
  text(41, 'sic', ({ filing }) => filing.sic, shape.sic.description),
  text(42, 'exchange', ({ filing }) => filing.exchange, shape.exchange.description),
  text(
    43,
    'exhibits',
    ({ filing: { exhibits } }) => exhibits && JSON.stringify(exhibits),
    `As JSON. ${shape.exhibits.description}`,
  ),
];

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
    requiredText(2, 'accessionNo', ({ change }) => change.filing.accessionNo, shape.accessionNo.description),
    requiredText(3, 'cik', ({ party }) => party.cik, Party.shape.cik.description),
    text(4, 'name', ({ party }) => party.name, Party.shape.name.description),
    text(5, 'role', ({ party }) => party.role, Party.shape.role.description),
    requiredText(6, 'form', ({ change }) => change.filing.form, shape.form.description),
    requiredText(7, 'eventType', ({ change }) => change.filing.eventType, shape.eventType.description),
    date(8, 'filedAt', ({ change }) => change.filing.filedAt, shape.filedAt.description),
  ],
  identifiers: ['accessionNo', 'cik'],
  sortedBy: ['cik', 'sequence'],
  bloomed: ['accessionNo'],
  dividedBy: 'filedAt',
};

const { shape: entry } = CompanyEntry;
const texts = (id: number, elementId: number, name: 'tickers' | 'formerNames' | 'relatedCiks') =>
  column<CompanyEntry>({ elementId, element: 'string' }, true, [
    id,
    name,
    (company) => company[name],
    entry[name].description,
  ]);
const { shape: period } = FormerNamePeriod;
const periodFields: readonly Field[] = [
  { id: 105, name: 'name', isRequired: true, type: 'string', doc: 'The name.' },
  { id: 106, name: 'since', isRequired: false, type: 'date', doc: period.since.description },
  { id: 107, name: 'until', isRequired: false, type: 'date', doc: period.until.description },
];
const fact = (id: number, name: keyof CompanyFacts) =>
  text<CompanyEntry>(id, name, (company) => company[name], entry[name].description);

/** Whoever has a profile. */
export const companiesTable: TableDefinition<CompanyEntry> = {
  name: 'companies',
  columns: [
    requiredText(1, 'cik', ({ cik }) => cik, entry.cik.description),
    text(2, 'ticker', ({ ticker }) => ticker, entry.ticker.description),
    requiredText(3, 'name', ({ name }) => name, entry.name.description),
    text(4, 'exchange', ({ exchange }) => exchange, entry.exchange.description),
    instant(5, 'updatedAt', ({ updatedAt }) => updatedAt, entry.updatedAt.description),
    column('long', true, [
      6,
      'filingCount',
      ({ filingCount }) => longOf(filingCount),
      entry.filingCount.description,
    ]),
    date(7, 'latestFilingAt', ({ latestFilingAt }) => latestFilingAt, entry.latestFilingAt.description),
    texts(8, 101, 'tickers'),
    texts(9, 102, 'formerNames'),
    texts(10, 103, 'relatedCiks'),
    fact(11, 'sic'),
    fact(12, 'sicDescription'),
    fact(13, 'category'),
    fact(14, 'entityType'),
    fact(15, 'stateOfIncorporation'),
    fact(16, 'fiscalYearEnd'),
    fact(17, 'phone'),
    fact(18, 'businessStreet'),
    fact(19, 'businessCity'),
    fact(20, 'businessState'),
    fact(21, 'businessZipCode'),
    column<CompanyEntry>({ elementId: 104, element: periodFields }, false, [
      22,
      'formerNamePeriods',
      ({ formerNamePeriods }) =>
        formerNamePeriods.map(({ name, since, until }) => ({
          name,
          since: daysOf(since),
          until: daysOf(until),
        })),
      entry.formerNamePeriods.description,
    ]),
  ],
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
