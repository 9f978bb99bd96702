import type { Change, Filing, FilingSummary } from '../../../src/contract/records.ts';
import type { OwnershipDocument, Section16Document } from '../../../src/contract/ownership-document.ts';
import type { Transaction } from '../../../src/contract/ownership.ts';
import { ownershipSentence, rolesInWords } from '../../../src/contract/ownership-sentence.ts';
import { familiesWithOwnership, mayTellOwnership } from '../../../src/domain/reported-ownership.ts';
import { companyPage, filingsPage } from './company-links.ts';
import { codeBlock } from './code-block.ts';
import { wordsOf } from './filter-fields.ts';
import {
  dayText,
  easternTime,
  familyLabel,
  groupOf,
  instantText,
  numberText,
  roleText,
} from './family-words.ts';
import { code, html, isolated, type Html, type Part } from './html.ts';
import { dollarsText, ownerName, ownershipLines } from './trades.ts';

/** Everything that is known of a filing. */
export interface KnownFiling {
  readonly summary: FilingSummary;
  /** What it says about ownership; null if nothing was read. */
  readonly ownership: OwnershipDocument | null;
  /** Its entries of the change feed, oldest first. */
  readonly changes: readonly Change[];
}

/** A filing as its page shows it. `origin` is the address of the service in requests. */
export function filingView({ summary, ownership, changes }: KnownFiling, origin: Part): Html {
  const { accessionNo, form, companyName, eventType } = summary;
  return html`<div class="title"><h1>${formName(form)} of ${isolated(companyName)}</h1><p class="saying"><span class="dot ${groupOf(eventType)}"></span>${sentence(summary)}</p></div>
    ${facts(summary)}
    ${linksOf(summary)}
    ${itemsOf(summary)}
    ${partiesOf(summary)}
    ${documentsOf(summary)}
    ${ownership ? ownershipOf(ownership) : untoldOf(summary)}
    ${revisionsOf(changes)}
    <section aria-labelledby="json"><h2 id="json">As JSON</h2>
      ${codeBlock(code`curl "${origin}/v1/sec/forms/${accessionNo}/summary" \\\n  -H "x-api-key: $KEY"`, 'Request')}
      <details class="numbers"><summary>The answer</summary>${codeBlock(code`${JSON.stringify(summary, null, 2)}`, 'Answer')}</details>
      ${ownership && html`<details class="numbers"><summary>What it says about ownership</summary>${codeBlock(code`${JSON.stringify(ownership, null, 2)}`, 'Answer of /ownership')}</details>`}</section>`;
}

/** What people call a form: `Form 8-K`, but `SCHEDULE 13D`. */
export const formName = (form: string): string => (/^\d|^[A-Z]{1,2}-/.test(form) ? `Form ${form}` : form);

/** The sentence of the summary. It names the company, which may write in any direction. */
const sentence = ({ summary }: FilingSummary) => html`<bdi>${summary}</bdi>`;

function facts({
  accessionNo,
  form,
  eventType,
  filedAt,
  acceptanceDateTime,
  acceptedAt,
  cik,
  ticker,
  companyName,
}: FilingSummary): Html {
  const rows: readonly (readonly [string, Part])[] = [
    [
      'company',
      html`<a href="${companyPage(cik)}">${isolated(companyName)}</a> <span class="ticker">${ticker}</span>`,
    ],
    ['form', html`<a href="${filingsPage({ form })}">${form}</a>`],
    ['kind', html`<a href="${filingsPage({ eventType })}">${familyLabel(eventType)}</a>`],
    ['filed', filedAt === null ? 'not known' : dayText(filedAt)],
    [
      'accepted',
      acceptanceDateTime === null
        ? 'not known'
        : `${acceptedText(acceptanceDateTime)}${acceptedAt === null ? '' : readersText(acceptedAt)}`,
    ],
    ['accession number', accessionNo],
  ];
  return html`<dl class="facts slim">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const dayOf = (stamp: string) => `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`;
const acceptedText = (stamp: string) => `${dayText(dayOf(stamp))}, ${easternTime(stamp)}`;

/** The same instant on the reader's own clock. */
const readersText = (instant: string) =>
  `; ${new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }).format(new Date(instant))} your time`;

/** What the addresses of a filing are called. */
const linkNames: Readonly<Record<string, string>> = {
  document: 'The document',
  pressRelease: 'Press release',
  index: 'All documents at the SEC',
  text: 'Complete text',
  header: 'Header',
  xml: 'Data as XML',
};

function linksOf({ links }: FilingSummary): Html {
  const named = Object.entries(linkNames).flatMap(([name, words]) => {
    const address = new Map<string, string | null>(Object.entries(links)).get(name);
    return address?.startsWith('https://') ? [html`<a href="${address}" rel="noopener">${words}</a>`] : [];
  });
  return html`<p class="gap">${named.map((each, at) => html`${at > 0 && ' · '}${each}`)}</p>`;
}

function itemsOf({ items, itemTitles }: FilingSummary): Html | false {
  return (
    items.length > 0 &&
    html`<section aria-labelledby="items"><h2 id="items">Items</h2><ul class="plainly">${items.map((item, at) => html`<li><a href="${filingsPage({ items: item })}">${item}</a> ${itemTitles[at] ?? 'an item without a title'}</li>`)}</ul></section>`
  );
}

function partiesOf({ parties }: FilingSummary): Html | false {
  return (
    parties.length > 0 &&
    html`<section aria-labelledby="parties"><h2 id="parties">Who it names</h2><ul class="plainly">${parties.map(({ cik, name, role }) => html`<li><a href="${companyPage(cik)}">${name === null ? `CIK ${cik}` : isolated(name)}</a>${role !== null && html` <span class="faint">${roleText(role)}</span>`}</li>`)}</ul></section>`
  );
}

/** Why nothing is told of what a filing about ownership says. */
function untoldOf({ eventType, form }: FilingSummary): Html | false {
  if (!familiesWithOwnership.has(eventType)) return false;
  const why = mayTellOwnership(eventType, form)
    ? 'Its document was not read here yet, so who bought or sold what is not known here.'
    : 'Its document is running text, as all such schedules before December 2024, and this service reads data alone.';
  return html`<section aria-labelledby="ownership"><h2 id="ownership">What it says</h2><p>${why} The links above lead to it.</p></section>`;
}

const isAddress = (text: string | null): text is string => text?.startsWith('https://') === true;

/** Its documents; where the list was not read yet, the link to EDGAR's list says where they are. */
function documentsOf({ documents, links }: FilingSummary): Html {
  return html`<section aria-labelledby="documents"><h2 id="documents">Documents</h2>${documents === null ? html`<p>The list of its documents was not read here yet. <a href="${isAddress(links.index) && links.index}" rel="noopener">All documents at the SEC</a></p>` : html`<ul class="plainly">${documents.map(({ type, description, name, size, url }) => html`<li>${url?.startsWith('https://') ? html`<a href="${url}" rel="noopener">${type}</a>` : type} <bdi>${description !== type && description}</bdi> <span class="faint">${name}${size !== null && `, ${numberText(size)} bytes`}</span></li>`)}</ul>`}</section>`;
}

function ownershipOf(document: OwnershipDocument): Html {
  return html`<section aria-labelledby="ownership"><h2 id="ownership">What it says</h2>
    ${document.kind === 'section_16' && document.ownership.transactions.length > 0 ? html`<p class="small faint"><a href="/docs/ownership">What the codes mean</a></p>${transactionsOf(document)}` : ownershipLines(document.ownership)}
    ${document.kind === 'section_16' && holdingsOf(document)}
    ${document.kind === 'section_16' && footnotesOf(document)}
    ${document.remarks !== null && html`<p class="small"><b>Remarks</b> <bdi>${document.remarks}</bdi></p>`}
    ${document.signatures.length > 0 && html`<p class="small faint">Signed ${document.signatures.map(({ name, on }, at) => html`${at > 0 && '; '}<bdi>${name}</bdi>${on !== null && `, ${dayText(on)}`}`)}</p>`}</section>`;
}

/** A number of a document, or nothing where it has none. */
const amount = (value: number | null) => value !== null && numberText(value);

function transactionsOf({ ownership, transactionDetails }: Section16Document): Html {
  const { owners, transactions, isPlanned } = ownership;
  return html`<p>${owners.map((owner, at) => html`${at > 0 && '; '}${ownerName(owner)} <span class="faint">${rolesInWords(owner)}</span>`)}${isPlanned === true && html` <span class="plan">planned under Rule 10b5-1</span>`}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="Transactions"><table class="stack">
      <thead><tr>${transactionColumns.map(([head, isNumber]) => html`<th scope="col"${isNumber && html` class="number"`}>${head}</th>`)}</tr></thead>
      <tbody>${transactions.map((each, at) => {
        const notes = Object.values(transactionDetails[at]?.footnoteIds ?? {}).flatMap((ids) => ids ?? []);
        const cells = transactionCells(each, [...new Set(notes)]);
        return html`<tr>${transactionColumns.map(([head, isNumber], column) => html`<td data-head="${head}"${isNumber && html` class="number"`}>${cells[column]}</td>`)}</tr>`;
      })}</tbody>
    </table></div>`;
}

/** The columns of the table of transactions: their heads, and whether they have numbers. */
const transactionColumns: readonly (readonly [head: string, isNumber?: boolean])[] = [
  ['Code'],
  ['On'],
  ['Security'],
  ['Acquired or disposed'],
  ['Shares', true],
  ['Price', true],
  ['Value', true],
  ['Owned after', true],
  ['Held'],
  ['Notes'],
];

/** The cells of a transaction, in the order of the columns. */
function transactionCells(transaction: Transaction, notes: readonly string[]): readonly Part[] {
  const { on, security, direction, price, value, isDerivative, isDirect, nature } = transaction;
  return [
    html`<span class="code">${transaction.code}</span>`,
    on !== null && dayText(on),
    html`<bdi>${security}</bdi>${isDerivative && html` <span class="faint">derivative</span>`}`,
    direction,
    amount(transaction.shares),
    price !== null && dollarsText(price),
    value !== null && dollarsText(value),
    amount(transaction.sharesAfter),
    isDirect === null
      ? null
      : isDirect
        ? 'directly'
        : html`indirectly${nature !== null && html`: <bdi>${nature}</bdi>`}`,
    notes.map((id) => html` <a href="#note-${id}">${id}</a>`),
  ];
}

function holdingsOf({ holdings }: Section16Document): Html | false {
  return (
    holdings.length > 0 &&
    html`<h3>Owned besides</h3><ul class="plainly">${holdings.map(({ security, sharesAfter, valueAfter, isDirect, nature }) => html`<li>${amount(sharesAfter)} <bdi>${security}</bdi>${valueAfter !== null && ` worth ${dollarsText(valueAfter)}`} <span class="faint">${isDirect === false && 'indirectly'}${nature !== null && html` <bdi>${nature}</bdi>`}</span></li>`)}</ul>`
  );
}

function footnotesOf({ footnotes }: Section16Document): Html | false {
  return (
    footnotes.length > 0 &&
    html`<h3>Footnotes</h3><dl class="notes small">${footnotes.map(({ id, text }) => html`<div id="note-${id}"><dt>${id}</dt><dd><bdi>${text}</bdi></dd></div>`)}</dl>`
  );
}

/** What a revision says of a member of the filing, in words and few characters. */
function valueText(filing: Filing, name: string): string {
  const value = new Map<string, unknown>(Object.entries(filing)).get(name) ?? null;
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'nothing';
  const text = valueInWords(filing, name, value);
  return text.length <= valueCharacters ? text : `${text.slice(0, valueCharacters)}…`;
}
const valueCharacters = 200;

function valueInWords(filing: Filing, name: string, value: unknown): string {
  switch (name) {
    case 'ownership':
      return filing.ownership ? ownershipSentence(filing.ownership) : 'nothing';
    case 'parties':
      return filing.parties
        .map(
          ({ cik, name: party, role }) =>
            `${party ?? `CIK ${cik}`}${role === null ? '' : ` (${roleText(role)})`}`,
        )
        .join(', ');
    case 'exhibits':
      return (filing.exhibits ?? []).map(({ type }) => type).join(', ');
    case 'eventType':
      return familyLabel(filing.eventType);
    case 'filedAt':
    case 'reportDate':
      return dayText(String(value));
    case 'acceptedAt':
      // It is written with the offset of Eastern time.
      return `${dayText(String(value))}, ${String(value).slice(11, 16)} Eastern time`;
    case 'acceptanceDateTime':
      return acceptedText(String(value));
    default:
      if (typeof value === 'boolean') return value ? 'yes' : 'no';
      if (typeof value === 'number') return numberText(value);
      return Array.isArray(value) ? value.join(', ') : String(value);
  }
}

/** Why there is a revision, in words. */
const causes: Readonly<Record<NonNullable<Change['cause']>, string>> = {
  source: 'EDGAR says something else',
  contents: 'what its document says came later',
  history: 'what its document says was filled in',
  rules: 'this service says something else',
};

function revisionsOf(changes: readonly Change[]): Html | false {
  if (changes.length === 0) return false;
  return html`<section aria-labelledby="revisions"><h2 id="revisions">Revisions</h2><ol class="revisions">${changes.map(
    ({ revision, observedAt, cause, corrected = [], filing }, at) => {
      const before = changes[at - 1]?.filing;
      const why = revision === 1 ? 'seen for the first time' : ((cause && causes[cause]) ?? 'corrected');
      return html`<li value="${revision}">${observedAt !== null && html`<time datetime="${observedAt}">${instantText(observedAt)}</time> `}${why}${corrected.length > 0 && html`<ul class="lines">${corrected.map((name) => html`<li>${wordsOf(name)}${before && changedText(before, filing, name)}</li>`)}</ul>`}</li>`;
    },
  )}</ol></section>`;
}

function changedText(before: Filing, after: Filing, name: string): Html {
  const [was, is] = [valueText(before, name), valueText(after, name)];
  return was === is
    ? html` changed in what this page does not show`
    : html` was <bdi>${was}</bdi>, is <bdi>${is}</bdi>`;
}
