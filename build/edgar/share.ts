import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { tryLockFile, type Lock } from '../disk/lock.ts';
import type { EdgarSettings } from './edgar-settings.ts';

/**
 * A client's part in the request limit, which the clients of one user share: the SEC counts them together.
 */
export interface Share {
  /** The number of clients on this machine that use the same upstream now, this one included. */
  clients(): number;
  /** The folder that these clients share, which belongs to this user alone. */
  directory(): string;
  /** Gives the share back to the other clients. */
  leave(): void;
}

/**
 * After a client has left, the others share the limit as before for this long, in milliseconds. After this
 * time upstream no longer counts the last requests of that client.
 */
const handOverMs = 1010;

/**
 * Returns the folder in which clients register. Each user of the machine has one for each upstream.
 */
export function shareDirectory({ dataUrl, wwwUrl }: Pick<EdgarSettings, 'dataUrl' | 'wwwUrl'>): string {
  const upstream = createHash('sha256').update(`${dataUrl} ${wwwUrl}`).digest('hex').slice(0, 16);
  return join(tmpdir(), `filing-event-intelligence-${userInfo().uid}`, `edgar-${upstream}`);
}

/**
 * Registers a client in a folder of `shareDirectory`. Each client has a locked file there. To count, a client
 * counts the locked files and removes the others, whose processes have ended. If it cannot write, it assumes
 * that it is alone and logs the reason. `now` is in milliseconds.
 */
export function openShare(directory: string, now: () => number, log: (line: string) => void): Share {
  let own: { readonly path: string; readonly lock: Lock } | null = null;
  let highest = { clients: 1, atMs: -Infinity };
  let hasFailed = false;

  /** Another client may have removed our file between its creation and its lock. Then there is a new one. */
  function register(): string {
    while (own === null || !existsSync(own.path)) {
      const path = join(directory, randomBytes(9).toString('hex'));
      own?.lock.release();
      const lock = tryLockFile(path);
      own = lock && { path, lock };
    }
    return basename(own.path);
  }

  function count(): number {
    try {
      const name = register();
      return (
        1 +
        readdirSync(directory).filter(
          (other) => other !== name && !isPauseFile(other) && isTaken(join(directory, other)),
        ).length
      );
    } catch (error) {
      if (!hasFailed) log(`the request limit is not shared with other programs: ${(error as Error).message}`);
      hasFailed = true;
      return 1;
    }
  }

  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch {
    // `count` reports the error.
  }
  count();
  return {
    clients() {
      const clients = count();
      if (clients >= highest.clients || now() - highest.atMs >= handOverMs)
        highest = { clients, atMs: now() };
      return highest.clients;
    },
    directory: () => directory,
    leave() {
      if (own === null) return;
      rmSync(own.path, { force: true });
      own.lock.release();
      own = null;
    },
  };
}

/** The name of the file in the shared folder that has the pause which upstream asked for. */
export const pauseFile = 'pause.json';

/** Whether a file is the one of the pause, or one that is becoming it. */
const isPauseFile = (name: string) => name.startsWith(pauseFile);

/** Whether the process of a client runs, which has its file locked. Removes the file if not. */
function isTaken(path: string): boolean {
  const lock = tryLockFile(path);
  if (lock === null) return true;
  rmSync(path, { force: true });
  lock.release();
  return false;
}
