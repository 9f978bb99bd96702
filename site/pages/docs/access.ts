import { agentPath } from '../../../src/contract/agent.ts';
import { defaultAddress } from '../../../src/contract/product.ts';
import { toolInstructions, tools, type Tool } from '../../../src/contract/tools.ts';
import type { PublicInput } from '../../../build/content/public-file.ts';
import { code, html } from '../parts/html.ts';
import { codeBlock, origin } from '../parts/requests.ts';
import { prose, table } from '../parts/prose.ts';
import type { DocsPage } from './layout.ts';

/** What a tool takes, in a sentence. */
function argumentsText({ arguments: given, endpoint }: Tool): string {
  const names = given.map(
    ({ parameter, required }) => `\`${parameter.name}\`${required ? ' (required)' : ''}`,
  );
  return `Arguments: ${names.join(', ')}.${endpoint ? ` The same as \`GET ${endpoint.path}\`.` : ''}`;
}

/** How an assistant is given the tools. */
export function assistantsPage({ settings }: PublicInput): DocsPage {
  const base = origin(settings.baseUrl, defaultAddress);
  return {
    slug: 'assistants',
    name: 'Assistants',
    title: 'Connect an assistant',
    description: `${tools.length} tools over the Model Context Protocol: a configuration to paste, and what each tool does.`,
    body: html`<p class="lead">The same data over the Model Context Protocol (MCP). The tools that show a sample and how to subscribe need no key, so an assistant can look before you subscribe.</p>
      <h2>Configuration</h2>
      <p>Most assistants read a file of this shape. The transport is streamable HTTP; there is nothing to install.</p>
      ${codeBlock(
        code`{
  "mcpServers": {
    "filings": {
      "type": "http",
      "url": "${base}/mcp",
      "headers": { "x-api-key": "YOUR_KEY" }
    }
  }
}`,
        'Configuration',
      )}
      <p>Without a key, leave <code>headers</code> out. The tools take the key of <a href="/docs/keys">direct access</a> only, not the gateway's headers.</p>
      <h2>Tools</h2>
      ${table(
        ['Tool', 'Key', 'What it does'],
        tools.map(({ name, access, title }) => [
          html`<code>${name}</code>`,
          access === 'public' ? 'no' : 'yes',
          title,
        ]),
        'Tools',
      )}
      <p>An assistant is told this about all of them:</p>
      <blockquote><p>${prose(toolInstructions)}</p></blockquote>
      ${tools.filter(({ access }) => access === 'keyed').map((tool) => html`<h3><code>${tool.name}</code></h3><p>${prose(tool.description)}</p><p>${prose(argumentsText(tool))}</p>`)}
      <h2>By hand</h2>
      ${codeBlock(
        code`curl "${base}/mcp" \\
  -H "content-type: application/json" \\
  -H "accept: application/json, text/event-stream" \\
  -d '{"jsonrpc":"2.0","id":"1","method":"tools/call",
       "params":{"name":"sec_demo_latest_filings","arguments":{"limit":3}}}'`,
        'Request',
      )}
      <h2>Agents</h2>
      <p>Agents that speak A2A find the service by its <a href="/.well-known/agent-card.json">agent card</a> and talk to <code>${agentPath}</code>, in sentences such as “changes for AAPL, MSFT since 2026-08-01” or with structured data.</p>`,
  };
}

/** The two ways to send a key. */
export function keysPage({ settings }: PublicInput): DocsPage {
  const base = origin(settings.baseUrl, defaultAddress);
  return {
    slug: 'keys',
    name: 'Keys',
    title: 'Send a key',
    description: 'The headers of direct access and of the marketplace gateway.',
    body: html`<p class="lead">Everything below <code>/v1/</code> needs a key. There are two kinds, and each request carries one of them.</p>
      <h2>Direct access</h2>
      <p>Send the key in either header. Both mean the same; two different keys in one request are refused.</p>
      ${codeBlock(code`curl "${base}/v1/sec/stats" -H "x-api-key: $KEY"\ncurl "${base}/v1/sec/stats" -H "authorization: Bearer $KEY"`, 'Requests')}
      <h2>Through the marketplace gateway</h2>
      <p>Send both headers to the gateway's address on every request. The gateway checks the key, counts it against your plan, and passes the request on.</p>
      ${codeBlock(code`curl "https://$GATEWAY/v1/sec/stats" \\\n  -H "x-marketplace-host: $GATEWAY" \\\n  -H "x-marketplace-key: $KEY"`, 'Request')}
      <p>Paths and parameters are the same. <code>/mcp</code> takes the direct key only.</p>
      <h2>Keeping it safe</h2>
      <ul><li>Keep the key on your server. A page or an app that carries it gives it away.</li>
        <li>Never put it into an address: addresses are logged along the way.</li>
        <li>A key may have a limit of requests in any minute. What exceeds it is answered 429 <code>rate_limited</code> and does not count; <code>Retry-After</code> says after how many seconds to come again.</li>
        <li>The service stores a digest of each key, not the key. Lost keys are replaced, not shown again.</li></ul>
      <h2>When it is refused</h2>
      <p>A missing, wrong, expired or revoked key gives <a href="/docs/errors#unauthorized"><code>unauthorized</code></a> with status 401 and <code>WWW-Authenticate</code>, and the same message in every case.</p>
      ${codeBlock(code`{"error": {"code": "unauthorized", "message": "Invalid or missing API key"}}`, 'Answer')}
      <p>No key yet? <a href="/subscribe">Plans and keys</a>.</p>`,
  };
}
