import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Gives a copy of the project the packages of this checkout, and a cache of its own. */
export function linkPackages(directory: string): void {
  const own = join(directory, 'node_modules');
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(packages))
    if (name !== '.cache') symlinkSync(join(packages, name), join(own, name));
}
