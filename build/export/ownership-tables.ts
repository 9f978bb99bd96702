import { Holding } from '../../src/contract/ownership-document.ts';
import { Owner, Section16Ownership, Transaction, Underlying } from '../../src/contract/ownership.ts';
import { Filing, type Change } from '../../src/contract/records.ts';
import { amendsEarlier } from '../../src/domain/event-types.ts';
import { column, columnsOf, fieldsOf, required, type Column, type ListType } from './columns.ts';
import { sequence, type TableDefinition } from './tables.ts';

// The tables of what Forms 3, 4 and 5 say. Both have the same columns under the same ids as far as they say the same.

/** A row of a document of a Form 3, 4 or 5, with the filing and what its document says. */
interface OfDocument<Row> {
  readonly change: Change;
  readonly ownership: Section16Ownership;
  readonly row: Row;
}
/** A row of the table `transactions`. */
export type FilingTransaction = OfDocument<Transaction>;
/** A row of the table `holdings`. */
export type FilingHolding = OfDocument<Holding>;

/** What a Form 3, 4 or 5 says; null for other filings, and where its document was not read. */
export function section16Of({ filing: { ownership } }: Change): Section16Ownership | null {
  return ownership?.kind === 'section_16' ? ownership : null;
}

const owners: ListType = {
  elementId: 201,
  element: fieldsOf(Owner.shape, [
    [202, 'cik', 'string'],
    [203, 'name', 'string'],
    [204, 'isDirector', 'boolean', required],
    [205, 'isOfficer', 'boolean', required],
    [206, 'isTenPercentOwner', 'boolean', required],
    [207, 'isOther', 'boolean', required],
    [208, 'title', 'string'],
  ]),
};

/** The columns of the filing and of its document. */
const ofFiling = <Row>(): readonly Column<OfDocument<Row>>[] => [
  sequence(({ change }) => change),
  ...columnsOf(Filing.shape, ({ change }: OfDocument<Row>) => change.filing, [
    [2, 'accessionNo', 'string', required],
    [4, 'form', 'string', required],
    column(
      { id: 5, name: 'isAmendment', isRequired: false, type: 'boolean', doc: 'Whether it amends a filing.' },
      ({ change }) => amendsEarlier(change.filing.form),
    ),
    [6, 'filedAt', 'date'],
    [7, 'acceptedAt', 'timestamptz'],
    [8, 'cik', 'string', required],
    [9, 'ticker', 'string'],
    [10, 'companyName', 'string', required],
    [11, 'detailUrl', 'string'],
    [12, 'documentUrl', 'string'],
  ]),
  ...columnsOf(Section16Ownership.shape, ({ ownership }: OfDocument<Row>) => ownership, [
    [13, 'periodOfReport', 'date'],
    [14, 'owners', owners, required],
  ]),
];

/** The columns of what is owned, which transactions and holdings both say. `shape` describes its members. */
function ofOwned<Row extends Transaction | Holding>(
  shape: typeof Transaction.shape | typeof Holding.shape,
): readonly Column<OfDocument<Row>>[] {
  const ofUnderlying = (id: number, member: 'security' | 'shares' | 'value', type: 'string' | 'double') =>
    column<OfDocument<Row>>(
      {
        id,
        name: `underlying${member.charAt(0).toUpperCase()}${member.slice(1)}`,
        isRequired: false,
        type,
        doc: Underlying.shape[member].description,
      },
      ({ row }) => row.underlying?.[member],
    );
  return columnsOf(shape, ({ row }: OfDocument<Row>) => row, [
    [3, 'number', 'int', required],
    [30, 'isDerivative', 'boolean'],
    [31, 'security', 'string'],
    [32, 'sharesAfter', 'double'],
    [33, 'valueAfter', 'double'],
    [34, 'isDirect', 'boolean'],
    [35, 'nature', 'string'],
    [36, 'exercisePrice', 'double'],
    [37, 'exercisableOn', 'date'],
    [38, 'expiresOn', 'date'],
    ofUnderlying(39, 'security', 'string'),
    ofUnderlying(40, 'shares', 'double'),
    ofUnderlying(41, 'value', 'double'),
  ]);
}

const ofTransaction: readonly Column<FilingTransaction>[] = [
  ...columnsOf(Section16Ownership.shape, ({ ownership }: FilingTransaction) => ownership, [
    [15, 'isPlanned', 'boolean'],
  ]),
  ...columnsOf(Transaction.shape, ({ row }: FilingTransaction) => row, [
    [50, 'on', 'date'],
    [51, 'deemedExecutedOn', 'date'],
    [52, 'code', 'string'],
    [53, 'isEquitySwap', 'boolean'],
    [54, 'timeliness', 'string'],
    [55, 'shares', 'double'],
    [56, 'totalValue', 'double'],
    [57, 'price', 'double'],
    [58, 'value', 'double'],
    [59, 'direction', 'string'],
  ]),
];

const byIssuer = {
  identifiers: ['accessionNo', 'number'],
  sortedBy: ['ticker', 'cik', 'sequence', 'number'],
  bloomed: ['accessionNo', 'cik'],
  dividedBy: 'filedAt',
};

/** Each transaction of a Form 4 or 5, as the filing was observed last. */
export const transactionsTable: TableDefinition<FilingTransaction> = {
  name: 'transactions',
  columns: [...ofFiling<Transaction>(), ...ofTransaction, ...ofOwned<Transaction>(Transaction.shape)],
  ...byIssuer,
};

/** Each row of a Form 3, 4 or 5 that only says what is owned. */
export const holdingsTable: TableDefinition<FilingHolding> = {
  name: 'holdings',
  columns: [...ofFiling<Holding>(), ...ofOwned<Holding>(Holding.shape)],
  ...byIssuer,
};
