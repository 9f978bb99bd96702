// @module-tag slow
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { commandsOf, follow } from '../support/deploy-readme.ts';
import { useDirectories } from '../support/directories.ts';
import { needs } from '../support/needs.ts';
import { startNginx, type Proxy } from '../support/proxy.ts';
import { checkOut, releases } from '../support/releases.ts';
import { freePort } from '../support/servers.ts';
import { processKey, startService, type ServiceProcess } from '../support/service-process.ts';

const fresh = useDirectories('releases');
const root = fileURLToPath(new URL('../..', import.meta.url));
const processes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of processes.splice(0)) await each.stop();
});

/** A client that polls lists and the feed without a pause, and keeps what it was refused. */
function pollWithoutPause(port: number) {
  const refused: string[] = [];
  const sequences: number[] = [];
  let [polls, isOver] = [0, false];
  let cursor: string | null = null;
  const get = async (path: string) => {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { 'x-api-key': processKey },
      });
      const body = await response.text();
      if (response.status === 200)
        return JSON.parse(body) as { data: { sequence: number }[]; meta: { nextCursor: string } };
      refused.push(`${path}: ${response.status} ${body}`);
    } catch (error) {
      refused.push(`${path}: ${String(error)}`);
    }
    return null;
  };
  const polling = (async () => {
    while (!isOver) {
      await get('/v1/sec/latest?limit=5');
      await get('/demo');
      const from = cursor === null ? 'since=1990-01-01' : `cursor=${cursor}`;
      const page = await get(`/v1/sec/changes?${from}&limit=200`);
      sequences.push(...(page?.data ?? []).map(({ sequence }) => sequence));
      cursor = page?.meta.nextCursor ?? cursor;
      polls++;
    }
  })();
  return {
    refused,
    sequences,
    polls: () => polls,
    async stop() {
      isOver = true;
      await polling;
    },
  };
}

describe('the section Update of deploy/README.md', { ...needs('history'), timeout: 600_000 }, () => {
  // The last release each time, the one before it at night.
  for (const [release, tags] of [
    [releases[1], ['slow']],
    [releases[0], ['slow', 'nightly']],
  ] as const)
    it(`takes two replicas behind nginx from release ${release} to this one without a request that fails`, {
      ...needs('nginx'),
      tags: [...tags],
    }, async () => {
      const commands = commandsOf('Update');
      expect(commands).toHaveLength(2);
      const [old, snapshots] = [fresh(), fresh()];
      checkOut(release, old);
      cpSync(join(old, 'snapshots/sample'), join(snapshots, 'ledger'), { recursive: true });
      await follow(`npm run build -- --ledger ${snapshots}/ledger`, { SNAPSHOTS_DIR: snapshots }, old);
      const ports = [await freePort(), await freePort()];
      const start = async (port: number, program: string): Promise<ServiceProcess> => {
        const own = join(snapshots, `replica-${port}`);
        mkdirSync(own, { recursive: true });
        const settings = { SNAPSHOTS_DIR: snapshots, INTENTS_DIR: own, PORT: String(port) };
        const service = await startService(settings, program);
        await expect.poll(() => service.status('/readyz')).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 2000));
        processes.push(service);
        return service;
      };
      const replicas = [await start(ports[0] as number, old), await start(ports[1] as number, old)];
      const proxy: Proxy = await startNginx(fresh(), ports);
      processes.push(proxy);
      const client = pollWithoutPause(proxy.port);
      processes.push(client);
      await expect.poll(client.polls).toBeGreaterThan(30);

      await follow(commands[0] as string, { SNAPSHOTS_DIR: snapshots }, root);
      const atBuild = client.polls();
      for (const [at, replica] of replicas.entries()) {
        await replica.stop();
        await start(ports[at] as number, root);
      }
      await expect.poll(client.polls).toBeGreaterThan(atBuild + 30);
      const { stdout } = await follow(commands[1] as string, { SNAPSHOTS_DIR: snapshots }, root);
      expect(stdout).toContain('gives the same bytes');
      await client.stop();
      expect(client.refused).toEqual([]);
      expect(client.sequences).toEqual(client.sequences.map((_, at) => at + 1));
      expect(client.sequences.length).toBeGreaterThan(4000);
    });
});
