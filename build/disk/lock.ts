import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';

/** A locked file. The system releases the lock when the process ends, however it ends. */
export interface Lock {
  /** Releases it. Further calls do nothing. */
  release(): void;
}

/** How often a waiting process tries again, in milliseconds. */
const retryMs = 20;

/**
 * Locks a file, which is created if it is missing. Returns null if somebody else has the lock: another
 * process, or another call in this one. Throws the error of the file system if the file cannot be opened or
 * locked. The lock belongs to the file and not to a process number, so it also holds between containers that
 * share a volume. Nobody may remove a lock file unless it has the lock and the file is never locked again.
 */
export function tryLockFile(path: string): Lock | null {
  const descriptor = openSync(path, 'a+');
  try {
    if (tryLock(descriptor)) return lockOf(descriptor);
  } catch (error) {
    closeSync(descriptor);
    throw new Error(`${path} cannot be locked: ${(error as Error).message}`, { cause: error });
  }
  closeSync(descriptor);
  return null;
}

function lockOf(descriptor: number): Lock {
  let isHeld = true;
  return {
    release() {
      // A descriptor that is closed twice may belong to another file by then.
      if (isHeld) closeSync(descriptor);
      isHeld = false;
    },
  };
}

/** How a caller waits for a lock. */
export interface Waiting {
  /** Called once if somebody else has the lock. */
  readonly onWait?: () => void;
  /** Ends the waiting: the call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs a piece of work while it has the lock of a file. Waits until the lock is free. */
export async function withLock<Result>(
  path: string,
  work: () => Promise<Result>,
  { onWait, signal }: Waiting = {},
): Promise<Result> {
  let lock = tryLockFile(path);
  if (lock === null) onWait?.();
  while (lock === null) {
    await delay(retryMs, undefined, signal ? { signal } : {});
    lock = tryLockFile(path);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
