// @module-tag slow
import { request } from 'node:http';
import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useDirectories } from '../support/directories.ts';
import { filesBelow } from '../support/files-below.ts';
import { company, filing } from '../support/made-up.ts';
import { openEvents } from '../support/event-stream.ts';
import { startCaddy, startNginx, type Proxy } from '../support/proxy.ts';
import { listeningService, serviceKey, type ListeningService } from '../support/service.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { until } from '../support/wait.ts';
import { has, needs } from '../support/needs.ts';
import { valuesIn } from '../support/values.ts';

const fresh = useDirectories('deploy-proxy');
const keyed = { 'x-api-key': serviceKey };
/** A call of a tool, as the body of a request. */
const callOf = (name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
const search = callOf('sec_company_search', { q: 'company' });

let made: MadeSnapshot;
let batches = 0;
let replicas: ListeningService[];
let proxy: Proxy;

/** What became of requests that wait long, through each proxy: they wait while the other tests run. */
let waiting: Promise<Awaited<ReturnType<typeof waitLong>>[]>;

beforeAll(async () => {
  made = await makeSnapshot();
  await publish(1, 2, 3);
  // What is opened before all tests stays open until the last of them has ended.
  const requests = await Promise.all(
    proxies.filter(([name]) => has(name)).map(([, startProxy]) => askLong(startProxy)),
  );
  waiting = Promise.all(requests.map(waitLong));
  // The last test says what went wrong.
  waiting.catch(() => {});
});

afterAll(() => made.remove());

/** Appends filings and builds; the replicas have not looked yet. */
const publish = (...numbers: number[]) =>
  made.publish(
    numbers.map((number) => filing(number)),
    ++batches === 1 ? [company(1)] : [],
  );

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly json: () => {
    readonly data: { readonly sequence: number }[];
    readonly meta: { readonly nextCursor: string };
  };
}

/** Asks the proxy; a request sends no header but those that are given. */
function ask(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
  sent = '',
  port = proxy.port,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { ...headers, ...(sent === '' ? {} : { 'content-length': String(sent.length) }) },
      },
      (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.on('end', () => {
          const body = Buffer.concat(parts);
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body,
            json: () => JSON.parse(body.toString()) as ReturnType<Answer['json']>,
          });
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(sent);
  });
}

const countOf = ({ services }: ListeningService, operation: string) =>
  services.counts.operations.get(operation)?.statuses.reduce((a, b) => a + b) ?? 0;
const asked = (operation: string) => replicas.reduce((sum, each) => sum + countOf(each, operation), 0);
const kept = () => (proxy.cache === null ? [] : filesBelow(proxy.cache));

/** Starts a proxy and two replicas over one folder before each test, and ends them after it. */
function withTwoReplicas(startProxy: typeof startNginx): void {
  beforeEach(async () => {
    replicas = [await listeningService(made.directory), await listeningService(made.directory)];
    proxy = await startProxy(
      fresh(),
      replicas.map(({ port }) => port),
    );
  });
  afterEach(async () => {
    await proxy.stop();
    for (const each of replicas) await each.close();
  });
}

const proxies = [
  ['nginx', startNginx],
  ['caddy', startCaddy],
] as const;

/** Asks for an answer that is held for a whole minute, and for a stream on which nothing happens, through a proxy before a replica of its own. */
async function askLong(startProxy: typeof startNginx) {
  const replica = await listeningService(made.directory);
  const { port, stop } = await startProxy(fresh(), [replica.port]);
  const ofPort = async (path: string) => (await ask(path, keyed, 'GET', '', port)).json();
  const { meta, data } = await ofPort('/v1/sec/changes?since=2026-01-01&limit=200');
  const startedMs = performance.now();
  const held = ofPort(`/v1/sec/changes?cursor=${meta.nextCursor}&wait=60`);
  const stream = await openEvents(`http://127.0.0.1:${port}/v1/sec/changes?since=2026-01-01`, keyed);
  return { replica, stop, data, startedMs, held, stream };
}

/** What becomes of these requests. */
async function waitLong({
  replica,
  stop,
  data,
  startedMs,
  held,
  stream,
}: Awaited<ReturnType<typeof askLong>>) {
  await stream.changes(data.length);
  const signOfLife = await stream.next();
  await stream.close();
  const found = { signOfLife: signOfLife?.data, held: (await held).data };
  const isWholeMinute = performance.now() - startedMs > 59_000;
  await stop();
  await replica.close();
  return { ...found, isWholeMinute };
}

describe.each(proxies)('%s', (name, startProxy) => {
  describe('before two replicas over one folder', needs(name), () => {
    withTwoReplicas(startProxy);

    it('the proxy passes keyed answers to their key alone, and caches none', async () => {
      const path = '/v1/sec/latest?limit=2';
      const first = await ask(path, keyed);
      expect([first.status, first.headers['cache-control']]).toEqual([200, 'private, no-cache']);
      const before = asked('listLatestFilings');
      for (let time = 0; time < 6; time++) {
        expect((await ask(path, keyed)).body).toEqual(first.body);
        expect([(await ask(path)).status, (await ask(path, { 'x-api-key': 'wrong' })).status]).toEqual([
          401, 401,
        ]);
        expect((await ask(path, { ...keyed, 'if-none-match': String(first.headers['etag']) })).status).toBe(
          304,
        );
      }
      await until(() => asked('listLatestFilings') === before + 24);
      expect(replicas.every((each) => countOf(each, 'listLatestFilings') > 0)).toBe(true);
      const json = { 'content-type': 'application/json' };
      expect([
        (await ask('/mcp', { ...keyed, ...json }, 'POST', search)).status,
        (await ask('/mcp', json, 'POST', search)).status,
      ]).toEqual([200, 401]);
      expect(kept()).toEqual([]);
    });

    it('the proxy passes ranges of bulk files', async () => {
      const { data } = JSON.parse((await ask('/v1/sec/bulk', keyed)).body.toString()) as {
        data: { url: string; bytes: number }[];
      };
      const path = new URL(data[0]?.url as string, 'http://x').pathname;
      const whole = await ask(path, keyed);
      const part = await ask(path, { ...keyed, range: 'bytes=5-20' });
      expect([part.status, part.body]).toEqual([206, whole.body.subarray(5, 21)]);
    });

    it('the proxy passes a held request, and its answer as soon as something is published', async () => {
      const { meta } = (await ask('/v1/sec/changes?since=2026-01-01&limit=200', keyed)).json();
      const waiting = ask(`/v1/sec/changes?cursor=${meta.nextCursor}&wait=60`, keyed);
      await until(() => replicas.some(({ services }) => services.held.size() === 1));
      await publish(100 + batches);
      const publishedMs = performance.now();
      for (const { services } of replicas) await services.served.check();
      expect((await waiting).json().data.length).toBe(1);
      expect(performance.now() - publishedMs).toBeLessThan(5000);
    });

    it('the proxy passes each event of a stream when it is published', async () => {
      const { data } = (await ask('/v1/sec/changes?since=2026-01-01&limit=200', keyed)).json();
      const stream = await openEvents(
        `http://127.0.0.1:${proxy.port}/v1/sec/changes?since=2026-01-01`,
        keyed,
      );
      expect(stream.response.headers.get('content-type')).toMatch('text/event-stream');
      await stream.changes(data.length);
      for (let round = 0; round < 2; round++) {
        // A filing that no other test publishes.
        const number = 500_000 + batches;
        await publish(number);
        for (const { services } of replicas) await services.served.check();
        expect((await stream.changes(1))[0]?.data).toContain(filing(number).accessionNo);
      }
      await stream.close();
      await until(() => replicas.every(({ services }) => services.held.size() === 0));
    });

    it('the proxy loses and repeats no change while one replica is ahead', async () => {
      const seen: number[] = [];
      let { meta, data } = (await ask('/v1/sec/changes?since=2026-01-01&limit=200', keyed)).json();
      const first = data.length;
      const poll = async () => {
        ({ meta, data } = (await ask(`/v1/sec/changes?cursor=${meta.nextCursor}&limit=2`, keyed)).json());
        seen.push(...data.map(({ sequence }) => sequence));
      };
      for (let round = 0; round < 3; round++) {
        await publish(...[1, 2, 3].map((number) => 1000 * batches + number));
        for (const each of replicas) {
          await each.services.served.check();
          for (let time = 0; time < 4; time++) await poll();
        }
      }
      expect(seen).toEqual(Array.from({ length: 9 }, (_each, at) => first + 1 + at));
    });

    it('the proxy goes on when a replica is gone', async () => {
      await replicas[0]?.close();
      for (let time = 0; time < 10; time++) expect((await ask('/v1/sec/stats', keyed)).status).toBe(200);
      replicas = replicas.slice(1);
    });

    it('the proxy sends no request to a replica that serves no snapshot', async () => {
      await proxy.stop();
      const empty = await listeningService(fresh());
      replicas.push(empty);
      proxy = await startProxy(fresh(), [empty.port, (replicas[0] as ListeningService).port]);
      await until(async () => (await ask('/readyz')).status === 200);
      for (let time = 0; time < 10; time++)
        expect([
          (await ask('/v1/sec/stats', keyed)).status,
          (await ask('/mcp', { ...keyed, 'content-type': 'application/json' }, 'POST', search)).status,
          (await ask('/mcp/private', { ...keyed, 'content-type': 'application/json' }, 'POST', search))
            .status,
        ]).toEqual([200, 200, 200]);
    });

    it('the proxy passes encodings, conditional requests and uncacheable answers as they are', async () => {
      const plain = await ask('/demo');
      const [gzip, br] = [
        await ask('/demo', { 'accept-encoding': 'gzip' }),
        await ask('/demo', { 'accept-encoding': 'gzip, br' }),
      ];
      expect([plain, gzip, br].map(({ headers }) => headers['content-encoding'])).toEqual([
        undefined,
        'gzip',
        'br',
      ]);
      expect([gunzipSync(gzip.body), brotliDecompressSync(br.body)]).toEqual([plain.body, plain.body]);
      for (const { headers } of [plain, gzip, br])
        expect(
          (
            await ask('/demo', {
              'if-none-match': String(headers['etag']),
              'accept-encoding': String(headers['content-encoding'] ?? 'identity'),
            })
          ).status,
        ).toBe(304);
      for (const path of ['/health', '/livez', '/readyz'])
        expect([(await ask(path)).headers['cache-control'], (await ask(path)).status]).toEqual([
          'no-store',
          200,
        ]);
      expect((await ask('/metrics')).status).toBe(404);
      const refused = await ask('/v1/sec/latest?limit=0', { ...keyed, 'x-request-id': 'a-request-of-mine' });
      expect([refused.status, refused.headers['x-request-id']]).toEqual([400, 'a-request-of-mine']);
      expect((await ask('/v1/sec/stats', { ...keyed, 'x-fill': 'x'.repeat(20_000) })).status).toBe(413);
    });
  });
});

it(
  'a call of a tool that comes first to a replica without a snapshot is answered by the next one',
  needs('nginx'),
  async () => {
    const latest = callOf('sec_demo_latest_filings', {});
    replicas = [await listeningService(fresh()), await listeningService(made.directory)];
    proxy = await startNginx(
      fresh(),
      replicas.map(({ port }) => port),
    );
    for (let time = 0; time < 4; time++)
      expect((await ask('/mcp', { 'content-type': 'application/json' }, 'POST', latest)).status).toBe(200);
    const [without, good] = replicas.map((each) => countOf(each, 'sec_demo_latest_filings'));
    expect([good, without === 0]).toEqual([4, false]);
    await proxy.stop();
    for (const each of replicas) await each.close();
  },
);

describe('the cache of nginx', needs('nginx'), () => {
  withTwoReplicas(startNginx);

  it('nginx answers public paths from its cache, in each encoding', async () => {
    const encodings = ['identity', 'gzip', 'br'];
    const first = await Promise.all(
      encodings.map((encoding) => ask('/demo', { 'accept-encoding': encoding })),
    );
    expect(first.map(({ headers }) => headers['x-cache-status'])).toEqual(['MISS', 'MISS', 'MISS']);
    await until(() => asked('getDemo') === 3);
    for (const headers of [{}, keyed, { 'x-api-key': 'wrong' }] as Record<string, string>[]) {
      for (const [at, encoding] of encodings.entries()) {
        const again = await ask('/demo', { ...headers, 'accept-encoding': encoding });
        expect([
          again.headers['x-cache-status'],
          again.headers['content-encoding'],
          again.headers['etag'],
          again.body,
        ]).toEqual([
          'HIT',
          first[at]?.headers['content-encoding'],
          first[at]?.headers['etag'],
          first[at]?.body,
        ]);
        const held = await ask('/demo', {
          ...headers,
          'accept-encoding': encoding,
          'if-none-match': String(first[at]?.headers['etag']),
        });
        expect([held.status, held.headers['x-cache-status']]).toEqual([304, 'HIT']);
      }
    }
    expect((await ask('/demo', { 'accept-encoding': 'identity' }, 'HEAD')).headers['x-cache-status']).toBe(
      'HIT',
    );
    expect(asked('getDemo')).toBe(3);
    // It goes on while no replica is there.
    for (const each of replicas.splice(0)) await each.close();
    expect([
      (await ask('/demo', { 'accept-encoding': 'br' })).status,
      (await ask('/v1/sec/stats', keyed)).status,
    ]).toEqual([200, 502]);
  });

  it('each answer of nginx has the id of its own request, also one from the cache', async () => {
    const ids = async (path: string, id?: string) => {
      const { headers } = await ask(path, { ...keyed, ...(id === undefined ? {} : { 'x-request-id': id }) });
      return [headers['x-request-id'], headers['x-cache-status']];
    };
    expect(await ids('/demo', 'chosen-by-another')).toEqual(['chosen-by-another', 'MISS']);
    expect(await ids('/demo', 'my-own')).toEqual(['my-own', 'HIT']);
    for (const path of ['/demo', '/v1/sec/stats'])
      for (const id of [undefined, 'with spaces and "quotes"', 'x'.repeat(65)])
        expect((await ids(path, id))[0]).toMatch(/^[0-9a-f]{32}$/);
    expect((await ids('/v1/sec/stats', 'my-own'))[0]).toBe('my-own');
  });

  it('nginx caches the page and the JSON of one path apart', async () => {
    const accept = ['text/html,application/xhtml+xml', 'application/json', '*/*'];
    const types = async () =>
      Promise.all(accept.map(async (each) => (await ask('/', { accept: each })).headers['content-type']));
    const first = await types();
    expect([first[1], first[2]]).toEqual(['application/json', 'application/json']);
    expect(first[0]).toMatch(/^text\/html/);
    for (let time = 0; time < 3; time++) expect(await types()).toEqual(first);
    expect((await ask('/', { accept: 'text/html,application/xhtml+xml' })).headers['x-cache-status']).toBe(
      'HIT',
    );
  });

  it('nginx caches no uncacheable answer, no error and no keyed answer', async () => {
    for (const path of valuesIn(`
      /health | /livez | /readyz | /nothing | /validate/nothing/view | /v1/sec/stats | /v1/nothing`)) {
      for (let time = 0; time < 2; time++)
        expect([
          path,
          ['MISS', undefined].includes((await ask(path, keyed)).headers['x-cache-status'] as string),
        ]).toEqual([path, true]);
    }
    expect(kept()).toEqual([]);
  });

  it('nginx treats a path that only looks keyed as public and not found', async () => {
    for (const path of valuesIn(`
      /v1 | /mcpx | /a2a/ | /V1/sec/stats | //v1/sec/stats | /x/../v1/sec/stats | /%761/sec/stats`))
      expect([path, [401, 404, 308].includes((await ask(path)).status)]).toEqual([path, true]);
    expect(kept()).toEqual([]);
  });
});

// A proxy that gives up after a minute, as they do by themselves, answers 504 here. The sign of life of a stream comes after 15 seconds,
// long before there is as much as a buffer.
it('each proxy passes a request that is held for a whole minute, and signs of life of a stream', {
  timeout: 180_000,
}, async () => {
  const all = await waiting;
  expect(all).toEqual(all.map(() => ({ signOfLife: '', held: [], isWholeMinute: true })));
  expect(all.length).toBeGreaterThan(0);
});
