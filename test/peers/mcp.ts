import assert from 'node:assert/strict';
import { join } from 'node:path';
import { prompts } from '../../src/contract/prompts.ts';
import { listedResources, resourceTemplates, resourceUri } from '../../src/contract/resources.ts';
import { tools } from '../../src/contract/tools.ts';
import {
  currentConnection,
  handshakeConnection,
  legacyConnection,
  type AnyClient,
  type Connection,
  type Options,
} from './clients.ts';
import { runProgram } from './program.ts';
import type { Check } from './main.ts';
import type { RunningService } from './service.ts';

/** Each tool that an operation answers, with arguments and the address that gives the same. */
const operationCalls = [
  ...tools.flatMap(({ name, example, endpoint }) =>
    endpoint ? [{ name, given: example, path: endpoint.example }] : [],
  ),
  {
    name: 'sec_watchlist_changes',
    given: { tickers: ['AAPL', 'MSFT'], since: '2026-08-01' },
    path: '/v1/sec/watchlist/changes?tickers=AAPL,MSFT&since=2026-08-01',
  },
];

/**
 * What an assistant does: lists the tools, calls each with and without a key, and makes a mistake that it can
 * mend.
 */
async function useAsAssistant(
  { address, key }: RunningService,
  open: (headers: Record<string, string>) => Promise<AnyClient>,
): Promise<void> {
  const [anonymous, keyed] = [await open({}), await open({ 'x-api-key': key })];
  const listed = await anonymous.listTools();
  assert.deepEqual(
    listed.tools.map(({ name }) => name),
    tools.map(({ name }) => name),
  );
  // The clients check structured content with the output schemas that they were given.
  assert.equal(
    (await anonymous.callTool({ name: 'sec_demo_latest_filings', arguments: { limit: 3 } })).isError,
    false,
  );
  assert.equal((await anonymous.callTool({ name: 'sec_subscription_info', arguments: {} })).isError, false);
  await keyed.listTools();
  for (const { name, given, path } of operationCalls) {
    await assert.rejects(anonymous.callTool({ name, arguments: given }), /401|nauthorized/);
    const rest = await (await fetch(`${address}${path}`, { headers: { 'x-api-key': key } })).json();
    const full = { ...given, detail: 'full', maxTokens: 1_000_000 };
    assert.deepEqual((await keyed.callTool({ name, arguments: full })).structuredContent, rest);
    assert.equal((await keyed.callTool({ name, arguments: given })).isError, false);
  }
  const mistaken = await keyed.callTool({ name: 'sec_company_search', arguments: { q: 'a' } });
  assert.equal(mistaken.isError, true);
  assert.match(JSON.stringify(mistaken), /q: must be/);
  await assert.rejects(keyed.callTool({ name: 'nope', arguments: {} }), /Unknown tool/);
  await useResources(anonymous, keyed);
  await usePrompts(anonymous, keyed);
  await Promise.all([anonymous.close(), keyed.close()]);
}

/** Pages through the resources, reads those without a key, and reads what tools give. */
async function useResources(anonymous: AnyClient, keyed: AnyClient): Promise<void> {
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    // Clients that page by themselves give everything at once.
    const page = await anonymous.listResources(cursor === undefined ? undefined : { cursor });
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.deepEqual(
    uris,
    listedResources.map(({ uri }) => uri),
  );
  for (const uri of uris.slice(0, 12))
    assert.match((await anonymous.readResource({ uri })).contents[0]?.text ?? '', /\n- /);
  const { resourceTemplates: listed } = await anonymous.listResourceTemplates();
  assert.deepEqual(
    listed.map(({ uriTemplate }) => uriTemplate),
    resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  );
  const calls: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ['sec_filing_summary', 'filing://{accessionNo}', { accessionNo: '0000320193-25-000079' }],
    ['sec_company_profile', 'company://{ticker}', { ticker: 'AAPL' }],
    ['sec_company_filings', 'company://{ticker}/filings', { ticker: 'AAPL', form: '10-K', limit: '2' }],
    ['sec_watchlist_changes', 'watchlist://{tickers}', { tickers: 'AAPL,MSFT', since: '2026-08-01' }],
  ];
  for (const [name, template, given] of calls) {
    const uri = resourceUri(template, given);
    const { contents } = await keyed.readResource({ uri });
    const { structuredContent } = await keyed.callTool({ name, arguments: given });
    assert.deepEqual(JSON.parse(contents[1]?.text ?? ''), structuredContent);
    await assert.rejects(anonymous.readResource({ uri }), /401|nauthorized/);
  }
  await assert.rejects(keyed.readResource({ uri: 'company://apple' }), /did you mean AAPL/);
  await assert.rejects(keyed.readResource({ uri: 'file:///etc/passwd' }), /must be a resource of filing:/);
}

/** Lists the prompts, gets each, and completes their arguments. */
async function usePrompts(anonymous: AnyClient, keyed: AnyClient): Promise<void> {
  const listed = await anonymous.listPrompts();
  assert.deepEqual(
    listed.prompts.map(({ name }) => name),
    prompts.map(({ name }) => name),
  );
  for (const { name, example } of prompts) {
    const { messages } = await keyed.getPrompt({ name, arguments: example });
    const types = messages.map(({ content }) => content.type);
    assert.deepEqual([types[0], types.slice(1).every((type) => type === 'resource')], ['text', true]);
    await assert.rejects(anonymous.getPrompt({ name, arguments: example }), /401|nauthorized/);
  }
  const company = {
    ref: { type: 'ref/prompt', name: 'company_brief' },
    argument: { name: 'ticker', value: 'appl' },
  };
  assert.ok((await keyed.complete(company as never)).completion.values.includes('AAPL'));
  const form = {
    ref: { type: 'ref/resource', uri: 'reference://forms/{form}' },
    argument: { name: 'form', value: '10-' },
  };
  assert.ok((await anonymous.complete(form as never)).completion.values.includes('10-K'));
}

/** Opens clients of a kind, with headers. */
const opening =
  (connection: (address: string, options: Options) => Connection, { address }: RunningService) =>
  async (headers: Record<string, string>): Promise<AnyClient> => {
    const { client, connect } = connection(`${address}/mcp`, { requestInit: { headers } });
    await connect();
    return client;
  };

function conformance(service: RunningService, revision: string): Promise<string> {
  const suite = join('node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
  return runProgram([
    '--import',
    './node20.mjs',
    suite,
    'server',
    '--url',
    `${service.address}/mcp`,
    '--requirements',
    revision,
    '--expected-failures',
    `conformance-${revision}.yml`,
    '-o',
    join(service.scratch, revision),
  ]);
}

/** The tool protocol, with the official clients and the official conformance suite. */
export const mcpChecks: readonly Check[] = [
  {
    name: 'the official client of the handshake revisions',
    run: (service) => useAsAssistant(service, opening(handshakeConnection, service)),
  },
  {
    name: 'the official client of revision 2026-07-28',
    run: (service) => useAsAssistant(service, opening(currentConnection, service)),
  },
  {
    name: 'the same client as it is when it negotiates nothing',
    run: (service) => useAsAssistant(service, opening(legacyConnection, service)),
  },
  {
    name: 'the conformance suite, revision 2025-11-25',
    run: (service) => conformance(service, '2025-11-25'),
  },
  {
    name: 'the conformance suite, revision 2026-07-28',
    run: (service) => conformance(service, '2026-07-28'),
  },
];
