import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createClient, memoryCursor } from '../../clients/typescript/src/node.ts';
import { pythonEnvironment, run } from '../support/clients.ts';
import { needs } from '../support/needs.ts';

/** The key that the server takes, and the requests that it had: path and key. */
let taken = 'second-key';
let asked: string[] = [];
let address = '';

const page = { data: [], meta: { count: 0, nextCursor: null, unknown: [] } };
const refusal = { error: { code: 'unauthorized', message: 'x-api-key: is no key of this service' } };

const server = createServer(({ url, headers }: IncomingMessage, response) => {
  const key = String(headers['x-api-key']);
  asked.push(`${url} ${key}`);
  if (key !== taken) return response.writeHead(401).end(JSON.stringify(refusal));
  if (headers.accept === 'text/event-stream')
    return response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`id: 7\ndata: ${JSON.stringify({ sequence: 1, filing: {} })}\n\n`);
  return response.end(JSON.stringify(page));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  taken = 'second-key';
  asked = [];
});

it('a function that gives the key is asked again when the service refuses the key, once', async () => {
  const keys = ['first-key', 'second-key', 'third-key'];
  const client = createClient({ baseUrl: address, apiKey: async () => keys.shift() ?? 'none' });
  await client.getStats();
  await client.getStats();
  expect(asked).toEqual(['first-key', 'second-key', 'second-key'].map((key) => `/v1/sec/stats ${key}`));
  taken = 'fourth-key';
  await expect(client.getStats()).rejects.toThrow(expect.objectContaining({ code: 'unauthorized' }));
  expect(asked.length).toBe(5);
});

it('a key that is refused and does not change is not sent again', async () => {
  let calls = 0;
  const client = createClient({ baseUrl: address, apiKey: () => `first-key${++calls > 9}` });
  await expect(client.getStats()).rejects.toThrow(expect.objectContaining({ status: 401 }));
  expect([asked.length, calls]).toEqual([1, 2]);
});

it('requests at the same time ask for a new key together', async () => {
  let calls = 0;
  const client = createClient({
    baseUrl: address,
    apiKey: () => (++calls === 1 ? 'first-key' : 'second-key'),
  });
  await Promise.all(Array.from({ length: 5 }, () => client.getStats()));
  expect(calls).toBe(2);
});

it('a follower goes on with a new key', async () => {
  const keys = ['first-key', 'second-key'];
  const client = createClient({ baseUrl: address, apiKey: () => keys.shift() ?? 'none' });
  const changes = client.changes({}).follow({ cursor: memoryCursor('6') });
  for await (const { sequence } of changes) {
    expect(sequence).toBe(1);
    break;
  }
  expect(asked.map((each) => each.split(' ')[1])).toEqual(['first-key', 'second-key']);
});

it('histories are asked for in the longest pages, unless a limit is given', async () => {
  const client = createClient({ baseUrl: address, apiKey: taken });
  for (const limit of [undefined, 5])
    for await (const _ of client.rows('listLatestFilings', limit === undefined ? {} : { limit }));
  expect(asked).toEqual([200, 5].map((limit) => `/v1/sec/latest?limit=${limit} second-key`));
});

const python = `
import sys
from filing_events import Client, FilingEventsError
keys = ["first-key", "second-key"]
client = Client(sys.argv[1], lambda: keys.pop(0) if keys else "none")
client.get_stats()
list(client.rows("list_latest_filings"))
list(client.rows("list_latest_filings", limit=5))
try:
    Client(sys.argv[1], lambda: "first-key").get_stats()
except FilingEventsError as failure:
    print(failure.code)
`;

it('the Python client does so, too', needs('python'), async () => {
  const { stdout } = await run('python3', ['-c', python, address], { env: pythonEnvironment });
  expect(stdout).toBe('unauthorized\n');
  expect(asked).toEqual([
    '/v1/sec/stats first-key',
    '/v1/sec/stats second-key',
    '/v1/sec/latest?limit=200 second-key',
    '/v1/sec/latest?limit=5 second-key',
    '/v1/sec/stats first-key',
  ]);
});
