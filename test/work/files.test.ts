import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeFolder, replaceFile, watchFile } from '../../src/files/local.ts';
import { ContentError, isReadError } from '../../src/files/watch.ts';
import { useDirectories } from '../support/directories.ts';

const directory = useDirectories('files');
const root = fileURLToPath(new URL('../..', import.meta.url));

/** A watched file, and what was taken from it. */
function watched(take: (text: string | null) => Promise<void> | void = () => {}) {
  const path = join(directory(), 'watched');
  const taken: (string | null)[] = [];
  const look = watchFile(path, async (text) => {
    taken.push(text);
    await take(text);
  });
  return { path, taken, look };
}

describe('makeFolder', () => {
  it('makes what is missing, and says from where on', async () => {
    const top = directory();
    expect(await makeFolder(join(top, 'a', 'b', 'c'))).toBe(join(top, 'a'));
    expect(await makeFolder(join(top, 'a', 'b', 'd', 'e'))).toBe(join(top, 'a', 'b', 'd'));
    expect(await makeFolder(join(top, 'a', 'b'))).toBeNull();
    expect(readdirSync(join(top, 'a', 'b'))).toEqual(['c', 'd']);
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, at) => makeFolder(join(top, 'x', 'y', `${at % 2}`))),
    );
    expect(many.filter((made) => made !== null).length).toBeGreaterThan(0);
    expect(readdirSync(join(top, 'x', 'y'))).toEqual(['0', '1']);
  });

  it('rejects where there is no making, and does not try for ever', async () => {
    const top = directory();
    writeFileSync(join(top, 'file'), '');
    await expect(makeFolder(join(top, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeFolder(join(top, 'file', 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(makeFolder('/proc/none/a/b')).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/none' });
  });

  it('rejects in a working directory that was removed', async () => {
    const gone = directory();
    const module = JSON.stringify(join(root, 'src/files/local.ts'));
    const script = `import { rmdirSync } from 'node:fs';
      const { makeFolder } = await import(${module});
      rmdirSync(${JSON.stringify(gone)});
      console.log(await makeFolder('a/b/c').catch(({ code, path }) => code + ' ' + path));`;
    const loader = join(root, 'node_modules/tsx/dist/loader.mjs');
    const child = spawn(process.execPath, ['--import', loader, '--input-type=module', '-e', script], {
      cwd: gone,
    });
    expect(await text(child.stdout)).toBe('ENOENT a\n');
  });
});

describe('watchFile', () => {
  it('watchFile reads a file once, also an absent one', async () => {
    const { path, taken, look } = watched();
    for (let round = 0; round < 3; round++) expect(await look()).toBeNull();
    await replaceFile(path, 'one');
    for (let round = 0; round < 3; round++) expect(await look()).toBeNull();
    writeFileSync(path, 'two');
    await look();
    rmSync(path);
    await look();
    expect(taken).toEqual([null, 'one', 'two', null]);
  });

  it('watchFile reads once for those who look at the same time', async () => {
    const { path, taken, look } = watched();
    writeFileSync(path, 'one');
    await Promise.all([look(), look(), look()]);
    expect(taken).toEqual(['one']);
  });

  it('watchFile does not read refused content again, and reports it until it changes', async () => {
    const { path, taken, look } = watched((text) => {
      if (text === 'bad') throw new ContentError('it is\n bad');
    });
    writeFileSync(path, 'bad');
    expect([await look(), await look(), await look()]).toEqual(
      [true, false, false].map((isNew) => ({ reason: `${path}: it is bad`, isNew })),
    );
    await replaceFile(path, 'bad');
    expect(await look()).toMatchObject({ isNew: true });
    await replaceFile(path, 'good');
    expect([await look(), await look()]).toEqual([null, null]);
    expect(taken).toEqual(['bad', 'bad', 'good']);
  });

  it('watchFile tries again after any other failure, and reports it as new once', async () => {
    let fails = true;
    const { path, taken, look } = watched(() => {
      if (fails) throw new Error('not now');
    });
    writeFileSync(path, 'one');
    expect([await look(), await look()].map((problem) => problem?.isNew)).toEqual([true, false]);
    fails = false;
    expect([await look(), await look()]).toEqual([null, null]);
    expect(taken).toEqual(['one', 'one', 'one']);
  });

  it('watchFile reads what could not be read as soon as it can', async () => {
    const { path, taken, look } = watched();
    writeFileSync(path, 'one');
    await look();
    renameSync(path, `${path}.aside`);
    // A name that leads round in a circle, a folder, and a name below a file: nobody can read these, not even
    // root.
    symlinkSync(path, path);
    expect(
      [await look(), await look()].map((problem) => [problem?.isNew, problem?.reason.includes(path)]),
    ).toEqual([
      [true, true],
      [false, true],
    ]);
    unlinkSync(path);
    mkdirSync(path);
    expect(await look()).toMatchObject({ isNew: true, reason: expect.stringMatching(/EISDIR/) as unknown });
    rmSync(path, { recursive: true });
    writeFileSync(path, 'two');
    expect([await look(), taken]).toEqual([null, ['one', 'two']]);
    // The one from before is back, byte for byte and with its old time: it is another state all the same.
    renameSync(`${path}.aside`, path);
    expect([await look(), taken.at(-1)]).toEqual([null, 'one']);
  });

  it('watchFile reports a failure again after a success', async () => {
    const { path, look } = watched();
    writeFileSync(path, 'one');
    const told: (boolean | undefined)[] = [];
    for (let round = 0; round < 2; round++) {
      await look();
      renameSync(path, `${path}.aside`);
      symlinkSync(path, path);
      told.push((await look())?.isNew);
      unlinkSync(path);
      renameSync(`${path}.aside`, path);
    }
    expect(told).toEqual([true, true]);
  });
});

describe('isReadError', () => {
  const failure = Object.assign(new Error('EMFILE: too many open files'), {
    code: 'EMFILE',
    syscall: 'open',
  });
  it('isReadError finds the system call behind another error', () =>
    expect(isReadError(new Error('a', { cause: new Error('b', { cause: failure }) }))).toBe(true));
  it('isReadError is false for absent and wrong files', () => {
    expect(
      isReadError(
        new Error('a', { cause: Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'open' }) }),
      ),
    ).toBe(false);
    expect(
      [new Error('wrong'), Object.assign(new Error('wrong'), { code: 'ERR_X' }), null, 'EMFILE'].map(
        isReadError,
      ),
    ).toEqual([false, false, false, false]);
  });
});

describe('replaceFile', () => {
  it('replaceFile leaves no temporary file, also when it fails', async () => {
    const home = directory();
    mkdirSync(join(home, 'taken'));
    await replaceFile(join(home, 'file'), 'one');
    await expect(replaceFile(join(home, 'taken'), 'one')).rejects.toThrow();
    expect(readdirSync(home).sort()).toEqual(['file', 'taken']);
  });
});

describe('a process without descriptors', () => {
  it('a process without descriptors keeps its keys and snapshot, and takes new ones as soon as it can', {
    tags: ['slow'],
  }, async () => {
    const program = spawn(
      'sh',
      [
        '-c',
        // The loader of modules opens hundreds of sources at the same time on a busy machine.
        'ulimit -n 1024 && exec "$0" --expose-gc --import tsx test/processes/no-descriptors.ts',
        process.execPath,
      ],
      { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    let complaints = '';
    program.stderr.on('data', (text: Buffer) => void (complaints += text.toString()));
    program.stdout.on('data', (text: Buffer) => void (output += text.toString()));
    expect([await new Promise((resolve) => program.once('close', resolve)), complaints]).toEqual([0, '']);
    const results = JSON.parse(output) as {
      descriptors: number;
      meanwhile: { keyOpens: boolean; isOldServed: boolean; events: string[] };
      after: unknown;
    }[];
    expect(results.map(({ descriptors }) => descriptors)).toEqual([0, 1, 2]);
    for (const { meanwhile, after } of results) {
      // A few descriptors are enough for the new snapshot, at the first look or at a later one. Without them the
      // old one goes on, and the refusal is logged once.
      const refused = meanwhile.events.filter((event) => event === 'snapshot_refused').length;
      expect(refused).toBeGreaterThanOrEqual(meanwhile.isOldServed ? 1 : 0);
      expect(refused).toBeLessThanOrEqual(1);
      expect(after).toEqual({ keyOpens: false, isNewServed: true });
    }
    expect(results[0]?.meanwhile).toEqual({
      keyOpens: true,
      isOldServed: true,
      events: expect.arrayContaining(['keys_refused', 'snapshot_refused']) as unknown,
    });
    expect(results[0]?.meanwhile.events.length).toBe(2);
  });
});
