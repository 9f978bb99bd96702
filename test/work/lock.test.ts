import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tryLockFile, withLock } from '../../build/disk/lock.ts';
import { useDirectories } from '../support/directories.ts';

const fresh = useDirectories('lock');

/** A process that locks a file and holds the lock until it is killed. */
async function holder(path: string) {
  const program = `
    if (!require('fs-native-extensions').tryLock(require('node:fs').openSync(process.argv[1], 'a+'))) process.exit(1);
    process.stdout.write('locked');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['-e', program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

describe('locks of files', () => {
  it('a lock holds against other calls of the same process, until it is released', () => {
    const path = join(fresh(), '.lock');
    const lock = tryLockFile(path);
    expect([lock === null, tryLockFile(path)]).toEqual([false, null]);
    lock?.release();
    expect(tryLockFile(path)).not.toBeNull();
  });

  it('a lock that is released twice closes no file of somebody else', () => {
    const lock = tryLockFile(join(fresh(), '.lock'));
    lock?.release();
    // The system gives the lowest number that is free.
    const other = openSync(join(fresh(), 'other'), 'w');
    lock?.release();
    writeSync(other, 'whole');
    closeSync(other);
  });

  it('the system releases the lock of a killed process', async () => {
    const path = join(fresh(), '.lock');
    const child = await holder(path);
    expect(tryLockFile(path)).toBeNull();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(tryLockFile(path)).not.toBeNull();
  });

  it('pieces of work run one after the other, and one that fails releases the lock', async () => {
    const path = join(fresh(), '.lock');
    let [running, most, waited] = [0, 0, 0];
    const work = async (at: number) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      if (at % 2 === 1) throw new Error('as intended');
    };
    const ended = await Promise.allSettled(
      Array.from({ length: 6 }, (_, at) => withLock(path, () => work(at), { onWait: () => waited++ })),
    );
    expect(ended.map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
    ]);
    expect([most, waited]).toEqual([1, 5]);
  });

  it('a wait for a lock ends with its signal', async () => {
    const path = join(fresh(), '.lock');
    const lock = tryLockFile(path);
    await expect(
      withLock(path, () => Promise.resolve(), { signal: AbortSignal.timeout(30) }),
    ).rejects.toThrow(/abort/i);
    lock?.release();
  });

  it('only its owner may open a lock file, also one that an older version has made', () => {
    const [made, older] = [join(fresh(), '.lock'), join(fresh(), '.lock')];
    writeFileSync(older, '', { mode: 0o644 });
    for (const path of [made, older]) {
      tryLockFile(path)?.release();
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
  });

  it('a lock file that is a link is not followed', () => {
    const [path, elsewhere] = [join(fresh(), '.lock'), fresh()];
    symlinkSync(join(elsewhere, 'made'), path);
    expect(() => tryLockFile(path)).toThrow(path);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('a file that cannot be locked is named', () => {
    const path = join(fresh(), 'missing', '.lock');
    expect(() => tryLockFile(path)).toThrow(path);
    expect(existsSync(path)).toBe(false);
  });
});
