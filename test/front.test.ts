import { createServer, request, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../build/ledger/batch.ts';
import type { LedgerFiling } from '../build/ledger/rows.ts';
import { createAuthenticator } from '../src/auth.ts';
import { createApp } from '../src/http/app.ts';
import { knownFirst } from '../src/http/front.ts';
import { createMemo } from '../src/http/memo.ts';
import type { Services } from '../src/http/services.ts';
import { watched } from '../src/http/watch.ts';
import { createKeyRing } from '../src/keys.ts';
import { createLog } from '../src/log.ts';
import { createFollower, type Follower } from '../src/snapshot/follow.ts';
import { createChunkCache } from '../src/table/cache.ts';
import { closeAll, listen } from './support/servers.ts';
import { makeSnapshot, type MadeSnapshot } from './support/snapshot.ts';
import { until } from './support/wait.ts';
import { noJournal } from './support/journal.ts';

const key = 'direct-key';
const through = { 'x-marketplace-proxy-secret': 'proxy-secret', 'x-marketplace-host': 'filings.example.com', 'x-marketplace-key': 'buyer' };

let made: MadeSnapshot;
let follower: Follower;
/** Two services over the same snapshot: one with the front before it, one without. */
let fronted: Server;
let plain: Server;
let frontedServices: Services;
/** How often the front gave a request on. */
let passedOn = 0;
let written = '';

function serve(withFront: boolean): { server: Server; services: Services } {
  const log = createLog((text) => void (withFront && (written += text)), Date.now);
  const authenticator = createAuthenticator(createKeyRing([key], null, () => {}), { host: 'filings.example.com', secrets: ['proxy-secret'] });
  const services: Services = { follower, authenticator, memo: createMemo(1024 * 1024), log, now: Date.now, own: { baseUrl: null, isLocal: true }, journal: noJournal };
  const listener: RequestListener = getRequestListener(watched(createApp(services).fetch, log) as Parameters<typeof getRequestListener>[0]);
  const counted: RequestListener = (incoming, outgoing) => (passedOn++, listener(incoming, outgoing));
  return { server: createServer(withFront ? knownFirst(counted, services) : listener), services };
}

beforeAll(async () => {
  made = await makeSnapshot({ filings: 300, companies: 8, batches: 2 });
  follower = createFollower(made.directory, createChunkCache(1024 * 1024), () => {});
  await follower.check();
  const first = serve(true);
  [fronted, frontedServices, plain] = [first.server, first.services, serve(false).server];
  await listen([fronted, plain]);
});
afterAll(async () => {
  await closeAll([fronted, plain]);
  await follower.close();
  await made.remove();
});

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

function ask(server: Server, path: string, headers: Record<string, string> = { 'x-api-key': key }, method = 'GET'): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: portOf(server), path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...rest } = response.headers;
        resolve({ status: response.statusCode ?? 0, headers: rest, body: Buffer.concat(parts).toString('base64') });
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

const keyed = ['/v1/sec/latest?limit=30', '/v1/sec/latest', '/v1/sec/changes?since=2010-01-01&limit=40', '/v1/sec/watchlist/changes?tickers=B,C,NOPE&since=2000-01-01', '/v1/sec/companies/search?q=apex', '/v1/sec/company/B/profile', '/v1/sec/company/a%2Eb/filings', '/v1/sec/insider-trades?ticker=B'];

describe('an answer that was given lately', () => {
  it.each(keyed)('is the one that the application gives: %s', async (path) => {
    const fresh = await ask(fronted, path);
    expect(fresh.status).toBe(200);
    expect(fresh).toEqual(await ask(plain, path));
    const etag = fresh.headers.etag as string;
    const variants: Record<string, string>[] = [
      {}, { 'accept-encoding': 'gzip' }, { 'accept-encoding': 'br, gzip;q=0' }, { 'if-none-match': etag }, { 'if-none-match': `W/${etag}, "x"`, 'accept-encoding': 'gzip' }, { 'if-none-match': '"x"' }, { origin: 'https://example.com' }, { accept: 'text/html' },
    ];
    const before = passedOn;
    for (const each of variants) {
      for (const door of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }, through]) expect(await ask(fronted, path, { ...door, ...each })).toEqual(await ask(plain, path, { ...door, ...each }));
    }
    expect(passedOn).toBe(before);
  });

  it('is for nobody without a key, nor for who has a wrong one', async () => {
    const [path] = keyed as [string];
    await ask(fronted, path);
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { 'x-api-key': key, authorization: 'Bearer wrong' }, { ...through, 'x-marketplace-proxy-secret': 'wrong' }, { ...through, 'x-api-key': 'wrong' }] as Record<string, string>[]) {
      const refused = await ask(fronted, path, headers);
      expect(refused.status).toBe(401);
      expect(refused).toEqual(await ask(plain, path, headers));
    }
    // Headers that come twice are joined, and are no key.
    const doubled = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nx-api-key: ${key}\r\nConnection: close\r\n\r\n`);
    expect(doubled).toMatch(/^HTTP\/1\.1 401 /);
    // What a connection showed before opens nothing for what it shows now.
    const get = (lines: string, connection = 'keep-alive') => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n${lines}\r\n`;
    const good = `x-api-key: ${key}\r\n`;
    const answers = await raw([get(good), get(good), get('x-api-key: wrong\r\n'), get(good), get(`${good}Authorization: Bearer wrong\r\n`), get('', 'close')].join(''));
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '200', '401', '200', '401', '401']);
  });

  it('is not what other methods get', async () => {
    const [path] = keyed as [string];
    await ask(fronted, path);
    for (const method of ['HEAD', 'POST', 'DELETE', 'OPTIONS']) expect(await ask(fronted, path, { 'x-api-key': key }, method), method).toEqual(await ask(plain, path, { 'x-api-key': key }, method));
    const head = await ask(fronted, path, { 'x-api-key': key }, 'HEAD');
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', (await ask(fronted, path)).headers['content-length']]);
  });

  it('is logged like others, without its query and its key', async () => {
    frontedServices.log.flush();
    written = '';
    for (let round = 0; round < 2; round++) await ask(fronted, '/v1/sec/latest?limit=17', { 'x-api-key': key });
    frontedServices.log.flush();
    const lines = written.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    const [first, second] = lines.map(({ time: _time, durationMs: _durationMs, ...rest }) => rest);
    expect(lines.length).toBe(2);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ event: 'request', method: 'GET', path: '/v1/sec/latest', status: 200 });
    expect(written).not.toMatch(/limit=17|direct-key/);
  });

  it('is forgotten with its snapshot', async () => {
    const [path] = keyed as [string];
    const before = await ask(fronted, path);
    const filing: LedgerFiling = {
      accessionNo: '0000000009-27-000001', form: '8-K', filedAt: '2027-01-01', reportDate: null, acceptedAt: null, items: [], primaryDocument: null, primaryDocDescription: null, sizeBytes: 1,
      isXbrl: false, isInlineXbrl: false, subjectCik: null, filerCiks: ['0000100000'],
    };
    await appendBatch(made.ledgerDirectory, { run: { target: 't', status: 'success', message: null, createdAt: '2026-09-01T00:00:00.000Z' }, companies: [], refusals: [], filings: [filing] });
    await made.build();
    await follower.check();
    const after = await ask(fronted, path);
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect(Buffer.from(after.body, 'base64').toString()).toContain('0000000009-27-000001');
    expect((await ask(fronted, path, { 'x-api-key': key, 'if-none-match': before.headers.etag as string })).status).toBe(200);
  });
});

/** Sends bytes as they are and returns what comes back until the connection ends. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(portOf(fronted), '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.on('data', (part: Buffer) => (received += part.toString('latin1')));
    socket.on('end', () => resolve(received));
    socket.on('error', reject);
  });
}

describe('requests that no client library would send', () => {
  it.each([
    ['a target that is no path', 'GET latest HTTP/1.1\r\nHost: x\r\n', /^HTTP\/1\.1 (400|404) /],
    ['an absolute target', 'GET http://other.example/v1/sec/latest HTTP/1.1\r\nHost: x\r\n', /^HTTP\/1\.1 (400|401) /],
    ['a path that climbs', 'GET /../../manifest.json HTTP/1.1\r\nHost: x\r\n', /^HTTP\/1\.1 404 /],
    ['a path that climbs back to an operation', 'GET /v1/../v1/sec/latest HTTP/1.1\r\nHost: x\r\n', /^HTTP\/1\.1 401 /],
    ['a host that is none', 'GET /health HTTP/1.1\r\nHost: a b\r\n', /^HTTP\/1\.1 400 /],
    ['no host', 'GET /health HTTP/1.1\r\n', /^HTTP\/1\.1 400 /],
    ['a method that does not exist', 'BREW /health HTTP/1.1\r\nHost: x\r\n', /^HTTP\/1\.1 400 /],
    ['too long a header', `GET /health HTTP/1.1\r\nHost: x\r\nx-long: ${'a'.repeat(40_000)}\r\n`, /^HTTP\/1\.1 431 /],
  ])('with %s are refused, and the service goes on', async (_, head, expected) => {
    expect(await raw(`${head}Connection: close\r\n\r\n`)).toMatch(expected);
    expect((await ask(fronted, '/health')).status).toBe(200);
  });

  it('that end before their answer does not come do no harm', async () => {
    const before = passedOn;
    for (let round = 0; round < 5; round++) {
      const socket = connect(portOf(fronted), '127.0.0.1', () => socket.write(`GET /v1/sec/latest?limit=${100 + round} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`, () => socket.destroy()));
      socket.on('error', () => {});
    }
    await until(() => passedOn >= before + 5);
    expect((await ask(fronted, '/v1/sec/latest?limit=100')).status).toBe(200);
  });
});
