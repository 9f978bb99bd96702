import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The commits of the last two releases. */
export const releases = ['e629efb', 'ffa7d67'] as const;

/**
 * Writes the program as a commit has it into a folder, with the packages of this checkout and a cache of its
 * own.
 */
export function checkOut(commit: string, directory: string): void {
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', directory], { input: archive });
  const [packages, own] = [join(root, 'node_modules'), join(directory, 'node_modules')];
  mkdirSync(own);
  for (const name of readdirSync(packages))
    if (name !== '.cache') symlinkSync(join(packages, name), join(own, name));
}
