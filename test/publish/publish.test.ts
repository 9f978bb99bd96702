// @module-tag slow
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type * as z from 'zod';
import { prune } from '../../build/snapshot/prune.ts';
import type { Change } from '../../src/contract/records.ts';
import type { ChangeListResponse } from '../../src/contract/envelopes.ts';
import { openPartHost } from '../../src/remote/host.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { often } from '../support/often.ts';
import { useDirectories } from '../support/directories.ts';
import { startFileHost } from '../support/file-host.ts';
import { filesBelow } from '../support/files-below.ts';
import { appendFilings, createRandom, generateLedger } from '../support/generate.ts';
import { startNginx } from '../support/nginx.ts';
import { listeningService, serviceKey } from '../support/service.ts';
import { serviceOver } from '../support/sample.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { has, needs } from '../support/needs.ts';
import { batchNumbers } from '../support/heads.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = join(root, 'deploy/publish/publish.sh');
const scriptForWrangler = join(root, 'deploy/publish/publish-wrangler.sh');
const directory = useDirectories('publish');
const shape = { filings: 120, companies: 5, batches: 2 };

let made: MadeSnapshot;
/** What publish.sh leaves of the first snapshot in a folder of this machine, and what it says. */
const first = join(directory(), 'published');
let saidFirst = '';
/** The environment of a machine whose rclone must not be asked. */
const withoutRclone = { PATH: '' };
beforeAll(async () => {
  made = await makeSnapshot(shape);
  const programs = directory();
  writeFileSync(join(programs, 'rclone'), '#!/bin/sh\necho rclone was asked for >&2\nexit 1\n', {
    mode: 0o755,
  });
  withoutRclone.PATH = `${programs}:${process.env['PATH']}`;
  saidFirst = publish(first, withoutRclone);
});

/** A folder to which the first snapshot was published. */
function publishedFolder(): string {
  const target = join(directory(), 'copy');
  cpSync(first, target, { recursive: true });
  return target;
}

function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { ...process.env, SNAPSHOTS_DIR: made.directory, RCLONE_CONFIG: '/dev/null', ...more };
}

/** Publishes all of it. Returns what was printed. Throws if it fails. */
function publish(target: string, more: Readonly<Record<string, string>> = {}): string {
  const { status, stdout, stderr } = spawnSync(script, [target], {
    env: environment(more),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`publish.sh ended with ${status}: ${stderr}`);
  return stdout;
}

/** Begins to publish, and kills it with all its processes. */
async function publishAndDie(target: string, afterMs: number): Promise<void> {
  const child = spawn(script, [target], { env: environment(), stdio: 'ignore', detached: true });
  const ended = once(child, 'exit');
  const timer = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), afterMs);
  await ended;
  clearTimeout(timer);
}

/** The entries that a client has read from the feed up to now. */
const allChanges = async () =>
  (await (await serviceOver(made.directory)).all<Change>('/v1/sec/changes?since=2000-01-01&limit=200')).map(
    ({ sequence, filing }) => `${sequence} ${filing.accessionNo}`,
  );

const current = (folder: string) =>
  (JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8')) as { snapshotId: string }).snapshotId;
const parts = (folder: string) =>
  filesBelow(folder).filter((path) => /^(segments|files|manifests)\//.test(path) && !path.endsWith('.tmp'));

describe('publish.sh', () => {
  it('publish.sh to a folder of this machine asks for no rclone, and goes on after it was stopped', async () => {
    const target = publishedFolder();
    expect(saidFirst).toContain(`published ${current(made.directory)} to ${first}`);
    expect(parts(target)).toEqual(parts(made.directory));
    // What a run that was stopped left: a part that is missing, one that is not whole, and a copy under another name.
    const [lost = '', cut = '', aside = ''] = parts(target);
    rmSync(join(target, lost));
    writeFileSync(join(target, cut), '');
    writeFileSync(join(target, `${aside}.1.tmp`), 'x');
    publish(target, withoutRclone);
    for (const part of [lost, cut])
      expect(readFileSync(join(target, part))).toEqual(readFileSync(join(made.directory, part)));
    expect(readFileSync(join(target, 'unwanted.tsv'), 'utf8')).toContain(`${aside}.1.tmp`);
    publish(target, { ...withoutRclone, KEEP_MINUTES: '0' });
    expect(filesBelow(target)).not.toContain(`${aside}.1.tmp`);
    expect(parts(target)).toEqual(parts(made.directory));
  });
});

/** A folder of the current snapshot, to publish from, and what is done to its heartbeat. */
function sourceWithHeartbeat() {
  const source = join(directory(), 'source');
  cpSync(made.directory, source, { recursive: true });
  const path = join(source, 'heartbeat.json');
  return { source, path, beat: (text: string) => writeFileSync(path, text) };
}
const heartbeatIn = (folder: string) => readFileSync(join(folder, 'heartbeat.json'), 'utf8');

it('publish.sh leaves the heartbeat while the storage lacks the snapshot that it tells of', () => {
  const { source, beat } = sourceWithHeartbeat();
  const target = publishedFolder();
  const copyHeartbeat = () =>
    spawnSync(script, ['--heartbeat', target], {
      env: environment({ ...withoutRclone, SNAPSHOTS_DIR: source }),
      encoding: 'utf8',
    });
  beat('first');
  expect(copyHeartbeat()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(heartbeatIn(target)).toBe('first');
  const pointer = readFileSync(join(source, 'current.json'), 'utf8');
  writeFileSync(join(source, 'current.json'), pointer.replace(current(source), '20260901-0123456789abcdef'));
  beat('second');
  expect(copyHeartbeat()).toMatchObject({
    status: 0,
    stdout: `the heartbeat stays: ${target} does not have 20260901-0123456789abcdef yet\n`,
  });
  expect(heartbeatIn(target)).toBe('first');
});

it('publish.sh publishes the heartbeat of its snapshot, and none that a follower wrote during the upload', () => {
  const { source, path, beat } = sourceWithHeartbeat();
  const target = publishedFolder();
  beat('of this snapshot');
  const programs = directory();
  writeFileSync(
    join(programs, 'find'),
    `#!/bin/sh\nprintf later > ${path}\nPATH=${process.env['PATH']} exec find "$@"\n`,
    {
      mode: 0o755,
    },
  );
  publish(target, { SNAPSHOTS_DIR: source, PATH: `${programs}:${withoutRclone.PATH}` });
  expect([heartbeatIn(source), heartbeatIn(target)]).toEqual(['later', 'of this snapshot']);
});

/** A removal of old snapshots takes the manifest first, and parts after it. */
it.each([
  ['publish.sh', script],
  ['publish-wrangler.sh', scriptForWrangler],
])('%s replaces no pointer if its snapshot was removed meanwhile', (_, program) => {
  const [source, target] = [join(directory(), 'source'), publishedFolder()];
  cpSync(made.directory, source, { recursive: true });
  rmSync(join(source, 'manifests', `${current(source)}.json`));
  rmSync(join(target, 'current.json'));
  const wrangler = join(directory(), 'wrangler');
  const said = join(target, 'uploaded');
  writeFileSync(wrangler, `#!/bin/sh\necho "$4" >> ${said}\n`, { mode: 0o755 });
  writeFileSync(said, '');
  const { status, stderr } = spawnSync(program, [program === script ? target : 'bucket'], {
    env: environment({ ...withoutRclone, SNAPSHOTS_DIR: source, WRANGLER: wrangler }),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, expect.stringContaining(`${current(source)} was removed from`)]);
  expect([filesBelow(target).includes('current.json'), readFileSync(said, 'utf8')]).toEqual([
    false,
    expect.not.stringContaining('current.json'),
  ]);
});

describe('publish.sh', needs('rclone'), () => {
  it.each([[[]], [['a', 'b']], [['--help']]])('publish.sh says how it is called: %j', (words) => {
    const { status, stderr } = spawnSync(script, words, { env: environment(), encoding: 'utf8' });
    expect([status, stderr.split('\n').length]).toEqual([2, 2]);
  });

  it('publish.sh publishes nothing where there is no snapshot', () => {
    const { status, stderr } = spawnSync(script, [directory()], {
      env: environment({ SNAPSHOTS_DIR: directory() }),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining('has no pointer')]);
  });

  it('publish.sh uploads what a service needs, and removes old parts only after a while', {
    timeout: 180_000,
  }, async () => {
    const target = publishedFolder();
    const before = parts(target);
    for (let number = 0; number < 3; number++) {
      await appendFilings(made.ledgerDirectory, shape, 20, number);
      await made.build();
    }
    await withPartFolder(made.directory, (folder) => prune(folder, Date.now() + 3_600_000));
    publish(target);
    expect(current(target)).toBe(current(made.directory));
    const unwanted = parts(target).filter((path) => !parts(made.directory).includes(path));
    expect(unwanted.length).toBeGreaterThan(5);
    expect(before.filter((path) => !parts(target).includes(path))).toEqual([]);
    // An hour later.
    const list = join(target, 'unwanted.tsv');
    writeFileSync(
      list,
      readFileSync(list, 'utf8').replaceAll(/^\d+/gm, (second) => String(Number(second) - 3600)),
    );
    publish(target);
    expect(parts(target)).toEqual(parts(made.directory));
    expect(readFileSync(list, 'utf8')).toBe('');
    const service = await serviceOver(target);
    expect((await service.get('/v1/sec/latest')).status).toBe(200);
  });

  for (const { times, options } of often(1, 24, 30_000))
    it(
      `a client misses and repeats nothing while publish.sh is killed at any moment, in ${times} publications`,
      options,
      async () => {
        const target = publishedFolder();
        const host = await (has('nginx') ? startNginx(target) : startFileHost(target));
        const service = await listeningService(openPartHost(host.address, { now: Date.now }));
        const looking = setInterval(() => void service.services.served.check(), 100);
        // Also where it fails in the middle.
        onTestFinished(() => {
          isOver = true;
          clearInterval(looking);
        });
        let isOver = false;
        const seen: string[] = [];
        const failures: unknown[] = [];
        let cursor = '';
        async function poll(): Promise<number> {
          const query = cursor === '' ? 'since=2000-01-01' : `cursor=${encodeURIComponent(cursor)}`;
          const response = await fetch(`http://127.0.0.1:${service.port}/v1/sec/changes?${query}&limit=100`, {
            headers: { 'x-api-key': serviceKey },
          });
          if (response.status !== 200) return failures.push(await response.text());
          const { data, meta } = (await response.json()) as z.infer<typeof ChangeListResponse>;
          seen.push(...data.map(({ sequence, filing }) => `${sequence} ${filing.accessionNo}`));
          cursor = meta.nextCursor;
          return data.length;
        }
        const polling = (async () => {
          while (!isOver) await poll();
        })();

        const random = createRandom(11);
        const served = new Set<string>();
        const buildNext = async (number: number) => {
          await appendFilings(made.ledgerDirectory, shape, 25, 100 + number);
          await made.build();
        };
        await buildNext(0);
        const beganMs = performance.now();
        publish(target);
        const tookMs = performance.now() - beganMs;
        let [half, whole] = [0, 0];
        for (let number = 1; number <= times; number++) {
          await buildNext(number);
          const [old, held] = [current(target), parts(target).length];
          await publishAndDie(target, random() * 1.5 * tookMs);
          expect([old, current(made.directory)]).toContain(current(target));
          if (current(target) !== old) whole++;
          else if (parts(target).length > held) half++;
          // A service that starts now reads everything that the pointer names.
          const started = await serviceOver(target);
          served.add((await started.json<{ snapshotId: string }>('/health')).snapshotId);
          for (const path of [
            '/v1/sec/latest?limit=200',
            '/v1/sec/insider-trades?limit=200',
            '/v1/sec/bulk',
            '/docs',
          ])
            expect([path, (await started.get(path)).status]).toEqual([path, 200]);
          await started.close();
          publish(target);
          expect(current(target)).toBe(current(made.directory));
        }
        await expect.poll(() => service.services.served.currentId()).toBe(current(made.directory));
        isOver = true;
        await polling;
        while ((await poll()) > 0);
        expect(failures).toEqual([]);
        expect(seen).toEqual(await allChanges());
        expect(seen.length).toBeGreaterThan(shape.filings + (times + 1) * 25 - 1);
        // Some were killed before they wrote the pointer, and some after it.
        if (times > 2) expect(half + whole).toBeGreaterThan(0);
        expect(served.size).toBeGreaterThanOrEqual(times / 2);
      },
    );
});

/** The commands of a step of rebuild.yml, by its name. */
function stepOf(name: string): string {
  const lines = readFileSync(join(root, '.github/workflows/rebuild.yml'), 'utf8').split('\n');
  const from =
    lines.findIndex(
      (line, at) =>
        line === '        run: |' &&
        lines
          .slice(0, at)
          .findLast((each) => each.includes('- name: '))
          ?.endsWith(`- name: ${name}`) === true,
    ) + 1;
  if (from === 0) throw new Error(`rebuild.yml has no step ${name}`);
  const to = lines.findIndex((line, at) => at > from && !line.startsWith('          '));
  return lines.slice(from, to).join('\n');
}

describe('rebuild.yml', needs('rclone'), () => {
  it('rebuild.yml restores, publishes what is new, and verifies from the storage alone', {
    timeout: 120_000,
  }, async () => {
    const store = directory();
    /** A folder with the files of the repository, as on a new machine. */
    const machine = () => {
      const at = directory();
      symlinkSync(join(root, 'deploy'), join(at, 'deploy'));
      return at;
    };
    const run = (at: string, step: string) => {
      const env = {
        ...process.env,
        RCLONE_CONFIG: '/dev/null',
        RCLONE_CONFIG_STORE_TYPE: 'alias',
        RCLONE_CONFIG_STORE_REMOTE: store,
        LEDGER_REMOTE: 'store:ledger',
        SNAPSHOTS_REMOTE: 'store:snapshots',
      };
      const { status, stdout, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', stepOf(step)], {
        cwd: at,
        env,
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`${step} ended with ${status}: ${stderr}`);
      return stdout;
    };
    const names: string[] = [];
    for (let round = 0; round < 2; round++) {
      const build = machine();
      const told = run(build, 'Restore the last ledger and snapshot');
      expect(told.includes('There is nothing at store:ledger yet.')).toBe(round === 0);
      const [ledger, snapshots] = [join(build, 'work/ledger'), join(build, 'work/snapshots')];
      const held = [...filesBelow(ledger), ...parts(snapshots)];
      // Waits for the next second, as some file systems count time in seconds.
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (round === 0) await generateLedger(ledger, shape);
      else await appendFilings(ledger, shape, 30, 500 + round);
      names.push(await buildQuietly(ledger, snapshots));
      run(build, 'Gather what is new');
      const publishing = machine();
      cpSync(join(build, 'fresh'), join(publishing, 'fresh'), { recursive: true });
      const fresh = [
        ...filesBelow(join(publishing, 'fresh/ledger')),
        ...parts(join(publishing, 'fresh/snapshots')),
      ];
      expect(fresh.length).toBeGreaterThan(10);
      // The manifest that was current before goes again: its time says when it stopped being current.
      const again = fresh.filter((path) => held.includes(path) && !path.startsWith('manifests/'));
      expect(again).toEqual([]);
      // A machine may end within the step: the next one does all of it.
      if (round === 1) {
        spawnSync(
          'rclone',
          ['copy', '--exclude', 'batch.json', join(publishing, 'fresh/ledger'), join(store, 'ledger')],
          { env: environment() },
        );
        const half = machine();
        run(half, 'Restore the last ledger and snapshot');
        expect(await batchNumbers(join(half, 'work/ledger'))).toEqual([1, 2]);
      }
      run(publishing, 'Publish the ledger, then the snapshot, its pointer last');
      // Parts that the folder of new ones lacks are wanted, too.
      expect(readFileSync(join(store, 'snapshots/unwanted.tsv'), 'utf8')).toBe('');
    }
    const last = machine();
    run(last, 'Restore the last ledger and snapshot');
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(root, 'build/start.mjs'), 'verify', '--ledger', join(last, 'work/ledger')],
      {
        cwd: root,
        env: { ...process.env, BASE_URL: '', SNAPSHOTS_DIR: join(last, 'work/snapshots') },
        encoding: 'utf8',
      },
    );
    expect([status, stderr]).toEqual([0, '']);
    expect(current(join(last, 'work/snapshots'))).toBe(names[1]);
    expect(await batchNumbers(join(last, 'work/ledger'))).toEqual([1, 2, 3]);
  });
});

describe('publish-wrangler.sh', () => {
  it('restore.sh leaves out what no head names: of a batch with contents alone, and of a batch that became another one', () => {
    const [remote, restored] = [join(directory(), 'ledger'), join(directory(), 'ledger')];
    cpSync(made.ledgerDirectory, remote, { recursive: true });
    const batches = filesBelow(remote).filter((path) => path.startsWith('batches/'));
    const next = join(remote, 'batches/00000/00009999');
    mkdirSync(next);
    for (const folder of [next, join(remote, dirname(batches[0] ?? ''))])
      writeFileSync(join(folder, 'contents-9.jsonl'), '{}');
    const { status, stderr } = spawnSync(join(root, 'deploy/publish/restore.sh'), [remote, restored], {
      env: environment(),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(filesBelow(restored).filter((path) => path.startsWith('batches/'))).toEqual(batches);
  });

  it('publish-wrangler.sh puts parts first and the pointer last, and only what is new', () => {
    const [bin, state] = [directory(), join(directory(), 'state')];
    const log = join(bin, 'log');
    writeFileSync(join(bin, 'wrangler'), `#!/bin/sh\necho "$@" >> ${log}\n`);
    chmodSync(join(bin, 'wrangler'), 0o755);
    const run = () => {
      rmSync(log, { force: true });
      const { status, stderr } = spawnSync(scriptForWrangler, ['bucket'], {
        env: environment({ PATH: `${bin}:${process.env['PATH']}`, STATE_FILE: state, WRANGLER: 'wrangler' }),
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
      return readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => / object put bucket\/(\S+) /.exec(line)?.[1] ?? line);
    };
    const put = run();
    expect(put.toSorted()).toEqual(['current.json', ...parts(made.directory)].toSorted());
    expect(put.at(-1)).toBe('current.json');
    const manifestsFrom = put.findIndex((path) => path.startsWith('manifests/'));
    expect(put.slice(manifestsFrom, -1).every((path) => path.startsWith('manifests/'))).toBe(true);
    expect(run()).toEqual(['current.json']);
  });
});
