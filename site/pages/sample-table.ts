import { isAmount, type SampleDataset, type SampleField, type SampleValue } from '../content/market.ts';
import { html, type Html } from './parts/html.ts';
import { numberText } from './parts/family-words.ts';

/** Identifiers and dates up to this length are not broken into lines. */
const longestWord = 24;

/** A sample dataset as a table. A script lets its heads sort it. */
export function sampleTable({ name, fields, rows }: SampleDataset): Html {
  const isNumber = (at: number) => rows.some((row) => typeof row[at] === 'number');
  return html`<div class="scroll sample" tabindex="0" role="region" aria-label="${name}"><table class="sortable">
    <thead><tr>${fields.map((field, at) => html`<th scope="col"${isNumber(at) && html` class="number"`}><button type="button">${field.name}</button></th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${fields.map((field, at) => cell(field, row[at] ?? null))}</tr>`)}</tbody>
  </table></div>`;
}

function cell(field: SampleField, value: SampleValue): Html {
  if (value === null) return html`<td class="faint">–</td>`;
  if (typeof value === 'number')
    return html`<td class="number" data-value="${value}">${isAmount(field) ? numberText(value) : value}</td>`;
  const text = String(value);
  const kind = /^https?:/.test(text)
    ? 'url'
    : text.length <= longestWord && !text.includes(' ')
      ? 'word'
      : null;
  return html`<td${kind && html` class="${kind}"`}>${text}</td>`;
}
