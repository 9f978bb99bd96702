import { defaultAddress } from '../../src/contract/product.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import { code, html } from './parts/html.ts';
import { keyForm } from './parts/key-form.ts';
import { codeBlock, origin } from './parts/code-block.ts';
import { filingsTable } from './parts/filings-table.ts';
import type { Page } from './parts/shell.ts';

/** The live view of the explorer: changes as they are published, by a stream with the key of the reader. */
export function livePage({ baseUrl }: SnapshotSettings): Page {
  const base = origin(baseUrl, defaultAddress);
  return {
    path: '/live',
    title: 'Live filings',
    scripts: ['live'],
    description: 'Filings and corrections at the moment in which they are published.',
    body: html`
      <nav class="crumbs" aria-label="Breadcrumb"><a href="/explore">Explore</a></nav>
      <div class="title"><h1>Live</h1><p class="lead">Filings and corrections at the moment in which they are published. The page takes the <a href="/docs/polling#stream">stream</a> that your programs take.</p></div>
      <div class="gap">${keyForm('Your key', 'The stream needs a key.')}</div>
      <form class="filters" id="wanted" aria-label="What is shown"><div class="fields">
        <label>Form <input name="form" autocomplete="off" spellcheck="false" placeholder="any, or 8-K,4"></label>
        <label>Company <input name="ticker" autocomplete="off" spellcheck="false" placeholder="any, or AAPL"></label>
      </div><p><button type="button" class="button quiet" id="switch">Start</button></p><p class="trouble" id="trouble" role="alert"></p></form>
      <section aria-labelledby="changes"><h2 id="changes">Changes</h2><p id="state" role="status">Nothing is asked for yet.</p>
        ${filingsTable('Filings as they are published, newest first', [], null)}</section>
      <section aria-labelledby="same"><h2 id="same">The same in a terminal</h2>${codeBlock(
        code`curl -N "${base}<span id="request">/v1/sec/changes?since=2026-08-01</span>" \\\n  -H "Accept: text/event-stream" -H "x-api-key: $KEY"`,
        'Request',
      )}</section>`,
  };
}
