import { html, type Html } from './html.ts';
import { numberText } from './words.ts';

/** Identifiers and dates up to this length stand in one line. */
const longestWord = 24;

/** One row of a sample dataset. */
export type Sample = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** A sample dataset as a table whose heads sort it, once its script runs. */
export function sampleTable(name: string, rows: readonly Sample[]): Html {
  const columns = Object.keys(rows[0] ?? {});
  const isNumber = (column: string) => rows.some((row) => typeof row[column] === 'number');
  return html`<div class="scroll sample" tabindex="0" role="region" aria-label="${name}"><table class="sortable">
    <thead><tr>${columns.map((column) => html`<th scope="col"${isNumber(column) && html` class="number"`}><button type="button">${column}</button></th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${columns.map((column) => cell(row[column] ?? null))}</tr>`)}</tbody>
  </table></div>`;
}

function cell(value: Sample[string] | null): Html {
  if (value === null) return html`<td class="faint">–</td>`;
  if (typeof value === 'number') return html`<td class="number" data-value="${value}">${Number.isInteger(value) ? numberText(value) : value}</td>`;
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  const kind = /^https?:/.test(text) ? 'url' : text.length <= longestWord && !text.includes(' ') ? 'word' : null;
  return html`<td${kind && html` class="${kind}"`}>${text}</td>`;
}
