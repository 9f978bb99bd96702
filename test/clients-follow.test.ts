// @module-tag slow
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
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

const followers = [
  {
    name: 'TypeScript',
    program: [process.execPath, '--import', 'tsx', 'test/processes/follow.ts'],
    last: [],
  },
  { name: 'Python, for', program: ['python3', 'test/processes/follow.py'], last: ['plain'] },
  { name: 'Python, async for', program: ['python3', 'test/processes/follow.py'], last: ['async'] },
].filter(({ name }) => name === 'TypeScript' || has('python'));

// Dozens of kills of three programs on a machine that may be busy.
it('followers have each change that matches, in order, through refusals, restarts and kills: only one that was being handled comes again', {
  timeout: 240_000,
}, async () => {
  const random = createRandom(24);
  const served = await clientService(300);
  const faults: Fault[] = ['limited', 'cut', 'unavailable', 'lost'];
  let asked = 0;
  const proxy = await startFaultyProxy(
    () => served.service.port,
    () => (++asked % 7 === 0 ? (faults[(asked / 7) % faults.length] as Fault) : null),
  );
  let published = 300;
  let isOver = false;
  const results = followers.map(async ({ program: [command = '', ...words], last }) => {
    const folder = directory();
    const [state, handled] = [join(folder, 'state'), join(folder, 'handled')];
    const sequences = () =>
      existsSync(handled) ? readFileSync(handled, 'utf8').split('\n').slice(0, -1).map(Number) : [];
    let kills = 0;
    const isDone = () => isOver && new Set(sequences()).size === published / 2;
    for (let livesMs = 2_500; !isDone(); kills++) {
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
      // It never ends by itself.
      expect(await ended).toBeNull();
      children.delete(child);
      // On a busy machine it has to live longer to handle anything.
      if (sequences().length === before) livesMs *= 1.25;
    }
    return { kills, sequences: sequences() };
  });
  for (let batch = 0; batch < 6; batch++) {
    const count = 2 * (10 + Math.floor(random() * 150));
    published += count;
    await served.publish(count);
    if (batch % 2 === 1) {
      await proxy.down();
      await served.restart();
      await proxy.up();
    }
    await pause(1_000 + random() * 2_000);
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
