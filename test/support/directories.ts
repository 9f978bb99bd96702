import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { closeAllBut } from './closing.ts';

/**
 * Makes a function that gives a fresh directory at each call; all of them are removed after the tests of the
 * file.
 */
export function useDirectories(name: string): () => string {
  const made: string[] = [];
  afterAll(async () => {
    // A service that is still open works in them.
    await closeAllBut(new Set());
    for (const directory of made) rmSync(directory, { recursive: true, force: true });
  });
  return () => {
    const directory = mkdtempSync(join(tmpdir(), `filing-${name}-`));
    made.push(directory);
    return directory;
  };
}
