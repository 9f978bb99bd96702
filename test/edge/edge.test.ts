import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { createPointerSigner } from '../../build/snapshot/sign.ts';
import { defaultAddress } from '../../src/contract/product.ts';
import { paths } from '../../src/format/snapshot.ts';
import { generateLedger } from '../support/generate.ts';
import { useDirectories } from '../support/directories.ts';
import { keysWith, startEdge, type EdgeEngine } from '../support/edge.ts';
import { issuerKey, signedToken, startIssuer } from '../support/issuer.ts';
import { openEvents } from '../support/event-stream.ts';
import { company, filing } from '../support/made-up.ts';
import { configuredSettings, sampleService, type SampleService } from '../support/sample.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { buildQuietly, openCurrent } from '../support/snapshots.ts';
import { until } from '../support/wait.ts';
import { needs } from '../support/needs.ts';
import { valuesIn } from '../support/values.ts';

const fresh = useDirectories('edge');
const key = 'a-key-of-the-worker';

const running: EdgeEngine[] = [];
afterEach(async () => {
  for (const edge of running.splice(0)) await edge.stop();
});

async function started(
  bindings: Readonly<Record<string, string>> = {},
  more: object = {},
): Promise<EdgeEngine> {
  const edge = await startEdge({ API_KEYS: key, ...bindings }, more);
  running.push(edge);
  return edge;
}

/** Snapshots, and what adds a filing to them and gives the next snapshot. */
async function growing() {
  const made = await makeSnapshot();
  let filings = 0;
  const grow = () => made.publish([filing(++filings)], filings === 1 ? [company(1, 'ONE')] : []);
  return { snapshots: made.directory, grow, remove: () => made.remove() };
}

const get = (edge: EdgeEngine, path: string, headers: Record<string, string> = {}) =>
  fetch(`${edge.address}${path}`, { redirect: 'manual', headers: { 'x-api-key': key, ...headers } });
const post = (edge: EdgeEngine, path: string, body: object) =>
  fetch(`${edge.address}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'x-api-key': key,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
  });
/** The text at an address, asked for with another `Host` than the address has. */
const textAskedAs = (host: string, address: string) =>
  new Promise<string>((resolve, reject) => {
    request(address, { headers: { host } }, (response) => {
      let text = '';
      response.on('data', (part) => (text += String(part))).once('end', () => resolve(text));
    })
      .once('error', reject)
      .end();
  });
const json = async <Body>(response: Promise<Response>) => (await (await response).json()) as Body;
const served = async (edge: EdgeEngine) =>
  (await json<{ snapshotId?: string }>(get(edge, '/health'))).snapshotId ?? null;

/** Asks for the address that a worker names to whoever asks it by another name, and what it logged of its address. */
async function expectAddress(edge: EdgeEngine, served: string, event: object): Promise<void> {
  for (const path of ['/llms.txt', '/docs/polling', '/.well-known/agent-card.json']) {
    const text = await textAskedAs('evil.example.net', `${edge.address}${path}`);
    expect([path, text.includes(served), text.includes('evil')]).toEqual([path, true, false]);
  }
  const addresses = edge
    .logged()
    .split('\n')
    .filter((line) => line.includes('"event":"address_'));
  expect(addresses.map((line) => JSON.parse(line) as object)).toEqual([
    { time: expect.any(String), served, ...event },
  ]);
}
const ofBuild = { event: 'address_of_build', reason: 'BASE_URL is not set' };
const intent = '/validate/vehicle-recalls/view';

// A worker that starts, and the files that go into its bucket, take seconds: tests of one snapshot share a worker.
const slow = { ...needs('engine'), timeout: 300_000, tags: ['slow'] };

describe('the worker over the sample', slow, () => {
  let service: SampleService;
  let edge: EdgeEngine;
  beforeAll(async () => {
    service = await sampleService();
    edge = await startEdge({ API_KEYS: key });
    await edge.upload(service.snapshots);
  }, 300_000);
  afterAll(async () => {
    await service.close();
    await edge.stop();
  });

  it('the worker answers what the Node service answers, byte for byte and in every encoding', async () => {
    const targets = valuesIn(`
      /v1/sec/latest?limit=30 | /v1/sec/changes?since=2026-08-01&limit=40
      /v1/sec/companies/search?q=apple | /v1/sec/forms/0000320193-25-000079/summary | /demo
      /docs/polling | /openapi.json | /v1/sec/latest?form=NOPE | /nothing`);
    for (const target of targets) {
      const mine = await service.get(target, { 'x-api-key': 'sample-key' });
      const text = await mine.text();
      for (const encoding of ['identity', 'gzip', 'br']) {
        const response = await get(edge, target, { 'accept-encoding': encoding });
        expect([target, encoding, response.status, await response.text()]).toEqual([
          target,
          encoding,
          mine.status,
          text,
        ]);
        const etag = response.headers.get('etag');
        if (etag !== null)
          expect(
            (await get(edge, target, { 'accept-encoding': encoding, 'if-none-match': etag })).status,
          ).toBe(304);
      }
    }
  });

  it('the worker has the tools and the agent', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'sec_company_filings', arguments: { ticker: 'AAPL', limit: 3, detail: 'full' } },
    };
    const { result } = await json<{ result: { structuredContent: unknown } }>(post(edge, '/mcp', call));
    expect(result.structuredContent).toEqual(
      await (await service.get('/v1/sec/company/AAPL/filings?limit=3')).json(),
    );
    const client = { capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const params = { protocolVersion: '2025-06-18', ...client };
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    const initialized = await json<{ result: { protocolVersion: string } }>(post(edge, '/mcp', initialize));
    expect(initialized.result.protocolVersion).toBe('2025-06-18');
    const parts = [{ kind: 'text', text: 'latest filings' }];
    const message = { kind: 'message', role: 'user', messageId: 'm', parts };
    const sent = { jsonrpc: '2.0', id: 2, method: 'message/send', params: { message } };
    expect(JSON.stringify(await json(post(edge, '/a2a', sent)))).toContain('accessionNo');
  });

  it('the worker without BASE_URL names the address of the build and logs that, and keeps no intents', async () => {
    await expectAddress(edge, defaultAddress, ofBuild);
    expect(await json(get(edge, intent, { 'user-agent': 'program' }))).toMatchObject({
      data: { counted: false },
      meta: { intentsKept: false },
    });
  });
});

describe('the worker over a snapshot that was built for an address', slow, () => {
  it('the worker without BASE_URL names that address, and sends intents to a queue; with BASE_URL it names that, and tokens of an issuer count as on Node', async () => {
    const own = 'https://worker.example.org';
    const bucketIsIn = { r2Persist: fresh() };
    const without = await started({}, { ...bucketIsIn, queueProducers: { INTENTS: 'intents' } });
    const service = await sampleService(configuredSettings);
    await without.upload(service.snapshots);
    await service.close();
    await expectAddress(without, configuredSettings.baseUrl, ofBuild);
    expect(await json(get(without, intent, { 'user-agent': 'program' }))).toMatchObject({
      data: { counted: true },
      meta: { intentsKept: true },
    });
    await running.pop()?.stop();

    const signing = await issuerKey('RS256', 'rsa');
    const issuer = await startIssuer([signing.published]);
    try {
      const edge = await started({ BASE_URL: own, OAUTH_ISSUER: issuer.address }, bucketIsIn);
      await expectAddress(edge, own, { event: 'address_replaced', built: configuredSettings.baseUrl });
      const status = async (audience: string) => {
        const exp = Math.floor(Date.now() / 1000) + 60;
        const token = await signedToken({ iss: issuer.address, aud: audience, sub: 'alice', exp }, signing);
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${edge.address}/v1/sec/latest?limit=2`, { headers })).status;
      };
      expect(await Promise.all(Array.from({ length: 5 }, () => status(`${own}/mcp`)))).toEqual(
        Array.from({ length: 5 }, () => 200),
      );
      expect(await status('https://other.example.com')).toBe(401);
      const metadata = await get(edge, '/.well-known/oauth-protected-resource/mcp');
      expect(await metadata.json()).toMatchObject({ resource: `${own}/mcp` });
    } finally {
      await issuer.close();
    }
  });
});

describe('the worker over snapshots that grow', slow, () => {
  let grown: Awaited<ReturnType<typeof growing>>;
  let edge: EdgeEngine;
  beforeAll(async () => {
    grown = await growing();
    edge = await startEdge({ API_KEYS: key });
  }, 300_000);
  afterAll(async () => {
    await edge.stop();
    await grown.remove();
  });

  /** Publishes one more filing, and gives the snapshot. */
  async function publish(): Promise<string> {
    const id = await grown.grow();
    await edge.upload(grown.snapshots);
    return id;
  }

  it('the worker follows the pointer, answers held requests, and takes the keys of the bucket', async () => {
    expect((await get(edge, '/v1/sec/latest')).status).toBe(503);
    const first = await publish();
    await until(async () => (await served(edge)) === first, 60_000);
    const { meta } = await json<{ meta: { nextCursor: string } }>(
      get(edge, '/v1/sec/changes?since=2000-01-01'),
    );
    const waiting = json<{ data: { sequence: number }[] }>(
      get(edge, `/v1/sec/changes?cursor=${meta.nextCursor}&wait=30`),
    );
    const second = await publish();
    expect((await waiting).data.map(({ sequence }) => sequence)).toEqual([2]);
    expect(await served(edge)).toBe(second);
    const other = { 'x-api-key': 'another-key-of-the-bucket' };
    expect((await get(edge, '/v1/sec/latest', other)).status).toBe(401);
    await edge.bucket.put('keys.json', keysWith('another-key-of-the-bucket'));
    await until(async () => (await get(edge, '/v1/sec/latest', other)).status === 200, 60_000);
    await edge.bucket.delete('keys.json');
    await until(async () => (await get(edge, '/v1/sec/latest', other)).status === 401, 60_000);
  });

  it('streams of the worker give each change when it is published, beside each other, and go on behind any of them', async () => {
    const target = `${edge.address}/v1/sec/changes?since=2000-01-01`;
    const open = (headers: Record<string, string> = {}) =>
      openEvents(target, { 'x-api-key': key, ...headers });
    const streams = [await open(), await open()];
    const next = () =>
      Promise.all(
        streams.map(async (stream) => {
          const [event] = await stream.changes(1);
          return { ...event, sequence: (JSON.parse(event?.data ?? '') as { sequence: number }).sequence };
        }),
      );
    const [one] = await next();
    expect((await next()).map((event) => event.sequence)).toEqual([2, 2]);
    await publish();
    expect((await next()).map((event) => event.sequence)).toEqual([3, 3]);
    streams.push(await open({ 'Last-Event-ID': one?.id ?? '' }));
    expect((await streams[2]?.changes(2))?.map(({ data }) => data)).toEqual([
      expect.stringContaining('"sequence":2,'),
      expect.stringContaining('"sequence":3,'),
    ]);
    // A reader that goes ends its own stream alone.
    await streams.shift()?.close();
    await publish();
    expect((await next()).map((event) => event.sequence)).toEqual([4, 4]);
    for (const stream of streams) await stream.close();
    expect((await fetch(target, { headers: { accept: 'text/event-stream' } })).status).toBe(401);
  });

  it('the worker serves no byte that differs from its digest', async () => {
    await grown.grow();
    const { snapshots } = grown;
    const { snapshot, close } = await openCurrent(snapshots);
    await close();
    const table = paths.file(snapshot.log.list.files[0]?.sha256 ?? '');
    const sound = readFileSync(join(snapshots, table));
    const damaged = Buffer.from(sound);
    damaged[damaged.length - 9] = (damaged[damaged.length - 9] as number) ^ 1;
    // Damaged before it comes into the bucket: a stream that just ended may still read what is published.
    writeFileSync(join(snapshots, table), damaged);
    await edge.upload(snapshots);
    await until(async () => (await served(edge)) === snapshot.id, 60_000);
    const response = await get(edge, '/v1/sec/changes?since=2000-01-01');
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      503,
      'snapshot_unavailable',
    ]);
    expect((await get(edge, '/health')).status).toBe(200);
    writeFileSync(join(snapshots, table), sound);
    await edge.bucket.put(table, sound);
    expect((await get(edge, '/v1/sec/changes?since=2000-01-01')).status).toBe(200);
  });
});

describe('the worker', slow, () => {
  it('the worker answers every request, also where others read the same bytes and hang up', async () => {
    const [ledger, snapshots] = [fresh(), fresh()];
    await generateLedger(ledger, { filings: 8_000, companies: 300, batches: 3 });
    await buildQuietly(ledger, snapshots);
    const edge = await started();
    await edge.upload(snapshots);
    const forms = ['4', '8-K', '10-K', '424B2', 'SC 13G', 'SD', '144', 'UPLOAD'];
    const targets = Array.from(
      { length: 400 },
      (_, at) =>
        `/v1/sec/latest?limit=${1 + (at % 190)}&form=${encodeURIComponent(forms[at % forms.length] as string)}${at % 3 === 0 ? '&until=2015-01-01' : ''}`,
    );
    /** The status of a whole answer; null if the client hung up, as every fourth does, or timed out. */
    const ask = (target: string, at: number) =>
      new Promise<number | null>((resolve) => {
        let status: number | null = null;
        const asking = request(`${edge.address}${target}`, { headers: { 'x-api-key': key } }, (response) =>
          response.resume().once('end', () => (status = response.statusCode ?? null)),
        );
        asking
          .once('error', () => {})
          .once('close', () => resolve(status))
          .end();
        setTimeout(() => asking.destroy(), at % 4 === 0 ? at % 7 : 20_000).unref();
      });
    const statuses: (number | null)[] = [];
    for (let at = 0; at < targets.length; at += 8)
      statuses.push(
        ...(await Promise.all(targets.slice(at, at + 8).map((target, more) => ask(target, at + more)))),
      );
    expect(statuses.filter((status, at) => at % 4 !== 0 && status !== 200)).toEqual([]);
    expect(statuses).toContain(null);
  });

  it('the worker with TRUSTED_KEY takes only what that key has signed, and nothing older after it starts again', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { snapshots, grow, remove } = await growing();
    const bucketIsIn = { r2Persist: fresh() };
    const trusting = { TRUSTED_KEY: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') };
    const signedAt = (signedMs: number, pointer: Awaited<ReturnType<typeof readPointer>>) =>
      JSON.stringify(
        createPointerSigner(privateKey, () => signedMs)(pointer as NonNullable<typeof pointer>, null),
      );
    const nowMs = Date.now();
    await grow();
    const old = signedAt(nowMs - 500_000, await readPointer(snapshots));
    const id = await grow();
    const current = signedAt(nowMs, await readPointer(snapshots));
    const before = await started(trusting, bucketIsIn);
    await before.upload(snapshots);
    expect((await get(before, '/v1/sec/latest')).status).toBe(503);
    await before.bucket.put(paths.pointer, current);
    await until(async () => (await served(before)) === id, 60_000);
    expect(await json(get(before, '/health'))).toMatchObject({
      pointerSignature: { checked: true, expired: false, rollbackProtection: 'lasting' },
    });
    await running.pop()?.stop();
    const after = await started(trusting, bucketIsIn);
    await after.bucket.put(paths.pointer, old);
    expect((await get(after, '/v1/sec/latest')).status).toBe(503);
    await after.bucket.put(paths.pointer, current);
    await until(async () => (await served(after)) === id, 60_000);
    await remove();
  });
});
