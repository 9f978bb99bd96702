import { afterAll, describe, expect, it, vi } from 'vitest';
import { addKey, listKeys, revokeKey } from '../../build/keys.ts';
import { appendBatch } from '../../build/ledger/batch.ts';
import { publish, readPointer } from '../../build/snapshot/pointer.ts';
import { readRows } from '../support/ledger-rows.ts';
import { batchAt, company, filing } from '../support/ledgers.ts';
import { cuts, machine, virtual } from '../support/powered-disk.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { currentId, wholeSnapshot } from '../support/whole.ts';

// Files of one worker share their modules: here they are loaded anew, over the disk of the simulator, and those
// that come later load them anew over the real one.
vi.hoisted(() => void vi.resetModules());
const mocked = ['node:fs', 'node:fs/promises', 'fs-native-extensions'];
afterAll(() => {
  for (const name of mocked) vi.doUnmock(name);
  vi.resetModules();
});
const modules = vi.hoisted(() => async () => {
  const real = await vi.importActual<typeof import('node:fs')>('node:fs');
  const { modulesOver } = await import('../support/powered-disk.ts');
  return modulesOver(real);
});
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  ...(await modules()).fs,
}));
vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  ...(await modules()).promises,
}));
vi.mock('fs-native-extensions', async () => ({ tryLock: (await modules()).tryLock }));

/**
 * Does the work once for every change that it makes to the disk, with the power out at that change, and once with the
 * power out afterwards. `check` looks at what is left, and is told whether the work was done. Returns how many changes
 * it makes.
 */
async function cutAtEach(
  prepare: () => Promise<unknown>,
  work: () => Promise<unknown>,
  check: (isDone: boolean, what: string) => Promise<unknown>,
): Promise<number> {
  await machine.start(prepare);
  await work();
  const changes = [...machine.changes(), 'nothing'];
  for (const [at, what] of changes.entries())
    for (const cut of cuts) {
      const isDone = at === changes.length - 1;
      await machine.start(prepare);
      machine.failAfter(at);
      if (isDone) await work();
      else await expect(work()).rejects.toThrow('power cut');
      machine.restart(cut);
      await check(isDone, `change ${at}, ${what}`);
    }
  return changes.length;
}

const [ledger, snapshots, keys] = ['ledger', 'snapshots', 'keys/keys.json'].map(
  (name) => `${virtual}/${name}`,
) as [string, string, string];
const append = (number: number) =>
  appendBatch(ledger, {
    run: { target: '', status: 'success', message: null, createdAt: batchAt(number) },
    filings: [filing(number)],
    companies: [company(1)],
    refusals: [{ cik: '', file: 'f', accessionNo: '', reason: 'r' }],
  });

describe('when the power is cut at any change to the disk,', () => {
  it('a batch is there as a whole or not at all', async () => {
    const outcomes = new Set<number>();
    const changes = await cutAtEach(
      () => append(1),
      () => append(2),
      async (isDone, what) => {
        const { batches } = await readRows(ledger);
        outcomes.add(batches);
        if (isDone) expect(batches).toBe(2);
        // The next run goes on from either, and completes it.
        expect([what, await append(3)]).toEqual([what, batches + 1]);
        expect((await readRows(ledger)).batches).toBe(batches + 1);
      },
    );
    expect(changes).toBeGreaterThan(12);
    expect([...outcomes].sort()).toEqual([1, 2]);
  });

  it('the pointer is the old one or the new one', async () => {
    const [old, young] = ['20260101-0123456789abcdef', '20260102-0123456789abcdef'];
    const outcomes = new Set<unknown>();
    await cutAtEach(
      () => publish(snapshots, old, 'a'.repeat(64)),
      () => publish(snapshots, young, 'b'.repeat(64)),
      async (isDone) => {
        const pointer = await readPointer(snapshots);
        if (isDone) expect(pointer?.snapshotId).toBe(young);
        outcomes.add(pointer?.snapshotId);
      },
    );
    expect([...outcomes].sort()).toEqual([old, young]);
  });

  it('all that a pointer names has been synced before, and the next build completes', async () => {
    await machine.start(() => append(1));
    const id = await buildQuietly(ledger, snapshots);
    const changes = machine.changes().length;
    expect(changes).toBeGreaterThan(500);
    for (const [at, cut] of [changes, Math.floor(changes / 2), changes - 3].entries()) {
      await machine.start(() => append(1));
      machine.failAfter(cut);
      const building = buildQuietly(ledger, snapshots);
      if (cut === changes) await building;
      else await expect(building).rejects.toThrow('power cut');
      machine.restart(cuts[at % cuts.length] as (typeof cuts)[number]);
      if (cut === changes) expect(await currentId(snapshots)).toBe(id);
      else expect(await buildQuietly(ledger, snapshots)).toBe(id);
      await wholeSnapshot(snapshots);
    }
  });

  it('the keys are those from before or those from after', async () => {
    let id = '';
    const add = async (label: string) => (await addKey(keys, label, null, 0)).entry.id;
    const labels = async () => (await listKeys(keys)).map(({ label }) => label);
    const prepare = async () => void (id = await add('one'));
    await cutAtEach(
      prepare,
      () => add('two'),
      async (isDone) =>
        expect(await labels()).toEqual((await labels()).length > 1 || isDone ? ['one', 'two'] : ['one']),
    );
    await cutAtEach(
      prepare,
      () => revokeKey(keys, id),
      async (isDone) =>
        expect(await labels()).toEqual((await labels()).length === 0 || isDone ? [] : ['one']),
    );
  });
});
