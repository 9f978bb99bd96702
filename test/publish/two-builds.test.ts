import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tryLockFile } from '../../build/disk/lock.ts';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { paths } from '../../src/format/snapshot.ts';
import { often } from '../support/often.ts';
import { command, start, type Running } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { createRandom } from '../support/generate.ts';
import { appendNumbered, filing } from '../support/ledgers.ts';
import { buildQuietly, contentBelow } from '../support/snapshots.ts';
import { currentId, manifestOf, wholeSnapshot } from '../support/whole.ts';

const fresh = useDirectories('two-builds');

/** Appends a batch with ten filings, and with a company if it is the first one. */
const append = (ledger: string, number: number) =>
  appendNumbered(
    ledger,
    number,
    Array.from({ length: 10 }, (_, at) => filing(number * 10 + at)),
  );

async function ledgerOf(batches: number): Promise<string> {
  const ledger = fresh();
  for (let number = 1; number <= batches; number++) await append(ledger, number);
  return ledger;
}

/** Starts `build` for a ledger and a directory of snapshots. `said` has what it has printed so far. */
function startBuild(ledger: string, snapshots: string): Running & { said(): string } {
  let text = '';
  const running = start(['build', '--ledger', ledger, '--snapshots', snapshots]);
  running.child.stdout?.on('data', (piece: string) => void (text += piece));
  return { ...running, said: () => text };
}

const batchesOf = async (snapshots: string) => (await manifestOf(snapshots)).ledger.batches;
const stagings = (snapshots: string) =>
  readdirSync(snapshots).filter((name) => name.startsWith('.staging-') || name.endsWith('.tmp'));
function manifestsIn(snapshots: string): number {
  const directory = join(snapshots, 'manifests');
  return existsSync(directory) ? readdirSync(directory).length : 0;
}
const patiently = { timeout: 180_000 };

describe('two builds at once over one directory', () => {
  it('two builds at once both complete, and leave what one alone leaves', { tags: ['slow'] }, async () => {
    const ledger = await ledgerOf(3);
    const [alone, shared] = [fresh(), fresh()];
    const id = await buildQuietly(ledger, alone);
    const said: string[] = [];
    const log = (line: string) => void said.push(line);
    expect(await Promise.all([1, 2, 3].map(() => buildQuietly(ledger, shared, { log })))).toEqual([
      id,
      id,
      id,
    ]);
    expect(contentBelow(shared)).toEqual(contentBelow(alone));
    expect(stagings(shared)).toEqual([]);
    const waiting = `another build is running in ${shared}; this one waits`;
    expect(said.filter((line) => line === waiting)).toEqual([waiting, waiting]);
  });

  it('a build that waits for another one says so once, and then publishes what is left to do', {
    tags: ['slow'],
    timeout: 180_000,
  }, async () => {
    const [ledger, snapshots] = [await ledgerOf(1), fresh()];
    const before = await buildQuietly(ledger, snapshots);
    await append(ledger, 2);
    const other = tryLockFile(join(snapshots, '.build.lock'));
    const build = startBuild(ledger, snapshots);
    const waiting = `another build is running in ${snapshots}; this one waits\n`;
    await expect.poll(build.said, patiently).toBe(waiting);
    await append(ledger, 3);
    expect(await currentId(snapshots)).toBe(before);
    other?.release();
    const { code, stdout, stderr } = await build.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([waiting.trim(), expect.stringContaining('from 3 batches'), '']);
    expect(await readPointer(snapshots)).toMatchObject({ previous: [before] });
    expect(await batchesOf(snapshots)).toBe(3);
  });

  it('a build waits for the pointer, and leaves a newer snapshot of the ledger current that was published meanwhile', {
    tags: ['slow'],
    timeout: 180_000,
  }, async () => {
    const [short, long, snapshots, newer] = [await ledgerOf(1), await ledgerOf(2), fresh(), fresh()];
    const id = await buildQuietly(long, newer);
    const other = tryLockFile(join(snapshots, '.lock'));
    const build = startBuild(short, snapshots);
    let isOver = false;
    void build.ended.then(() => (isOver = true));
    await expect.poll(() => manifestsIn(snapshots), patiently).toBe(1);
    // Time enough to replace the pointer, if it did not wait.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect([isOver, existsSync(join(snapshots, paths.pointer))]).toEqual([false, false]);
    cpSync(newer, snapshots, { recursive: true, filter: (path) => !path.endsWith('.lock') });
    other?.release();
    const { code, stdout, stderr } = await build.ended;
    expect([code, stderr, stdout]).toEqual([0, '', `${id}, which has more of this ledger, stays current\n`]);
    expect(await currentId(snapshots)).toBe(id);
    await wholeSnapshot(snapshots);
  });

  it('of builds that overlap while the ledger grows, each later one names the earlier ones as previous', {
    tags: ['slow'],
    timeout: 120_000,
  }, async () => {
    const [ledger, snapshots] = [await ledgerOf(1), fresh()];
    // The first build waits for the pointer, so it still runs when the second one starts.
    const pointer = tryLockFile(join(snapshots, '.lock'));
    const first = startBuild(ledger, snapshots);
    await expect.poll(() => manifestsIn(snapshots), patiently).toBe(1);
    await append(ledger, 2);
    const second = startBuild(ledger, snapshots);
    await expect
      .poll(second.said, patiently)
      .toBe(`another build is running in ${snapshots}; this one waits\n`);
    pointer?.release();
    for (const { ended } of [first, second]) expect((await ended).code).toBe(0);
    const { previous = [] } = (await readPointer(snapshots)) ?? {};
    expect([await batchesOf(snapshots), previous.length]).toEqual([2, 1]);
    expect((await wholeSnapshot(snapshots, previous[0])).ledger.batches).toBe(1);
  });

  // Each round has two processes that are killed, one that is not, and two verifications.
  for (const { times, options } of often(4, 16, 40_000))
    it(
      `of two builds that are killed at any moment, ${times} times, the pointer names a whole snapshot, never an older one`,
      options,
      async () => {
        const [ledger, snapshots] = [await ledgerOf(1), fresh()];
        await buildQuietly(ledger, snapshots);
        const random = createRandom(9);
        let [deaths, batches] = [0, 1];
        // How long a build takes that nobody kills, as far as is known.
        let tookMs = 4000;
        for (let round = 0; round < times || deaths <= times / 3; round++) {
          const before = await batchesOf(snapshots);
          await append(ledger, batches + 1);
          const older = startBuild(ledger, snapshots);
          await append(ledger, batches + 2);
          const younger = startBuild(ledger, snapshots);
          const timers = [older, younger].map(({ child }) =>
            // Every other round one of them lives.
            random() < 0.75 ? setTimeout(() => child.kill('SIGKILL'), tookMs * (0.1 + random())) : undefined,
          );
          const began = performance.now();
          for (const { ended } of [older, younger])
            void ended.then(({ code }) => {
              if (code === 0) tookMs = performance.now() - began;
            });
          const ends = await Promise.all([older.ended, younger.ended]);
          for (const timer of timers) clearTimeout(timer);
          for (const { code, stderr } of ends) {
            if (code === null) deaths++;
            else expect([code, stderr]).toEqual([0, '']);
          }
          const { code, stderr } = await command(['verify'], { SNAPSHOTS_DIR: snapshots });
          expect([code, stderr]).toEqual([0, '']);
          const found = await batchesOf(snapshots);
          expect(found).toBeGreaterThanOrEqual(before);
          batches += 2;
          expect(found).toBeLessThanOrEqual(batches);
          if (ends[1].code === 0) expect(found).toBe(batches);
        }
        expect((await command(['build', '--ledger', ledger, '--snapshots', snapshots])).code).toBe(0);
        expect([await batchesOf(snapshots), stagings(snapshots)]).toEqual([batches, []]);
        const alone = fresh();
        expect(await buildQuietly(ledger, alone, { settings: (await manifestOf(snapshots)).settings })).toBe(
          await currentId(snapshots),
        );
      },
    );
});
