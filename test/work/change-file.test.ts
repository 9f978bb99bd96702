import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeFile } from '../../build/disk/change-file.ts';
import { useDirectories } from '../support/directories.ts';

const fresh = useDirectories('change-file');
const added = (letter: string) => (text: string | null) => ({ text: (text ?? '') + letter, result: letter });

describe('changeFile', () => {
  it('changes at the same time all happen, one after the other', async () => {
    const path = join(fresh(), 'inner', 'list');
    const letters = [...'abcdefgh'];
    expect(await Promise.all(letters.map((letter) => changeFile(path, added(letter))))).toEqual(letters);
    expect([...readFileSync(path, 'utf8')].sort()).toEqual(letters);
  });

  it('a change that fails leaves the file as it is, and lets others go on', async () => {
    const path = join(fresh(), 'list');
    writeFileSync(path, 'a');
    await expect(
      changeFile(path, () => {
        throw new Error('as intended');
      }),
    ).rejects.toThrow('as intended');
    expect(await changeFile(path, (text) => ({ text: null, result: text }))).toBe('a');
    await changeFile(path, added('b'), 0o600);
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['ab', 0o600]);
    expect(readdirSync(join(path, '..')).sort()).toEqual(['list', 'list.lock']);
  });
});
