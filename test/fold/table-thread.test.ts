// @module-tag slow
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filingTables, writeStoredTable, type TableJob } from '../../build/fold/filing-tables.ts';
import { openTableThread } from '../../build/table-thread.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';
import { generateLedger } from '../support/generate.ts';
import { buildQuietly, openCurrent } from '../support/snapshots.ts';

const fresh = useDirectories('table-thread');
const entry = new URL('../../build/start.mjs', import.meta.url);
const thread = openTableThread(entry, () => {});
let directory: string;
let ledger: string;

beforeAll(async () => {
  [directory, ledger] = [fresh(), join(fresh(), 'ledger')];
  await generateLedger(ledger, { filings: 900, companies: 12, batches: 6, owners: 60 });
  await buildQuietly(ledger, directory);
});
afterAll(() => thread.end());

const segmentsIn = (folder: string) => readdirSync(join(folder, 'segments')).sort();

async function jobOf(table: TableJob['table']): Promise<TableJob> {
  const { snapshot, close } = await openCurrent(directory);
  await close();
  return { directory, staging: fresh(), table, runs: [], inside: snapshot.manifest.segments, before: [] };
}

describe('tables that another thread writes', () => {
  it('they are the same, whether rows come from runs, from memory or from older segments', async () => {
    const taken: string[] = [];
    const tableWork = {
      writeStoredTable(job: TableJob) {
        taken.push(job.table);
        return thread.writeStoredTable(job);
      },
    };
    const shared = fresh();
    await buildQuietly(ledger, shared, { tableWork, sharedRows: 1, heldMaximum: 20_000 });
    expect(segmentsIn(shared)).toEqual(segmentsIn(directory));
    expect(taken.length).toBeGreaterThan(0);
  });

  it('the thread writes the bytes that this one writes', async () => {
    for (const table of filingTables) {
      const [here, there] = [await jobOf(table), await jobOf(table)];
      const [first, second] = [await writeStoredTable(here), await thread.writeStoredTable(there)];
      expect(second.files).toEqual(first.files);
      expect(second.head).toEqual(first.head);
      expect(first.head.rows).toBeGreaterThan(0);
      expect(readFileSync(second.rows).equals(readFileSync(first.rows))).toBe(true);
    }
  });

  it('a damaged segment is told as such, and the build of it fails', async () => {
    const job = await jobOf('summaries');
    const path = join(directory, 'segments', job.inside[0]?.name ?? '', 'summaries.jsonl.gz');
    const whole = readFileSync(path);
    const changed = Buffer.from(whole);
    changed[whole.length >> 1] = (changed[whole.length >> 1] as number) ^ 1;
    writeFileSync(path, changed);
    await expect(thread.writeStoredTable(job)).rejects.toThrow(CorruptSnapshot);
    writeFileSync(path, whole);
    const broken = { writeStoredTable: () => Promise.reject(new Error('the thread has ended')) };
    const empty = fresh();
    await expect(buildQuietly(ledger, empty, { tableWork: broken, sharedRows: 1 })).rejects.toThrow(
      'the thread has ended',
    );
    // The next build is as if nothing had been.
    await buildQuietly(ledger, empty);
    expect(segmentsIn(empty)).toEqual(segmentsIn(directory));
  });
});
