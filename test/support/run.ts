import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { generateClients } from '../../clients/generate/main.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A directory that all files of a run share; what lies in it is made once and only read from then on. */
    sharedDirectory: string;
  }
}

const memory = '/dev/shm';
const neededBytes = 2 * 1024 ** 3;

/**
 * Builds sync every one of their files. In memory that costs nothing, and no test cuts the power of the
 * machine.
 */
function isRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= neededBytes;
  } catch {
    return false;
  }
}

/**
 * Before a run: the generated files of the clients, and one directory for all temporary files of the tests and of the processes that they start.
 * After it: none.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  await generateClients();
  const directory = mkdtempSync(join(isRoomInMemory() ? memory : tmpdir(), 'filing-tests-'));
  const sharedDirectory = join(directory, 'shared');
  mkdirSync(sharedDirectory);
  process.env['TMPDIR'] = directory;
  project.provide('sharedDirectory', sharedDirectory);
  return () => rmSync(directory, { recursive: true, force: true });
}
