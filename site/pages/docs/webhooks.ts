import type { PublicInput } from '../../content/public-file.ts';
import { webhookCorrections } from '../../../src/contract/corrections.ts';
import { eachFilter } from '../../../src/contract/filing-filters.ts';
import { defaultAddress } from '../../../src/contract/product.ts';
import { code, html } from '../parts/html.ts';
import { receivers } from '../parts/programs.ts';
import { table } from '../parts/prose.ts';
import { codeBlock, origin } from '../parts/code-block.ts';
import { programTabs } from '../parts/request-tabs.ts';
import type { DocsPage } from './docs-page.ts';

/** Changes that are pushed to an address of the reader. */
export function webhooksPage({ settings }: PublicInput): DocsPage {
  const base = origin(settings.baseUrl, defaultAddress);
  return {
    slug: 'webhooks',
    name: 'Webhooks',
    title: 'Webhooks: changes come to you',
    description:
      'Each change that matches your filter is POSTed to your address, signed, in order, at least once.',
    contents: [
      ['receiver', 'A receiver'],
      ['try', 'Try it'],
      ['message', 'The message'],
      ['signature', 'The signature'],
      ['answers', 'What to answer'],
      ['endpoints', 'The file of endpoints'],
      ['operate', 'Operate it'],
    ],
    body: html`<p class="lead">A webhook is a POST to your address for each new or corrected filing that matches your filter, as soon as it is published. It follows Standard Webhooks, so libraries in many languages check it. Whoever runs a service can offer webhooks, and whoever has a key can run the program for addresses of their own.</p>
      <h2 id="receiver">A receiver</h2>
      <p>Both programs check the signature, store each message once, and acknowledge it when it is stored. You can stop them at any moment, and whatever anybody else sends to them does not: they take 1 MB at most, and wait for nobody for long. The files: ${receivers().map(({ path }, at) => html`${at > 0 && ', '}<a href="${path}"><code>${path}</code></a>`)}.</p>
      ${programTabs('receiver', receivers())}
      <h2 id="try">Try it</h2>
      <p>In a checkout of the program, with your key in the shell variable <code>KEY</code>. <code>--allow-private</code> is for receivers on your own machine.</p>
      ${codeBlock(code`curl -O ${base}/examples/receiver.mjs\nexport SECRET="whsec_$(openssl rand -base64 32)"\nPORT=9000 node receiver.mjs &amp;\necho '{"endpoints": [{"name": "mine", "url": "http://127.0.0.1:9000/", "secrets": ["'$SECRET'"], "form": "8-K"}]}' &gt; endpoints.json\nchmod 600 endpoints.json\nexport API_KEY=$KEY\nnpm run deliver -- test mine --endpoints endpoints.json --service ${base} --allow-private\nnpm run deliver -- --endpoints endpoints.json --service ${base} --allow-private`, 'From nothing to a webhook')}
      <p>The second to last command sends a message of the type <code>webhook.test</code>. The last one keeps running, and each 8-K that is published from now on is a file in <code>inbox</code>.</p>
      <h2 id="message">The message</h2>
      ${codeBlock(code`POST / HTTP/1.1\ncontent-type: application/json\nwebhook-id: 0000320193-25-000079.1\nwebhook-timestamp: 1787836221\nwebhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=\n\n{"type": "filing.material_event", "timestamp": "2026-08-24T20:30:21.000Z", "data": {"sequence": 4180, "revision": 1, …}}`, 'A message')}
      ${table(
        ['Member', 'Is'],
        [
          [
            html`<code>webhook-id</code>`,
            html`accession number and revision: the same in each attempt, another one for a <a href="/docs/polling#corrections">correction</a>`,
          ],
          [
            html`<code>type</code>`,
            html`<code>filing.new</code>, <code>filing.material_event</code> or <code>filing.amended</code>: the <a href="/docs/events#changes">change type</a>. Ignore types that you do not know`,
          ],
          [html`<code>timestamp</code>`, html`<code>observedAt</code> of the change`],
          [html`<code>data</code>`, html`the change, as in the <a href="/docs/polling">feed</a>`],
        ],
        'Members of a message',
      )}
      <p>Your endpoint gets each change that its filter has, in the order of <code>sequence</code>. The next one is sent when you accepted the one before. If an answer is lost, a message comes again: drop it by its <code>webhook-id</code>. Store filings by <code>accessionNo</code>, and overwrite them with what comes later.</p>
      <h2 id="signature">The signature</h2>
      <p><code>webhook-signature</code> has the HMAC-SHA256 of <code>webhook-id</code>, <code>webhook-timestamp</code> and the body as it came, with dots between, in base64 behind <code>v1,</code>. The key is your secret: what stands behind <code>whsec_</code>, decoded from base64. Compare in constant time, and refuse a timestamp that is more than five minutes off. While a secret is changed, there are two signatures with a space between: accept a message if one of them is right. An operator who has a signing key adds a third kind: behind <code>v1a,</code> stands the Ed25519 signature of the same bytes. Check it with the operator's public key, <code>whpk_</code> and 32 bytes in base64, and your receiver keeps no secret: start either program with <code>PUBLIC_KEY</code> in place of <code>SECRET</code>.</p>
      <h2 id="answers">What to answer</h2>
      ${table(
        ['You answer', 'Then'],
        [
          ['2xx within 15 seconds', 'the next change is sent'],
          [
            'anything else, or nothing',
            html`the same message comes again: within 3 seconds, then after twice as long each time, at most an hour, or as <code>Retry-After</code> says (seconds). After three days it is given up, and the next one is sent`,
          ],
          ['a redirect', 'it counts as a failure: redirects are not followed'],
          ['410', 'your endpoint is disabled until somebody enables it. It keeps its place'],
        ],
        'Answers of a receiver',
      )}
      <p>Store a message, answer, and work on it afterwards. At most 16 KB of an answer are read.</p>
      <h2 id="endpoints">The file of endpoints</h2>
      <p>The program takes changes of the file up while it runs. If the file is wrong, what was known before goes on.</p>
      ${table(
        ['Member', 'Is'],
        [
          [html`<code>name</code>`, 'letters, digits, dots, hyphens: the place in the feed belongs to it'],
          [
            html`<code>url</code>`,
            html`<code>https://</code>, at a public address. Names are looked up for each connection, and one that leads to a private address is refused`,
          ],
          [
            html`<code>secrets</code>`,
            html`<code>whsec_</code> and 24 to 64 random bytes in base64; two while you change it`,
          ],
          [
            html`<code>tickers</code>${eachFilter.map(({ name }) => html`, <code>${name}</code>`)}`,
            html`the <a href="/docs/filters">filters</a> of the feed: up to 250 tickers or CIKs. Without filters, everything`,
          ],
          [
            html`<code>corrections</code>`,
            html`which <a href="/docs/polling#corrections">corrections</a> come, as the feed takes it. Without it <code>${webhookCorrections}</code>: what the service restates by its own rules, and what it fills in of older filings, is not sent and delays nothing. With <code>all</code>, everything comes in the order of the feed, and a new filing waits behind what came before it`,
          ],
          [
            html`<code>cursor</code>`,
            html`where deliveries begin: a <code>nextCursor</code> of the feed. Without it, now. It counts once, for a name that is new`,
          ],
        ],
        'Members of an endpoint',
      )}
      <h2 id="operate">Operate it</h2>
      <p>Run one program for each file. Any number of endpoints share one waiting request to the service. Give it a key of its own, without a limit.</p>
      ${codeBlock(code`npm run deliver -- list --endpoints endpoints.json\nnpm run deliver -- disable mine --endpoints endpoints.json\nnpm run deliver -- enable mine --endpoints endpoints.json\nnpm run deliver -- replay mine --cursor now --endpoints endpoints.json`, 'Commands')}
      <p>They work whether the program runs or not. <code>list</code> asks the service whether it still has the places where the endpoints stand, and says which ones it lacks: after a ledger was restored from a backup, an endpoint in the middle of a page gets the changes behind its cursor again, and one whose cursor is refused waits for <code>replay</code>. They want no <code>--allow-private</code>: only what sends looks where endpoints are. <code>replay</code> begins again behind a cursor of the feed; <code>--cursor now</code> skips to its end. A change that was given up is a line in <code>dead-letters.jsonl</code> of <code>endpoints.json.state</code>, with the cursor that replays it.</p>
      <p><code>API_KEY_FILE</code> names a file with the key in place of <code>API_KEY</code>. It is read again when the service refuses the key. With <code>WEBHOOK_SIGNING_KEY_FILE</code>, a private Ed25519 key as <code>openssl genpkey -algorithm ed25519</code> makes it, each message has a <code>v1a</code> signature beside those of its secrets; <code>npm run deliver -- key</code> prints the public key for your receivers.</p>`,
  };
}
