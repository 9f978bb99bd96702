import { agentPath } from '../../../src/contract/agent.ts';
import {
  sizeMember,
  budget,
  charactersPerToken,
  maxTokensBounds,
} from '../../../src/contract/tool-parameters.ts';
import { gatewayHeaders } from '../../../src/contract/gateway.ts';
import { leftOutOfCompact } from '../../../src/contract/compact-members.ts';
import { defaultAddress } from '../../../src/contract/product.ts';
import { prompts } from '../../../src/contract/prompts.ts';
import { listedResources, resourceTemplates } from '../../../src/contract/resources.ts';
import { toolInstructions, tools, type Tool } from '../../../src/contract/tools.ts';
import type { PublicInput } from '../../content/public-file.ts';
import { code, html } from '../parts/html.ts';
import { codeBlock, origin } from '../parts/code-block.ts';
import { prose, table } from '../parts/prose.ts';
import type { DocsPage } from './docs-page.ts';

/** A sentence that names the arguments of a tool. */
function argumentsText({ arguments: given, endpoint }: Tool): string {
  const names = given
    .filter(({ parameter }) => !budget.includes(parameter))
    .map(({ parameter, required }) => `\`${parameter.name}\`${required ? ' (required)' : ''}`);
  return `Arguments: ${names.join(', ')}.${endpoint ? ` The same as \`GET ${endpoint.path}\`.` : ''}`;
}

/** How to connect an assistant. */
export function assistantsPage({ settings }: PublicInput): DocsPage {
  const base = origin(settings.baseUrl, defaultAddress);
  return {
    slug: 'assistants',
    name: 'Assistants',
    title: 'Connect an assistant',
    description: `${tools.length} tools, resources and prompts over the Model Context Protocol: a configuration to paste, and what each of them does.`,
    body: html`<p class="lead">The same data over the Model Context Protocol (MCP). Assistants call tools, attach resources and offer prompts. Two tools and the reference need no key. So an assistant can look before you subscribe.</p>
      <h2>Configuration</h2>
      <p>Most assistants read such a file. The transport is streamable HTTP. You install nothing.</p>
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
      <p>Some assistants want it another way:</p>
      ${codeBlock(code`claude mcp add --transport http filings ${base}/mcp --header "x-api-key: YOUR_KEY"`, 'Claude Code')}
      ${codeBlock(
        code`{
  "servers": {
    "filings": {
      "type": "http",
      "url": "${base}/mcp",
      "headers": { "x-api-key": "\${input:filings-key}" }
    }
  },
  "inputs": [
    { "type": "promptString", "id": "filings-key", "description": "Key of the filing service", "password": true }
  ]
}`,
        'VS Code: .vscode/mcp.json',
      )}
      ${codeBlock(
        code`{
  "mcpServers": {
    "filings": { "type": "http", "url": "${base}/mcp", "headers": { "x-api-key": "YOUR_KEY" } }
  }
}`,
        'Cursor: .cursor/mcp.json',
      )}
      <p>Without a key, leave <code>headers</code> out. The tools accept only a <a href="/docs/keys">direct key</a> or a token, not the gateway's headers.</p>
      <p>An assistant that has no field for a key, such as claude.ai or ChatGPT, signs in where this service takes <a href="/docs/keys">tokens</a>: enter <code>${base}/mcp/private</code>, where each message needs a key or token. At <code>${base}/mcp</code> you are asked with the first tool that needs one.</p>
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
      <p>The service tells an assistant this about all tools:</p>
      <blockquote><p>${prose(toolInstructions)}</p></blockquote>
      ${tools.filter(({ access }) => access === 'keyed').map((tool) => html`<h3><code>${tool.name}</code></h3><p>${prose(tool.description)}</p><p>${prose(argumentsText(tool))}</p>`)}
      <h2>Resources</h2>
      <p>People attach resources to a conversation; programs read them with <code>resources/read</code>. Each gives what its tool gives, with the same key and limits: a text, then the structured content as JSON. The arguments of the tool may stand in the query of the URI, such as <code>company://AAPL/filings?form=10-K&amp;limit=5&amp;maxTokens=2000</code>.</p>
      ${table(
        ['Resource', 'Key', 'What it is'],
        resourceTemplates.map(({ uriTemplate, title, reads }) => [
          html`<code>${uriTemplate}</code>`,
          reads.access === 'public' ? 'no' : 'yes',
          title,
        ]),
        'Resources',
      )}
      <p>A value is percent-encoded: form 10-K/A is <code>reference://forms/10-K%2FA</code>. <code>resources/list</code> gives ${listedResources.length} resources of the <a href="/reference.json">reference</a> that need no argument and no key, by pages with a <code>nextCursor</code>: ${listedResources
        .filter(({ name }) => name.startsWith('reference-'))
        .map(
          ({ uri }, at) => html`${at === 0 ? '' : ', '}<code>${uri}</code>`,
        )}, and one for each event family. A URI that names nothing is an error that says what there is, with the code and the words of the operations.</p>
      <h2>Prompts</h2>
      <p>Assistants show prompts as commands, and complete tickers, forms, items and event families as you type. A prompt brings the question, how to answer it from this data, and the data itself as texts of resources, all within <code>maxTokens</code>. Prompts need a key.</p>
      ${table(
        ['Prompt', 'Arguments', 'What it asks'],
        prompts.map(({ name, arguments: own, description }) => [
          html`<code>${name}</code>`,
          prose(
            own
              .map(({ parameter, required }) => `\`${parameter.name}\`${required ? ' (required)' : ''}`)
              .join(', '),
          ),
          description,
        ]),
        'Prompts',
      )}
      <h2>Length of answers</h2>
      <p>Each text has its size beside it, in <code>_meta</code> under <code>${sizeMember}</code>: <code>tokens</code> of the text, <code>structuredTokens</code> of the structured content, the <code>maxTokens</code> of both, and <code>shortened</code>, which is true if that left out rows. The agent gives it in <code>metadata</code>.</p>
      <p>Text and structured content together have at most <code>maxTokens</code> tokens, ${maxTokensBounds.default.toLocaleString('en')} by default: characters divided by ${charactersPerToken}. A longer list has fewer rows. The text says so, and names the cursor that goes on after the last row it gives. A watchlist keeps a bucket for each company, each with a cursor of its own. A single record that is longer is given alone.</p>
      <p>By default, structured content is <code>compact</code>: filings lack the members ${prose([...leftOutOfCompact].map((name) => `\`${name}\``).join(', '))}. With <code>"detail": "full"</code> it is the answer of the REST operation.</p>
      <h2>By hand</h2>
      ${codeBlock(
        code`curl "${base}/mcp" \\
  -H "content-type: application/json" \\
  -H "accept: application/json, text/event-stream" \\
  -d '{"jsonrpc":"2.0","id":"1","method":"tools/call",
       "params":{"name":"sec_demo_latest_filings","arguments":{"limit":3}}}'`,
        'Request',
      )}
      ${codeBlock(
        code`curl "${base}/mcp" \\
  -H "content-type: application/json" \\
  -d '{"jsonrpc":"2.0","id":"1","method":"resources/read",
       "params":{"uri":"reference://forms/8-K"}}'`,
        'Request',
      )}
      <h2>Agents</h2>
      <p>Agents that speak A2A find the service by its <a href="/.well-known/agent-card.json">agent card</a>. They send requests to <code>${agentPath}</code>: sentences such as “changes for AAPL, MSFT since 2026-08-01”, or structured data. Answers are those of the tools, and take the same <code>detail</code> and <code>maxTokens</code>.</p>`,
  };
}

/** The two ways to send a key. */
export function keysPage({ settings }: PublicInput): DocsPage {
  const gateway = gatewayHeaders(settings.marketplaceName);
  const base = origin(settings.baseUrl, defaultAddress);
  return {
    slug: 'keys',
    name: 'Keys',
    title: 'Send a key',
    description: 'The headers of direct access and of the marketplace gateway.',
    body: html`<p class="lead">Everything below <code>/v1/</code> needs a key. There are two ways to send one. Use one of them in each request.</p>
      <h2>Direct access</h2>
      <p>Send the key in either header. Both mean the same. The service refuses a request with two different keys.</p>
      ${codeBlock(code`curl "${base}/v1/sec/stats" -H "x-api-key: $KEY"\ncurl "${base}/v1/sec/stats" -H "authorization: Bearer $KEY"`, 'Requests')}
      <h2>Through the marketplace gateway</h2>
      <p>Send both headers with every request to the gateway's address. The gateway checks the key, counts the request against your plan, and passes it on.</p>
      ${codeBlock(code`GATEWAY=host.of.the.gateway KEY=your-key-there\ncurl "https://$GATEWAY/v1/sec/stats" \\\n  -H "${gateway.host}: $GATEWAY" \\\n  -H "${gateway.key}: $KEY"`, 'Request')}
      <p>Paths and parameters are the same. <code>/mcp</code> accepts only a direct key or a token.</p>
      <h2>With a token</h2>
      <p>Where this service takes OAuth tokens, <code>/.well-known/oauth-protected-resource</code> names the authorisation server, and 401 leads there. Send the token as <code>Authorization: Bearer</code>. It counts wherever a direct key does, until its end.</p>
      <h2>Keeping it safe</h2>
      <ul><li>Keep the key on your server. If a page or an app contains it, everybody can read it.</li>
        <li>Never put it into an address: servers on the way log addresses.</li>
        <li>A key or a plan may have a limit of requests in any minute. Then each answer says in <code>RateLimit</code> how many are left (<code>r</code>) and after how many seconds there are more (<code>t</code>), and in <code>RateLimit-Policy</code> how many there are (<code>q</code>). Requests beyond the limit get 429 <a href="/docs/errors#rate_limited"><code>rate_limited</code></a> and do not count against it. <code>Retry-After</code> says how many seconds to wait. If the service itself has too much to do, the answer is 503 <a href="/docs/errors#overloaded"><code>overloaded</code></a>.</li>
        <li>The service stores only a digest of each key, so it cannot show a lost key again. Get a new one.</li></ul>
      <h2>When a key is refused</h2>
      <p>If a key is missing, wrong, expired or revoked, the answer is 401 <a href="/docs/errors#unauthorized"><code>unauthorized</code></a> with <code>WWW-Authenticate</code>, which has <code>error="invalid_token"</code> if a key came. The message is the same in each case.</p>
      ${codeBlock(code`{"error": {"code": "unauthorized", "message": "Invalid or missing API key"}}`, 'Answer')}
      <p>No key yet? <a href="/subscribe">Get a key</a>.</p>`,
  };
}
