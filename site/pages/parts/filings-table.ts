import { itemTitle } from '../../../src/domain/items.ts';
import type { Ownership } from '../../../src/contract/ownership.ts';
import type { Exhibit } from '../../../src/contract/filing-documents.ts';
import { pressReleaseName } from '../../../src/domain/exhibits.ts';
import type { ChangeCause, Party } from '../../../src/contract/records.ts';
import { companyPage, filingPage } from './company-links.ts';
import { html, isolated, type Html, type Part } from './html.ts';
import { clock, dayText, eventText, groupOf, numberText, roleText } from './family-words.ts';
import { ownershipLines } from './trades.ts';

/** The members of a filing that a row of a table shows. */
export interface ShownFiling {
  readonly accessionNo: string;
  readonly form: string;
  readonly eventType: string;
  readonly items: readonly string[];
  readonly filedAt: string | null;
  readonly acceptanceDateTime: string | null;
  readonly detailUrl: string | null;
  /** The document that a person reads, if there is one. */
  readonly documentUrl?: string | null;
  readonly companyName?: string;
  readonly ticker?: string | null;
  readonly cik?: string;
  /** The other filings of the same kind, company and day for which the row stands. */
  readonly alike?: readonly ShownFiling[];
  readonly parties?: readonly Party[];
  /** What it says about ownership, if it was read. */
  readonly ownership?: Ownership | null | undefined;
  /** Its exhibits, if its list of documents was read. */
  readonly exhibits?: readonly Exhibit[] | null | undefined;
  /** From 2 on, the filing was corrected. */
  readonly revision?: number;
  /** Why it was corrected. */
  readonly cause?: ChangeCause | undefined;
  /** Names of the members that the newest correction changed. */
  readonly corrected?: readonly string[];
}

/**
 * CIKs of the company whose filings a table shows: its own, then those of its predecessors and successors.
 * The table then has no column for the company, and names only the other parties of a filing. Null for a
 * table with filings of several companies.
 */
export type ViewedCiks = readonly [own: string, ...related: string[]] | null;

/** Parties that a row names at once. One click shows the others. */
const partiesAtOnce = 3;

/**
 * Filings of one kind that a company made on one day, one after the other, as one row. Those that say what was bought
 * or sold stay rows of their own.
 */
export function foldAlike(filings: readonly ShownFiling[]): ShownFiling[] {
  const folded: (ShownFiling & { alike: ShownFiling[] })[] = [];
  for (const filing of filings) {
    const last = folded.at(-1);
    const alike =
      last &&
      !last.ownership &&
      !filing.ownership &&
      last.form === filing.form &&
      last.filedAt === filing.filedAt &&
      last.companyName === filing.companyName &&
      (last.revision ?? 1) === (filing.revision ?? 1) &&
      last.items.join() === filing.items.join();
    if (alike) last.alike.push(filing);
    else folded.push({ ...filing, alike: [] });
  }
  return folded;
}

/** A table of filings. */
export function filingsTable(caption: Part, filings: readonly ShownFiling[], viewed: ViewedCiks): Html {
  return html`<table class="filings">
    <caption class="unseen">${caption}</caption>
    <thead><tr><th scope="col">Filed, Eastern time</th>${viewed === null && html`<th scope="col">Company</th>`}<th scope="col">Form</th><th scope="col">What it is</th><th scope="col"><span class="unseen">Source</span></th></tr></thead>
    <tbody>${filings.map((filing) => filingRow(filing, viewed))}</tbody>
  </table>`;
}

/** One row of such a table. Transactions with one of `codesFirst` come first in it. */
export function filingRow(filing: ShownFiling, viewed: ViewedCiks, codesFirst?: readonly string[]): Html {
  const { accessionNo, form, companyName, ticker, cik, detailUrl } = filing;
  const name =
    companyName !== undefined &&
    (cik === undefined
      ? isolated(companyName)
      : html`<a href="${companyPage(cik)}">${isolated(companyName)}</a>`);
  return html`<tr>
    <td class="when">${whenFiled(filing)}</td>
    ${viewed === null && html`<td class="who">${name}${ticker && html` <span class="ticker">${ticker}</span>`}</td>`}
    <td class="form"><a href="${filingPage(accessionNo)}">${form}</a></td>
    <td class="what">${whatItIs(filing)}${correction(filing)}${exhibitLinks(filing)}${filing.ownership ? ownershipLines(filing.ownership, codesFirst) : viewed !== null && others(filing, viewed)}</td>
    <td class="source">${isAddress(detailUrl) && html`<a href="${detailUrl}" rel="noopener"><span class="unseen">${form} ${accessionNo} at the </span>SEC<span aria-hidden="true"> ↗</span></a>`}</td>
  </tr>`;
}

function whatItIs(filing: ShownFiling): Html {
  const { accessionNo, form, eventType, items, alike = [] } = filing;
  return html`<span class="dot ${groupOf(eventType)}"></span><a class="plain" href="${filingPage(accessionNo)}">${eventText(filing)}${form.endsWith('/A') && ', amended'}</a>
    ${alike.length > 0 && html`<details class="parties"><summary>and ${numberText(alike.length)} more like it on this day</summary><ul>${alike.map((each) => html`<li><a href="${filingPage(each.accessionNo)}">${each.accessionNo}</a></li>`)}</ul></details>`}
    ${items.length > 0 && html` <span class="items">${items.map(itemChip)}</span>`}`;
}

function isAddress(text: string | null | undefined): text is string {
  return text?.startsWith('https://') === true;
}

/** Exhibits that a row links, at most. */
const exhibitsAtOnce = 4;

/** The exhibits of a filing as links, its press release first. */
function exhibitLinks({ eventType, exhibits, detailUrl }: ShownFiling): Html | false {
  if (!exhibits || !isAddress(detailUrl)) return false;
  const release = pressReleaseName({ eventType, exhibits });
  const linked = exhibits
    .flatMap(({ type, name }) => (name === null ? [] : [{ type, name, isRelease: name === release }]))
    .sort((a, b) => Number(b.isRelease) - Number(a.isRelease));
  const folder = detailUrl.slice(0, detailUrl.lastIndexOf('/'));
  const hidden = linked.length - exhibitsAtOnce;
  const linkOf = ({ type, name, isRelease }: (typeof linked)[number]) =>
    html`<li><a href="${folder}/${name}" rel="noopener">${isRelease ? 'Press release' : isolated(type)}</a></li>`;
  return (
    linked.length > 0 &&
    html`<ul class="parties">${linked.slice(0, exhibitsAtOnce).map(linkOf)}${hidden > 0 && html`<li class="faint">and ${hidden} more</li>`}</ul>`
  );
}

function correction({ revision = 1, corrected = [], cause }: ShownFiling): Html | false {
  return (
    revision > 1 &&
    html` <span class="mark">${cause === 'contents' || cause === 'history' ? 'filled in' : 'corrected'}</span>${corrected.length > 0 && html` <span class="faint">revision ${revision}: ${corrected.join(', ')}</span>`}`
  );
}

/** The other parties of a filing with their roles. */
function others({ parties = [] }: ShownFiling, viewed: readonly string[]): Html | false {
  if (parties.length === 0) return false;
  const named = parties
    .filter(({ cik }) => cik !== viewed[0])
    .map(({ cik, name, role }) => {
      const party = name === null ? `CIK ${cik}` : html`<a href="${companyPage(cik)}">${isolated(name)}</a>`;
      return html`<li>${party}${role !== null && html` <span class="faint">${roleText(role)}</span>`}</li>`;
    });
  const hidden = named.length - partiesAtOnce;
  return html`${!parties.some(({ cik }) => viewed.includes(cik)) && html` <span class="mark">no longer names this company</span>`}
    ${named.length > 0 && html`<ul class="parties">${named.slice(0, partiesAtOnce)}</ul>`}
    ${hidden > 0 && html`<details class="parties"><summary>and ${hidden} more</summary><ul>${named.slice(partiesAtOnce)}</ul></details>`}`;
}

function whenFiled({ filedAt, acceptanceDateTime: stamp }: ShownFiling): Html {
  const acceptedOn = stamp && `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`;
  const otherDay =
    acceptedOn && filedAt !== null && acceptedOn !== filedAt
      ? `accepted ${dayText(acceptedOn).slice(0, -5)}, `
      : '';
  return html`${filedAt !== null && html`<time datetime="${filedAt}">${dayText(filedAt)}</time>`}${stamp && html` <span class="clock" title="Accepted by EDGAR, Eastern time">${otherDay}${clock(stamp)}</span>`}`;
}

/** The code of an item, with its title for pointers, keyboards and screen readers. */
function itemChip(code: string): Html {
  const title = itemTitle(code) ?? 'an item without a title';
  return html`<button type="button" class="item" aria-label="Item ${code}: ${title}">${code}<span class="tip" aria-hidden="true">${title}</span></button>`;
}
