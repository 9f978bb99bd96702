import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { linkPackages } from './link-packages.ts';

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
  linkPackages(directory);
}
