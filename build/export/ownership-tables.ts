import { Holding } from '../../src/contract/ownership-document.ts';
import { Owner, Section16Ownership, Transaction, Underlying } from '../../src/contract/ownership.ts';
import { Filing, type Change } from '../../src/contract/records.ts';
import { amendsEarlier } from '../../src/domain/event-types.ts';
import {
  column,
  date,
  decimal,
  flag,
  instant,
  requiredText,
  text,
  type Column,
  type Field,
} from './columns.ts';
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

const { shape: filing } = Filing;
const { shape: owner } = Owner;
const ownerFields: readonly Field[] = [
  { id: 202, name: 'cik', isRequired: false, type: 'string', doc: owner.cik.description },
  { id: 203, name: 'name', isRequired: false, type: 'string', doc: owner.name.description },
  { id: 204, name: 'isDirector', isRequired: true, type: 'boolean' },
  { id: 205, name: 'isOfficer', isRequired: true, type: 'boolean' },
  {
    id: 206,
    name: 'isTenPercentOwner',
    isRequired: true,
    type: 'boolean',
    doc: owner.isTenPercentOwner.description,
  },
  { id: 207, name: 'isOther', isRequired: true, type: 'boolean', doc: owner.isOther.description },
  { id: 208, name: 'title', isRequired: false, type: 'string', doc: owner.title.description },
];

/** The columns of the filing and of its document. */
const ofFiling = <Row>(): readonly Column<OfDocument<Row>>[] => [
  sequence(({ change }) => change),
  requiredText(2, 'accessionNo', ({ change }) => change.filing.accessionNo, filing.accessionNo.description),
  requiredText(4, 'form', ({ change }) => change.filing.form, filing.form.description),
  flag(5, 'isAmendment', ({ change }) => amendsEarlier(change.filing.form), 'Whether it amends a filing.'),
  date(6, 'filedAt', ({ change }) => change.filing.filedAt, filing.filedAt.description),
  instant(7, 'acceptedAt', ({ change }) => change.filing.acceptedAt, filing.acceptedAt.description),
  requiredText(8, 'cik', ({ change }) => change.filing.cik, filing.cik.description),
  text(9, 'ticker', ({ change }) => change.filing.ticker, filing.ticker.description),
  requiredText(10, 'companyName', ({ change }) => change.filing.companyName, filing.companyName.description),
  text(11, 'detailUrl', ({ change }) => change.filing.detailUrl, filing.detailUrl.description),
  text(12, 'documentUrl', ({ change }) => change.filing.documentUrl, filing.documentUrl.description),
  date(
    13,
    'periodOfReport',
    ({ ownership }) => ownership.periodOfReport,
    Section16Ownership.shape.periodOfReport.description,
  ),
  column({ elementId: 201, element: ownerFields }, true, [
    14,
    'owners',
    ({ ownership }) => ownership.owners,
    Section16Ownership.shape.owners.description,
  ]),
];

/** What transactions and holdings both say. */
type Owned = Pick<
  Transaction,
  | 'number'
  | 'isDerivative'
  | 'security'
  | 'sharesAfter'
  | 'valueAfter'
  | 'isDirect'
  | 'nature'
  | 'exercisePrice'
  | 'exercisableOn'
  | 'expiresOn'
  | 'underlying'
>;

/** The columns of what is owned. `shape` describes its members. */
function ofOwned<Row extends Owned>(
  shape: Readonly<Record<Exclude<keyof Owned, 'underlying'>, { readonly description?: string | undefined }>>,
): readonly Column<OfDocument<Row>>[] {
  const { shape: underlying } = Underlying;
  return [
    column('int', true, [3, 'number', ({ row }) => row.number, shape.number.description]),
    flag(30, 'isDerivative', ({ row }) => row.isDerivative, shape.isDerivative.description),
    text(31, 'security', ({ row }) => row.security, shape.security.description),
    decimal(32, 'sharesAfter', ({ row }) => row.sharesAfter, shape.sharesAfter.description),
    decimal(33, 'valueAfter', ({ row }) => row.valueAfter, shape.valueAfter.description),
    flag(34, 'isDirect', ({ row }) => row.isDirect, shape.isDirect.description),
    text(35, 'nature', ({ row }) => row.nature, shape.nature.description),
    decimal(36, 'exercisePrice', ({ row }) => row.exercisePrice ?? null, shape.exercisePrice.description),
    date(37, 'exercisableOn', ({ row }) => row.exercisableOn ?? null, shape.exercisableOn.description),
    date(38, 'expiresOn', ({ row }) => row.expiresOn ?? null, shape.expiresOn.description),
    text(
      39,
      'underlyingSecurity',
      ({ row }) => row.underlying?.security ?? null,
      underlying.security.description,
    ),
    decimal(
      40,
      'underlyingShares',
      ({ row }) => row.underlying?.shares ?? null,
      underlying.shares.description,
    ),
    decimal(41, 'underlyingValue', ({ row }) => row.underlying?.value ?? null, underlying.value.description),
  ];
}

const { shape: said } = Transaction;
const ofTransaction: readonly Column<FilingTransaction>[] = [
  flag(
    15,
    'isPlanned',
    ({ ownership }) => ownership.isPlanned,
    Section16Ownership.shape.isPlanned.description,
  ),
  date(50, 'on', ({ row }) => row.on, said.on.description),
  date(51, 'deemedExecutedOn', ({ row }) => row.deemedExecutedOn, said.deemedExecutedOn.description),
  text(52, 'code', ({ row }) => row.code, said.code.description),
  flag(53, 'isEquitySwap', ({ row }) => row.isEquitySwap, said.isEquitySwap.description),
  text(54, 'timeliness', ({ row }) => row.timeliness, said.timeliness.description),
  decimal(55, 'shares', ({ row }) => row.shares, said.shares.description),
  decimal(56, 'totalValue', ({ row }) => row.totalValue, said.totalValue.description),
  decimal(57, 'price', ({ row }) => row.price, said.price.description),
  decimal(58, 'value', ({ row }) => row.value, said.value.description),
  text(59, 'direction', ({ row }) => row.direction, said.direction.description),
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
  columns: [...ofFiling<Transaction>(), ...ofTransaction, ...ofOwned<Transaction>(said)],
  ...byIssuer,
};

/** Each row of a Form 3, 4 or 5 that only says what is owned. */
export const holdingsTable: TableDefinition<FilingHolding> = {
  name: 'holdings',
  columns: [...ofFiling<Holding>(), ...ofOwned<Holding>(Holding.shape)],
  ...byIssuer,
};
