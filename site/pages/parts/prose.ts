import { html, raw, type Html, type Part } from './html.ts';

/** Writes a text of the contract as HTML. Words between backticks become code. */
export function prose(text: string): Html {
  return raw(
    text
      .split('`')
      .map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`).text)
      .join(''),
  );
}

/** A table with more columns than this has a row for each of its cells on a phone. */
const narrowColumns = 4;

/** A table. The first cell of each row is its head. */
export function table(heads: readonly string[], rows: readonly (readonly Part[])[], label: string): Html {
  const isWide = heads.length > narrowColumns;
  const headOf = (at: number) => isWide && html` data-head="${heads[at]}"`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table${isWide && html` class="stack"`}>
    <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${rows.map(([first, ...cells]) => html`<tr><th scope="row">${first}</th>${cells.map((cell, at) => html`<td${headOf(at + 1)}>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}
