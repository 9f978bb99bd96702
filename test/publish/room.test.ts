// @module-tag slow
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bytesOfBuild } from '../../build/snapshot/build-room.ts';
import { json, startEdgarDouble } from '../edgar/edgar-double.ts';
import { command } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { appendNumbered, filing } from '../support/ledgers.ts';
import { bytesOnDisk, smallDisk } from '../support/small-disk.ts';
import { buildQuietly, filesBelow, namesIn } from '../support/snapshots.ts';
import { submissionsOf, upstreamRow } from '../support/submissions.ts';
import { currentId, manifestOf, partsOfSnapshot, wholeSnapshot } from '../support/whole.ts';

const fresh = useDirectories('room');

const append = (ledger: string, number: number, filings = 300) =>
  appendNumbered(
    ledger,
    number,
    Array.from({ length: filings }, (_, at) => filing(number * 1000 + at)),
  );

describe('a full disk', () => {
  const [ledger, grown, source] = [fresh(), fresh(), fresh()];
  /** Three snapshots; `grown` has one more batch. */
  beforeAll(async () => {
    for (let number = 1; number <= 3; number++) {
      await append(ledger, number);
      await buildQuietly(ledger, source);
    }
    cpSync(ledger, grown, { recursive: true });
    await append(grown, 4);
  }, 120_000);

  it('a build that finds the disk full says so in one line, leaves the snapshot before and nothing aside, and completes when there is room', {
    timeout: 120_000,
  }, async ({ skip }) => {
    const before = await currentId(source);
    const parts = await partsOfSnapshot(source);
    for (const extra of [64 * 1024, 400 * 1024]) {
      const disk = smallDisk(fresh(), bytesOnDisk(source) + extra);
      if (disk === null) return skip('no file system can be mounted here');
      try {
        cpSync(source, disk, { recursive: true });
        await expect(buildQuietly(grown, disk)).rejects.toThrow(
          /^the disk of \S+ is full: 0\.\d+ MB and \d+ files are free, about [\d.]+ MB are needed \(.*ENOSPC.*\)$/,
        );
        expect([await currentId(disk), await partsOfSnapshot(disk)]).toEqual([before, parts]);
        expect(namesIn(disk).filter((name) => name.startsWith('.'))).toEqual([]);
        expect(filesBelow(disk).filter((path) => path.endsWith('.tmp'))).toEqual([]);
        expect(spawnSync('mount', ['-o', 'remount,size=64m', disk]).status).toBe(0);
        await buildQuietly(grown, disk);
        expect((await wholeSnapshot(disk)).ledger.batches).toBe(4);
      } finally {
        spawnSync('umount', ['-l', disk]);
      }
    }
  });

  it('an ingest on a full disk names the folder and the need in one line, and leaves nothing', {
    timeout: 120_000,
  }, async ({ skip }) => {
    const edgar = await startEdgarDouble();
    const disk = smallDisk(fresh(), 1024 * 1024);
    if (disk === null) return skip('no file system can be mounted here');
    try {
      const rows = Array.from({ length: 900 }, (_, at) => upstreamRow(at));
      edgar.route('/data.sec.gov/submissions/CIK0000000001.json', json(submissionsOf('0000000001', rows)));
      const folder = join(disk, 'ledger');
      const here = {
        EDGAR_USER_AGENT: 'Room Test room@example.com',
        EDGAR_DATA_URL: edgar.dataUrl,
        EDGAR_WWW_URL: edgar.wwwUrl,
        EDGAR_RPS: '10',
      };
      const words = ['ingest', '--universe', '1', '--ledger', folder];
      expect((await command(words, here)).code).toBe(0);
      // One more filing; the disk has no room for more than a few bytes.
      edgar.route(
        '/data.sec.gov/submissions/CIK0000000001.json',
        json(submissionsOf('0000000001', [upstreamRow(1000), ...rows])),
      );
      const before = filesBelow(join(folder, 'batches'));
      fillUp(disk);
      const { code, stderr } = await command(words, here);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^[^\n]*the disk of \S+ is full: [\d.]+ MB and \d+ files are free, (about [\d.]+ MB are|more is) needed[^\n]*\n$/,
        ),
      ]);
      expect(filesBelow(join(folder, 'batches'))).toEqual(before);
    } finally {
      spawnSync('umount', ['-l', disk]);
      await edgar.close();
    }
  });

  it('a key that has no room is not added, and is told in one line', { timeout: 120_000 }, async ({
    skip,
  }) => {
    const disk = smallDisk(fresh(), 1024 * 1024);
    if (disk === null) return skip('no file system can be mounted here');
    try {
      const add = (label: string) => command(['keys', 'add', '--label', label], { SNAPSHOTS_DIR: disk });
      expect((await add('one')).code).toBe(0);
      const before = readFileSync(join(disk, 'keys.json'), 'utf8');
      fillUp(disk);
      const { code, stdout, stderr } = await add('two');
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        expect.stringMatching(
          /^the disk of \S+ is full: 0\.0 MB and \d+ files are free, more is needed[^\n]*\n$/,
        ),
      ]);
      expect(readFileSync(join(disk, 'keys.json'), 'utf8')).toBe(before);
      expect(namesIn(disk).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    } finally {
      spawnSync('umount', ['-l', disk]);
    }
  });

  it('what a build needs is the segments that it joins, its new rows and its pages', async () => {
    const { segments } = await manifestOf(source, await currentId(source));
    const nothing = bytesOfBuild(segments, []);
    const last = segments.at(-1);
    expect(bytesOfBuild(segments, [1]) - nothing).toBeLessThan(10_000);
    const all = segments.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(bytesOfBuild(segments, [1_000_000]) - nothing).toBeGreaterThan(all + 400_000_000);
    expect(bytesOfBuild(segments, [last?.rows ?? 0]) - nothing).toBeGreaterThan(last?.bytes ?? 0);
  });
});

/** Writes a file that takes what is left of a disk. */
function fillUp(disk: string): void {
  const path = join(disk, 'filler');
  for (let bytes = 1024 * 1024; bytes >= 4096; bytes = bytes / 2) {
    for (;;) {
      try {
        writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' });
      } catch {
        break;
      }
    }
  }
  expect(readFileSync(path).length).toBeGreaterThan(0);
}
