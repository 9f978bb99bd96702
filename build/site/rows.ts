import { itemTitle } from '../../src/contract/items.ts';
import { html, type Html } from './html.ts';
import { dayText, easternTime, eventText, groupOf } from './words.ts';

/** What a row of a table of filings shows; the members are those of a filing. */
export interface ShownFiling {
  readonly accessionNo: string;
  readonly form: string;
  readonly eventType: string;
  readonly items: readonly string[];
  readonly filedAt: string | null;
  readonly acceptanceDateTime: string | null;
  readonly detailUrl: string | null;
  /** What a person reads of it, if it can be opened. */
  readonly documentUrl?: string | null;
  readonly companyName?: string;
  readonly ticker?: string | null;
  /** Page of the company, if it has one. */
  readonly page?: string | undefined;
  /** How many filings of the same kind, company and day the row stands for. */
  readonly times?: number;
}

/** Filings of one kind that a company made on one day, one after the other, as one row. */
export function foldAlike<Row extends ShownFiling>(filings: readonly Row[]): (Row & { readonly times: number })[] {
  const folded: (Row & { times: number })[] = [];
  for (const filing of filings) {
    const last = folded.at(-1);
    const alike = last && last.form === filing.form && last.filedAt === filing.filedAt && last.companyName === filing.companyName && last.items.join() === filing.items.join();
    if (alike) last.times++;
    else folded.push({ ...filing, times: 1 });
  }
  return folded;
}

/** A table of filings. The company's column is left out where all rows are of one. */
export function filingsTable(caption: string, filings: readonly ShownFiling[], withCompany: boolean): Html {
  return html`<table class="filings">
    <caption class="unseen">${caption}</caption>
    <thead><tr><th scope="col">Filed</th>${withCompany && html`<th scope="col">Company</th>`}<th scope="col">Form</th><th scope="col">What it is</th><th scope="col"><span class="unseen">Source</span></th></tr></thead>
    <tbody>${filings.map((filing) => filingRow(filing, withCompany))}</tbody>
  </table>`;
}

/** One row of such a table. */
export function filingRow(filing: ShownFiling, withCompany: boolean): Html {
  const { form, eventType, items, companyName, ticker, page, detailUrl, documentUrl, times = 1 } = filing;
  const name = page === undefined ? html`<span>${companyName}</span>` : html`<a href="${page}">${companyName}</a>`;
  return html`<tr>
    <td class="when">${whenFiled(filing)}</td>
    ${withCompany && html`<td class="who">${name}${ticker && html` <span class="ticker">${ticker}</span>`}</td>`}
    <td class="form">${documentUrl ? html`<a href="${documentUrl}" rel="noopener">${form}</a>` : form}</td>
    <td class="what"><span class="dot ${groupOf(eventType)}"></span>${eventText(filing)}${form.endsWith('/A') && ', amended'}${times > 1 && html` <span class="times" title="${times} such filings on this day">× ${times}</span>`}${items.length > 0 && html` <span class="items">${items.map(itemChip)}</span>`}</td>
    <td class="source">${detailUrl !== null && html`<a href="${detailUrl}" rel="noopener"><span class="unseen">${form} ${filing.accessionNo} at the </span>SEC<span aria-hidden="true"> ↗</span></a>`}</td>
  </tr>`;
}

function whenFiled({ filedAt, acceptanceDateTime: stamp }: ShownFiling): Html {
  const acceptedOn = stamp && `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`;
  const otherDay = acceptedOn && filedAt !== null && acceptedOn !== filedAt ? `${dayText(acceptedOn).slice(0, -5)}, ` : '';
  return html`${filedAt !== null && html`<time datetime="${filedAt}">${dayText(filedAt)}</time>`}${stamp && html` <span class="clock" title="Accepted by EDGAR, Eastern time">${otherDay}${easternTime(stamp)}</span>`}`;
}

/** The code of an item that explains itself to pointers, keyboards and screen readers. */
function itemChip(code: string): Html {
  const title = itemTitle(code) ?? 'an item without a title';
  return html`<button type="button" class="item" aria-label="Item ${code}: ${title}">${code}<span class="tip" aria-hidden="true">${title}</span></button>`;
}
