import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';
import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';

/** A locked file. The system releases the lock when the process ends, however it ends. */
export interface Lock {
  /** Releases it. Further calls do nothing. */
  release(): void;
}

/** How often a waiting process tries again, in milliseconds. */
const retryMs = 20;

/** Reads and appends, creates the file, and follows no link, which somebody else may have put there. */
const lockFlags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
/** Who may read a file may lock it for reading, and so keep its owner waiting for ever. */
const lockMode = 0o600;

/**
 * Locks a file, which is created if it is missing, for its owner alone. Returns null if somebody else has the
 * lock: another process, or another call in this one. Throws the error of the file system if the file cannot
 * be opened or locked, or is a link. The lock belongs to the file and not to a process number, so it also
 * holds between containers that share a volume. Nobody may remove a lock file unless it has the lock and the
 * file is never locked again.
 */
export function tryLockFile(path: string): Lock | null {
  const descriptor = openSync(path, lockFlags, lockMode);
  try {
    // An older version of the program made its lock files so that everybody may read them.
    const { mode, uid } = fstatSync(descriptor);
    if ((mode & 0o077) !== 0 && uid === userInfo().uid) fchmodSync(descriptor, lockMode);
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
