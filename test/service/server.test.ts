// @module-tag slow
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { addKey } from '../../build/keys.ts';
import { readKeyUsage, usagePathOf } from '../../src/keys/usage-files.ts';
import { useDirectories } from '../support/directories.ts';
import { parseMetrics } from '../support/metrics.ts';
import { closeAll, freePort, listen } from '../support/servers.ts';
import { runService } from '../support/service-process.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { until } from '../support/wait.ts';

const directory = useDirectories('server');
const localKey = 'a-key-for-local-use';
let made: MadeSnapshot;
beforeAll(async () => void (made = await makeSnapshot({ filings: 200, companies: 5, batches: 2 })));

describe('the server', () => {
  // What each setting refuses is in test/commands/settings.test.ts.
  it('the server stops at once for a wrong setting with one line that names it', async () => {
    const running = runService({ SNAPSHOTS_DIR: made.directory, PORT: 'eighty' });
    expect(await running.exited).toBe(2);
    expect(running.output()).toBe('PORT: must be a port number from 0 to 65535\n');
  });

  it('the server says when its port, or that of its metrics, is taken', async () => {
    const taken = createServer();
    await listen([taken]);
    const { port } = taken.address() as AddressInfo;
    for (const [name, said] of [
      ['PORT', /^PORT: /m],
      ['METRICS_PORT', new RegExp(`^METRICS_PORT: ${port} is in use on 127\\.0\\.0\\.1\n$`)],
    ] as const) {
      const environment = { SNAPSHOTS_DIR: made.directory, LOG_LEVEL: 'warn', [name]: String(port) };
      const running = runService(environment);
      expect(await running.exited).toBe(2);
      expect(running.output()).toMatch(said);
    }
    await closeAll([taken]);
  });

  it('the server gives its metrics at an address of their own, and logs as LOG_LEVEL says', async () => {
    const port = await freePort('127.0.0.2');
    const running = runService({
      SNAPSHOTS_DIR: made.directory,
      API_KEYS: localKey,
      METRICS_HOST: '127.0.0.2',
      METRICS_PORT: String(port),
      LOG_LEVEL: 'warn',
    });
    await until(() => running.address() !== '');
    expect(running.address()).toContain('//127.0.0.1:');
    expect(
      (await fetch(`${running.address()}/v1/sec/stats`, { headers: { 'x-api-key': localKey } })).status,
    ).toBe(200);
    const metrics = parseMetrics(await (await fetch(`http://127.0.0.2:${port}/metrics`)).text());
    expect([
      metrics.get('fei_requests_total{operation="getStats",status="200"}'),
      metrics.get('fei_snapshot_served'),
      metrics.get('fei_keys'),
    ]).toEqual([1, 1, 1]);
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
    running.child.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    expect(
      running
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{')),
    ).toEqual([]);
  });

  it('a service whose terminal is closed stops in good order: it finishes requests and saves usage', async () => {
    const keysFile = join(directory(), 'keys.json');
    const { key, entry } = await addKey(keysFile, 'test', null, Date.now());
    const running = runService({ SNAPSHOTS_DIR: made.directory, API_KEYS_FILE: keysFile, LOG_LEVEL: 'info' });
    await until(() => running.address() !== '');
    const ask = (path: string) => fetch(`${running.address()}${path}`, { headers: { 'x-api-key': key } });
    for (let asked = 0; asked < 5; asked++) expect((await ask('/v1/sec/latest?limit=1')).status).toBe(200);
    const end = (await (await ask('/v1/sec/bulk')).json()) as { meta: { nextCursor: string } };
    const held = ask(`/v1/sec/changes?cursor=${end.meta.nextCursor}&wait=30`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    // What is written now goes nowhere.
    running.child.stdout?.destroy();
    running.child.kill('SIGHUP');
    expect([(await held).status, await running.exited]).toEqual([200, 0]);
    expect(await readKeyUsage(usagePathOf(keysFile))).toMatchObject([{ caller: entry.id, requests: 7 }]);
  });

  it('the server prints an address and a key, takes new keys and snapshots, and stops in good order', async () => {
    const running = runService({ SNAPSHOTS_DIR: made.directory });
    // The line with the key is printed behind the address.
    const printed = /The key of this run is (run_[\w-]+);/;
    await until(() => printed.test(running.output()));
    const key = printed.exec(running.output())?.[1] as string;
    const get = (path: string, value = key) =>
      fetch(`${running.address()}${path}`, { headers: { 'x-api-key': value } });
    const latest = await get('/v1/sec/latest?limit=3');
    expect(latest.status).toBe(200);
    expect(((await latest.json()) as { data: unknown[] }).data.length).toBe(3);
    expect((await get('/v1/sec/latest', 'wrong')).status).toBe(401);

    const added = await addKey(join(made.directory, 'keys.json'), 'test', null, Date.now());
    await until(async () => (await get('/v1/sec/stats', added.key)).status === 200);
    // The key of the run still works after the first lasting key.
    expect((await get('/v1/sec/stats')).status).toBe(200);

    const before = ((await (await get('/health')).json()) as { snapshotId: string }).snapshotId;
    await made.publish([], [], 100);
    await until(
      async () => ((await (await get('/health')).json()) as { snapshotId: string }).snapshotId !== before,
    );

    running.child.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    const log = running
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    for (const line of log) expect(JSON.parse(line)).toHaveProperty('event');
    expect(log.some((line) => line.includes('"event":"request"'))).toBe(true);
    expect(log.join('\n')).not.toContain(key);
    expect(log.join('\n')).not.toContain(added.key);
    expect(log.join('\n')).not.toContain('limit=3');
  });

  it.each([
    ['is a folder', (path: string) => mkdirSync(path), 'EISDIR'],
    ['is no JSON', (path: string) => writeFileSync(path, 'fei_secret'), 'must be JSON'],
  ])(
    'the server does not start with a keys file that %s, and names it in one line',
    async (_, spoil, reason) => {
      const path = join(directory(), 'keys.json');
      spoil(path);
      const running = runService({ SNAPSHOTS_DIR: made.directory, API_KEYS_FILE: path, API_KEYS: localKey });
      expect(await running.exited).toBe(2);
      expect(running.output().trim().split('\n')).toEqual([expect.stringContaining(path)]);
      expect(running.output()).toContain(reason);
      expect(running.output()).not.toContain('fei_secret');
    },
  );

  it('the server makes no key on a public address', async () => {
    const path = join(directory(), 'keys.json');
    const running = runService({ SNAPSHOTS_DIR: made.directory, API_KEYS_FILE: path, HOST: '0.0.0.0' });
    await until(() => running.output().includes('"event":"listening"'));
    expect(
      running
        .output()
        .split('\n')
        .filter((line) => line.includes('No key is configured')),
    ).toEqual([expect.stringContaining('are shut until "npm run keys -- add --label NAME" adds one')]);
    expect(running.output()).not.toContain('run_');
    const status = async (path: string, key = 'none') =>
      (await fetch(`${running.address()}${path}`, { headers: { 'x-api-key': key } })).status;
    expect([await status('/demo'), await status('/health'), await status('/v1/sec/stats')]).toEqual([
      200, 200, 401,
    ]);
    const { key } = await addKey(path, 'first', null, Date.now());
    await until(async () => (await status('/v1/sec/stats', key)) === 200);
    running.child.kill('SIGTERM');
    expect(await running.exited).toBe(0);
  });
});
