import { transactionFamilies } from '../../../src/domain/reported-ownership.ts';
import { rolesInWords, verbOf } from '../../../src/contract/ownership-sentence.ts';
import type { Ownership, Transaction } from '../../../src/contract/ownership.ts';
import { countText, dayText, monthName, numberText } from './family-words.ts';
import { percent } from './chart.ts';
import { companyPage } from './company-links.ts';
import { html, type Html } from './html.ts';

// Purchases and sales of insiders on a company's page: how much by month, and whether sales were planned.

/** The members of a filing that say what its insiders did. */
export interface Told {
  /** The issuer. */
  readonly cik?: string;
  readonly eventType: string;
  readonly filedAt: string | null;
  readonly ownership?: Ownership | null | undefined;
}

/**
 * Of the Forms 4 and 5 that name a company, those about its own shares: it may be an owner of others, and what it bought
 * and sold of these is nothing that its insiders did. All of them where it is no issuer, as a person is none.
 */
export function aboutOwnShares<Each extends Told>(
  filings: readonly Each[],
  ciks: readonly string[],
): readonly Each[] {
  const all = filings.filter(({ eventType }) => transactionFamilies.has(eventType));
  const own = all.filter(({ cik = '' }) => ciks.includes(cik));
  return own.length > 0 ? own : all;
}

/** A purchase or sale of shares on the market or privately, for a price that its document gives. */
interface Trade {
  /** The day of the transaction, `YYYY-MM-DD`. */
  readonly on: string;
  readonly side: Side;
  /** US dollars. */
  readonly value: number;
}

/** What bars show: purchases above the line, sales below it. */
const sides = {
  bought: 'Bought',
  sold: 'Sold, no plan told',
  planned: 'Sold under a plan',
} as const;
type Side = keyof typeof sides;
const sideNames = Object.keys(sides) as readonly Side[];

/** What is counted and what is left out, because its sum would mislead. */
export interface Trades {
  readonly counted: readonly Trade[];
  /** Purchases and sales without a value: their price stands in a footnote, or is 0. */
  readonly withoutValue: number;
  /** Forms 4 and 5 whose documents were not read. */
  readonly unread: number;
  /** The newest day of Forms 4 and 5; null if there are none. */
  readonly newestOn: string | null;
}

/**
 * Returns the purchases (code P) and sales (code S) of shares in some filings. Derivatives, grants, exercises, gifts and
 * shares withheld are none. A transaction counts once, whoever owns the shares: a filing of several owners has it
 * once, and it is not counted again where an amendment repeats it or another owner of the same shares files it, too.
 */
export function tradesOf(filings: readonly Told[]): Trades {
  const counted: Trade[] = [];
  const seen = new Set<string>();
  let [withoutValue, unread] = [0, 0];
  for (const { ownership, eventType } of filings) {
    if (!ownership && transactionFamilies.has(eventType)) unread++;
    if (ownership?.kind !== 'section_16') continue;
    const isPlanned = ownership.isPlanned === true;
    const owners = ownership.owners.map(({ cik, name }) => cik ?? name);
    // What this filing says of one day may well have equal rows: two sales of 100 shares at the same price.
    const told: string[] = [];
    for (const transaction of ownership.transactions) {
      const { code, isDerivative, on, value } = transaction;
      if (isDerivative || on === null || (code !== 'P' && code !== 'S')) continue;
      const keys = [...owners, `owns ${transaction.sharesAfter}`].map((whose) => keyOf(transaction, whose));
      if (keys.some((key) => seen.has(key))) continue;
      told.push(...keys);
      if (value === null || value <= 0) withoutValue++;
      else counted.push({ on, side: code === 'P' ? 'bought' : isPlanned ? 'planned' : 'sold', value });
    }
    for (const key of told) seen.add(key);
  }
  const newestOn = filings.reduce<string | null>(
    (newest, { eventType, filedAt }) =>
      transactionFamilies.has(eventType) && (newest === null || (filedAt ?? '') > newest) ? filedAt : newest,
    null,
  );
  return { counted, withoutValue, unread, newestOn };
}

/** What is equal where two filings tell the same transaction of an owner, or of the owner of equal shares. */
const keyOf = ({ on, code, security, shares, price }: Transaction, whose: string | null) =>
  JSON.stringify([on, code, security, shares, price, whose]);

/** What was bought and sold in a month. */
interface Month {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly value: Readonly<Record<Side, number>>;
}

/** Months of trades, oldest first and without a gap, up to that of a day; at most the newest `monthsMaximum`. */
function monthsOf(trades: readonly Trade[], lastOn: string | null): Month[] {
  const named = trades.map(({ on }) => on.slice(0, 7)).sort();
  const newest = [named.at(-1), lastOn?.slice(0, 7)]
    .filter((month) => month !== undefined)
    .sort()
    .at(-1);
  if (newest === undefined) return [];
  const count = Math.min(
    monthsMaximum,
    Math.max(monthsMinimum, numberOf(newest) - numberOf(named[0] ?? newest) + 1),
  );
  return Array.from({ length: count }, (_, at) => {
    const month = monthOf(numberOf(newest) - count + 1 + at);
    const own = trades.filter(({ on }) => on.startsWith(month));
    const total = (side: Side) =>
      cents(own.reduce((sum, trade) => (trade.side === side ? sum + trade.value : sum), 0));
    return { month, value: { bought: total('bought'), sold: total('sold'), planned: total('planned') } };
  });
}

const [monthsMinimum, monthsMaximum] = [12, 36];
const cents = (amount: number) => Math.round(amount * 100) / 100;
const numberOf = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
const monthOf = (number: number) =>
  `${Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, '0')}`;

/** An amount in US dollars for people: `$12,500`, `$0.05`. Cents are given where they are needed. */
export function dollarsText(amount: number): string {
  const [whole = '', cents = ''] = numberText(amount).split('.');
  return `$${whole}${cents === '' ? '' : `.${cents.padEnd(2, '0')}`}`;
}

/** A large amount in few characters: `$1.2 million`. */
function shortDollars(amount: number): string {
  for (const [word, unit] of [
    ['billion', 1e9],
    ['million', 1e6],
  ] as const)
    if (amount >= unit) return `$${numberText(Math.round(amount / (unit / 10)) / 10)} ${word}`;
  return `$${numberText(Math.round(amount))}`;
}

/**
 * The section of a company's page about purchases and sales by month, with the same numbers as a table; empty if there
 * are none and every Form 4 and 5 was read. `scope` says which filings were read.
 */
export function tradesSection({ counted, withoutValue, unread, newestOn }: Trades, scope: string): Html {
  const unpriced =
    withoutValue > 0 &&
    ` ${countText(withoutValue, 'transaction')} without a price in numbers ${withoutValue === 1 ? 'is' : 'are'} not in it.`;
  const unreadNote =
    unread > 0 &&
    html`<p class="note small">${countText(unread, 'Form')} 4 and 5 ${unread === 1 ? 'is' : 'are'} not read yet, so this is not all that insiders bought and sold.</p>`;
  if (counted.length === 0)
    return withoutValue + unread === 0
      ? html``
      : html`<h2 id="trades-head">Bought and sold by insiders</h2><p class="small faint">No purchase or sale with a price was read. ${scope}${unpriced} <a href="/docs/ownership">What is counted</a></p>${unreadNote}`;
  const months = monthsOf(counted, newestOn);
  const sold = ({ value }: Month) => value.sold + value.planned;
  const highest = Math.max(...months.map((month) => Math.max(month.value.bought, sold(month))));
  const [above, below] = [
    Math.max(...months.map(({ value }) => value.bought)) / highest,
    Math.max(...months.map(sold)) / highest,
  ];
  const present = sideNames.filter((side) => counted.some((trade) => trade.side === side));
  const totals = present.map((side) => `${sides[side]} ${shortDollars(totalOf(months, side))}`).join(', ');
  const label = `Purchases and sales of insiders by month, ${monthText(months[0]?.month ?? '')} to ${monthText(months.at(-1)?.month ?? '')}: ${totals}.`;
  return html`<h2 id="trades-head">Bought and sold by insiders</h2>
    <p class="small faint">Shares bought (code P) and sold (code S) for a price, by the day of the transaction. ${scope}${unpriced} <a href="/docs/ownership">What the codes mean</a></p>${unreadNote}
    <figure class="chart"><svg class="trades" width="100%" height="${Math.round((above + below) * 120) + 24}" role="img" aria-label="${label}">
      <svg width="100%" height="${Math.round((above + below) * 120) + 2}" viewBox="0 0 ${months.length * 10} ${above + below}" preserveAspectRatio="none">${months.map((month, at) => barsOf(month, at, above, highest))}</svg>
      <line class="rule" x1="0" x2="100%" y1="${above * 120 + 1}" y2="${above * 120 + 1}"/>
      ${highestLabel(highest, months.some(({ value }) => value.bought === highest) ? 'bought' : 'sold', above + below)}
      ${months.map(({ month }, at) => ['01', '04', '07', '10'].includes(month.slice(5)) && html`<text class="month" x="${percent(at / months.length)}" y="${Math.round((above + below) * 120) + 18}">${monthName(month)} ${month.endsWith('-01') && month.slice(0, 4)}</text>`)}
    </svg>
    <ul class="legend">${present.map((side) => html`<li><span class="dot ${side}"></span>${sides[side]} <span class="count">${shortDollars(totalOf(months, side))}</span></li>`)}</ul>
    <details class="numbers"><summary>The same as numbers, by month</summary><div class="scroll" tabindex="0" role="region" aria-label="Purchases and sales by month"><table>
      <thead><tr><th scope="col">Month</th>${present.map((side) => html`<th scope="col" class="number">${sides[side]}</th>`)}</tr></thead>
      <tbody>${months.filter(({ value }) => present.some((side) => value[side] > 0)).map(({ month, value }) => html`<tr><th scope="row">${monthText(month)}</th>${present.map((side) => html`<td class="number">${value[side] === 0 ? '' : dollarsText(value[side])}</td>`)}</tr>`)}</tbody>
    </table></div></details></figure>`;
}

/** A line at the end of the highest bar with its value, so that the height of each bar can be read. */
function highestLabel(highest: number, side: 'bought' | 'sold', height: number): Html {
  const y = side === 'bought' ? 1 : height * 120 + 1;
  return html`<line class="rule scale" x1="0" x2="100%" y1="${y}" y2="${y}"/><text class="scale" x="0" y="${side === 'bought' ? y + 12 : y - 4}">${shortDollars(highest)}${side === 'sold' && ' sold'}</text>`;
}

const totalOf = (months: readonly Month[], side: Side) =>
  months.reduce((sum, { value }) => sum + value[side], 0);
const monthText = (month: string) => `${monthName(month)} ${month.slice(0, 4)}`;

/** The bars of a month, in units of the highest one. The smallest can still be seen. */
function barsOf({ value }: Month, at: number, above: number, highest: number): Html {
  const least = 0.012;
  const height = (side: Side) => (value[side] === 0 ? 0 : Math.max(least, value[side] / highest));
  const bar = (side: Side, from: number) =>
    value[side] > 0 &&
    html`<rect class="${side}" x="${at * 10 + 1}" y="${from}" width="8" height="${height(side)}"/>`;
  return html`${bar('bought', above - height('bought'))}${bar('sold', above)}${bar('planned', above + height('sold'))}`;
}

/** Owners, transactions and other lines that a row shows at once. One click shows the others. */
const linesAtOnce = 3;

/** Codes that readers look for: purchases and sales. */
const soughtCodes: readonly string[] = ['P', 'S'];

/**
 * What a filing about ownership says, for the row of a table: who, and each transaction, sale or share. Transactions
 * with one of `codesFirst` come first, so that a row shows them without a click.
 */
export function ownershipLines(ownership: Ownership, codesFirst: readonly string[] = soughtCodes): Html {
  const rank = ({ code }: Transaction) => Number(!codesFirst.includes(code ?? ''));
  const inOrder = (a: Transaction, b: Transaction) => rank(a) - rank(b);
  switch (ownership.kind) {
    case 'section_16': {
      const { owners, transactions, holdingCount, isPlanned, isExit } = ownership;
      return html`${lines(owners.map((owner) => html`${ownerName(owner)} <span class="faint">${rolesInWords(owner)}</span>`))}
        ${lines([...transactions].sort(inOrder).map((transaction) => transactionLine(transaction, isPlanned === true)))}
        ${transactions.length === 0 && html`<p class="lines faint">${countText(holdingCount, 'holding')}</p>`}
        ${isExit && html`<p class="lines faint">no longer subject to Section 16</p>`}`;
    }
    case 'form_144': {
      const { seller, relationships, sales, isPlanned } = ownership;
      return html`${lines([html`<bdi>${seller}</bdi> <span class="faint">${relationships.join(', ')}</span>`])}
        ${lines(sales.map(({ units, security, marketValue, on }) => html`to sell ${units !== null && numberText(units)} <bdi>${security}</bdi>${marketValue !== null && html` worth <b>${dollarsText(marketValue)}</b>`}${on !== null && ` about ${dayText(on)}`}${isPlanned && planned}`))}`;
    }
    case 'schedule_13':
      return html`${lines(
        ownership.persons.map(
          (person) =>
            html`${ownerName(person)} <span class="faint">${[person.percent !== null && `${person.percent}%`, person.shares !== null && countText(person.shares, 'share')].filter(Boolean).join(', ')}</span>`,
        ),
      )}`;
  }
}

const planned = html` <span class="plan">planned</span>`;

function lines(each: readonly Html[]): Html | false {
  const list = (part: readonly Html[]) =>
    html`<ul class="lines">${part.map((line) => html`<li>${line}</li>`)}</ul>`;
  // A single one more takes no more room than the words for it.
  const shown = each.length === linesAtOnce + 1 ? each.length : linesAtOnce;
  const rest = each.length - shown;
  return (
    each.length > 0 &&
    html`${list(each.slice(0, shown))}${rest > 0 && html`<details class="parties"><summary>and ${rest} more</summary>${list(each.slice(shown))}</details>`}`
  );
}

/** The name of an owner or person, which leads to what names them. */
export const ownerName = ({
  name,
  cik,
}: {
  readonly name: string | null;
  readonly cik: string | null;
}): Html =>
  cik === null
    ? html`<bdi>${name}</bdi>`
    : html`<a href="${companyPage(cik)}"><bdi>${name ?? `CIK ${cik}`}</bdi></a>`;

/** A transaction in a line: its code, what was done, for how much. A price of 0 is no price. */
function transactionLine(transaction: Transaction, isPlanned: boolean): Html {
  const { code, shares, totalValue, security, price, value, isDerivative } = transaction;
  const amount =
    shares !== null ? numberText(shares) : totalValue !== null ? `${dollarsText(totalValue)} of` : '';
  const [before = '', after = ''] = verbOf(transaction).split('…');
  const isPriced = price !== null && price > 0;
  return html`<span class="code">${code}</span> ${before}${amount} <bdi>${security}</bdi>${isDerivative && ' (derivative)'}${after}${isPriced && ` at ${dollarsText(price)}`}${isPriced && value !== null && html` = <b>${dollarsText(value)}</b>`}${isPlanned && (code === 'S' || code === 'P') && planned}`;
}
