import { sumOf } from '../domain/decimals.ts';
import { transactionVerbs } from '../domain/transaction-verbs.ts';
import type {
  Form144Ownership,
  Owner,
  Ownership,
  Schedule13Ownership,
  Section16Ownership,
  Transaction,
} from './ownership.ts';

/** Owners or persons that are named; of more, it is said how many they are. */
const namedMaximum = 3;
/** Kinds of transactions that are told, in the order of the document. */
const clausesMaximum = 4;

/**
 * Says in a sentence, without the point at its end, what a filing about ownership says. Transactions of the same code,
 * direction, security and day are told together, and their shares are added up, except where that would mislead: where
 * a number is missing, and where several owners file together, whose rows may repeat the same shares. Derivatives are
 * never added to shares, what persons of a Schedule 13D or 13G own never to each other. A price of 0 is no price.
 * `written` tells how texts of the filer are written, such as names and securities.
 */
export function ownershipSentence(ownership: Ownership, written: Written = asItIs): string {
  switch (ownership.kind) {
    case 'section_16':
      return section16Sentence(ownership, written);
    case 'form_144':
      return form144Sentence(ownership, written);
    case 'schedule_13':
      return schedule13Sentence(ownership, written);
  }
}

/** Says in a sentence, without the point at its end, what some transactions of a filing were. */
export function transactionsSentence(
  {
    owners,
    isPlanned,
    transactions,
  }: Pick<Section16Ownership, 'owners' | 'isPlanned'> & { readonly transactions: readonly Transaction[] },
  written: Written = asItIs,
): string {
  const isOfPlan = isPlanned === true && transactions.length > 0;
  const clauses = clausesOf(transactions, owners.length > 1, written);
  return `${ownersInWords(owners, written)} ${clauses.join('; ')}${isOfPlan ? planned : ''}`;
}

type Written = (text: string) => string;
const asItIs: Written = (text) => text;

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** A day as `30 June 2026`. */
function dayInWords(day: string): string {
  const [year, month, date] = day.split('-').map(Number);
  return `${date} ${months[(month ?? 1) - 1]} ${year}`;
}

/** A number with commas between thousands, and all its decimals, at least `decimals` where it has any. */
function numberInWords(number: number, decimals = 0): string {
  const [whole = '', part = ''] = plainDigits(number).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  const padded = part.padEnd(decimals, '0');
  return padded === '' ? grouped : `${grouped}.${padded}`;
}

/** The digits of a number without an exponent: numbers of documents have at most ten decimals. */
function plainDigits(number: number): string {
  const digits = String(number);
  return digits.includes('e') ? number.toFixed(10).replace(/\.?0+$/, '') : digits;
}

const dollars = (amount: number) => `${numberInWords(amount, 2)} dollars`;

function listInWords(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Names the first of a list, and how many others there are. */
function namesInWords(names: readonly string[]): string {
  const others = names.length - namedMaximum;
  // A single other one takes no more room by its name.
  if (others < 2) return listInWords(names);
  return listInWords([...names.slice(0, namedMaximum), `${others} others`]);
}

/** A title that only says that it stands elsewhere. */
const titleElsewhere = /^\W*(?:please\s+)?see\s+(?:remarks?|footnotes?|explanation)\b/i;

/** What an owner is to the issuer, in words: the title, else `officer`; `director`; `10% owner`. */
export function rolesInWords(owner: Owner, written: Written = asItIs): string {
  const title = owner.title !== null && !titleElsewhere.test(owner.title) ? written(owner.title) : null;
  return [
    title ?? (owner.isOfficer ? 'officer' : null),
    owner.isDirector ? 'director' : null,
    owner.isTenPercentOwner ? '10% owner' : null,
  ]
    .filter((role) => role !== null)
    .join(', ');
}

function ownerInWords(owner: Owner, written: Written): string {
  const roles = rolesInWords(owner, written);
  const name =
    owner.name === null ? (owner.cik === null ? 'an owner' : `CIK ${owner.cik}`) : written(owner.name);
  return roles === '' ? name : `${name} (${roles})`;
}

const planned = ', planned under Rule 10b5-1';

const ownersInWords = (owners: readonly Owner[], written: Written) =>
  namesInWords(owners.map((owner) => ownerInWords(owner, written)));

function section16Sentence(ownership: Section16Ownership, written: Written): string {
  const { owners, transactions, holdingCount, isPlanned, isExit } = ownership;
  const clauses = clausesOf(transactions, owners.length > 1, written);
  if (clauses.length === 0)
    clauses.push(
      holdingCount === 0
        ? 'reported no transactions and no holdings'
        : `reported ${holdingCount} holding${holdingCount === 1 ? '' : 's'}`,
    );
  if (isExit) clauses.push('is no longer subject to Section 16');
  const isOfPlan = isPlanned === true && transactions.length > 0;
  return `${ownersInWords(owners, written)} ${clauses.join('; ')}${isOfPlan ? planned : ''}`;
}

/** What was done, in a clause for each kind of transaction. */
function clausesOf(
  transactions: readonly Transaction[],
  areOwnersSeveral: boolean,
  written: Written,
): string[] {
  const groups = groupsOf(transactions);
  const clauses = groups.slice(0, clausesMaximum).map((group) => clauseOf(group, areOwnersSeveral, written));
  const untold = groups.slice(clausesMaximum).reduce((sum, group) => sum + group.length, 0);
  if (untold > 0) clauses.push(`reported ${untold} more transaction${untold === 1 ? '' : 's'}`);
  return clauses;
}

/** Groups transactions that may be told together, in the order of the document. */
function groupsOf(transactions: readonly Transaction[]): Transaction[][] {
  const groups = new Map<string, Transaction[]>();
  for (const transaction of transactions) {
    const { isDerivative, code, direction, on, security } = transaction;
    const key = JSON.stringify([isDerivative, code, direction, on, security]);
    const group = groups.get(key);
    if (group) group.push(transaction);
    else groups.set(key, [transaction]);
  }
  return [...groups.values()];
}

function clauseOf(group: readonly Transaction[], areOwnersSeveral: boolean, written: Written): string {
  const first = group[0] as Transaction;
  const shares = group.length > 1 && areOwnersSeveral ? null : sumOf(group.map((each) => each.shares));
  const security = first.security === null ? 'a security' : written(first.security);
  const derivative = `${shares === 1 ? 'derivative' : 'derivatives'} (${security})`;
  const unit = first.isDerivative ? derivative : `${shares === 1 ? 'share' : 'shares'} of ${security}`;
  const what = shares === null ? unit : `${numberInWords(shares)} ${unit}`;
  const count = group.length > 1 ? ` in ${group.length} transactions` : '';
  const day = first.on === null ? '' : ` on ${dayInWords(first.on)}`;
  return `${verbOf(first).replace('…', () => what)}${count}${priceOf(group)}${day}`;
}

/** What was done in a transaction, with `…` for what: `sold …`. */
export function verbOf({ code, direction }: Pick<Transaction, 'code' | 'direction'>): string {
  const known = code === null || direction === null ? null : transactionVerbs.get(code)?.[direction];
  if (known) return known;
  const plainVerb = { acquired: 'acquired …', disposed: 'disposed of …' };
  const coded = code === null ? '' : ` (code ${code})`;
  return (direction === null ? 'reported a transaction in …' : plainVerb[direction]) + coded;
}

function priceOf(group: readonly Transaction[]): string {
  const prices = group.map(({ price }) => price);
  const paid = prices.filter((price) => price !== null && price > 0) as number[];
  if (paid.length === 0) return '';
  if (paid.length < prices.length) return '';
  const [least, most] = [Math.min(...paid), Math.max(...paid)];
  return least === most ? ` at ${dollars(least)}` : ` at ${numberInWords(least, 2)} to ${dollars(most)}`;
}

function form144Sentence(
  { seller, relationships, sales, isPlanned, planAdoptedOn }: Form144Ownership,
  written: Written,
): string {
  const relations = relationships.length === 0 ? '' : ` (${relationships.map(written).join(', ')})`;
  const who = (seller === null ? 'A seller' : written(seller)) + relations;
  const clauses = sales.slice(0, clausesMaximum).map((sale) => {
    const units =
      sale.units === null ? 'units' : `${numberInWords(sale.units)} unit${sale.units === 1 ? '' : 's'}`;
    const worth = sale.marketValue === null ? '' : ` worth ${dollars(sale.marketValue)}`;
    const when = sale.on === null ? '' : ` about ${dayInWords(sale.on)}`;
    return `${units} of ${sale.security === null ? 'a security' : written(sale.security)}${worth}${when}`;
  });
  if (sales.length > clausesMaximum) clauses.push(`${sales.length - clausesMaximum} more sales`);
  const what =
    clauses.length === 0 ? 'gave notice of a sale' : `gave notice of the sale of ${clauses.join('; ')}`;
  const plan = isPlanned
    ? `, under a plan of Rule 10b5-1 adopted on ${listInWords([...new Set(planAdoptedOn)].map(dayInWords))}`
    : '';
  return `${who} ${what}${plan}`;
}

function schedule13Sentence({ persons, security, schedule }: Schedule13Ownership, written: Written): string {
  const names = persons.map(({ name, cik, percent, shares }) => {
    const owned = [
      percent === null ? null : `${numberInWords(percent)}%`,
      shares === null ? null : `${numberInWords(shares)} share${shares === 1 ? '' : 's'}`,
    ].filter((part) => part !== null);
    const who = name === null ? (cik === null ? 'a person' : `CIK ${cik}`) : written(name);
    return owned.length === 0 ? who : `${who} (${owned.join(', ')})`;
  });
  const of = security === null ? '' : ` of ${written(security)}`;
  const together = persons.length > 1 ? ' together, each with all that it shares' : '';
  return `${namesInWords(names)} reported beneficial ownership${of} on Schedule ${schedule}${together}`;
}
