import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What a directory of snapshots or a ledger has for those who write to it: locks, and what they remember. */
const ofWriters: ReadonlySet<string> = new Set(['.lock', '.build.lock', '.published.json']);

/** The names in a directory, sorted, without locks and what writers remember. */
export const namesIn = (directory: string) =>
  readdirSync(directory)
    .filter((name) => !ofWriters.has(name))
    .sort();

/** Paths of all files below a directory, sorted, without locks and what writers remember. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !ofWriters.has(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}
