import { html, type Html } from './html.ts';

/** The address at which the service is reached, as it stands in requests. A script writes the page's own where none is configured. */
export function origin(baseUrl: string | null, fallback: string): Html {
  return baseUrl === null ? html`<span data-origin>${fallback}</span>` : html`${baseUrl}`;
}

/** A block of code with a button that copies it. */
export function codeBlock(code: Html, label: string): Html {
  return html`<div class="code"><div class="bar"><span>${label}</span><button type="button" class="copy" aria-label="Copy: ${label}">Copy</button></div><pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre></div>`;
}
