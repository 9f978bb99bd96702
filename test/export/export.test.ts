// @module-tag slow
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableNames } from '../../build/export/tables.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { batchDirectory, newBatchDirectory } from '../../build/ledger/folders.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { often } from '../support/often.ts';
import { useDirectories } from '../support/directories.ts';
import { startFileHost, type FileHost } from '../support/file-host.ts';
import {
  currentFiles,
  expectedRows,
  exportQuietly,
  filesInManifest as namesIn,
  manifestIn,
  rowsByDuckDb,
  rowsByIcebird,
  snapshotsOfSmallLedger,
  type TableRows,
} from '../support/exported.ts';
import { contents, form4, holding, transaction } from '../support/contents.ts';
import { filesBelow } from '../support/files-below.ts';
import { generateLedger } from '../support/generate.ts';
import { unevenHistories } from '../support/histories.ts';
import { appendMadeUp, cikOf, company, filing } from '../support/ledgers.ts';
import { writeHistory } from '../support/published.ts';
import { smallDisk } from '../support/small-disk.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('export');
/** The snapshot after each of the four batches. */
let snapshots: readonly string[] = [];
const expected: TableRows[] = [];
const root = fresh();
let host: FileHost;

beforeAll(async () => {
  snapshots = await snapshotsOfSmallLedger(fresh, { logCut: { rowsPerFile: 40, rowsPerMember: 8 } });
  for (const own of snapshots) expected.push(await expectedRows(own));
  host = await startFileHost(root);
}, 120_000);
afterAll(() => host.close());

/** Exports snapshot `number` into a folder of the host. */
function exportTo(name: string, number: number): Promise<void> {
  const snapshotsDirectory = snapshots[number - 1] as string;
  const location = `${host.address}/${name}`;
  return exportQuietly({ snapshotsDirectory, directory: join(root, name), location });
}

/** Expects that both readers find in a folder what snapshot `number` has. */
async function expectSnapshot(name: string, number: number): Promise<void> {
  expect(await rowsByIcebird(`${host.address}/${name}`)).toEqual(expected[number - 1]);
  expect(await rowsByDuckDb(join(root, name))).toEqual(expected[number - 1]);
}

describe('export', () => {
  it('the expected rows have corrections, and filings with several parties', () => {
    const last = expected[3] as TableRows;
    expect(last.changes.length).toBeGreaterThan(last.filings.length + 5);
    expect(last.parties.length).toBeGreaterThan(last.filings.length + 5);
    expect(last.companies.length).toBeGreaterThan(5);
  });

  it('exports one after another give what one export gives, and write only what is new, nothing of the same snapshot', async () => {
    for (let number = 1; number <= 4; number++) {
      const before = number === 1 ? [] : filesBelow(join(root, 'steps/changes/data'));
      await exportTo('steps', number);
      await expectSnapshot('steps', number);
      // Files of the log are never rewritten.
      expect(filesBelow(join(root, 'steps/changes/data'))).toEqual(expect.arrayContaining(before));
      const changed = await currentFiles(`${host.address}/steps`);
      expect(changed.changes.length).toBeGreaterThanOrEqual(before.length);
    }
    const all = filesBelow(join(root, 'steps'));
    await exportTo('steps', 4);
    expect(filesBelow(join(root, 'steps'))).toEqual(all);
  });

  it('the manifest names each file with its length, its rows and its digest', async () => {
    await exportTo('digests', 4);
    const { tables, lastSequence } = manifestIn(join(root, 'digests'));
    expect(lastSequence).toBe(expected[3]?.changes.length);
    for (const name of tableNames) {
      expect(tables[name].rows).toBe(expected[3]?.[name].length);
      for (const { path, bytes, sha256 } of tables[name].files) {
        const content = readFileSync(join(root, 'digests', path));
        expect([content.length, sha256Of(content)]).toEqual([bytes, sha256]);
      }
    }
  });

  it('tables that move get the new address in all their metadata', async () => {
    await exportTo('before', 2);
    cpSync(join(root, 'before'), join(root, 'after'), { recursive: true });
    rmSync(join(root, 'before'), { recursive: true });
    await exportTo('after', 2);
    await expectSnapshot('after', 2);
  });

  it('an export refuses tables of a newer snapshot, or of another ledger', async () => {
    await exportTo('newer', 4);
    await expect(exportTo('newer', 2)).rejects.toThrow(
      /has changes up to \d+, and the current snapshot up to/,
    );
    const [other, snapshotsDirectory] = [fresh(), fresh()];
    await generateLedger(other, { filings: 20, companies: 3, batches: 1 });
    await buildQuietly(other, snapshotsDirectory);
    await expect(
      exportQuietly({ snapshotsDirectory, directory: join(root, 'newer'), location: 's3://bucket' }),
    ).rejects.toThrow(/belongs to another ledger/);
    await expectSnapshot('newer', 4);
  });

  it('the companies are one file, however far apart their numbers are, with the days of their former names', async () => {
    const [own, snapshotsDirectory] = [fresh(), fresh()];
    const formerNamePeriods = [{ name: 'Before', since: '1994-01-26', until: '2007-01-04' }];
    await appendMadeUp(own, 1, {
      filings: [1, 2_000_000].map((number) => filing(number % 1000, { filerCiks: [cikOf(number)] })),
      companies: [company(1, 'T1', { formerNamePeriods }), company(2_000_000)],
    });
    await buildQuietly(own, snapshotsDirectory);
    const location = `${host.address}/two`;
    await exportQuietly({ snapshotsDirectory, directory: join(root, 'two'), location });
    expect((await currentFiles(location)).companies).toHaveLength(1);
    const { companies } = await rowsByDuckDb(join(root, 'two'));
    expect(companies.map((row) => JSON.parse(row) as object)).toMatchObject([
      { formerNamePeriods },
      { formerNamePeriods: [] },
    ]);
  });

  it('transactions are those of Forms 4 and 5, as in the list of insider transactions', async () => {
    const [own, snapshotsDirectory] = [fresh(), fresh()];
    const filings = ['3', '4'].map((form, at) =>
      filing(at + 1, { form, subjectCik: cikOf(1), filerCiks: [cikOf(2)] }),
    );
    await appendMadeUp(own, 1, {
      filings,
      companies: [company(1)],
      contents: filings.map(({ accessionNo }) =>
        contents(accessionNo, form4([2], [transaction(1)], null, null, [holding(1)])),
      ),
    });
    await buildQuietly(own, snapshotsDirectory);
    await exportQuietly({ snapshotsDirectory, directory: join(root, 'forms'), location: 'forms' });
    const { transactions, holdings } = await rowsByDuckDb(join(root, 'forms'));
    const formsOf = (rows: readonly string[]) =>
      rows.map((row) => (JSON.parse(row) as { form: string }).form).sort();
    expect([formsOf(transactions), formsOf(holdings)]).toEqual([['4'], ['3', '4']]);
  });

  it('segments that are removed while it runs are read to the end: others have taken their place', async () => {
    const [own, snapshotsDirectory] = [fresh(), fresh()];
    const filings = [1, 2].map((number) =>
      filing(number, { form: '4', subjectCik: cikOf(1), filerCiks: [cikOf(2)] }),
    );
    for (const [at, each] of filings.entries())
      await appendMadeUp(own, at + 1, {
        filings: [each],
        companies: at === 0 ? [company(1)] : [],
        contents: [contents(each.accessionNo, form4([2], [transaction(1)], null, null, [holding(1)]))],
      });
    await buildQuietly(own, snapshotsDirectory);
    const begin = () => rmSync(join(snapshotsDirectory, 'segments'), { recursive: true });
    await exportQuietly({
      snapshotsDirectory,
      directory: join(root, 'removed'),
      location: 'removed',
      progress: { ...quietProgress, begin },
    });
    expect((await rowsByDuckDb(join(root, 'removed'))).holdings).toHaveLength(2);
  });

  it('what killed exports left is removed with the next one', async () => {
    await exportTo('left', 1);
    cpSync(join(root, 'left/manifest.json'), join(root, 'left/changes/data/half.parquet.1-2.tmp'));
    await exportTo('left', 2);
    expect(readdirSync(join(root, 'left/changes/data')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    await expectSnapshot('left', 2);
    // One that was killed after its last file of metadata: nothing is new for the next one.
    const aside = join(root, 'left/changes/metadata/version-hint.text.1-2.tmp');
    cpSync(join(root, 'left/changes/metadata/version-hint.text'), aside);
    await exportTo('left', 2);
    expect(existsSync(aside)).toBe(false);
    await expectSnapshot('left', 2);
  });

  it('an export on a full disk leaves nothing that keeps it full, and the tables as they were', async ({
    skip,
  }) => {
    const disk = smallDisk(fresh(), 4 * 1024 * 1024);
    if (disk === null) return skip('no file system can be mounted here');
    try {
      const exportOf = (at: number, name: string) =>
        exportQuietly({
          snapshotsDirectory: snapshots[at] as string,
          directory: join(disk, name),
          location: `file://${disk}/${name}`,
        });
      const files = () => filesBelow(disk).filter((path) => !path.endsWith('.lock'));
      await exportOf(0, 'old');
      const before = files();
      const filling = join(disk, 'filling');
      writeFileSync(filling, '');
      const fill = (keptBytes: number) => {
        try {
          for (;;) appendFileSync(filling, Buffer.alloc(4096));
        } catch {
          truncateSync(filling, statSync(filling).size - keptBytes);
        }
      };
      for (const keptBytes of [12, 40, 80].map((blocks) => blocks * 1024)) {
        fill(keptBytes);
        await expect(exportOf(3, 'old')).rejects.toThrow('ENOSPC');
        await expect(exportOf(3, 'new')).rejects.toThrow('ENOSPC');
        expect(files().filter((path) => path !== 'filling')).toEqual(before);
      }
      rmSync(filling);
      await exportOf(3, 'old');
    } finally {
      spawnSync('umount', ['-l', disk]);
    }
  });
});

describe('exports of any history', () => {
  let exports = 0;
  // Each history is built up to eight times.
  for (const { times, options } of often(4, 24, 50_000))
    it(
      `tables hold what the naive way finds, however often each of ${times} histories is exported and compacted`,
      options,
      async () => {
        const run = fc.record({
          batches: unevenHistories,
          /** After which batches an export runs, and whether it compacts. */
          stops: fc.array(fc.constantFrom('none', 'none', 'add', 'compact'), { minLength: 8, maxLength: 8 }),
          rangeRows: fc.integer({ min: 1, max: 30 }),
        });
        await fc.assert(
          fc.asyncProperty(run, async ({ batches, stops, rangeRows }) => {
            const [own, snapshotsDirectory] = [fresh(), fresh()];
            await writeHistory(own, batches);
            const [name, whole] = [`history${++exports}`, `whole${exports}`];
            const exportInto = (folder: string, isCompact: boolean) =>
              exportQuietly({
                snapshotsDirectory,
                directory: join(root, folder),
                location: `${host.address}/${folder}`,
                isCompact,
                rangeRows,
              });
            const part = fresh();
            for (const [at] of batches.entries()) {
              cpSync(batchDirectory(own, at + 1), newBatchDirectory(part, at + 1), { recursive: true });
              const isLast = at === batches.length - 1;
              if (stops[at] === 'none' && !isLast) continue;
              await buildQuietly(part, snapshotsDirectory, { logCut: { rowsPerFile: 16, rowsPerMember: 8 } });
              await exportInto(name, stops[at] === 'compact' || isLast);
              expect(await rowsByDuckDb(join(root, name))).toEqual(await expectedRows(snapshotsDirectory));
            }
            await exportInto(whole, false);
            const names = (folder: string) => tableNames.map((table) => namesIn(join(root, folder), table));
            expect(names(name)).toEqual(names(whole));
          }),
          { numRuns: times, endOnFailure: true },
        );
      },
    );
});
