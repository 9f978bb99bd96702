import { createServer, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../clients/typescript/src/node.ts';
import { drivenLanguages } from '../support/driven-clients.ts';
import { reopenable } from '../support/servers.ts';

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
beforeAll(async () => void ({ address } = await reopenable(server)));
afterAll(() => void server.close());
beforeEach(() => {
  taken = 'second-key';
  asked = [];
});

describe.each(drivenLanguages)('the key of the client for $language', ({ open }) => {
  it('a function that gives the key is asked again when the service refuses the key, once', async () => {
    const client = open({ baseUrl: address, keys: ['first-key', 'second-key', 'third-key'] });
    await client.call('getStats');
    await client.call('getStats');
    expect(asked).toEqual(['first-key', 'second-key', 'second-key'].map((key) => `/v1/sec/stats ${key}`));
    taken = 'fourth-key';
    await expect(client.call('getStats')).rejects.toMatchObject({ code: 'unauthorized' });
    expect(asked.length).toBe(5);
  });

  it('a key that is refused and does not change is not sent again', async () => {
    const client = open({ baseUrl: address, keys: ['first-key', 'first-key'] });
    await expect(client.call('getStats')).rejects.toMatchObject({ status: 401 });
    expect(asked.length).toBe(1);
  });

  it('a follower goes on with a new key', async () => {
    const client = open({ baseUrl: address, keys: ['first-key', 'second-key'] });
    const { changes } = await client.follow({ most: 1, text: '6' });
    expect(changes[0]?.sequence).toBe(1);
    expect(asked.map((each) => each.split(' ')[1])).toEqual(['first-key', 'second-key']);
  });

  it('histories are asked for in the longest pages, unless a limit is given', async () => {
    const client = open({ baseUrl: address, keys: [taken] });
    for (const more of [{}, { limit: 5 }]) await client.history('rows', 'listLatestFilings', more);
    expect(asked).toEqual([200, 5].map((limit) => `/v1/sec/latest?limit=${limit} second-key`));
  });
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
