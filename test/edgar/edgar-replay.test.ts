import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { openCache, type CacheEntry } from '../../build/edgar/cache.ts';
import {
  createEdgarClient,
  submissionsUrl,
  tickersUrl,
  type EdgarClientOptions,
} from '../../build/edgar/client.ts';
import { outcomeOf } from '../../build/edgar/outcome.ts';
import { needs } from '../support/needs.ts';

const recordings = new URL('../../../shared/edgar/', import.meta.url);
const wanted = { maxBytes: 50_000_000, check: (body: Buffer) => void JSON.parse(body.toString()) };
const apple = 'CIK0000320193.json';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Starts the replay server, and gives the counts that it prints at its end. */
async function replay(
  ...options: string[]
): Promise<{ url: string; counts: () => Promise<Record<string, number>> }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('replay.mjs', recordings)), ...options], {
    cwd: fileURLToPath(recordings),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => JSON.parse((await lines.next()).value as string) as Record<string, number>;
  const exited = once(child, 'exit');
  cleanups.push(async () => {
    child.kill();
    await exited;
  });
  const { port } = await nextLine();
  return {
    url: `http://127.0.0.1:${port}`,
    counts: () => {
      child.kill();
      return nextLine();
    },
  };
}

async function startClient(
  url: string,
  requestsPerSecond: number,
  options: Partial<EdgarClientOptions> = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'edgar-replay-'));
  const settings = {
    userAgent: 'Jane Doe jane@example.com',
    dataUrl: `${url}/data.sec.gov`,
    wwwUrl: `${url}/www.sec.gov`,
    requestsPerSecond,
  };
  const cache = openCache(directory, Date.now);
  const client = createEdgarClient({ settings, cache, now: Date.now, ...options });
  cleanups.push(
    () => rm(directory, { recursive: true }),
    () => client.close(),
  );
  return { client, cache, settings };
}

describe('with recorded answers', needs('recordings'), () => {
  it('the client gets real files, and only what changed the second time', { tags: ['slow'] }, async () => {
    const { url } = await replay('--root', '2026-08-18');
    const { client, settings } = await startClient(url, 10);
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

  it('the client takes a file that changed, though it has the date of the one before', {
    tags: ['slow'],
  }, async () => {
    const [before, after] = await Promise.all([
      replay('--root', '2026-04-24'),
      replay('--root', '2026-08-18'),
    ]);
    const { client, cache, settings } = await startClient(before.url, 10);
    const newAddress = submissionsUrl({ ...settings, dataUrl: `${after.url}/data.sec.gov` }, apple);
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

  it('the client gets every file through every fault', async () => {
    const faults = ['503@1', 'reset@1', 'truncate@1', 'garbage@1'].flatMap((kind) => [
      '--fail',
      `CIK0000320193=${kind}`,
    ]);
    const { url } = await replay('--root', '2026-08-18', ...faults);
    const { client, settings } = await startClient(
      url,
      10,
      virtualTime(() => 0),
    );
    expect(await client.get(submissionsUrl(settings, apple), wanted)).toMatchObject({
      kind: 'ok',
      changed: true,
    });
    expect(client.counts).toMatchObject({ requests: 5, retries: 4 });
  });

  it('the client rests when it is throttled, and goes on', { tags: ['slow'] }, async () => {
    const server = await replay('--root', '2026-08-18', '--rps', '1');
    const lines: string[] = [];
    // The rate is too high, so that the server complains; it forgets a request after a second.
    const time = virtualTime((pauseMs) => (pauseMs > 60_000 ? 1100 : 0));
    const { client, settings } = await startClient(server.url, 10, {
      ...time,
      log: (line) => void lines.push(line),
    });
    for (let round = 0; client.counts.throttled === 0; round++)
      expect(await client.get(submissionsUrl(settings, `CIK${round}.json`), wanted)).toMatchObject({
        kind: 'absent',
      });
    expect(lines).toEqual(['HTTP 403 (SEC.gov | Request Rate Threshold Exceeded): no requests for 660.0 s']);
    expect(await server.counts()).toMatchObject({ requests: client.counts.requests, throttled: 1 });
  });

  it('the client keeps its rate as the server sees it, also across two runs', {
    tags: ['slow'],
  }, async () => {
    const server = await replay('--root', '2026-08-18', '--root', '2026-07-01', '--rps', '10');
    const ciks = [
      '0000320193',
      '0000789019',
      '0001018724',
      '0001045810',
      '0001326801',
      '0001652044',
      '0000200406',
      '0000080424',
      '0002115436',
      '0000019617',
    ];
    const files = [
      ...ciks.map((cik) => `CIK${cik}.json`),
      ...ciks.map((cik) => `CIK${cik}-submissions-099.json`),
    ];
    for (let run = 0; run < 2; run++) {
      const { client, settings } = await startClient(server.url, 10);
      const answers = await Promise.all(
        files.map((file) => client.get(submissionsUrl(settings, file), wanted)),
      );
      expect(answers.filter(({ kind }) => kind === 'ok').length).toBeGreaterThan(5);
      await client.close();
    }
    const counts = await server.counts();
    expect(counts).toMatchObject({ requests: 2 * files.length, throttled: 0 });
    expect(counts.highestPerSecond).toBeLessThanOrEqual(10);
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

/** A clock that moves only by sleeping. `realMs` is how long a sleep takes in real time. */
function virtualTime(realMs: (pauseMs: number) => number): Pick<EdgarClientOptions, 'now' | 'sleep'> {
  let nowMs = Date.parse('2026-07-01T10:00:00Z');
  const sleep = async (pauseMs: number) => {
    await delay(realMs(pauseMs));
    nowMs += pauseMs;
  };
  return { now: () => nowMs, sleep };
}
