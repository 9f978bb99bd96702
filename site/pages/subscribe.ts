import { gatewayHeaders } from '../../src/contract/gateway.ts';
import { defaultAddress } from '../../src/contract/product.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import { code, html, type Html } from './parts/html.ts';
import { operationPath } from './parts/operation-paths.ts';
import { codeBlock, origin } from './parts/code-block.ts';
import type { Page } from './parts/shell.ts';

/**
 * How to get a key, and how to send it. What the operator offers comes from the settings: plans, a marketplace,
 * a mailbox, or none of these. The page promises nothing else.
 */
export function subscribePage(settings: SnapshotSettings): Page {
  const { baseUrl, marketplaceUrl, marketplaceName, plans = [] } = settings;
  const sells = plans.length > 0 || marketplaceUrl !== null;
  const hasGateway = marketplaceUrl !== null || marketplaceName !== undefined;
  const gateway = gatewayHeaders(marketplaceName);
  const base = origin(baseUrl, defaultAddress);
  return {
    path: '/subscribe',
    title: sells ? 'Plans and keys' : 'Get a key',
    description: 'How to get a key, and how to send it.',
    body: html`
      <div class="title"><h1>${sells ? 'Plans and keys' : 'Get a key'}</h1><p class="lead">Look first: the <a href="/explore">explorer</a>, the <a href="/demo">sample</a> and two of the assistant's tools need no key.</p></div>
      ${
        sells
          ? html`<section id="plans"><h2>Plans</h2>${plans.length > 0 ? planCards(plans, marketplaceUrl) : atMarketplace(marketplaceUrl)}</section>`
          : html`<section id="plans"><h2>Whom to ask</h2><p>The operator of this service gives out keys: ${contact(settings)}. There is nothing to buy here.</p></section>`
      }
      <section id="keys"><h2>Set up a key</h2><div class="ways">
        ${
          hasGateway &&
          html`<article><h3>Through the marketplace</h3><p>Subscribe to a plan there, and copy the key that it makes for your application. Send two headers to the gateway's address.</p>
          ${codeBlock(code`GATEWAY=host.of.the.gateway KEY=your-key-there\ncurl "https://$GATEWAY/v1/sec/stats" \\\n  -H "${gateway.host}: $GATEWAY" \\\n  -H "${gateway.key}: $KEY"`, 'Request')}</article>`
        }
        <article><h3>Direct access</h3><p>${sells && html`By separate agreement: ${contact(settings)}. `}Send one header; assistants send it, too.</p>
          ${codeBlock(code`curl "${base}/v1/sec/stats" \\\n  -H "x-api-key: $KEY"`, 'Request')}</article>
        ${
          baseUrl === null &&
          !sells &&
          html`<article><h3>On your own machine</h3><p>If you run the program yourself, one command makes a key. A start without any key prints one that works until the service stops.</p>
          ${codeBlock(code`npm run keys -- add --label "my laptop"`, 'Command')}</article>`
        }
      </div></section>
      <section><h2>Try your key</h2><p>Paste the key into the <a href="${operationPath('getStats')}">reference</a> and press Send, or paste it into the <a href="/explore">explorer</a> and look at any company. Once the service accepts the key, your browser keeps it for the tab, so that both have it. It stays on your device only if you tick that. <a href="/docs/keys">More about keys</a>.</p></section>`,
  };
}

/** Whom to ask for a key. Only a mailbox that the operator named is one that somebody reads. */
function contact({ contactEmail }: SnapshotSettings): Html {
  return contactEmail === undefined
    ? html`ask the one who gave you this address`
    : html`write to <a href="mailto:${contactEmail}">${contactEmail}</a>`;
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

function atMarketplace(marketplaceUrl: string | null): Html {
  return html`<p>Keys are sold at the marketplace. It shows the plans and their prices, and you subscribe there.</p><p class="actions"><a class="button" href="${marketplaceUrl}">See plans at the marketplace</a></p>`;
}
