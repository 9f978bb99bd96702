import { mailboxOf, type PublicInput } from '../../content/public-file.ts';
import { html } from '../parts/html.ts';
import type { DocsPage } from './docs-page.ts';

/** How somebody reports a security fault: the policy that `security.txt` names. */
export function securityPage({ settings }: PublicInput): DocsPage {
  const mailbox = mailboxOf(settings);
  return {
    slug: 'security',
    name: 'Security',
    title: 'Report a security fault',
    description: 'Where to write, what helps, which tests are welcome, and what happens then.',
    body: html`<p class="lead">Write to <a href="mailto:${mailbox}">${mailbox}</a>, the contact of <a href="/.well-known/security.txt"><code>security.txt</code></a>. Please tell nobody else until there is a mended version.</p>
      <h2 id="report">What helps</h2>
      <p>Say which address or version you tried, what you sent, and what came back, with the <code>X-Request-Id</code> of the answer. A request that others can repeat helps most. Leave out keys and secrets.</p>
      <h2 id="counts">What counts</h2>
      <ul><li>Data that needs a key, without one; a key, secret or address that gets out.</li>
        <li>Whatever lets somebody else change, sign, or take back what is published.</li>
        <li>A client or an upstream server that keeps the service, webhooks or a client from working for others.</li>
        <li>A script in a page, an escape in a terminal, or a formula in an exported table that comes from the text of a filer.</li></ul>
      <h2 id="tests">Which tests are welcome</h2>
      <p>Run the program on a machine of your own, and try everything there. On a service of somebody else, use only your own key, stop as soon as you see data that is not meant for you, and send no floods. Whoever keeps to this has nothing to fear from the operator.</p>
      <h2 id="then">What happens then</h2>
      <p>You get an answer that says whether it is a fault and what follows. When a mended version is out, the <a href="/docs/changelog">changelog</a> says so, and names you if you like.</p>`,
  };
}
