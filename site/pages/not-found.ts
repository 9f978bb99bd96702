import { html } from './parts/html.ts';
import type { Page } from './parts/shell.ts';

/** The page for unknown addresses. */
export function notFoundPage(hasMarkets: boolean): Page {
  return {
    path: '/404.html',
    title: 'Nothing is here',
    description: 'There is no page at this address.',
    body: html`<div class="title"><h1>Nothing is here</h1><p class="lead">There is no page at this address. Look for a typing mistake. The page may also belong to an older snapshot.</p></div>
      <ul class="index gap">
        <li><a href="/explore">Explore filings</a> <span class="faint">companies, timelines, filters</span></li>
        <li><a href="/docs">Documentation</a> <span class="faint">first request, guides</span></li>
        <li><a href="/docs/reference">All operations</a> <span class="faint">below /v1/, with a key</span></li>
        ${hasMarkets && html`<li><a href="/markets">Markets</a> <span class="faint">products we might build</span></li>`}
        <li><a href="/status">Status</a> <span class="faint">what is served now</span></li>
      </ul>
      <p class="small faint">Programs that ask for JSON get the error <a href="/docs/errors#not_found">not_found</a> instead of this page.</p>`,
  };
}
