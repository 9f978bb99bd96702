import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../build/ledger/batch.ts';
import { createAuthenticator } from '../src/auth.ts';
import { createApp } from '../src/http/app.ts';
import { createMemo } from '../src/http/memo.ts';
import type { Services } from '../src/http/services.ts';
import { watched } from '../src/http/watch.ts';
import { createKeyRing } from '../src/keys.ts';
import { createLog } from '../src/log.ts';
import { plainCallsFirst } from '../src/mcp/front.ts';
import { createFollower, type Follower } from '../src/snapshot/follow.ts';
import { createChunkCache } from '../src/table/cache.ts';
import { noJournal } from './support/journal.ts';
import { batchAt, filing } from './support/ledgers.ts';
import { closeAll, listen } from './support/servers.ts';
import { makeSnapshot, type MadeSnapshot } from './support/snapshot.ts';

let made: MadeSnapshot;
let follower: Follower;
let fronted: Server;
let plain: Server;
/** How often the front gave a request on. */
let passedOn = 0;

beforeAll(async () => {
  made = await makeSnapshot({ filings: 200, companies: 6, batches: 1 });
  follower = createFollower(made.directory, createChunkCache(1024 * 1024), () => {});
  await follower.check();
  const log = createLog(() => {}, Date.now);
  const authenticator = createAuthenticator(createKeyRing(['key'], null, () => {}), { host: null, secrets: [] });
  const services = (): Services => ({ follower, authenticator, memo: createMemo(1024 * 1024), log, now: Date.now, own: { baseUrl: null, isLocal: true }, journal: noJournal });
  const listener = (each: Services): RequestListener => getRequestListener(watched(createApp(each).fetch, log) as Parameters<typeof getRequestListener>[0]);
  const [one, two] = [services(), services()];
  const behind = listener(one);
  fronted = createServer(plainCallsFirst((incoming, outgoing) => (passedOn++, behind(incoming, outgoing)), one));
  plain = createServer(listener(two));
  await listen([fronted, plain]);
});
afterAll(async () => {
  await closeAll([fronted, plain]);
  await follower.close();
  await made.remove();
});

async function ask(server: Server, body: string, headers: Record<string, string> = { 'x-api-key': 'key' }) {
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  return { status: response.status, type: response.headers.get('content-type'), caching: response.headers.get('cache-control'), text: await response.text() };
}

const calls = ['{"name":"sec_watchlist_changes","arguments":{"tickers":"B,C,NOPE","since":"2000-01-01","limit":3}}', '{"name":"sec_company_search","arguments":{"q":"co"}}', '{"name":"sec_company_search","arguments":{"q":"c"}}', '{"name":"sec_demo_latest_filings"}', '{"name":"nope"}', '5'];
const ids = ['1', '2', '"a"', '"b-1"', '1.5', 'null', '"a\\"b"', '{}'];
const shapes = [
  (id: string, params: string) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`,
  (id: string, params: string) => `{"method":"tools/call","params":${params},"jsonrpc":"2.0","id":${id}}`,
  (id: string, params: string) => `{"jsonrpc":"2.0","method":"tools/call","id":${id},"params":${params}}`,
  (id: string, params: string) => ` {"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`,
  (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`,
];

describe('a plain call', () => {
  it('is answered as the application answers it, again and again, each with its id', async () => {
    for (let round = 0; round < 3; round++) {
      for (const shape of shapes) {
        for (const params of calls) for (const id of ids) expect(await ask(fronted, shape(id, params)), shape(id, params)).toEqual(await ask(plain, shape(id, params)));
      }
    }
  });

  it('is for nobody without a key, also when it was answered to somebody', async () => {
    const body = shapes[0]?.('1', calls[0] as string) as string;
    expect((await ask(fronted, body)).status).toBe(200);
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { 'x-api-key': 'key', authorization: 'Bearer wrong' }] as Record<string, string>[]) {
      expect(await ask(fronted, body, headers)).toEqual(await ask(plain, body, headers));
      expect((await ask(fronted, body, headers)).status).toBe(401);
    }
    expect((await ask(fronted, body, { 'x-api-key': 'key', origin: 'https://evil.example' })).status).toBe(403);
    expect((await ask(fronted, body, { 'x-api-key': 'key', 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  });

  it('does not reach the application', async () => {
    const before = passedOn;
    for (const id of ['1', '2', '3']) await ask(fronted, shapes[0]?.(id, calls[0] as string) as string);
    expect(passedOn).toBe(before);
  });

  it('is answered from the snapshot that is served now', async () => {
    const body = shapes[0]?.('1', '{"name":"sec_demo_latest_filings","arguments":{"limit":1}}') as string;
    const before = await ask(fronted, body);
    await appendBatch(made.ledgerDirectory, { run: { target: '', status: 'success', message: null, createdAt: batchAt(9) }, filings: [{ ...filing(1), filedAt: '2029-01-02' }], companies: [], refusals: [] });
    await made.build();
    await follower.check();
    const after = await ask(fronted, body);
    expect(after.text).not.toBe(before.text);
    expect(after).toEqual(await ask(plain, body));
  });
});
