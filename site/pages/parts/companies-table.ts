import type { Company, CompanyEntry } from '../../../src/contract/records.ts';
import { companyPage } from './company-links.ts';
import { dayText, numberText } from './family-words.ts';
import { html, isolated, type Html } from './html.ts';

/** A company of the table: what every list has, and what only some have. */
export type ShownEntry = Company &
  Partial<Pick<CompanyEntry, 'sic' | 'sicDescription' | 'stateOfIncorporation'>>;

/** The columns: what they are sorted by, their heads, and whether they have numbers. */
const columns = [
  ['name', 'Name'],
  ['ticker', 'Ticker'],
  ['sicDescription', 'Industry'],
  ['stateOfIncorporation', 'State'],
  ['filingCount', 'Filings'],
  ['latestFilingAt', 'Newest'],
] as const satisfies readonly (readonly [keyof ShownEntry, string])[];

/** Companies as a table that can be sorted by each column. */
export function companiesTable(
  companies: readonly ShownEntry[],
  sortedBy: keyof ShownEntry,
  isDescending: boolean,
): Html {
  const direction = isDescending ? 'descending' : 'ascending';
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Companies"><table class="companies stack">
    <caption class="unseen">Companies</caption>
    <thead><tr>${columns.map(([name, head]) => html`<th scope="col"${name === sortedBy && html` aria-sort="${direction}"`}${name === 'filingCount' && html` class="number"`}><button type="button" data-sort="${name}">${head}${name === sortedBy && html`<span aria-hidden="true"> ${isDescending ? '↓' : '↑'}</span>`}</button></th>`)}</tr></thead>
    <tbody>${companies.map(row)}</tbody>
  </table></div>`;
}

function row({
  cik,
  name,
  ticker,
  sic,
  sicDescription,
  stateOfIncorporation,
  filingCount,
  latestFilingAt,
}: ShownEntry): Html {
  return html`<tr>
    <td><a href="${companyPage(cik)}">${isolated(name)}</a></td>
    <td><span class="ticker">${ticker}</span></td>
    <td data-head="Industry">${sicDescription && (sic ? html`<a class="plain" href="/explore?sic=${sic}">${sicDescription}</a>` : sicDescription)}</td>
    <td data-head="State">${stateOfIncorporation}</td>
    <td class="number" data-head="Filings">${numberText(filingCount)}</td>
    <td data-head="Newest">${latestFilingAt !== null && html`<time datetime="${latestFilingAt}">${dayText(latestFilingAt)}</time>`}</td>
  </tr>`;
}
