import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';

/** Writes a whole file and waits until the disk has it. */
export async function writeSynced(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Replaces a file in one step: readers see the old content or the new one, never a part. */
export async function replaceFile(path: string, content: string | Uint8Array, mode?: number): Promise<void> {
  // Processes in different containers can have the same id and share a directory.
  const aside = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeSynced(aside, content, mode);
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {});
    throw error;
  }
}

/** What is wrong with the content of a file: reading it again is of no use before it changes. */
export class ContentError extends Error {}

/** What keeps a file from being taken. */
export interface FileProblem {
  /** One line that names the file. */
  readonly reason: string;
  /** False if the look before found the same: it need not be said again. */
  readonly isNew: boolean;
}

interface Reading {
  /** Null if there is no file. */
  readonly text: string | null;
  readonly state: string;
}

const noFile: Reading = { text: null, state: 'none' };

/**
 * Watches a file by its state on the disk. The returned function looks once: if the file is not as it was when it was
 * last taken, it is read and its text given to `take`, null where there is no file. Only what `take` accepted counts as
 * taken, and what it refused with a `ContentError`; after any other error the next look tries again. A look never
 * rejects: it resolves to what is wrong, or to null if the file as it is was taken. Looks at the same time are one.
 */
export function watchFile(path: string, take: (text: string | null) => Promise<void> | void): () => Promise<FileProblem | null> {
  let takenState = '';
  /** Why the content of that state was refused. */
  let refusal: string | null = null;
  /** The failure that was found by the look before. */
  let lastFailure = '';
  let looking: Promise<FileProblem | null> | null = null;

  async function look(): Promise<FileProblem | null> {
    let state = '';
    try {
      state = await stateAt(path);
      if (state !== takenState) {
        const reading = await readWhole(path);
        state = reading.state;
        await take(reading.text);
        [takenState, refusal] = [state, null];
      }
      lastFailure = '';
      return refusal === null ? null : { reason: refusal, isNew: false };
    } catch (error) {
      const reason = inOneLine(path, error as Error);
      if (error instanceof ContentError) [takenState, refusal] = [state, reason];
      // The same fault may name another file each time, such as the one for which no descriptor was left.
      const failure = `${state} ${codeOf(error) ?? reason}`;
      const isNew = failure !== lastFailure;
      lastFailure = failure;
      return { reason, isNew };
    }
  }

  return () => (looking ??= look().finally(() => (looking = null)));
}

/** Whether an operation of the file system failed for another reason than that something is not there. */
export function isReadError(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && code !== 'ENOENT';
}

/** The code of the system call that failed, also where another error was made of it; undefined if none did. */
function codeOf(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code, syscall } = each as NodeJS.ErrnoException;
    if (syscall !== undefined) return code;
  }
  return undefined;
}

function inOneLine(path: string, { message }: Error): string {
  const line = message.replace(/\s*\n\s*/g, ' ');
  return line.includes(path) ? line : `${path}: ${line}`;
}

/** Where there is no file, the value that stands for it; throws any other error. */
function whereMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
}

/** Changes whenever a file is replaced, written or touched. */
function stateOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(' ');
}

function stateAt(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(stateOf, whereMissing(noFile.state));
}

/** The text of a file and the state that it belongs to. Throws if it was written meanwhile: it may be half of each. */
async function readWhole(path: string): Promise<Reading> {
  const file = await open(path, 'r').catch(whereMissing(null));
  if (file === null) return noFile;
  try {
    const state = stateOf(await file.stat({ bigint: true }));
    const text = await file.readFile('utf8');
    if (stateOf(await file.stat({ bigint: true })) !== state) throw new Error(`${path} was written while it was read`);
    return { text, state };
  } finally {
    await file.close();
  }
}
