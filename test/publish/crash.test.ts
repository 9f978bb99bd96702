import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import { readPointer, rollback } from '../../build/snapshot/pointer.ts';
import { prune } from '../../build/snapshot/prune.ts';
import { paths } from '../../src/format/snapshot.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { json, startEdgarDouble, type EdgarDouble } from '../edgar/edgar-double.ts';
import { command, start, type Ended } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { changesOf } from '../support/published-rows.ts';
import { createRandom, generateLedger } from '../support/generate.ts';
import { readRows } from '../support/ledger-rows.ts';
import { batchAt, filing } from '../support/ledgers.ts';
import { often } from '../support/often.ts';
import { buildQuietly, contentBelow, filesBelow, namesIn } from '../support/snapshots.ts';
import { smallDisk } from '../support/small-disk.ts';
import { columnsOf, extraPage, submissionsOf, upstreamRow } from '../support/submissions.ts';
import { currentId, manifestOf, partsOfSnapshot, wholeSnapshot } from '../support/whole.ts';

const directory = useDirectories('crash');
/**
 * Runs a command and kills it after a share of the time that it takes when it is left alone.
 */
async function killed(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  afterMs: number,
): Promise<Ended> {
  const { child, ended } = start(words, environment);
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  const end = await ended;
  clearTimeout(timer);
  return end;
}

describe('an ingest that is killed at any moment', () => {
  let edgar: EdgarDouble;
  let environment: Record<string, string>;
  const ciks = Array.from({ length: 6 }, (_, at) => String(at + 1).padStart(10, '0'));
  const rowsOf = (at: number, page: number) =>
    Array.from({ length: 40 }, (_, row) => upstreamRow(at * 1000 + page * 100 + row));
  const filings = ciks.length * 80;
  const words = (ledger: string) => ['ingest', '--universe', ciks.join(','), '--ledger', ledger];

  beforeAll(async () => {
    edgar = await startEdgarDouble();
    environment = {
      EDGAR_USER_AGENT: 'Crash Test crash@example.com',
      EDGAR_DATA_URL: edgar.dataUrl,
      EDGAR_WWW_URL: edgar.wwwUrl,
      EDGAR_RPS: '10',
    };
    ciks.forEach((cik, at) => {
      const page = extraPage(cik, 1, rowsOf(at, 1));
      edgar.route(
        `/data.sec.gov/submissions/CIK${cik}.json`,
        json(submissionsOf(cik, rowsOf(at, 0), {}, [page])),
      );
      edgar.route(`/data.sec.gov/submissions/${page.name}`, json(columnsOf(rowsOf(at, 1))));
    });
  });
  afterAll(() => edgar.close());

  for (const { times: kills, options: limit } of often(4, 12, 50_000))
    it(
      `an ingest that is killed ${kills} times leaves the ledger as it was or with a whole batch, and the next run completes it`,
      limit,
      async () => {
        const undisturbed = directory();
        const { code, tookMs } = await command(words(undisturbed), environment);
        expect(code).toBe(0);
        const ledgerDirectory = directory();
        const random = createRandom(1);
        let deaths = 0;
        let batches = 0;
        for (let round = 0; round < kills; round++) {
          const end = await killed(
            words(ledgerDirectory),
            environment,
            (tookMs * (round + random())) / kills,
          );
          if (end.code === null) deaths++;
          else expect(end.code).toBe(0);
          const ledger = await readRows(ledgerDirectory);
          const found = ledger.batches;
          expect(found === batches || found === batches + 1).toBe(true);
          if (end.code === 0) expect(found).toBe(batches + 1);
          batches = found;
          expect(ledger.filings.length).toBe(batches === 0 ? 0 : filings);
        }
        expect(deaths).toBeGreaterThan(0);
        expect((await command(words(ledgerDirectory), environment)).code).toBe(0);
        const [once, often] = [await readRows(undisturbed), await readRows(ledgerDirectory)];
        expect(often).toEqual({ ...once, batches: batches + 1 });
        expect(readdirSync(join(ledgerDirectory, 'batches')).filter((name) => name.startsWith('.'))).toEqual(
          [],
        );
      },
    );

  it('the run after a killed ingest does not ask again for what was fetched', {
    tags: ['slow'],
  }, async () => {
    const ledgerDirectory = directory();
    const from = edgar.requests.length;
    const asked = () =>
      edgar.requests
        .slice(from)
        .filter(({ path }) => path.includes('/submissions/'))
        .map(({ path }) => path);
    const { child, ended } = start(words(ledgerDirectory), environment);
    let isOver = false;
    void ended.then(() => (isOver = true));
    while (asked().length < 6 && !isOver) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    expect((await ended).code).toBeNull();
    const before = asked().length;
    expect((await command(words(ledgerDirectory), environment)).code).toBe(0);
    expect(before).toBeGreaterThanOrEqual(6);
    // At most the requests that were under way when it was killed are asked again: four companies at a time.
    expect(asked().length).toBeLessThanOrEqual(2 * ciks.length + 4);
    expect(new Set(asked()).size).toBe(2 * ciks.length);
    expect((await readRows(ledgerDirectory)).filings.length).toBe(filings);
  });
});

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
    const append = (number: number, from: number, to: number) => {
      const filings = Array.from({ length: to - from }, (_, at) =>
        filing(from + at, { form: number % 2 === 0 ? '10-Q' : '8-K' }),
      );
      return appendBatch(ledgerDirectory, {
        run: { target: '', status: 'success', message: null, createdAt: batchAt(number) },
        filings,
        companies: [],
        refusals: [],
      });
    };
    await generateLedger(ledgerDirectory, { filings: 4000, companies: 40, batches: 1 });
    await append(2, 0, 300);
    before = await buildQuietly(ledgerDirectory, source);
    partsBefore = await partsOfSnapshot(source);
    await append(3, 200, 320);
    await append(4, 310, 340);
    cpSync(source, undisturbed, { recursive: true });
    const ended = await killedAtWork(words(undisturbed), undisturbed, Infinity);
    expect(ended.code).toBe(0);
    workedMs = ended.workedMs;
    after = await currentId(undisturbed);
    partsAfter = await partsOfSnapshot(undisturbed);
    const [old, young] = [await manifestOf(undisturbed, before), await manifestOf(undisturbed, after)];
    expect(old.segments.map(({ to }) => to)).toEqual([1, 2]);
    expect(young.segments.map(({ to }) => to)).toEqual([1, 3, 4]);
  }, 900_000);

  /** Expects every change once, in its order. */
  async function expectWhole(snapshots: string): Promise<void> {
    const manifest = await wholeSnapshot(snapshots);
    const changes = await changesOf(snapshots, manifest);
    expect(changes.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: manifest.lastSequence }, (_, at) => at + 1),
    );
    expect(manifest.filingCount).toBe(4340);
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

  for (const { times: kills, options: limit } of often(4, 12, 50_000))
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

  for (const { times: kills, options: limit } of often(4, 12, 50_000))
    it(
      `a killed build does not disturb another one over the same directory, ${kills / 4} times`,
      limit,
      async () => {
        const random = createRandom(3);
        for (let round = 0; round < kills / 4; round++) {
          const snapshots = join(directory(), 'snapshots');
          cpSync(source, snapshots, { recursive: true });
          const [dying, living] = await Promise.all([
            killedAtWork(words(snapshots), snapshots, workedMs * random()),
            command(words(snapshots)),
          ]);
          expect([living.stderr, living.code]).toEqual(['', 0]);
          expect([0, null]).toContain(dying.code);
          await wholeSnapshot(snapshots);
          expect((await command(words(snapshots))).code).toBe(0);
          await expectUndisturbed(snapshots);
        }
      },
    );

  it('a build that finds the disk full leaves a whole current snapshot, and says so in one line', {
    tags: ['slow'],
    timeout: 300_000,
  }, async ({ skip }) => {
    const sizes = filesBelow(source).reduce(
      (sum, path) => sum + Math.ceil(statSync(join(source, path)).size / 4096) * 4096,
      0,
    );
    for (const extra of [64 * 1024, 600 * 1024, 1_100 * 1024]) {
      const disk = smallDisk(directory(), sizes + extra);
      if (disk === null)
        return skip('no file system can be mounted here; full-disk.test.ts makes writes fail instead');
      try {
        cpSync(source, disk, { recursive: true });
        const { code, stderr } = await command(words(disk));
        expect([extra, code, stderr]).toEqual([
          extra,
          1,
          expect.stringMatching(
            /^the disk of [^\n]* is full: [^\n]* are free, about [^\n]* are needed \([^\n]*ENOSPC[^\n]*\n$/,
          ),
        ]);
        expect(await currentId(disk)).toBe(before);
        expect(await partsOfSnapshot(disk)).toEqual(partsBefore);
        expect(namesIn(disk).filter((name) => name.startsWith('.'))).toEqual([]);
        expect(filesBelow(disk).filter((path) => path.endsWith('.tmp'))).toEqual([]);
        expect(spawnSync('mount', ['-o', 'remount,size=64m', disk]).status).toBe(0);
        expect((await command(words(disk))).code).toBe(0);
        await expectUndisturbed(disk);
      } finally {
        spawnSync('umount', ['-l', disk]);
      }
    }
  });
});
