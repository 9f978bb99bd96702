// @module-tag slow
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { clientService, pythonEnvironment } from './support/clients.ts';
import { useDirectories } from './support/directories.ts';
import { startFaultyProxy, type Fault } from './support/faulty-proxy.ts';
import { createRandom } from './support/generate.ts';
import { has } from './support/needs.ts';
import { serviceKey } from './support/service.ts';
import { until } from './support/wait.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = useDirectories('follow');
const children = new Set<ReturnType<typeof spawn>>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** How often followers are killed at least, all together. 1,000 take ten minutes to half an hour. */
const killsMinimum = Number(process.env['KILLS'] ?? 24);
const lifeMs = 800;

const followers = [
  { name: 'TypeScript', program: [process.execPath, join(directory(), 'follow.mjs')], last: [] },
  { name: 'Python, for', program: ['python3', 'test/processes/follow.py'], last: ['plain'] },
  { name: 'Python, async for', program: ['python3', 'test/processes/follow.py'], last: ['async'] },
].filter(({ name }) => name === 'TypeScript' || has('python'));
/** What happens to streams, and to requests that are answered at once. */
const faults: readonly Fault[] = ['limited', 'cut', 'unavailable', 'lost'];
const streamFaults: readonly Fault[] = [...faults, 'cut', 'plain', 'cut', 'refused', 'silent', 'buffered'];

// Dozens of kills of three programs on a machine that may be busy, or as many as are asked for.
it('followers have each change that matches, in order, through refusals, restarts and kills: only one that was being handled comes again', {
  timeout: 900_000 + killsMinimum * 5_000,
}, async () => {
  // A program that starts at once lives longer for its work.
  await build({
    entryPoints: [join(root, 'test/processes/follow.ts')],
    outfile: followers[0]?.program[1] ?? '',
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const random = createRandom(24);
  const served = await clientService(300);
  const asked = { streams: 0, others: 0 };
  const proxy = await startFaultyProxy(
    () => served.service.port,
    (isStream) => {
      const count = isStream ? ++asked.streams : ++asked.others;
      const [every, kinds] = isStream ? ([3, streamFaults] as const) : ([5, faults] as const);
      return count % every === 0 ? (kinds[(count / every) % kinds.length] ?? null) : null;
    },
  );
  let published = 300;
  let isOver = false;
  let killed = 0;
  const results = followers.map(async ({ program: [command = '', ...words], last }) => {
    const folder = directory();
    const [state, handled] = [join(folder, 'state'), join(folder, 'handled')];
    const sequences = () =>
      existsSync(handled) ? readFileSync(handled, 'utf8').split('\n').slice(0, -1).map(Number) : [];
    let kills = 0;
    const isDone = () => isOver && new Set(sequences()).size === published / 2;
    for (let livesMs = lifeMs; !isDone(); kills++) {
      const before = sequences().length;
      const child = spawn(command, [...words, proxy.address, serviceKey, state, handled, ...last], {
        cwd: root,
        env: pythonEnvironment,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      children.add(child);
      const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
      await Promise.race([
        pause(livesMs * (0.3 + random())),
        ended,
        isOver ? until(isDone) : new Promise(() => {}),
      ]);
      child.kill('SIGKILL');
      killed++;
      // It never ends by itself.
      expect(await ended).toBeNull();
      children.delete(child);
      // On a busy machine it has to live longer to handle anything.
      livesMs = sequences().length === before ? livesMs * 1.25 : Math.max(lifeMs, livesMs * 0.8);
    }
    return { kills, sequences: sequences() };
  });
  for (let batch = 0; killed < killsMinimum; batch++) {
    const count = 2 * (1 + Math.floor(random() ** 3 * 150));
    published += count;
    await served.publish(count);
    if (batch % 2 === 1) {
      await proxy.down();
      await served.restart();
      await proxy.up();
    }
    await pause(200 + random() * 2_000);
  }
  isOver = true;
  const expected = Array.from({ length: published / 2 }, (_, at) => 2 * at + 1);
  for (const [at, { kills, sequences }] of (await Promise.all(results)).entries()) {
    const repeated = sequences.filter((sequence, row) => row > 0 && sequence === sequences[row - 1]);
    expect(sequences.filter((sequence, row) => sequence !== sequences[row - 1])).toEqual(expected);
    expect(repeated.length).toBeLessThanOrEqual(kills);
    console.log(
      `${followers[at]?.name}: ${kills} kills, ${repeated.length} of ${expected.length} changes twice`,
    );
    expect(kills).toBeGreaterThan(2);
  }
  await proxy.close();
  await served.close();
});
