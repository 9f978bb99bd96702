// @module-tag slow
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPointer, rollback } from '../../build/snapshot/pointer.ts';
import { prune } from '../../build/snapshot/prune.ts';
import { paths } from '../../src/format/snapshot.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { command, start, type Ended } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { changesOf } from '../support/published-rows.ts';
import { createRandom, generateLedger } from '../support/generate.ts';
import { appendNumbered, filing } from '../support/ledgers.ts';
import { often } from '../support/often.ts';
import { buildQuietly, contentBelow, filesBelow, namesIn } from '../support/snapshots.ts';
import { currentId, manifestOf, partsOfSnapshot, wholeSnapshot } from '../support/whole.ts';

const directory = useDirectories('crash');
/** Whether a build works in a directory: it has temporary files there. */
const isAtWork = (snapshots: string) => readdirSync(snapshots).some((name) => name.startsWith('.staging-'));

interface Worked extends Ended {
  /** The time from the first write to the end. */
  readonly workedMs: number;
}

/**
 * Runs a command and kills it when it has worked for so long, counted from the first thing that it writes.
 */
async function killedAtWork(words: readonly string[], snapshots: string, afterMs: number): Promise<Worked> {
  const { child, ended } = start(words);
  let isOver = false;
  void ended.then(() => (isOver = true));
  while (!isOver && !isAtWork(snapshots)) await new Promise((resolve) => void setTimeout(resolve, 1));
  const fromMs = performance.now();
  const timer = setTimeout(() => child.kill('SIGKILL'), Math.min(afterMs, 2 ** 31 - 1));
  const end = await ended;
  clearTimeout(timer);
  return { ...end, workedMs: performance.now() - fromMs };
}

/**
 * Cuts off, empties or flips a bit of some files that no snapshot needs, as a power cut does to files that
 * were not synced.
 */
function damageSome(directory: string, needed: ReadonlySet<string>, random: () => number): void {
  for (const path of filesBelow(directory)) {
    if (needed.has(path) || random() < 0.6) continue;
    const bytes = readFileSync(join(directory, path));
    const at = Math.floor(random() * bytes.length);
    if (random() < 0.5 && bytes.length > 0)
      bytes[at] = (bytes[at] as number) ^ (1 << Math.floor(random() * 8));
    writeFileSync(join(directory, path), random() < 0.5 ? bytes : bytes.subarray(0, at));
  }
}

describe('a build that is killed at any moment', () => {
  const ledgerDirectory = directory();
  const source = directory();
  const undisturbed = directory();
  const words = (snapshots: string) => ['build', '--ledger', ledgerDirectory, '--snapshots', snapshots];
  let before: string;
  let after: string;
  let partsBefore: Record<string, string>;
  let partsAfter: Record<string, string>;
  let workedMs: number;
  /**
   * Two batches and their segments; then one that is joined with the second, and one that is a segment of its
   * own.
   */
  beforeAll(async () => {
    const append = (number: number, from: number, to: number) =>
      appendNumbered(
        ledgerDirectory,
        number,
        Array.from({ length: to - from }, (_, at) =>
          filing(from + at, { form: number % 2 ? '8-K' : '10-Q' }),
        ),
      );
    await generateLedger(ledgerDirectory, { filings: 800, companies: 40, batches: 1 });
    await append(2, 0, 100);
    before = await buildQuietly(ledgerDirectory, source);
    partsBefore = await partsOfSnapshot(source);
    await append(3, 70, 110);
    await append(4, 105, 115);
    cpSync(source, undisturbed, { recursive: true });
    const ended = await killedAtWork(words(undisturbed), undisturbed, Infinity);
    expect(ended.code).toBe(0);
    workedMs = ended.workedMs;
    after = await currentId(undisturbed);
    partsAfter = await partsOfSnapshot(undisturbed);
    const [old, young] = [await manifestOf(undisturbed, before), await manifestOf(undisturbed, after)];
    expect(old.segments.map(({ to }) => to)).toEqual([1, 2]);
    expect(young.segments.map(({ to }) => to)).toEqual([1, 3, 4]);
  }, 120_000);

  /** Expects every change once, in its order. */
  async function expectWhole(snapshots: string): Promise<void> {
    const manifest = await wholeSnapshot(snapshots);
    const changes = await changesOf(snapshots, manifest);
    expect(changes.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: manifest.lastSequence }, (_, at) => at + 1),
    );
    expect(manifest.filingCount).toBe(915);
  }

  /** Expects after the last run, and a prune, exactly what an undisturbed build leaves. */
  async function expectUndisturbed(snapshots: string): Promise<void> {
    expect(await readPointer(snapshots)).toMatchObject({ snapshotId: after, previous: [before] });
    expect(await partsOfSnapshot(snapshots)).toEqual(partsAfter);
    expect(await partsOfSnapshot(snapshots, before)).toEqual(partsBefore);
    await expectWhole(snapshots);
    expect(namesIn(snapshots)).toEqual([paths.pointer, 'files', 'manifests', 'segments']);
    await withPartFolder(snapshots, (folder) => prune(folder, Date.now() + 3_600_000));
    expect(filesBelow(snapshots)).toEqual(filesBelow(undisturbed));
    expect(contentBelow(snapshots)).toEqual(contentBelow(undisturbed));
  }

  for (const { times: kills, options: limit } of often(3, 12, 50_000))
    it(
      `a build that is killed ${kills} times leaves a whole current snapshot, and the next build completes`,
      limit,
      async () => {
        const snapshots = join(directory(), 'snapshots');
        cpSync(source, snapshots, { recursive: true });
        const random = createRandom(2);
        const needed = new Set([...Object.keys(partsBefore), paths.pointer]);
        const current = new Map<string, number>();
        let deaths = 0;
        let tookMs = workedMs;
        for (let round = 0; round < kills; round++) {
          const end = await killedAtWork(words(snapshots), snapshots, (tookMs * (round + random())) / kills);
          if (end.code === null) deaths++;
          // The machine may have had more to do when the time was taken.
          else tookMs = Math.min(tookMs, end.workedMs);
          const id = await currentId(snapshots);
          current.set(id, (current.get(id) ?? 0) + 1);
          expect(end.code === null ? [before, after] : [after]).toContain(id);
          await wholeSnapshot(snapshots);
          expect(await partsOfSnapshot(snapshots, before)).toEqual(partsBefore);
          // The next run has to find work again beside what this one left.
          if (id === after) {
            await withPartFolder(snapshots, rollback);
            rmSync(join(snapshots, paths.manifest(after)));
            // A build does not publish again what a rollback left, and a killed one may write its manifest again.
            rmSync(join(snapshots, '.published.json'));
          }
          damageSome(snapshots, needed, random);
        }
        expect(deaths).toBeGreaterThan(kills / 3);
        expect((await command(words(snapshots))).code).toBe(0);
        await expectUndisturbed(snapshots);
      },
    );
});
