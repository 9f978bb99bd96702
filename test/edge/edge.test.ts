import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { createPointerSigner } from '../../build/snapshot/sign.ts';
import { defaultAddress } from '../../src/contract/product.ts';
import { paths } from '../../src/format/snapshot.ts';
import { generateLedger } from '../support/generate.ts';
import { useDirectories } from '../support/directories.ts';
import { keysWith, startEdge, type EdgeEngine } from '../support/edge.ts';
import { issuerKey, signedToken, startIssuer } from '../support/issuer.ts';
import { openEvents } from '../support/event-stream.ts';
import { batchAt, company, filing } from '../support/ledgers.ts';
import { configuredSettings, sampleService } from '../support/sample.ts';
import { buildQuietly, openCurrent } from '../support/snapshots.ts';
import { until } from '../support/wait.ts';
import { needs } from '../support/needs.ts';

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

/** A ledger that grows by a filing, and its snapshots. */
function growing() {
  const [ledger, snapshots] = [fresh(), fresh()];
  let batches = 0;
  return {
    snapshots,
    async grow() {
      batches++;
      await appendBatch(ledger, {
        run: { target: 't', status: 'success', message: null, createdAt: batchAt(batches) },
        filings: [filing(batches)],
        companies: batches === 1 ? [company(1, 'ONE')] : [],
        refusals: [],
      });
      return buildQuietly(ledger, snapshots);
    },
  };
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

// Several workers start, one after the other, and some tests wait for their looks at the pointer.
describe('the worker in its engine', { ...needs('engine'), timeout: 900_000 }, () => {
  it('tokens of an issuer count as on Node', { tags: ['slow'] }, async () => {
    const signing = await issuerKey('RS256', 'rsa');
    const issuer = await startIssuer([signing.published]);
    try {
      const service = await sampleService();
      const edge = await started({ BASE_URL: 'https://filings.example.com', OAUTH_ISSUER: issuer.address });
      await edge.upload(service.snapshots);
      const status = async (audience: string) => {
        const exp = Math.floor(Date.now() / 1000) + 60;
        const token = await signedToken({ iss: issuer.address, aud: audience, sub: 'alice', exp }, signing);
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${edge.address}/v1/sec/latest?limit=2`, { headers })).status;
      };
      expect(
        await Promise.all(Array.from({ length: 5 }, () => status('https://filings.example.com/mcp'))),
      ).toEqual(Array.from({ length: 5 }, () => 200));
      expect(await status('https://other.example.com')).toBe(401);
      const metadata = await get(edge, '/.well-known/oauth-protected-resource/mcp');
      expect(await metadata.json()).toMatchObject({ resource: 'https://filings.example.com/mcp' });
    } finally {
      await issuer.close();
    }
  });

  it('the worker answers what the Node service answers, byte for byte and in every encoding', {
    tags: ['slow'],
  }, async () => {
    const service = await sampleService();
    const edge = await started();
    await edge.upload(service.snapshots);
    const targets = [
      '/v1/sec/latest?limit=30',
      '/v1/sec/changes?since=2026-08-01&limit=40',
      '/v1/sec/companies/search?q=apple',
      '/v1/sec/forms/0000320193-25-000079/summary',
      '/demo',
      '/docs/polling',
      '/openapi.json',
      '/v1/sec/latest?form=NOPE',
      '/nothing',
    ];
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
    await service.close();
  });
  it('the worker names BASE_URL, or the address of the build and logs that, but never the host of a request', {
    tags: ['slow'],
    // Three workers start, one after the other.
    timeout: 180_000,
  }, async () => {
    const own = 'https://worker.example.org';
    const [built, plain] = await Promise.all([sampleService(configuredSettings), sampleService()]);
    for (const [bindings, service, served, event] of [
      [{ BASE_URL: own }, built, own, { event: 'address_replaced', built: configuredSettings.baseUrl }],
      [{}, built, configuredSettings.baseUrl, { event: 'address_of_build', reason: 'BASE_URL is not set' }],
      [{}, plain, defaultAddress, { event: 'address_of_build', reason: 'BASE_URL is not set' }],
    ] as const) {
      const edge = await started(bindings);
      await edge.upload(service.snapshots);
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
    await Promise.all([built.close(), plain.close()]);
  });
  it('the worker has the tools and the agent', { tags: ['slow'] }, async () => {
    const service = await sampleService();
    const edge = await started();
    await edge.upload(service.snapshots);
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
    const initialized = await json<{ result: { protocolVersion: string } }>(
      post(edge, '/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      }),
    );
    expect(initialized.result.protocolVersion).toBe('2025-06-18');
    const message = {
      jsonrpc: '2.0',
      id: 2,
      method: 'message/send',
      params: {
        message: {
          kind: 'message',
          role: 'user',
          messageId: 'm',
          parts: [{ kind: 'text', text: 'latest filings' }],
        },
      },
    };
    expect(JSON.stringify(await json(post(edge, '/a2a', message)))).toContain('accessionNo');
    await service.close();
  });
  it('the worker follows the pointer, answers held requests, and takes the keys of the bucket', {
    tags: ['slow'],
    timeout: 180_000,
  }, async () => {
    const edge = await started();
    expect((await get(edge, '/v1/sec/latest')).status).toBe(503);
    const { snapshots, grow } = growing();
    const first = await grow();
    await edge.upload(snapshots);
    await until(async () => (await served(edge)) === first, 60_000);
    const { meta } = await json<{ meta: { nextCursor: string } }>(
      get(edge, '/v1/sec/changes?since=2000-01-01'),
    );
    const waiting = json<{ data: { sequence: number }[] }>(
      get(edge, `/v1/sec/changes?cursor=${meta.nextCursor}&wait=30`),
    );
    const second = await grow();
    await edge.upload(snapshots);
    expect((await waiting).data.map(({ sequence }) => sequence)).toEqual([2]);
    expect(await served(edge)).toBe(second);
    const other = { 'x-api-key': 'another-key-of-the-bucket' };
    expect((await get(edge, '/v1/sec/latest', other)).status).toBe(401);
    await edge.bucket.put('keys.json', keysWith('another-key-of-the-bucket'));
    await until(async () => (await get(edge, '/v1/sec/latest', other)).status === 200, 60_000);
    await edge.bucket.delete('keys.json');
    await until(async () => (await get(edge, '/v1/sec/latest', other)).status === 401, 60_000);
  });
  it('streams of the worker give each change when it is published, beside each other, and go on behind any of them', {
    tags: ['slow'],
  }, async () => {
    const edge = await started();
    const { snapshots, grow } = growing();
    const first = await grow();
    await edge.upload(snapshots);
    await until(async () => (await served(edge)) === first, 60_000);
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
    for (const sequence of [2, 3]) {
      await grow();
      await edge.upload(snapshots);
      expect((await next()).map((event) => event.sequence)).toEqual([sequence, sequence]);
    }
    streams.push(await open({ 'Last-Event-ID': one?.id ?? '' }));
    expect((await streams[2]?.changes(2))?.map(({ data }) => data)).toEqual([
      expect.stringContaining('"sequence":2,'),
      expect.stringContaining('"sequence":3,'),
    ]);
    // A reader that goes ends its own stream alone.
    await streams.shift()?.close();
    await grow();
    await edge.upload(snapshots);
    expect((await next()).map((event) => event.sequence)).toEqual([4, 4]);
    for (const stream of streams) await stream.close();
    expect((await fetch(target, { headers: { accept: 'text/event-stream' } })).status).toBe(401);
  });
  it('the worker answers every request, also where others read the same bytes and hang up', {
    tags: ['slow'],
  }, async () => {
    const [ledger, snapshots] = [fresh(), fresh()];
    await generateLedger(ledger, { filings: 20_000, companies: 300, batches: 3 });
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
  it('the worker serves no byte that differs from its digest', { tags: ['slow'] }, async () => {
    const { snapshots, grow } = growing();
    await grow();
    const edge = await started();
    await edge.upload(snapshots);
    const { snapshot, close } = await openCurrent(snapshots);
    await close();
    const table = paths.file(snapshot.log.list.files[0]?.sha256 ?? '');
    const bytes = readFileSync(join(snapshots, table));
    bytes[bytes.length - 9] = (bytes[bytes.length - 9] as number) ^ 1;
    await edge.bucket.put(table, bytes);
    const response = await get(edge, '/v1/sec/changes?since=2000-01-01');
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      503,
      'snapshot_unavailable',
    ]);
    expect((await get(edge, '/health')).status).toBe(200);
    await edge.bucket.put(table, readFileSync(join(snapshots, table)));
    expect((await get(edge, '/v1/sec/changes?since=2000-01-01')).status).toBe(200);
  });
  it('the worker with TRUSTED_KEY takes only what that key has signed', {
    tags: ['slow'],
    timeout: 180_000,
  }, async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { snapshots, grow } = growing();
    const id = await grow();
    const edge = await started({
      TRUSTED_KEY: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    });
    await edge.upload(snapshots);
    expect((await get(edge, '/v1/sec/latest')).status).toBe(503);
    const pointer = createPointerSigner(privateKey, Date.now)(
      (await readPointer(snapshots)) as NonNullable<Awaited<ReturnType<typeof readPointer>>>,
      null,
    );
    await edge.bucket.put(paths.pointer, JSON.stringify(pointer));
    await until(async () => (await served(edge)) === id, 60_000);
    expect(await json(get(edge, '/health'))).toMatchObject({
      pointerSignature: { checked: true, expired: false, rollbackProtection: 'lasting' },
    });
  });
  it('a worker that starts again refuses a pointer that is older than one it accepted', {
    tags: ['slow'],
  }, async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { snapshots, grow } = growing();
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
    await before.bucket.put(paths.pointer, current);
    await until(async () => (await served(before)) === id);
    await running.pop()?.stop();
    const after = await started(trusting, bucketIsIn);
    await after.bucket.put(paths.pointer, old);
    expect((await get(after, '/v1/sec/latest')).status).toBe(503);
    await after.bucket.put(paths.pointer, current);
    await until(async () => (await served(after)) === id);
  });
  it('the worker sends intents to a queue, or says that it keeps none', {
    tags: ['slow'],
  }, async () => {
    const service = await sampleService();
    const intent = '/validate/vehicle-recalls/view';
    const without = await started();
    await without.upload(service.snapshots);
    expect(await json(get(without, intent, { 'user-agent': 'program' }))).toMatchObject({
      data: { counted: false },
      meta: { intentsKept: false },
    });
    const edge = await started({}, { queueProducers: { INTENTS: 'intents' } });
    await edge.upload(service.snapshots);
    expect(await json(get(edge, intent, { 'user-agent': 'program' }))).toMatchObject({
      data: { counted: true },
      meta: { intentsKept: true },
    });
    await service.close();
  });
});
