import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Column } from '../../build/export/columns.ts';
import { changesTable, tableNames } from '../../build/export/tables.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { Change } from '../../src/contract/records.ts';
import { useDirectories } from '../support/directories.ts';
import { expectedRows, exportQuietly, filesInManifest, rowsByDuckDb } from '../support/exported.ts';
import { filesBelow } from '../support/files-below.ts';
import { appendNumbered, filing } from '../support/ledgers.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('export-position');
const range = (from: number, to: number, members: Partial<LedgerFiling> = {}) =>
  Array.from({ length: to - from + 1 }, (_, at) => filing(from + at, members));

/** Snapshots of a ledger before it was lost, of its backup, and of the ledgers that went on from the backup. */
const snapshots = { backup: '', lost: '', shorter: '', longer: '', continued: '' };
beforeAll(async () => {
  const backup = fresh();
  await appendNumbered(backup, 1, range(1, 12));
  await appendNumbered(backup, 2, [...range(13, 20), ...range(1, 2, { sizeBytes: 200 })]);
  const copied = (to = fresh()) => (cpSync(backup, to, { recursive: true }), to);
  const built = async (ledger: string) => {
    const own = fresh();
    await buildQuietly(ledger, own, { logCut: { rowsPerFile: 8, rowsPerMember: 4 } });
    return own;
  };
  snapshots.backup = await built(backup);
  const lost = copied();
  await appendNumbered(lost, 3, [...range(21, 26), ...range(3, 5, { sizeBytes: 300 })]);
  snapshots.lost = await built(lost);
  // As many filings were corrected, but others, so the numbers of rows in old ranges agree.
  const other = [...range(31, 36), ...range(6, 8, { sizeBytes: 400 })];
  const shorter = copied();
  await appendNumbered(shorter, 3, other.slice(0, 4));
  snapshots.shorter = await built(shorter);
  const longer = copied();
  await appendNumbered(longer, 3, [...other, ...range(41, 45)]);
  snapshots.longer = await built(longer);
  await appendNumbered(lost, 4, range(51, 52));
  snapshots.continued = await built(lost);
}, 60_000);

/** A folder into which snapshots are exported, and what the exports said. */
function exporting(rangeRows = 8) {
  const directory = join(fresh(), 'tables');
  const said: string[] = [];
  const to = (snapshotsDirectory: string, isCompact = false) =>
    exportQuietly({
      snapshotsDirectory,
      directory,
      location: 's3://bucket/tables',
      rangeRows,
      isCompact,
      log: (text) => void said.push(text),
    });
  return { directory, said, to };
}

/** The tables that versions had which did not keep the digests of batches. */
const olderTables = ['changes', 'filings', 'parties', 'companies'] as const;

/** Takes the digests of batches out of the tables in a folder, as older versions exported them. */
function forgetDigests(directory: string): void {
  let forgotten = 0;
  for (const table of olderTables) {
    const metadata = join(directory, table, 'metadata');
    for (const name of readdirSync(metadata).filter((each) => each.endsWith('.metadata.json'))) {
      const path = join(metadata, name);
      const text = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        text.replaceAll(/,\s*"last-batch": "[0-9a-f]{64}"/g, () => (forgotten++, '')),
      );
    }
  }
  expect(forgotten).toBeGreaterThanOrEqual(olderTables.length);
}

describe('an export into tables of a ledger that went on differently', { tags: ['slow'] }, () => {
  it.each([
    ['an export', false, false],
    ['an export that compacts', true, false],
    ['an export into tables of an older version', false, true],
    ['an export that compacts tables of an older version', true, true],
  ])('%s has what the restored ledger has, and says so', async (_, isCompact, isOld) => {
    const { directory, said, to } = exporting();
    await to(snapshots.backup);
    await to(snapshots.lost);
    if (isOld) forgetDigests(directory);
    await to(snapshots.longer, isCompact);
    expect(await rowsByDuckDb(directory)).toEqual(await expectedRows(snapshots.longer));
    expect(said.filter((text) => text.includes('went on differently'))).toHaveLength(1);
    // The next export finds nothing to do.
    const before = filesBelow(directory);
    await to(snapshots.longer, isCompact);
    expect(filesBelow(directory)).toEqual(before);
    expect(said.filter((text) => text.includes('went on differently'))).toHaveLength(1);
  });
  it('files whose rows are the same stay', async () => {
    const { directory, to } = exporting();
    await to(snapshots.backup);
    await to(snapshots.lost);
    const before = filesInManifest(directory, 'changes');
    await to(snapshots.longer);
    const after = filesInManifest(directory, 'changes');
    const kept = before.filter((path) => after.includes(path));
    expect(kept.length).toBeGreaterThan(1);
    expect(kept.length).toBeLessThan(before.length);
  });
  it('a restored ledger that is shorter is refused, with what to do', async () => {
    const { directory, to } = exporting();
    await to(snapshots.lost);
    const before = filesBelow(directory);
    await expect(to(snapshots.shorter)).rejects.toThrow(
      /changes has changes up to 31, and the current snapshot up to 26: .*If the ledger was restored from a backup, remove the folder/,
    );
    expect(filesBelow(directory)).toEqual(before);
  });
});

it('tables of an older version are continued if their last changes are those of the ledger', async () => {
  const { directory, said, to } = exporting();
  await to(snapshots.backup);
  await to(snapshots.lost);
  forgetDigests(directory);
  const before = filesInManifest(directory, 'changes');
  await to(snapshots.continued);
  expect(await rowsByDuckDb(directory)).toEqual(await expectedRows(snapshots.continued));
  expect(filesInManifest(directory, 'changes')).toEqual(expect.arrayContaining(before));
  expect(said.filter((text) => text.includes('was exported by an older version'))).toHaveLength(1);
  await to(snapshots.continued);
  expect(said.filter((text) => text.includes('was exported by an older version'))).toHaveLength(1);
  expect(said.join()).not.toContain('went on differently');
});

it('tables of an older version with fewer columns are continued, too, and their files stay', async () => {
  const { directory, said, to } = exporting();
  const columns = changesTable.columns as Column<Change>[];
  const all = columns.splice(0);
  columns.push(...all.filter(({ name }) => name !== 'sic' && name !== 'exchange'));
  try {
    await to(snapshots.lost);
  } finally {
    columns.splice(0, Infinity, ...all);
  }
  forgetDigests(directory);
  const before = filesInManifest(directory, 'changes');
  await to(snapshots.lost);
  expect(filesInManifest(directory, 'changes')).toEqual(before);
  expect(said.filter((text) => text.includes('was exported by an older version'))).toHaveLength(1);
  expect(said.join()).not.toContain('went on differently');
});

it('a table that is made anew has versions that the one before did not have', async () => {
  const versionsOf = (directory: string) =>
    tableNames.flatMap((table) =>
      readdirSync(join(directory, table, 'metadata'))
        .map((name) => Number(/^v(\d+)\.metadata\.json$/.exec(name)?.[1] ?? 0))
        .filter((version) => version > 0),
    );
  const startMs = Date.UTC(2026, 10, 26, 12);
  const exportAt = async (directory: string, nowMs: number, from = snapshots.backup) => {
    await exportQuietly({ snapshotsDirectory: from, directory, location: 's3://b', now: () => nowMs });
    return versionsOf(directory);
  };
  const first = join(fresh(), 'tables');
  await exportAt(first, startMs);
  const published = await exportAt(first, startMs, snapshots.lost);
  expect(published.length).toBeGreaterThan(tableNames.length);
  expect(new Set(published.slice(0, 2)).size).toBe(2);
  const anew = await exportAt(join(fresh(), 'tables'), startMs + 60_000);
  expect(anew).toHaveLength(tableNames.length);
  expect(anew.filter((version) => published.includes(version))).toEqual([]);
  expect(Math.min(...anew)).toBeGreaterThan(Math.max(...published));
  // Readers that take versions of 31 bits read them for decades.
  expect(Math.max(...anew)).toBeLessThan(2 ** 31 / 5);
});
