import { request, type IncomingHttpHeaders } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { ErrorResponse } from '../../src/contract/errors.ts';
import { createApp } from '../../src/app.ts';
import { createResponseCache } from '../../src/http/response-cache.ts';
import { filing } from '../support/made-up.ts';
import {
  exchangeBytes,
  listeningService,
  sendBytes,
  serviceKey as key,
  type ListeningService,
} from '../support/service.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { until } from '../support/wait.ts';
import { valuesIn } from '../support/values.ts';

const gateway = { host: 'filings.example.com', secrets: ['proxy-secret'] };
const through = {
  'x-marketplace-proxy-secret': 'proxy-secret',
  'x-marketplace-host': 'filings.example.com',
  'x-marketplace-key': 'buyer',
};

let made: MadeSnapshot;
let service: ListeningService;
/** The same service through its routes alone, with a response cache of its own that keeps nothing. */
let routes: ReturnType<typeof createApp>;
beforeAll(async () => {
  made = await makeSnapshot({ filings: 300, companies: 8, batches: 2 });
  service = await listeningService(made.directory, {}, gateway);
  routes = createApp({ ...service.services, responses: createResponseCache(8) });
});

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Asks the server; headers of the connection and of the moment are left out. */
function ask(
  path: string,
  headers: Record<string, string> = { 'x-api-key': key },
  method = 'GET',
  sent?: string,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: service.port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: lasting(response.headers),
          body: Buffer.concat(parts).toString('base64'),
        }),
      );
    });
    asked.on('error', reject);
    asked.end(sent);
  });
}

/** Asks the routes for the same. */
async function askRoutes(
  path: string,
  headers: Record<string, string> = { 'x-api-key': key },
  method = 'GET',
  sent?: string,
): Promise<Received> {
  const response = await routes.request(
    `http://127.0.0.1:${service.port}${path}`,
    { method, headers, ...(sent === undefined ? {} : { body: sent }) },
    {},
  );
  return {
    status: response.status,
    headers: lasting(Object.fromEntries(response.headers)),
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
  };
}

function lasting({
  date: _date,
  connection: _connection,
  'keep-alive': _keepAlive,
  'x-request-id': _id,
  'transfer-encoding': _coding,
  'content-length': length,
  ...rest
}: IncomingHttpHeaders): IncomingHttpHeaders {
  return length === undefined || length === '0' ? rest : { ...rest, 'content-length': length };
}

const keyed = valuesIn(`
  /v1/sec/latest?limit=30 | /v1/sec/latest | /v1/sec/changes?since=2010-01-01&limit=40
  /v1/sec/watchlist/changes?tickers=B,C,NOPE&since=2000-01-01 | /v1/sec/companies/search?q=apex
  /v1/sec/company/B/profile | /v1/sec/company/a%2Eb/filings | /v1/sec/insider-trades?ticker=B`);

describe('an answer that was given lately', () => {
  it.each(keyed)('a cached answer is the one that the routes give: %s', async (path) => {
    const etag = (await ask(path)).headers.etag as string;
    const variants: Record<string, string>[] = [
      {},
      { 'accept-encoding': 'gzip' },
      { 'accept-encoding': 'br, gzip;q=0' },
      { 'if-none-match': etag },
      { 'if-none-match': `W/${etag}, "x"`, 'accept-encoding': 'gzip' },
      { 'if-none-match': '"x"' },
      { origin: 'https://example.com' },
      { accept: 'text/html' },
    ];
    for (const each of variants) {
      for (const credential of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }, through])
        expect(await ask(path, { ...credential, ...each })).toEqual(
          await askRoutes(path, { ...credential, ...each }),
        );
    }
  });

  it('a cached answer is not sent without a key, or with a wrong one', async () => {
    const [path] = keyed as [string];
    await ask(path);
    for (const headers of [
      {},
      { 'x-api-key': 'wrong' },
      { 'x-api-key': key, authorization: 'Bearer wrong' },
      { ...through, 'x-marketplace-proxy-secret': 'wrong' },
      { ...through, 'x-api-key': 'wrong' },
    ] as Record<string, string>[]) {
      const refused = await ask(path, headers);
      expect(refused.status).toBe(401);
      expect(refused).toEqual(await askRoutes(path, headers));
    }
    // Headers that come twice are joined, which makes no valid key.
    expect(
      await exchangeBytes(
        service.port,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nx-api-key: ${key}\r\nConnection: close\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 401 /);
    // A good key of an earlier request does not count for the next one on the connection.
    const get = (lines: string, connection = 'keep-alive') =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n${lines}\r\n`;
    const good = `x-api-key: ${key}\r\n`;
    const answers = await exchangeBytes(
      service.port,
      [
        get(good),
        get(good),
        get('x-api-key: wrong\r\n'),
        get(good),
        get(`${good}Authorization: Bearer wrong\r\n`),
        get('', 'close'),
      ].join(''),
    );
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '200',
      '200',
      '401',
      '200',
      '401',
      '401',
    ]);
  });

  it('a cached answer is not sent to other methods', async () => {
    const [path] = keyed as [string];
    await ask(path);
    for (const method of ['HEAD', 'POST', 'DELETE', 'OPTIONS'])
      expect(await ask(path, { 'x-api-key': key }, method), method).toEqual(
        await askRoutes(path, { 'x-api-key': key }, method),
      );
    const head = await ask(path, { 'x-api-key': key }, 'HEAD');
    expect([head.status, head.body, head.headers['content-length']]).toEqual([
      200,
      '',
      (await ask(path)).headers['content-length'],
    ]);
  });

  it('a cached answer is replaced with the snapshot', async () => {
    const [path] = keyed as [string];
    const before = await ask(path);
    await made.publish([{ ...filing(1), filedAt: '2029-01-02' }], [], 9);
    await service.services.served.check();
    const after = await ask(path);
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect(Buffer.from(after.body, 'base64').toString()).toContain(filing(1).accessionNo);
    expect(
      (await ask(path, { 'x-api-key': key, 'if-none-match': before.headers.etag as string })).status,
    ).toBe(200);
  });
});

const calls = [
  '{"name":"sec_watchlist_changes","arguments":{"tickers":"B,C,NOPE","since":"2000-01-01","limit":3}}',
  '{"name":"sec_company_search","arguments":{"q":"co"}}',
  '{"name":"sec_company_search","arguments":{"q":"c"}}',
  '{"name":"sec_demo_latest_filings"}',
  '{"name":"nope"}',
  '5',
];
const ids = ['1', '"a"', '1.5', 'null', '"a\\"b"', '{}', '007', '1,"id":2'];
const spellings = [
  (id: string, params: string) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`,
  (id: string, params: string) => `{"method":"tools/call","params":${params},"jsonrpc":"2.0","id":${id}}`,
  (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`,
];

describe('a tool call', () => {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };

  it('a tool call gets the same answer the first time, again, and through the routes', {
    tags: ['slow'],
  }, async () => {
    for (const spelling of spellings) {
      for (const params of calls) {
        for (const id of ids) {
          const text = spelling(id, params);
          const first = await ask('/mcp', headers, 'POST', text);
          expect(await ask('/mcp', headers, 'POST', text), text).toEqual(first);
          expect(await askRoutes('/mcp', headers, 'POST', text), text).toEqual(first);
        }
      }
    }
  });

  it('a tool call gets valid JSON for any spelling of its id', async () => {
    const call = spellings[0] as (id: string, params: string) => string;
    const params = calls[0] as string;
    expect((await ask('/mcp', headers, 'POST', call('1', params))).status).toBe(200);
    const refused = await ask('/mcp', headers, 'POST', call('007', params));
    expect([refused.status, JSON.parse(Buffer.from(refused.body, 'base64').toString())]).toMatchObject([
      400,
      { id: null, error: { code: -32700 } },
    ]);
    // Of two members with one name the last one counts, always.
    for (let round = 0; round < 2; round++)
      expect(
        JSON.parse(
          Buffer.from(
            (await ask('/mcp', headers, 'POST', call('1,"id":2', params))).body,
            'base64',
          ).toString(),
        ),
      ).toMatchObject({ id: 2 });
  });

  it('a tool call needs a key each time', async () => {
    const text = (spellings[0] as (id: string, params: string) => string)('1', calls[0] as string);
    expect((await ask('/mcp', headers, 'POST', text)).status).toBe(200);
    for (const wrong of [
      {},
      { 'x-api-key': 'wrong' },
      { 'x-api-key': key, authorization: 'Bearer wrong' },
    ] as Record<string, string>[]) {
      expect((await ask('/mcp', { 'content-type': 'application/json', ...wrong }, 'POST', text)).status).toBe(
        401,
      );
    }
  });

  it('a subscription is acknowledged and ended', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: meta },
    };
    const answered = await ask(
      '/mcp',
      { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
      'POST',
      JSON.stringify(message),
    );
    expect([answered.status, answered.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(Buffer.from(answered.body, 'base64').toString()).toContain(
      'notifications/subscriptions/acknowledged',
    );
  });

  it.each(['/mcp', '/a2a'])('a body nested 8,000 levels deep is refused at %s in JSON-RPC', async (path) => {
    for (const deep of [
      '['.repeat(8000) + ']'.repeat(8000),
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(8000)}1${'}'.repeat(8000)}}`,
    ]) {
      const refused = await ask(path, headers, 'POST', deep);
      expect([path === '/mcp' ? 400 : 200, refused.status]).toEqual([refused.status, refused.status]);
      expect(JSON.parse(Buffer.from(refused.body, 'base64').toString())).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32700 },
      });
    }
  });
});

describe('the log', () => {
  const requests = () =>
    service
      .logged()
      .filter(({ event }) => event === 'request')
      .map(({ time: _time, durationMs: _durationMs, ...rest }) => rest);

  it('the log has one line for each request, also from the cache, without query and key', async () => {
    const before = requests().length;
    for (let round = 0; round < 2; round++) await ask('/v1/sec/latest?limit=17', { 'x-api-key': key });
    await until(() => requests().length === before + 2);
    const [first, second] = requests().slice(before);
    expect(second).toEqual({ ...first, requestId: second?.['requestId'] });
    expect(second?.['requestId']).not.toBe(first?.['requestId']);
    expect(first).toMatchObject({
      method: 'GET',
      path: '/v1/sec/latest',
      status: 200,
      caller: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
    });
    expect(first?.['bytes']).toBeGreaterThan(1000);
    expect(JSON.stringify(service.logged())).not.toMatch(new RegExp(`limit=17|${key}`));
  });

  it('the log has the bytes that were sent: none for HEAD and 304', async () => {
    const { headers } = await ask('/v1/sec/latest?limit=18');
    const before = requests().length;
    await ask('/v1/sec/latest?limit=18', { 'x-api-key': key }, 'HEAD');
    await ask('/v1/sec/latest?limit=18', { 'x-api-key': key, 'if-none-match': headers.etag as string });
    await until(() => requests().length === before + 2);
    expect(
      requests()
        .slice(before)
        .map(({ bytes }) => bytes),
    ).toEqual([0, 0]);
  });

  it('the log has the code of a failure, and the request id that the client got', async () => {
    for (const [path, method, body, headers, code] of [
      ['/v1/sec/latest?limit=0', 'GET', undefined, { 'x-api-key': key }, 'invalid_parameter'],
      ['/nothing', 'GET', undefined, {}, 'not_found'],
      ['/v1/sec/latest', 'GET', undefined, {}, 'unauthorized'],
      ['/mcp', 'POST', '{', { 'content-type': 'application/json' }, '-32700'],
      ['/a2a', 'POST', '{', { 'content-type': 'application/json' }, 'parse_error'],
    ] as const) {
      const id = `id-${code}`;
      const response = await fetch(`http://127.0.0.1:${service.port}${path}`, {
        method,
        headers: { ...headers, 'x-request-id': id },
        ...(body === undefined ? {} : { body }),
      });
      expect(response.headers.get('x-request-id')).toBe(id);
      await until(() => requests().some(({ requestId }) => requestId === id));
      expect(requests().find(({ requestId }) => requestId === id)).toMatchObject({
        status: response.status,
        code,
      });
    }
    const refused = await fetch(`http://127.0.0.1:${service.port}/nothing`, {
      headers: { 'x-request-id': 'a"b' },
    });
    expect(refused.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('the log says when a client did not take its answer', async () => {
    const before = requests().length;
    const socket = sendBytes(
      service.port,
      `GET /v1/sec/latest?limit=200 HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`.repeat(400),
    );
    socket.pause();
    await until(() => requests().length > before + 5);
    socket.destroy();
    await until(() =>
      requests()
        .slice(before)
        .some(({ aborted }) => aborted === true),
    );
  });
});

describe('requests that no client library would send', () => {
  const codeOf = (text: string) =>
    ErrorResponse.parse(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))).error.code;
  it.each([
    ['a target that is no path', 'GET latest HTTP/1.1\r\nHost: x\r\n', 400, 'invalid_parameter'],
    ['a backslash in the path', 'GET /docs\\x HTTP/1.1\r\nHost: x\r\n', 400, 'invalid_parameter'],
    [
      'an absolute target',
      'GET http://other.example/v1/sec/latest HTTP/1.1\r\nHost: x\r\n',
      401,
      'unauthorized',
    ],
    ['a path that climbs', 'GET /../../manifest.json HTTP/1.1\r\nHost: x\r\n', 404, 'not_found'],
    [
      'a path that climbs back to an operation',
      'GET /v1/../v1/sec/latest HTTP/1.1\r\nHost: x\r\n',
      401,
      'unauthorized',
    ],
    ['a host that is none', 'GET /health HTTP/1.1\r\nHost: a b\r\n', 400, 'invalid_parameter'],
    ['a header without a value', 'GET /health HTTP/1.1\r\nHost;\r\n', 400, 'invalid_parameter'],
    ['no host', 'GET /health HTTP/1.1\r\n', 400, 'invalid_parameter'],
    ['a method that does not exist', 'BREW /health HTTP/1.1\r\nHost: x\r\n', 400, 'invalid_parameter'],
    [
      'a range behind the end',
      'GET /docs HTTP/1.1\r\nHost: x\r\nRange: bytes=99999999-\r\n',
      416,
      'range_not_satisfiable',
    ],
    [
      'too long a header',
      `GET /health HTTP/1.1\r\nHost: x\r\nx-long: ${'a'.repeat(40_000)}\r\n`,
      413,
      'payload_too_large',
    ],
    [
      'too long a body',
      `POST /validate/a/view HTTP/1.1\r\nHost: x\r\nContent-Length: 999999\r\n`,
      413,
      'payload_too_large',
    ],
  ])('a request with %s is refused in JSON, and the service goes on', async (_, head, status, code) => {
    const answered = await exchangeBytes(service.port, `${head}Connection: close\r\n\r\n`);
    expect(answered).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(codeOf(answered)).toBe(code);
    expect((await ask('/health')).status).toBe(200);
  });

  it('a malformed request is refused alike whether its answer is cached or not', async () => {
    const get = (host: string) =>
      exchangeBytes(
        service.port,
        `GET /v1/sec/latest HTTP/1.1\r\nHost: ${host}\r\nx-api-key: ${key}\r\nConnection: close\r\n\r\n`,
      );
    await ask('/v1/sec/latest');
    for (const host of ['a b', 'a/b', 'a@b', '[::1', 'a:b'])
      expect(await get(host), host).toMatch(/^HTTP\/1\.1 400 /);
    for (const host of ['x', '1.2.3', '[::1]:80', 'EXAMPLE.com:8080', ''])
      expect(await get(host), host).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('OPTIONS * names the methods', async () => {
    expect(
      await exchangeBytes(service.port, 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    ).toMatch(/^HTTP\/1\.1 204 [^]*\r\nAllow: GET, HEAD, OPTIONS\r\n/i);
  });
});
