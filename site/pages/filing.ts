import { html } from './parts/html.ts';
import { keyForm } from './parts/key-form.ts';
import type { Page } from './parts/shell.ts';

/** The page of any filing. Its script fills it, from the accession number in the address. */
export const anyFilingPage: Page = {
  path: '/filing',
  title: 'Filing',
  scripts: ['filing'],
  isForMany: true,
  description: 'One filing: what it is, who it names, what it says, and what was corrected.',
  body: html`
      <nav class="crumbs" aria-label="Breadcrumb"><a href="/filings">Filings</a></nav>
      <div class="gap">${keyForm('Your key', 'A key shows every filing.')}</div>
    <div id="filing" class="filled" aria-busy="true"><div class="title"><h1>Filing</h1></div></div>
        <noscript><p class="note gap">This page is made by a script. <a href="/docs/reference/getFilingSummary">The same from the API</a></p></noscript>`,
};
