import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { watchChanges, type FileProblem, type WholeFile } from './watch.ts';

/** Writes a whole file and waits until it is on the disk. */
export async function writeSynced(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * The name under which a file is written before it replaces the one at `path`. Each call gives another one;
 * processes in different containers can have the same id and share a directory.
 */
export function asideOf(path: string): string {
  return `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
}

/** Replaces a file in one step: readers see the old content or the new one, never a part. */
export async function replaceFile(path: string, content: string | Uint8Array, mode?: number): Promise<void> {
  const aside = asideOf(path);
  try {
    await writeSynced(aside, content, mode);
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {});
    throw error;
  }
}

/**
 * Makes a folder and those above it that are missing. Returns the topmost that it made; null if there was nothing to
 * make. Rejects as `mkdir` does. The `recursive` of Node never ends where the first folder cannot be made (below
 * `/proc`, or in a working directory that was removed), and calls a full disk a missing folder (nodejs/node 42808).
 */
export async function makeFolder(path: string, mode?: number): Promise<string | null> {
  try {
    return await makeInFolder(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    const above = await makeFolder(dirname(path), mode);
    const made = await makeInFolder(path, mode);
    return above ?? made;
  }
}

/** Makes a folder in one that is there. Returns null if it was there, too. */
async function makeInFolder(path: string, mode: number | undefined): Promise<string | null> {
  try {
    await mkdir(path, mode);
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(path)).isDirectory()) return null;
    throw error;
  }
}

/** Watches a file on the disk; see `watchChanges`. */
export function watchFile(
  path: string,
  take: (text: string | null) => Promise<void> | void,
): () => Promise<FileProblem | null> {
  return watchChanges(path, (known) => readIfChanged(path, known), take);
}

/**
 * Reads a file. Null if it is still in the given state. Throws if it was written while it was read, or cannot
 * be read.
 */
export async function readIfChanged(path: string, knownState: string): Promise<WholeFile | null> {
  return (await stateAt(path)) === knownState ? null : readWhole(path);
}

const noFile: WholeFile = { text: null, state: 'none' };

/** Makes an error handler that returns `value` if there is no file, and throws any other error. */
export function whereMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
}

/** A text that changes whenever the file is replaced, written or touched. */
function stateOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(' ');
}

function stateAt(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(stateOf, whereMissing(noFile.state));
}

/**
 * The text of a file and the state that it belongs to. Throws if the file was written meanwhile: the text may
 * be half old and half new.
 */
async function readWhole(path: string): Promise<WholeFile> {
  const file = await open(path, 'r').catch(whereMissing(null));
  if (file === null) return noFile;
  try {
    const state = stateOf(await file.stat({ bigint: true }));
    const text = await file.readFile('utf8');
    if (stateOf(await file.stat({ bigint: true })) !== state)
      throw new Error(`${path} was written while it was read`);
    return { text, state };
  } finally {
    await file.close();
  }
}
