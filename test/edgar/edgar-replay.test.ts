// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { openCache, type CacheEntry } from '../../build/edgar/cache.ts';
import { createEdgarClient, submissionsUrl, tickersUrl } from '../../build/edgar/client.ts';
import { outcomeOf } from '../../build/edgar/outcome.ts';
import { needs } from '../support/needs.ts';

const recordings = new URL('../../../shared/edgar/', import.meta.url);
const wanted = { maxBytes: 50_000_000, check: (body: Buffer) => void JSON.parse(body.toString()) };
const apple = 'CIK0000320193.json';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Starts the replay server. Returns its address. */
async function replay(...options: string[]): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('replay.mjs', recordings)), ...options], {
    cwd: fileURLToPath(recordings),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  cleanups.push(async () => {
    child.kill();
    await exited;
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`;
}

async function startClient(url: string) {
  const directory = await mkdtemp(join(tmpdir(), 'edgar-replay-'));
  const settings = {
    userAgent: 'Jane Doe jane@example.com',
    dataUrl: `${url}/data.sec.gov`,
    wwwUrl: `${url}/www.sec.gov`,
    requestsPerSecond: 10,
  };
  const cache = openCache(directory, Date.now);
  const client = createEdgarClient({ settings, cache, now: Date.now });
  cleanups.push(
    () => rm(directory, { recursive: true }),
    () => client.close(),
  );
  return { client, cache, settings };
}

describe('with recorded answers', needs('recordings'), () => {
  it('the client gets real files, and only what changed the second time', async () => {
    const url = await replay('--root', '2026-08-18');
    const { client, settings } = await startClient(url);
    const recorded = await readFile(new URL(`2026-08-18/data.sec.gov/submissions/${apple}`, recordings));
    expect(await client.get(submissionsUrl(settings, apple), wanted)).toEqual({
      kind: 'ok',
      body: recorded,
      changed: true,
      asOfMs: expect.any(Number),
    });
    expect(await client.get(submissionsUrl(settings, apple), wanted)).toEqual({
      kind: 'ok',
      body: recorded,
      changed: false,
      asOfMs: expect.any(Number),
    });
    expect(await client.get(tickersUrl(settings, 'company_tickers.json'), wanted)).toMatchObject({
      kind: 'ok',
      changed: true,
    });
    expect(await client.get(submissionsUrl(settings, 'CIK0000000000.json'), wanted)).toMatchObject({
      kind: 'absent',
      status: 404,
      reason: 'HTTP 404 (NoSuchKey)',
    });
    expect(
      await client.get(`${settings.wwwUrl}/Archives/edgar/full-index/2099/QTR1/master.gz`, wanted),
    ).toMatchObject({ kind: 'absent', status: 403, reason: 'HTTP 403 (AccessDenied)' });
    expect(client.counts).toMatchObject({ requests: 5, notModified: 1 });
  });

  it('the client takes a file that changed, though it has the date of the one before', async () => {
    const [before, after] = await Promise.all([
      replay('--root', '2026-04-24'),
      replay('--root', '2026-08-18'),
    ]);
    const { client, cache, settings } = await startClient(before);
    const newAddress = submissionsUrl({ ...settings, dataUrl: `${after}/data.sec.gov` }, apple);
    const old = await client.get(submissionsUrl(settings, apple), wanted);
    await cache.write(newAddress, (await cache.read(submissionsUrl(settings, apple))) as CacheEntry);
    const recorded = await readFile(new URL(`2026-08-18/data.sec.gov/submissions/${apple}`, recordings));
    expect(old).not.toEqual({ kind: 'ok', body: recorded, changed: true, asOfMs: expect.any(Number) });
    expect(await client.get(newAddress, wanted)).toEqual({
      kind: 'ok',
      body: recorded,
      changed: true,
      asOfMs: expect.any(Number),
    });
  });

  it.each([
    ['data.sec.gov/submissions/CIK-000000001.json.404', 404, 'HTTP 404 (NoSuchKey)'],
    ['www.sec.gov/Archives/edgar/full-index/2099/QTR1/form.gz.403', 403, 'HTTP 403 (AccessDenied)'],
  ])('the client understands the recorded error %s', async (name, status, reason) => {
    const body = await readFile(new URL(`_errors/${name}`, recordings));
    const answer = {
      status,
      body,
      isWhole: true,
      etag: null,
      lastModified: null,
      location: null,
      retryAfter: null,
    };
    expect(outcomeOf(answer, false, 0)).toEqual({ kind: 'absent', status, reason });
  });
});
