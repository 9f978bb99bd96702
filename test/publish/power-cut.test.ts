import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { addKey, listKeys, revokeKey } from '../../build/keys.ts';
import { appendBatch } from '../../build/ledger/batch.ts';
import { publish } from '../../build/snapshot/pointer.ts';
import { paths as pathsOf } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';
import { readRows } from '../support/ledger-rows.ts';
import { batchAt, company, filing } from '../support/ledgers.ts';
import { buildQuietly, filesBelow } from '../support/snapshots.ts';
import { currentId } from '../support/whole.ts';

/**
 * The state of the simulated file system: each change asks it first, and after one has failed nothing is
 * changed any more.
 */
const power = vi.hoisted(() => {
  const state = {
    changesLeft: Infinity,
    isOut: false,
    done: [] as string[],
    unsynced: new Set<string>(),
    renamedUnsynced: [] as string[],
  };
  return {
    state,
    /** Throws when the power fails. True if this is the last change: it may be half done. */
    change(what: string): boolean {
      if (state.isOut) throw new Error('power cut');
      state.done.push(what);
      if (--state.changesLeft < 0) state.isOut = true;
      return state.isOut;
    },
    fail(): never {
      throw new Error('power cut');
    },
  };
});

// Files of one worker share their modules: here they are loaded anew, over the file system below, and those
// that come later load them anew over the real one.
vi.hoisted(() => void vi.resetModules());
afterAll(() => {
  vi.doUnmock('node:fs/promises');
  vi.resetModules();
});

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const { state, change, fail } = power;
  const guarded =
    (name: 'mkdir' | 'mkdtemp' | 'rm' | 'link' | 'chmod' | 'writeFile') =>
    async (...words: unknown[]) =>
      change(name) ? fail() : (real[name] as (...all: unknown[]) => Promise<unknown>)(...words);
  return {
    ...real,
    ...Object.fromEntries(
      (['mkdir', 'mkdtemp', 'rm', 'link', 'chmod', 'writeFile'] as const).map((name) => [
        name,
        guarded(name),
      ]),
    ),
    async rename(from: string, to: string) {
      if (change('rename')) fail();
      state.renamedUnsynced.push(
        ...[...state.unsynced].filter((path) => path === from || path.startsWith(`${from}/`)),
      );
      await real.rename(from, to);
    },
    async open(path: string, flags: string, mode?: number) {
      if (flags === 'r') {
        const read = await real.open(path, flags, mode);
        const sync = read.sync.bind(read);
        return Object.assign(read, { sync: () => (change('sync of a directory') ? fail() : sync()) });
      }
      if (change('open')) fail();
      const handle = await real.open(path, flags, mode);
      return {
        async writeFile(content: string | Uint8Array) {
          state.unsynced.add(path);
          const isLast = change('write');
          await handle.writeFile(
            isLast ? Buffer.from(content as string).subarray(0, Buffer.byteLength(content) / 2) : content,
          );
          if (isLast) fail();
        },
        async sync() {
          if (change('sync')) fail();
          await handle.sync();
          state.unsynced.delete(path);
        },
        close: () => handle.close(),
      };
    },
  };
});

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const { state, change, fail } = power;
  const paths = new Map<number, string>();
  const guarded =
    (name: 'mkdirSync' | 'rmSync') =>
    (...words: unknown[]) =>
      change(name) ? fail() : (real[name] as (...all: unknown[]) => unknown)(...words);
  return {
    ...real,
    mkdirSync: guarded('mkdirSync'),
    rmSync: guarded('rmSync'),
    renameSync(from: string, to: string) {
      if (change('renameSync')) fail();
      state.renamedUnsynced.push(
        ...[...state.unsynced].filter((path) => path === from || path.startsWith(`${from}/`)),
      );
      real.renameSync(from, to);
    },
    openSync(path: string, flags: string) {
      if (flags === 'r') return real.openSync(path, flags);
      if (change('openSync')) fail();
      const descriptor = real.openSync(path, flags);
      paths.set(descriptor, path);
      return descriptor;
    },
    writeSync(descriptor: number, bytes: Buffer, offset: number) {
      state.unsynced.add(paths.get(descriptor) as string);
      if (!change('writeSync')) return real.writeSync(descriptor, bytes, offset);
      real.writeSync(descriptor, bytes, offset, Math.floor((bytes.length - offset) / 2));
      return fail();
    },
    fsyncSync(descriptor: number) {
      if (change('fsyncSync')) fail();
      real.fsyncSync(descriptor);
      state.unsynced.delete(paths.get(descriptor) as string);
    },
  };
});

function restore(): void {
  Object.assign(power.state, { changesLeft: Infinity, isOut: false, done: [], renamedUnsynced: [] });
  power.state.unsynced.clear();
}
afterEach(restore);

/**
 * Does the work once for every change that it makes to the disk, with the power out at that change; `check` then looks at
 * what is left. Returns how often.
 */
async function cutAtEach<Prepared>(
  prepare: () => Prepared,
  work: (target: Prepared) => Promise<unknown>,
  check: (target: Prepared, what: string) => Promise<void>,
): Promise<number> {
  const target = prepare();
  restore();
  await work(target);
  const changes = power.state.done;
  expect(power.state.renamedUnsynced).toEqual([]);
  for (const [at, what] of changes.entries()) {
    const fresh = prepare();
    restore();
    power.state.changesLeft = at;
    await expect(work(fresh)).rejects.toThrow('power cut');
    restore();
    await check(fresh, `change ${at}, ${what}`);
  }
  return changes.length;
}

const directory = useDirectories('power');
const batch = (number: number) => ({
  run: { target: '', status: 'success', message: null, createdAt: batchAt(number) },
  filings: [filing(number)],
  companies: [company(1)],
  refusals: [{ cik: '', file: 'f', accessionNo: '', reason: 'r' }],
});
const copyOf = (source: string) => {
  const copy = join(directory(), 'copy');
  cpSync(source, copy, { recursive: true });
  return copy;
};

describe('when the power is cut at any change to the disk,', () => {
  it('after a power cut a batch is there as a whole or not at all', async () => {
    const ledger = directory();
    await appendBatch(ledger, batch(1));
    const outcomes = new Set<number>();
    const cuts = await cutAtEach(
      () => copyOf(ledger),
      (target) => appendBatch(target, batch(2)),
      async (target, what) => {
        const { batches } = await readRows(target);
        outcomes.add(batches);
        // The next run goes on from either, and completes it.
        expect([what, await appendBatch(target, batch(3))]).toEqual([what, batches + 1]);
        expect((await readRows(target)).batches).toBe(batches + 1);
      },
    );
    expect(cuts).toBeGreaterThan(12);
    expect([...outcomes].sort()).toEqual([1, 2]);
  });

  it('a build renames only what it has synced, and after a power cut the pointer is the old one or the new one', async () => {
    const [ledger, before] = [directory(), directory()];
    await appendBatch(ledger, { ...batch(1), refusals: [] });
    const first = await buildQuietly(ledger, before);
    expect([power.state.done.length > 500, power.state.renamedUnsynced]).toEqual([true, []]);
    const sha256 = sha256Of(readFileSync(join(before, pathsOf.manifest(first))));
    const other = '20260101-0123456789abcdef';
    const outcomes = new Set<string>();
    await cutAtEach(
      () => copyOf(before),
      (target) => publish(target, other, sha256),
      async (target) => void outcomes.add(await currentId(target)),
    );
    expect([...outcomes].sort()).toEqual([other, first].sort());
  });

  it('after a power cut the keys are those from before or those from after', async () => {
    const home = directory();
    const path = (target: string) => join(target, 'keys.json');
    const { entry } = await addKey(path(home), 'one', null, 0);
    const before = readFileSync(path(home), 'utf8');
    await cutAtEach(
      () => copyOf(home),
      (target) => addKey(path(target), 'two', null, 0),
      async (target) =>
        expect((await listKeys(path(target))).map(({ label }) => label).slice(0, 1)).toEqual(['one']),
    );
    await cutAtEach(
      () => copyOf(home),
      (target) => revokeKey(path(target), entry.id),
      async (target) => {
        if ((await listKeys(path(target))).length > 0)
          expect(readFileSync(path(target), 'utf8')).toBe(before);
      },
    );
  });
});

it('the simulated power cut leaves a write half done', async () => {
  const target = directory();
  power.state.changesLeft = 7;
  await expect(appendBatch(target, batch(1))).rejects.toThrow('power cut');
  restore();
  const half = filesBelow(target).find((name) => name.endsWith('.csv'));
  expect(half).toMatch(/\.staging-.*filings-1\.csv$/);
  expect(readFileSync(join(target, half as string), 'utf8')).not.toContain(filing(1).accessionNo);
  expect(existsSync(join(target, 'batches', '00000', '00000001'))).toBe(false);
});
