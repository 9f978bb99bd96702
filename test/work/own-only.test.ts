import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openToOthers } from '../../src/files/own-only.ts';
import { useDirectories } from '../support/directories.ts';

const directory = useDirectories('own-only');

it.each([
  [0o600, null],
  [0o400, null],
  // Root gives a file to the group of a service.
  [0o640, null],
  [0o644, 'other users may read it (mode 0644)'],
  [0o660, 'other users may change it (mode 0660)'],
  [0o602, 'other users may change it (mode 0602)'],
  [0o666, 'other users may read and change it (mode 0666)'],
])('of a file with the mode %o it is told what other users may do', async (mode, told) => {
  const path = join(directory(), 'endpoints.json');
  writeFileSync(path, '{}');
  chmodSync(path, mode);
  expect(await openToOthers(path)).toBe(
    told === null ? null : `${told}; chmod g-w,o= ${path} keeps it from them`,
  );
});

it('a file that does not exist is open to nobody', async () =>
  expect(await openToOthers(join(directory(), 'none'))).toBeNull());
