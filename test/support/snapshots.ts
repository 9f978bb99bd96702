import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSnapshot, type BuildOptions } from '../../build/snapshot/build.ts';
import { filesBelow } from './files-below.ts';

export { filesBelow };

/** Settings without any address. */
export const plainSettings = { baseUrl: null, marketplaceUrl: null } as const;

/** Builds without saying anything. */
export function buildQuietly(ledgerDirectory: string, snapshotsDirectory: string, options: Partial<BuildOptions> = {}): Promise<string> {
  return buildSnapshot({ ledgerDirectory, snapshotsDirectory, settings: plainSettings, replace: false, log: () => {}, ...options });
}

/** All files below a directory with their bytes, as text. */
export function contentBelow(directory: string): Record<string, string> {
  return Object.fromEntries(filesBelow(directory).map((path) => [path, readFileSync(join(directory, path), 'latin1')]));
}
