import { html, type Html } from './html.ts';

/**
 * The address of the service in requests. The script of every page replaces it with the address that the page
 * came from.
 */
export function origin(baseUrl: string | null, fallback: string): Html {
  return html`<span data-origin>${baseUrl ?? fallback}</span>`;
}

/** A block of code with a button that copies it. */
export function codeBlock(code: Html, label: string): Html {
  return html`<div class="code"><div class="bar"><span>${label}</span><button type="button" class="copy" aria-label="Copy: ${label}">Copy</button></div><pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre></div>`;
}

/** A query with plain commas, which need no escape and are easier to read. */
export function plainCommas(query: URLSearchParams): string {
  return query.toString().replaceAll('%2C', ',');
}
