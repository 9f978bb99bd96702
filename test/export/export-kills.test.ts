// @module-tag slow
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableNames } from '../../build/export/tables.ts';
import { start as startCommand } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import {
  expectedRows,
  exportQuietly,
  rowsByDuckDb,
  rowsByIcebird,
  snapshotsOfSmallLedger,
  type TableRows,
} from '../support/exported.ts';
import { startFileHost, type FileHost } from '../support/file-host.ts';
import { filesBelow } from '../support/files-below.ts';
import { createRandom } from '../support/generate.ts';
import { needs } from '../support/needs.ts';
import { often } from '../support/often.ts';
import { startProgram } from '../support/programs.ts';

const fresh = useDirectories('export-kills');
const script = fileURLToPath(new URL('../../deploy/publish/publish-export.sh', import.meta.url));
const root = fresh();
let snapshots: readonly string[] = [];
const expected: TableRows[] = [];
let host: FileHost;

beforeAll(async () => {
  snapshots = await snapshotsOfSmallLedger(fresh, { logCut: { rowsPerFile: 40, rowsPerMember: 8 } });
  for (const own of snapshots) expected.push(await expectedRows(own));
  host = await startFileHost(root);
}, 120_000);
afterAll(() => host.close());

/** Expects that each table is wholly that of one of two snapshots. Returns how many are of the second one. */
async function tablesOfSecond(name: string, first: number, second: number): Promise<number> {
  const found = await rowsByIcebird(`${host.address}/${name}`);
  return tableNames.filter((table) => {
    const isSecond = JSON.stringify(found[table]) === JSON.stringify(expected[second - 1]?.[table]);
    if (!isSecond) expect(found[table]).toEqual(expected[first - 1]?.[table]);
    return isSecond && JSON.stringify(expected[first - 1]?.[table]) !== JSON.stringify(found[table]);
  }).length;
}

for (const { times: kills, options } of often(2, 12, 50_000))
  it(
    `an export that is killed ${kills} times leaves each table as it was or whole, and the next one finishes`,
    options,
    async () => {
      const random = createRandom(24);
      const words = (name: string, number: number) => [
        'export',
        '--parquet',
        join(root, name),
        '--location',
        `${host.address}/${name}`,
        '--snapshots',
        snapshots[number - 1] as string,
      ];
      const whole = await startCommand(words(`unhurried${kills}`, 1)).ended;
      expect(whole).toMatchObject({ code: 0, stderr: '' });
      let { tookMs } = await startCommand(words(`unhurried${kills}`, 4)).ended;
      const counts = { killed: 0, allOld: 0 };
      for (let round = 0; round < kills; round++) {
        const name = `killed${kills}-${round}`;
        const [first, second] = [1 + (round % 3), 4];
        const location = `${host.address}/${name}`;
        const directory = join(root, name);
        await exportQuietly({ snapshotsDirectory: snapshots[first - 1] as string, directory, location });
        const { child, ended } = startCommand(words(name, second));
        // Most of the time goes by before the first file is written.
        const timer = setTimeout(() => child.kill('SIGKILL'), tookMs * (0.5 + 0.6 * random()));
        const { signal, tookMs: endedMs } = await ended;
        clearTimeout(timer);
        // A machine that has less to do than before needs less time: the next kills follow it.
        if (signal !== null) counts.killed++;
        else tookMs = endedMs;
        const fromSecond = await tablesOfSecond(name, first, second);
        if (fromSecond === 0) counts.allOld++;
        await exportQuietly({
          snapshotsDirectory: snapshots[second - 1] as string,
          directory,
          location,
          isCompact: round % 2 === 0,
        });
        expect(await rowsByIcebird(location)).toEqual(expected[second - 1]);
        expect(await rowsByDuckDb(directory)).toEqual(expected[second - 1]);
        const left = readdirSync(directory, { recursive: true, encoding: 'utf8' });
        expect(left.filter((each) => each.endsWith('.tmp'))).toEqual([]);
        rmSync(directory, { recursive: true });
      }
      // A few kills may all come late.
      if (kills > 2) expect([counts.killed > kills / 4, counts.allOld > 0]).toEqual([true, true]);
    },
  );

describe('publish-export.sh', needs('rclone'), () => {
  const start = (...words: string[]) =>
    startProgram(script, words, { env: { RCLONE_CONFIG: '/dev/null' }, isGroup: true });
  const publish = (...words: string[]) => start(...words).ended;

  it('publish-export.sh says how it is called, and that a folder holds no export', async () => {
    const { code, stderr } = await publish('--help', 'b');
    expect([code, stderr.split('\n').length]).toEqual([2, 2]);
    expect((await publish(fresh(), fresh())).stderr).toContain('holds no export');
  });

  it('readers of the storage find the old tables or the new ones while publish-export.sh is killed', {
    timeout: 600_000,
  }, async () => {
    const random = createRandom(7);
    const [directory, name] = [fresh(), 'bucket'];
    const target = join(root, name);
    mkdirSync(target);
    const location = `${host.address}/${name}`;
    const exportNumber = (number: number, isCompact = false) =>
      exportQuietly({ snapshotsDirectory: snapshots[number - 1] as string, directory, location, isCompact });
    await exportNumber(1);
    const beganMs = performance.now();
    expect(await publish(directory, target)).toMatchObject({ code: 0, stderr: '' });
    const tookMs = performance.now() - beganMs;
    expect(await rowsByIcebird(location)).toEqual(expected[0]);
    for (const number of [2, 3, 4]) {
      await exportNumber(number, number === 4);
      const publishing = start(directory, target);
      const timer = setTimeout(() => void publishing.kill(), tookMs * random());
      await publishing.ended;
      clearTimeout(timer);
      await tablesOfSecond(name, number - 1, number);
      expect((await publish(directory, target)).code).toBe(0);
      expect(await rowsByIcebird(location)).toEqual(expected[number - 1]);
      expect(await rowsByDuckDb(target)).toEqual(expected[number - 1]);
    }
    const published = (folder: string) =>
      filesBelow(folder).filter((path) => path.includes('/') && !path.endsWith('.tmp'));
    expect(published(target)).toEqual(published(directory));
  });
});
