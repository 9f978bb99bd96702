// @module-tag slow
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tryLockFile } from '../../build/disk/lock.ts';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { paths } from '../../src/format/snapshot.ts';
import { useDirectories } from '../support/directories.ts';
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

const stagings = (snapshots: string) =>
  readdirSync(snapshots).filter((name) => name.startsWith('.staging-') || name.endsWith('.tmp'));
function manifestsIn(snapshots: string): number {
  const directory = join(snapshots, 'manifests');
  return existsSync(directory) ? readdirSync(directory).length : 0;
}

describe('two builds at once over one directory', () => {
  it('two builds at once both complete, and leave what one alone leaves', async () => {
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

  it('a build that waits for another one says so once, and then publishes what is left to do', async () => {
    const [ledger, snapshots] = [await ledgerOf(1), fresh()];
    const before = await buildQuietly(ledger, snapshots);
    await append(ledger, 2);
    const other = tryLockFile(join(snapshots, '.build.lock'));
    const said: string[] = [];
    const building = buildQuietly(ledger, snapshots, { log: (line) => void said.push(line) });
    const waiting = `another build is running in ${snapshots}; this one waits`;
    await expect.poll(() => said).toEqual([waiting]);
    await append(ledger, 3);
    expect(await currentId(snapshots)).toBe(before);
    other?.release();
    await building;
    expect(said).toEqual([waiting, expect.stringContaining('from 3 batches')]);
    expect(await readPointer(snapshots)).toMatchObject({ previous: [before] });
    expect((await manifestOf(snapshots)).ledger.batches).toBe(3);
  });

  it('a build waits for the pointer, and leaves a newer snapshot of the ledger current that was published meanwhile', async () => {
    const [short, long, snapshots, newer] = [await ledgerOf(1), await ledgerOf(2), fresh(), fresh()];
    const id = await buildQuietly(long, newer);
    const other = tryLockFile(join(snapshots, '.lock'));
    const said: string[] = [];
    const building = buildQuietly(short, snapshots, { log: (line) => void said.push(line) });
    await expect.poll(() => manifestsIn(snapshots)).toBe(1);
    // Time enough to replace the pointer, if it did not wait.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect([said, existsSync(join(snapshots, paths.pointer))]).toEqual([[], false]);
    cpSync(newer, snapshots, { recursive: true, filter: (path) => !path.endsWith('.lock') });
    other?.release();
    await building;
    expect(said).toEqual([`${id}, which has more of this ledger, stays current`]);
    expect(await currentId(snapshots)).toBe(id);
    await wholeSnapshot(snapshots);
  });
});
