import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { withOwnAddress } from '../../src/answers/address.ts';
import { defaultAddress } from '../../src/contract/product.ts';
import { Routes } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { createLog } from '../../src/log/log.ts';
import { createServedSnapshot } from '../../src/snapshot/served-snapshot.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { configuredSettings, serviceOver, useSample, type SampleService } from '../support/sample.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { paths } from '../../src/format/snapshot.ts';
import { noJournal } from '../support/journal.ts';
import { manifestOf } from '../support/whole.ts';

const own = 'https://ours.example.org';
const stranger = configuredSettings.baseUrl;
const built = useSample(configuredSettings);
const plain = useSample();
let ours: SampleService;
let oursOverPlain: SampleService;
beforeAll(async () => {
  const over = ({ snapshots }: SampleService) =>
    serviceOver(snapshots, noJournal, Date.now, openPartFolder(snapshots), own);
  [ours, oursOverPlain] = await Promise.all([over(built), over(plain)]);
});

/** Calls a tool at the address of the service. */
const callTool = (service: SampleService, name: string, args: object) =>
  service.post(
    '/mcp',
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    { accept: 'application/json, text/event-stream', host: new URL(own).host },
  );

describe('a service over a snapshot that was built for another address', () => {
  it('every public document names the address of the service, and none the other one', async () => {
    const manifest = await manifestOf(built.snapshots);
    const routes = Routes.parse(
      JSON.parse(readFileSync(join(built.snapshots, paths.file(manifest.routes.sha256)), 'utf8')),
    );
    const named: string[] = [];
    for (const path of Object.keys(routes)) {
      const text = await (await ours.get(path)).text();
      expect([path, text.includes(new URL(stranger).hostname)]).toEqual([path, false]);
      if (text.includes(own)) named.push(path);
    }
    for (const path of ['/llms.txt', '/.well-known/agent-card.json', '/openapi.json', '/docs', '/index.html'])
      expect(named).toContain(path);
  });

  it('documents of the default address get that of the service, mailbox included', async () => {
    const text = await (await oursOverPlain.get('/.well-known/security.txt')).text();
    expect(text).toContain('Contact: mailto:contact@ours.example.org');
    expect(text).toContain(`Canonical: ${own}/.well-known/security.txt`);
    for (const path of ['/llms.txt', '/docs/polling', '/mcp/server-card'])
      expect([path, (await (await oursOverPlain.get(path)).text()).includes(defaultAddress)]).toEqual([
        path,
        false,
      ]);
  });

  it('the sample that tools give has links that lead to it, which a reader elsewhere can follow', async () => {
    const called = await callTool(oursOverPlain, 'sec_demo_latest_filings', { limit: 1 });
    const { result } = (await called.json()) as {
      result: { content: [{ text: string }]; structuredContent: { meta: object } };
    };
    expect(result.structuredContent.meta).toMatchObject({
      docsUrl: `${own}/docs`,
      subscribeUrl: `${own}/subscribe`,
    });
    expect(result.content[0].text).toContain(`Everything else needs a key: ${own}/subscribe`);
  });

  it('tools name it, too', async () => {
    const called = await callTool(ours, 'sec_subscription_info', {});
    const text = await called.text();
    expect(called.status).toBe(200);
    expect([text.includes(own), text.includes(stranger)]).toEqual([true, false]);
  });

  it('the ETag is the SHA-256 of what is sent, and compressed variants have the same bytes', async () => {
    const whole = await ours.get('/llms.txt');
    const text = await whole.text();
    expect(whole.headers.get('etag')).toBe(`"${sha256Of(text).slice(0, 32)}"`);
    for (const [encoding, inflate] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const packed = await ours.get('/llms.txt', { 'accept-encoding': encoding });
      expect(packed.headers.get('content-encoding')).toBe(encoding);
      expect(inflate(Buffer.from(await packed.arrayBuffer())).toString()).toBe(text);
      expect(packed.headers.get('etag')).toBe(`"${sha256Of(text).slice(0, 32)}-${encoding}"`);
    }
    const same = await ours.get('/llms.txt', { 'if-none-match': whole.headers.get('etag') ?? '' });
    expect(same.status).toBe(304);
    // Where the addresses are the same, the bytes are those of the build.
    expect(await (await built.get('/llms.txt')).text()).toBe(text.replaceAll(own, stranger));
  });

  it('an address that only begins alike stays', () => {
    const snapshot = {
      manifest: { settings: { baseUrl: 'https://a.example', contactEmail: 'x@a.example' } },
      address: () => own,
    } as unknown as Snapshot;
    const text = (address: string) =>
      `${address}/docs ${address}. "${address}" https://a.example.com/x https://a.example:8443/ https://a.example-b/`;
    expect(withOwnAddress(snapshot, Buffer.from(text('https://a.example'))).toString()).toBe(text(own));
  });

  /** What a service logs of addresses when it serves a snapshot, looked at twice. */
  async function loggedOver(snapshots: string, address?: () => string | null): Promise<object[]> {
    const lines: string[] = [];
    const log = createLog((text) => void lines.push(...text.toString().trim().split('\n')), Date.now);
    const follower = createServedSnapshot(
      openPartFolder(snapshots),
      createBlockCache(1024 * 1024),
      log.event,
      address ? { address } : {},
    );
    await follower.check();
    await follower.check();
    await follower.close();
    log.flush();
    return lines.filter((line) => line.includes('"address_')).map((line) => JSON.parse(line) as object);
  }
  const time = expect.any(String) as string;

  it('the service logs once that it replaces an address', async () => {
    expect(await loggedOver(built.snapshots, () => own)).toEqual([
      { time, event: 'address_replaced', built: stranger, served: own },
    ]);
    expect(await loggedOver(built.snapshots, () => stranger)).toEqual([]);
    expect(await loggedOver(plain.snapshots, () => own)).toEqual([]);
    // Before a server listens, it may not know its port.
    expect(await loggedOver(built.snapshots, () => null)).toEqual([]);
  });

  it('a service that has no address of its own logs once that it names the one of the build', async () => {
    const reason = 'BASE_URL is not set';
    for (const [{ snapshots }, served] of [
      [built, stranger],
      [plain, defaultAddress],
    ] as const)
      expect(await loggedOver(snapshots)).toEqual([{ time, event: 'address_of_build', served, reason }]);
  });

  it('a service that has no address of its own names that of the build, whatever host a request asks', async () => {
    for (const [service, served] of [
      [built, stranger],
      [plain, defaultAddress],
    ] as const)
      for (const path of ['/llms.txt', '/docs/polling', '/.well-known/agent-card.json']) {
        const response = await service.get(path, {
          host: 'evil.example.net',
          'x-forwarded-host': 'evil.example.net',
          forwarded: 'host=evil.example.net',
        });
        const text = await response.text();
        expect([path, response.status, text.includes(served), text.includes('evil')]).toEqual([
          path,
          200,
          true,
          false,
        ]);
      }
  });
});
