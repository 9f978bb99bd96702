import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import { namesOfSnapshots } from '../../build/snapshot/prune.ts';
import { paths } from '../../src/format/snapshot.ts';
import { useDirectories } from '../support/directories.ts';
import { generateLedger } from '../support/generate.ts';
import { batchAt, filing } from '../support/ledgers.ts';
import { buildQuietly, filesBelow } from '../support/snapshots.ts';
import { currentId, partsOfSnapshot, wholeSnapshot } from '../support/whole.ts';

/** A disk with so many bytes left: what does not fit is written as far as it does. */
const disk = vi.hoisted(() => {
  const state = { bytesLeft: Infinity, written: 0 };
  return {
    state,
    /** How many of these bytes fit. */
    take(bytes: number): number {
      const fit = Math.min(bytes, state.bytesLeft);
      state.bytesLeft -= fit;
      state.written += fit;
      return fit;
    },
    full: () =>
      Object.assign(new Error('ENOSPC: no space left on device, write'), {
        code: 'ENOSPC',
        syscall: 'write',
      }),
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
  return {
    ...real,
    async open(path: string, flags: string, mode?: number) {
      const handle = await real.open(path, flags, mode);
      if (flags === 'r') return handle;
      const write = handle.writeFile.bind(handle);
      return Object.assign(handle, {
        async writeFile(content: string | Uint8Array) {
          const bytes = Buffer.from(content as string);
          const fit = disk.take(bytes.length);
          await write(bytes.subarray(0, fit));
          if (fit < bytes.length) throw disk.full();
        },
      });
    },
  };
});

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return {
    ...real,
    writeSync(descriptor: number, bytes: Buffer, offset: number) {
      const fit = disk.take(bytes.length - offset);
      if (fit === 0 && bytes.length > offset) throw disk.full();
      return real.writeSync(descriptor, bytes, offset, fit);
    },
  };
});
afterEach(() => void (disk.state.bytesLeft = Infinity));

const directory = useDirectories('full');

describe('where the disk is full', { tags: ['slow'] }, () => {
  const [ledger, source] = [directory(), directory()];
  let before: string;
  let parts: Record<string, string>;
  beforeAll(async () => {
    await generateLedger(ledger, { filings: 60, companies: 4, batches: 1 });
    before = await buildQuietly(ledger, source);
    parts = await partsOfSnapshot(source);
    const run = { target: '', status: 'success', message: null, createdAt: batchAt(2) };
    await appendBatch(ledger, {
      run,
      filings: Array.from({ length: 30 }, (_, at) => filing(at)),
      companies: [],
      refusals: [],
    });
  });

  it('a build fails, leaves the snapshot before as it is and nothing aside, and completes when there is room', {
    timeout: 180_000,
  }, async () => {
    const undisturbed = join(directory(), 'copy');
    cpSync(source, undisturbed, { recursive: true });
    disk.state.written = 0;
    const after = await buildQuietly(ledger, undisturbed, { heldMaximum: 20_000 });
    const expected = await partsOfSnapshot(undisturbed);
    const total = disk.state.written;
    expect(after).not.toBe(before);
    const fills = 5;
    for (let at = 0; at < fills; at++) {
      const target = join(directory(), 'copy');
      cpSync(source, target, { recursive: true });
      // The last one lacks a single byte.
      disk.state.bytesLeft = at === fills - 1 ? total - 1 : Math.floor((total * at) / (fills - 1));
      await expect(buildQuietly(ledger, target, { heldMaximum: 20_000 })).rejects.toThrow(
        /^the disk of \S+ is full: [\d.]+ MB are free, about [\d.]+ MB are needed \(ENOSPC[^\n]*\)$/,
      );
      disk.state.bytesLeft = Infinity;
      expect(readdirSync(target).filter((name) => name.startsWith('.staging-'))).toEqual([]);
      expect(filesBelow(target).filter((path) => path.endsWith('.tmp'))).toEqual([]);
      // Nothing is left but whole snapshots.
      const named = new Set<string>();
      for (const id of await namesOfSnapshots(target))
        for (const path of Object.keys(await partsOfSnapshot(target, id))) named.add(path);
      expect(filesBelow(target).filter((path) => path !== paths.pointer)).toEqual([...named].sort());
      expect(await currentId(target)).toBe(before);
      expect(await partsOfSnapshot(target)).toEqual(parts);
      await wholeSnapshot(target);
      expect(await buildQuietly(ledger, target, { heldMaximum: 20_000 })).toBe(after);
      expect(await partsOfSnapshot(target)).toEqual(expected);
    }
  });
});
