import { describe, expect, it } from 'vitest';
import { tools } from '../../src/contract/tools.ts';
import { foreignReason, isLoopback } from '../../src/http/origin.ts';
import { checkArguments } from '../../src/query/arguments.ts';
import { toolNamed } from '../../src/mcp/call.ts';
import { listedTool } from '../../src/mcp/listed-tools.ts';
import { plainMessage } from '../../src/mcp/plain-message.ts';
import { compactOf } from '../support/compact.ts';
import { currentHeaders, currentMeta } from '../support/protocol.ts';
import { sampleKey, useSample } from '../support/sample.ts';
import { faultsOf, newValidator } from '../support/schemas.ts';

const service = useSample();

interface Reply {
  jsonrpc: string;
  id: unknown;
  result?: {
    content: { type: string; text: string }[];
    structuredContent?: unknown;
    isError?: boolean;
    resultType?: string;
  } & Record<string, unknown>;
  error?: { code: number; message: string; data?: { code?: string } };
}

const withKey = { 'x-api-key': sampleKey };
const current = (name: string) => currentHeaders('tools/call', name);
const callOf = (name: string, given?: unknown, meta?: object) => ({
  jsonrpc: '2.0',
  id: 'a-1',
  method: 'tools/call',
  params: { name, ...(given === undefined ? {} : { arguments: given }), ...(meta ? { _meta: meta } : {}) },
});

async function send(
  message: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; reply: Reply }> {
  const response = await service.post('/mcp', JSON.stringify(message), headers);
  return { status: response.status, headers: response.headers, reply: (await response.json()) as Reply };
}

describe.each(tools)('$name', (tool) => {
  const { name, access, example, response, endpoint } = tool;
  const listed = listedTool(tool);

  it('the tool answers its example in revisions with and without a handshake, as its schemas say', async () => {
    const handshake = await send(callOf(name, example), withKey);
    const stateless = await send(callOf(name, example, currentMeta), { ...withKey, ...current(name) });
    expect([handshake.status, stateless.status]).toEqual([200, 200]);
    expect(handshake.reply.id).toBe('a-1');
    const { structuredContent, content, isError } = handshake.reply.result ?? {};
    expect(isError).toBe(false);
    const full = await send(callOf(name, { ...example, detail: 'full' }), withKey);
    const whole = full.reply.result?.structuredContent;
    expect(response.parse(whole)).toEqual(whole);
    expect(structuredContent).toEqual(compactOf(whole));
    const check = newValidator().compile(listed.outputSchema);
    for (const each of [structuredContent, whole]) expect(faultsOf(check, each)).toEqual([]);
    expect(faultsOf(newValidator().compile(listed.inputSchema), example)).toEqual([]);
    expect(content?.[0]?.text).toMatch(
      /^Data up to 2026-08-17, fetched 2026-08-18T23:01Z\. It is a sample.*\n.{20}/,
    );
    expect(stateless.reply.result).toEqual({ resultType: 'complete', ...handshake.reply.result });
  });

  // Some tools have no operation.
  const withEndpoint = endpoint ? [endpoint] : [];
  it.each(withEndpoint)('the tool gives what the REST operation $id gives', async ({ example: path }) => {
    const rest: unknown = await (await service.get(path)).json();
    const contentOf = async (given: object) =>
      (await send(callOf(name, given), withKey)).reply.result?.structuredContent;
    expect(await contentOf({ ...example, detail: 'full' })).toEqual(rest);
    expect(await contentOf(example)).toEqual(compactOf(rest));
  });

  it('the tool needs the direct key exactly if it is keyed', async () => {
    for (const headers of [
      {},
      { 'x-api-key': 'wrong' },
      { 'x-marketplace-host': 'x', 'x-marketplace-key': 'y', 'x-marketplace-proxy-secret': 'z' },
    ]) {
      const { status, reply, headers: sent } = await send(callOf(name, example), headers);
      expect(status).toBe(access === 'public' ? 200 : 401);
      if (access === 'public') continue;
      expect(sent.get('www-authenticate')).toMatch(/^Bearer /);
      expect(reply).toMatchObject({ id: 'a-1', error: { code: -32001, data: { code: 'unauthorized' } } });
    }
    expect((await send(callOf(name, example), { authorization: `Bearer ${sampleKey}` })).status).toBe(200);
  });

  it('the tool says which argument is wrong', async () => {
    for (const [given, named] of [
      [{ nonsense: 1 }, 'nonsense'],
      ...Object.keys(example).map(
        (argument) => [{ ...example, [argument]: { deep: true } }, argument] as const,
      ),
      [{ ...example, detail: 'long' }, 'detail'],
      [{ ...example, maxTokens: 0 }, 'maxTokens'],
    ] as const) {
      const { status, reply } = await send(callOf(name, given), withKey);
      expect(status).toBe(200);
      expect(reply.result?.isError).toBe(true);
      expect(reply.result?.content[0]?.text).toMatch(new RegExp(`^invalid_parameter: "?${named}"?: `));
    }
  });

  it('the tool has a name that every client takes, and says that it only reads', () => {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(listed.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    for (const key of Object.keys(listed.inputSchema.properties ?? {}))
      expect(key).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
  });
});

it('a public tool names no companies, with a key or without, whatever its arguments are', async () => {
  const open = tools.filter(({ access }) => access === 'public');
  expect(open.length).toBeGreaterThan(1);
  for (const { name } of open)
    for (const headers of [{}, withKey])
      for (const given of [
        { tickers: 'coca cola,micro soft' },
        { ticker: 'coca cola' },
        { limit: 'coca cola' },
      ]) {
        const { reply } = await send(callOf(name, given), headers);
        expect(reply.result?.isError).toBe(true);
        expect(JSON.stringify(reply)).not.toMatch(/did you mean|COCA COLA CO|0000021344/);
      }
});

it('a keyed tool suggests companies only for arguments that it has', async () => {
  const said = async (name: string, given: object) =>
    (await send(callOf(name, given), withKey)).reply.result?.content[0]?.text;
  expect(await said('sec_filing_summary', { tickers: 'coca cola' })).not.toContain('did you mean');
  expect(await said('sec_company_profile', { ticker: 'coca cola' })).toContain('did you mean KO (');
});

/** Names of the tools that a reply lists. */
const namesIn = ({ result }: Reply) =>
  ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);

describe('the endpoint', () => {
  const initialize = (protocolVersion: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'the endpoint initializes in revision %s',
    async (version) => {
      const { status, reply } = await send(initialize(version));
      expect(status).toBe(200);
      expect(reply.result).toMatchObject({
        protocolVersion: version,
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: 'filing-event-intelligence' },
      });
    },
  );

  it('the endpoint answers server/discover in revision 2026-07-28, and gives its list of tools a lifetime', async () => {
    const meta = { params: { _meta: currentMeta } };
    const discovered = await send(
      { jsonrpc: '2.0', id: 1, method: 'server/discover', ...meta },
      currentHeaders('server/discover'),
    );
    expect(discovered.reply.result).toMatchObject({
      resultType: 'complete',
      cacheScope: 'public',
      supportedVersions: expect.arrayContaining(['2026-07-28']),
    });
    const listed = await send(
      { jsonrpc: '2.0', id: 1, method: 'tools/list', ...meta },
      currentHeaders('tools/list'),
    );
    expect(listed.reply.result).toMatchObject({
      resultType: 'complete',
      cacheScope: 'public',
      ttlMs: expect.any(Number),
    });
    expect(namesIn(listed.reply)).toEqual(tools.map(({ name }) => name));
  });

  it('the endpoint lists its tools without a key, and answers a ping', async () => {
    const { reply } = await send({ jsonrpc: '2.0', id: 0, method: 'tools/list' });
    expect(reply.id).toBe(0);
    expect(namesIn(reply)).toEqual(tools.map(({ name }) => name));
    expect((await send({ jsonrpc: '2.0', id: 2, method: 'ping' })).reply.result).toEqual({});
  });

  it.each<[string, unknown, number, number]>([
    ['an unknown tool', callOf('nope', {}), 200, -32602],
    ['a tool without a name', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }, 200, -32602],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'nope' }, 200, -32601],
    [
      'an unknown method of the newest revision',
      { jsonrpc: '2.0', id: 1, method: 'nope', params: { _meta: currentMeta } },
      400,
      -32020,
    ],
    ['no message', { hello: 1 }, 400, -32600],
    ['no object', 5, 400, -32600],
    ['an empty batch', [], 400, -32600],
  ])('the endpoint refuses %s with an error of the protocol', async (_, message, status, code) => {
    const found = await send(message);
    expect([found.status, found.reply.error?.code]).toEqual([status, code]);
  });

  it('the endpoint refuses a body that is not JSON, is too large, or has another type, and a client that takes no JSON', async () => {
    const post = async (body: string, headers: Record<string, string> = {}) => {
      const response = await service.post('/mcp', body, headers);
      return [response.status, ((await response.json()) as Reply).error?.code];
    };
    expect(await post('{garbage')).toEqual([400, -32700]);
    expect(await post('')).toEqual([400, -32700]);
    expect(
      await post(JSON.stringify(callOf('sec_demo_latest_filings', { limit: 'x'.repeat(100_000) }))),
    ).toEqual([413, -32600]);
    expect(await post('{}', { 'content-type': 'text/plain' })).toEqual([415, -32000]);
    expect(await post('{}', { 'content-type': 'application/jsonp' })).toEqual([415, -32000]);
    expect(await post('{}', { accept: 'text/html' })).toEqual([406, -32000]);
  });

  it.each([
    undefined,
    '*/*',
    'application/json',
    'application/json, text/event-stream',
    'text/event-stream, application/*;q=0.5',
  ])('the endpoint serves a client that accepts %s', async (accept) => {
    const { status } = await send(
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      accept === undefined ? {} : { accept },
    );
    expect(status).toBe(200);
  });

  it('the endpoint takes a notification, and refuses GET, DELETE and PUT', async () => {
    expect(
      (await service.post('/mcp', JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })))
        .status,
    ).toBe(202);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await service.get('/mcp', { accept: 'text/event-stream' }, method);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  it('the endpoint answers a batch that cancels its own request, and takes a batch without requests', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    for (const batch of [
      [ping, cancel],
      [cancel, ping],
    ]) {
      const { status, reply } = await send(batch);
      expect([status, [reply].flat()]).toEqual([200, [{ jsonrpc: '2.0', id: 1, result: {} }]]);
    }
    expect((await service.post('/mcp', JSON.stringify([cancel]))).status).toBe(202);
  });

  it('the endpoint refuses long batches, and two requests of one id', async () => {
    const pings = (count: number, id: (at: number) => unknown) =>
      Array.from({ length: count }, (_, at) => ({ jsonrpc: '2.0', id: id(at), method: 'ping' }));
    expect((await send(pings(10, (at) => at))).status).toBe(200);
    expect((await send(pings(11, (at) => at))).reply.error?.code).toBe(-32600);
    expect((await send(pings(2, () => 'same'))).reply.error?.code).toBe(-32600);
  });

  it.each<[object, string]>([
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call' }, 'params: must be an object'],
    [{ jsonrpc: '2.0', id: 1, method: 'initialize' }, 'params: must be an object'],
    [{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }, 'params.protocolVersion'],
    [callOf('sec_company_search', null), 'params.arguments: must be an object, not null'],
    [callOf('sec_company_search', []), 'params.arguments: must be an object, not []'],
    [callOf(5 as unknown as string), 'params.name: must be the name of a tool, not 5'],
  ])('the endpoint names what is wrong with the parameters of %j', async (message, words) => {
    const { status, reply } = await send(message, withKey);
    expect([status, reply.error?.code]).toEqual([200, -32602]);
    expect(reply.error?.message).toContain(words);
  });

  it('the endpoint refuses a batch that calls a keyed tool without a key', async () => {
    const batch = [{ jsonrpc: '2.0', id: 1, method: 'ping' }, callOf('sec_company_search', { q: 'apple' })];
    expect((await send(batch)).status).toBe(401);
    const open = await send(batch, withKey);
    expect(open.status).toBe(200);
    expect((open.reply as unknown as Reply[]).length).toBe(2);
  });

  it.each(['sec_company_search', 'sec_subscription_info'])(
    'the endpoint refuses a batch in a batch, which would call %s uncounted and without a key',
    async (name) => {
      const inner = [callOf(name, { q: 'apple' })];
      for (const batch of [[inner], [{ jsonrpc: '2.0', id: 1, method: 'ping' }, inner], [5], [null]])
        for (const headers of [{}, withKey, { 'mcp-protocol-version': '2025-03-26' }]) {
          const { status, reply } = await send(batch, headers);
          expect([status, reply.error?.code, reply.result]).toEqual([400, -32600, undefined]);
        }
    },
  );

  it('the endpoint refuses foreign origins and hosts', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost:1', 'file://'])
      expect((await send(initialize('2025-11-25'), { origin })).status).toBe(403);
    expect((await send(initialize('2025-11-25'), { origin: 'http://localhost' })).status).toBe(200);
  });
});

describe('where a request comes from', () => {
  const own = 'https://filings.example.com';
  it.each<[string, string | undefined, string | null, boolean, boolean]>([
    ['localhost:8787', undefined, null, true, false],
    ['127.0.0.1:8787', 'http://127.0.0.1:8787', null, true, false],
    ['127.0.0.1:8787', 'http://localhost:8787', null, true, true],
    ['evil.example', 'http://evil.example', null, true, true],
    ['evil.example', undefined, null, true, true],
    ['filings.example.com', own, own, true, false],
    ['10.0.0.7:8787', own, own, false, true],
    ['filings.example.com', undefined, own, false, false],
    ['filings.example.com', undefined, `${own}:8443`, false, true],
    // A page that came without encryption may be anybody's.
    ['filings.example.com', 'http://filings.example.com', own, false, true],
    ['filings.example.com', `${own}:8443`, own, false, true],
    ['127.0.0.1:8787', 'http://127.0.0.1:8787', own, true, true],
    ['127.0.0.2:8787', 'http://127.0.0.2:8787', null, true, false],
    ['127.0.0.2.example.com', undefined, null, true, true],
    ['10.0.0.7:8787', 'null', null, false, true],
    ['10.0.0.7:8787', undefined, null, false, false],
  ])(
    'a request for %s with Origin %s and BASE_URL %s (local: %s) is foreign: %s',
    (host, origin, baseUrl, isLocal, foreign) =>
      expect(foreignReason(host, origin, { baseUrl, isLocal }) !== null).toBe(foreign),
  );
  it('the reason of a refused host or origin names the setting BASE_URL', () => {
    const local = { baseUrl: null, isLocal: true };
    expect(foreignReason('filings.example.com', undefined, local)).toContain('BASE_URL');
    expect(foreignReason('127.0.0.1:8787', own, local)).toContain('BASE_URL');
  });
  it('isLoopback accepts loopback addresses, and no others', () =>
    expect(
      ['127.0.0.1', 'localhost', '::1', '127.1.2.3', '0.0.0.0', '10.0.0.1', '::'].map(isLoopback),
    ).toEqual([true, true, true, true, false, false, false]));
});

describe('a plain call', () => {
  const reader = (headers: Record<string, string>) => (name: string) => headers[name];
  it('plainMessage recognizes a plain call', () => {
    expect(plainMessage(callOf('sec_company_search', { q: 'apple' }), reader({}))).toMatchObject({
      isCurrent: false,
      id: 'a-1',
    });
    expect(
      plainMessage(
        callOf('sec_company_search', {}, { progressToken: 1 }),
        reader({ 'mcp-protocol-version': '2025-06-18' }),
      ),
    ).toMatchObject({ isCurrent: false });
    expect(
      plainMessage(callOf('sec_company_search', {}, currentMeta), reader(current('sec_company_search'))),
    ).toMatchObject({ isCurrent: true });
  });
  it.each<[unknown, Record<string, string>]>([
    [callOf('nope'), {}],
    [{ ...callOf('sec_company_search'), jsonrpc: '1.0' }, {}],
    [{ ...callOf('sec_company_search'), id: null }, {}],
    [{ ...callOf('sec_company_search'), id: 1.5 }, {}],
    [callOf('sec_company_search', []), {}],
    [callOf('sec_company_search'), { 'mcp-protocol-version': '2024-01-01' }],
    [callOf('sec_company_search'), current('sec_company_search')],
    [callOf('sec_company_search', {}, currentMeta), {}],
    [callOf('sec_company_search', {}, currentMeta), current('sec_filing_summary')],
    [callOf('sec_company_search', {}, { ...currentMeta, other: 1 }), current('sec_company_search')],
    [[callOf('sec_company_search')], {}],
    [null, {}],
  ])('plainMessage does not take %j with the headers %j', (message, headers) =>
    expect(plainMessage(message, reader(headers))).toBeNull(),
  );
});

describe('arguments', () => {
  const watchlist = toolNamed('sec_watchlist_changes');
  it('a tool checks its arguments as the operation checks its parameters', () => {
    if (!watchlist) throw new Error('no such tool');
    expect(
      checkArguments(watchlist, {
        tickers: 'AAPL, msft',
        limit: 5,
        since: '2026-08-01T00:00:00Z',
        cursor: null,
      }),
    ).toEqual({ tickers: ['AAPL', 'msft'], limit: 5, since: '2026-08-01' });
    expect(checkArguments(watchlist, { tickers: ['AAPL', ' msft', 320193, 'aapl'] })).toEqual({
      tickers: ['AAPL', 'msft', '320193'],
    });
    expect(checkArguments(watchlist, { tickers: 320193 })).toEqual({ tickers: ['320193'] });
    const many = Array.from({ length: 26 }, (_, at) => `T${at}`);
    for (const given of [
      undefined,
      null,
      {},
      [],
      'AAPL',
      ...[[], ['AAPL', null], [['AAPL']], 1.5, -5, many].map((tickers) => ({ tickers })),
      ...[[5], 1.5, 0].map((limit) => ({ tickers: 'AAPL', limit })),
    ])
      expect(() => checkArguments(watchlist, given), JSON.stringify(given)).toThrow();
  });
  it('a tool takes numbers, true and false as the types that its schema names, and as texts', () => {
    const values: Readonly<Record<string, readonly unknown[]>> = {
      boolean: [true, false],
      number: [0, 0.5, 1000],
    };
    const tried = tools.flatMap((tool) =>
      tool.arguments.flatMap((argument) => {
        const { name, schema } = argument.parameter;
        const checked = (value: unknown) =>
          checkArguments({ name: tool.name, arguments: [argument] }, { [name]: value });
        return (values[String(schema['type'])] ?? []).map((value) => {
          for (const given of [value, String(value)])
            expect(checked(given), `${tool.name}: ${name}`).toEqual({ [name]: value });
          expect(() => checked([value])).toThrow();
          return name;
        });
      }),
    );
    expect([...new Set(tried)].sort()).toEqual(['isDerivative', 'isPlanned', 'listed', 'minValue']);
  });
  it('a tool takes an accession number with and without its dashes', () => {
    const summary = toolNamed('sec_filing_summary');
    if (!summary) throw new Error('no such tool');
    for (const accessionNo of ['0000320193-25-000079', '000032019325000079'])
      expect(checkArguments(summary, { accessionNo })).toEqual({ accessionNo: '0000320193-25-000079' });
    for (const accessionNo of [
      '00003201932500007',
      '0000320193-25000079',
      '000032019325-000079',
      '0000320193250000790',
      320193250000,
    ])
      expect(() => checkArguments(summary, { accessionNo })).toThrow();
  });
});
