import { defaultAddress } from '../../src/contract/product.ts';
import type { SnapshotSettings } from '../../src/contract/snapshot.ts';
import { mailboxOf } from '../../build/content/public-file.ts';
import { code, html, type Html } from './parts/html.ts';
import { codeBlock, origin } from './parts/requests.ts';
import type { Page } from './parts/shell.ts';

/**
 * Plans and key set-up. What is offered comes from the settings; without any, the page says what is true
 * everywhere.
 */
export function subscribePage(settings: SnapshotSettings): Page {
  const { baseUrl, marketplaceUrl, plans = [] } = settings;
  const base = origin(baseUrl, defaultAddress);
  return {
    path: '/subscribe',
    title: 'Plans and keys',
    description: 'How to get a key, and how to send it.',
    body: html`
      <div class="title"><h1>Plans and keys</h1><p class="lead">Look first: the <a href="/explore">explorer</a>, the <a href="/demo">sample</a> and two of the assistant's tools need no key.</p></div>
      <section id="plans"><h2>Plans</h2>${plans.length > 0 ? planCards(plans, marketplaceUrl) : noPlans(marketplaceUrl)}</section>
      <section id="keys"><h2>Set up a key</h2><div class="ways">
        <article><h3>Through the marketplace</h3><p>Subscribe to a plan there, and take the key that it makes for your application. Send two headers to the gateway's address.</p>
          ${codeBlock(code`curl "https://$GATEWAY/v1/sec/stats" \\\n  -H "x-marketplace-host: $GATEWAY" \\\n  -H "x-marketplace-key: $KEY"`, 'Request')}</article>
        <article><h3>Direct access</h3><p>By separate agreement: ${contact(settings)}. One header, also for assistants.</p>
          ${codeBlock(code`curl "${base}/v1/sec/stats" \\\n  -H "x-api-key: $KEY"`, 'Request')}</article>
        ${
          baseUrl === null &&
          html`<article><h3>On your own machine</h3><p>Whoever runs the program makes keys with one command. The first start prints a key that is good for that run.</p>
          ${codeBlock(code`npm run keys -- add --label "my laptop"`, 'Command')}</article>`
        }
      </div></section>
      <section><h2>Does it work?</h2><p>Paste the key into the <a href="/docs/reference#getStats">reference</a> and press Send, or into the <a href="/explore">explorer</a> to look at any company. It stays in that page. <a href="/docs/keys">More about keys</a>.</p></section>`,
  };
}

/** Whom to write to. A service without an address of its own has no mailbox at it either. */
function contact(settings: SnapshotSettings): Html {
  if (settings.contactEmail === undefined && settings.baseUrl === null)
    return html`ask whoever runs this service`;
  return html`write to <a href="mailto:${mailboxOf(settings)}">${mailboxOf(settings)}</a>`;
}

function planCards(plans: NonNullable<SnapshotSettings['plans']>, marketplaceUrl: string | null): Html {
  return html`<div class="ways plans">${plans.map(
    ({
      name,
      price,
      requests,
      includes,
      url,
    }) => html`<article><h3>${name}</h3><p class="price">${price}</p><p>${requests}</p>
    ${includes.length > 0 && html`<ul>${includes.map((each) => html`<li>${each}</li>`)}</ul>`}
    ${(url ?? marketplaceUrl) !== null && html`<p><a class="button" href="${url ?? marketplaceUrl}">Choose<span class="unseen"> ${name}</span></a></p>`}</article>`,
  )}</div>`;
}

function noPlans(marketplaceUrl: string | null): Html {
  if (marketplaceUrl === null)
    return html`<p>This service sells no plans. Keys are given by whoever runs it, as below.</p>`;
  return html`<p>The marketplace has a free tier, and paid tiers with more requests a month. It shows their prices, and is where you subscribe.</p><p class="actions"><a class="button" href="${marketplaceUrl}">See plans at the marketplace</a></p>`;
}
