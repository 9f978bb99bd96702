// @module-tag slow
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { clientService, pythonEnvironment } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { startFaultyProxy, type Fault } from '../support/faulty-proxy.ts';
import { createRandom } from '../support/generate.ts';
import { has } from '../support/needs.ts';
import { serviceKey } from '../support/service.ts';
import { until } from '../support/wait.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = useDirectories('follow');
const children = new Set<ReturnType<typeof spawn>>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** How often followers are killed at least, all together. 1,000 take ten minutes to half an hour. */
const killsMinimum = Number(process.env['KILLS'] ?? 24);
const lifeMs = 800;

/** Programs, each as one file, which start at once. */
const bundles = directory();
const [loop, command] = [join(bundles, 'follow.mjs'), join(root, 'node_modules/.cache/tail.mjs')];

/** What follows the feed: each is given where the service is, and appends what it handles to a file. */
interface Follower {
  readonly name: string;
  words(service: string, state: string, handled: string): readonly string[];
  /** What a line of the file is to the sequence of a change. */
  sequenceOf(line: string): number;
  /** Whether it prints changes instead of handling them. */
  readonly prints?: true;
}
const python = (last: string): Pick<Follower, 'words' | 'sequenceOf'> => ({
  words: (service, state, handled) => [
    'python3',
    'test/processes/follow.py',
    service,
    serviceKey,
    state,
    handled,
    last,
  ],
  sequenceOf: Number,
});
const everyFollower: readonly Follower[] = [
  {
    name: 'TypeScript',
    words: (service, state, handled) => [process.execPath, loop, service, serviceKey, state, handled],
    sequenceOf: Number,
  },
  { name: 'Python, for', ...python('plain') },
  { name: 'Python, async for', ...python('async') },
  {
    name: 'tail',
    words: (_, state) =>
      [process.execPath, command, 'tail', '--form', '8-K', '--since', '2026-01-01'].concat('--cursor', state),
    sequenceOf: (line) => (JSON.parse(line) as { sequence: number }).sequence,
    prints: true,
  },
];
const followers = everyFollower.filter(({ name }) => !name.startsWith('Python') || has('python'));
/** What happens to streams, and to requests that are answered at once. */
const faults: readonly Fault[] = ['limited', 'cut', 'unavailable', 'lost'];
const streamFaults: readonly Fault[] = [...faults, 'cut', 'plain', 'cut', 'refused', 'silent', 'buffered'];

// Dozens of kills of four programs on a machine that may be busy, or as many as are asked for.
it('followers have each change that matches, in order, through refusals, restarts and kills: only one that was being handled comes again', {
  timeout: 900_000 + killsMinimum * 5_000,
}, async () => {
  // A program that starts at once lives longer for its work.
  for (const [entry, outfile] of [
    ['test/processes/follow.ts', loop],
    // Beside the packages, because one of them is loaded where Node has no SQLite.
    ['clients/typescript/src/command/main.ts', command],
  ] as const)
    await build({
      entryPoints: [join(root, entry)],
      outfile,
      bundle: true,
      packages: outfile === command ? 'external' : 'bundle',
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
  const results = followers.map(async ({ words, sequenceOf, prints }) => {
    const folder = directory();
    const [state, handled] = [join(folder, 'state'), join(folder, 'handled')];
    const sequences = () =>
      existsSync(handled) ? readFileSync(handled, 'utf8').split('\n').slice(0, -1).map(sequenceOf) : [];
    let kills = 0;
    const isDone = () => isOver && new Set(sequences()).size === published / 2;
    for (let livesMs = lifeMs; !isDone(); kills++) {
      const before = sequences().length;
      const [program = '', ...rest] = words(proxy.address, state, handled);
      const printed = prints === true ? openSync(handled, 'a') : null;
      const child = spawn(program, rest, {
        cwd: root,
        env: { ...pythonEnvironment, FILING_EVENTS_URL: proxy.address, FILING_EVENTS_KEY: serviceKey },
        stdio: ['ignore', printed ?? 'ignore', printed === null ? 'inherit' : 'ignore'],
      });
      if (printed !== null) closeSync(printed);
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
