/** What a transaction code of Forms 4 and 5 means, and what is said of somebody whose filing has it. */
export interface TransactionCode {
  readonly title: string;
  /** What the owner did who acquired, with `…` for what; null where the code says no more than that. */
  readonly acquired: string | null;
  /** The same of an owner who disposed. */
  readonly disposed: string | null;
}

/** The codes of the forms' instructions; K and V stand on the printed form alone. */
export const transactionCodes: ReadonlyMap<string, TransactionCode> = new Map([
  ['P', { title: 'Purchase on the open market or privately', acquired: 'bought …', disposed: null }],
  ['S', { title: 'Sale on the open market or privately', acquired: null, disposed: 'sold …' }],
  ['A', { title: 'Grant or award, Rule 16b-3(d)', acquired: 'was granted …', disposed: null }],
  [
    'D',
    {
      title: 'Disposition to the issuer, Rule 16b-3(e)',
      acquired: null,
      disposed: 'returned … to the issuer',
    },
  ],
  [
    'F',
    {
      title: 'Payment of an exercise price or tax by delivering or withholding securities, Rule 16b-3',
      acquired: null,
      disposed: 'delivered … for an exercise price or tax',
    },
  ],
  [
    'M',
    {
      title: 'Exercise or conversion of a derivative, Rule 16b-3',
      acquired: 'received … by an exercise or conversion',
      disposed: 'exercised or converted …',
    },
  ],
  ['G', { title: 'Gift', acquired: 'received … as a gift', disposed: 'gave away … as a gift' }],
  [
    'C',
    { title: 'Conversion of a derivative', acquired: 'received … by a conversion', disposed: 'converted …' },
  ],
  [
    'X',
    {
      title: 'Exercise of a derivative in or at the money',
      acquired: 'received … by an exercise',
      disposed: 'exercised …',
    },
  ],
  [
    'O',
    {
      title: 'Exercise of a derivative out of the money',
      acquired: 'received … by an exercise',
      disposed: 'exercised …',
    },
  ],
  ['E', { title: 'Expiration of a short derivative', acquired: null, disposed: null }],
  [
    'H',
    { title: 'Expiration or cancellation of a long derivative with value', acquired: null, disposed: null },
  ],
  ['I', { title: 'Discretionary transaction, Rule 16b-3(f)', acquired: null, disposed: null }],
  [
    'J',
    { title: 'Other acquisition or disposition, which a footnote describes', acquired: null, disposed: null },
  ],
  ['K', { title: 'Equity swap or similar instrument', acquired: null, disposed: null }],
  [
    'L',
    { title: 'Small acquisition, Rule 16a-6', acquired: 'bought … in a small acquisition', disposed: null },
  ],
  ['U', { title: 'Tender in a change of control', acquired: null, disposed: 'tendered …' }],
  ['V', { title: 'Transaction reported earlier than required', acquired: null, disposed: null }],
  [
    'W',
    {
      title: 'Will or laws of descent',
      acquired: 'inherited …',
      disposed: 'passed on … by will or the laws of descent',
    },
  ],
  [
    'Z',
    {
      title: 'Deposit into or withdrawal from a voting trust',
      acquired: 'withdrew … from a voting trust',
      disposed: 'deposited … in a voting trust',
    },
  ],
]);
