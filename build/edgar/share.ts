import { createHash, randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { tryLockFile, type Lock } from '../disk/lock.ts';
import type { EdgarSettings } from './edgar-settings.ts';

/**
 * A client's part in the request limit, which the clients of one user share: the SEC counts them together.
 */
export interface Share {
  /** The number of clients on this machine that use the same upstream now, this one included. */
  clients(): number;
  /** The folder that these clients share, which belongs to this user alone; null if there is none. */
  directory(): string | null;
  /** Gives the share back to the other clients. */
  leave(): void;
}

/**
 * After a client has left, the others share the limit as before for this long, in milliseconds. After this
 * time upstream no longer counts the last requests of that client.
 */
const handOverMs = 1010;

/** How many names are tried where other users have taken the first ones. */
const namesMaximum = 5;
/** The name of a client's file. Other files in the folder are none of ours. */
const fileName = /^[0-9a-f]{18}$/;

/**
 * Returns the folders in which clients register, the first choice first. Each user of the machine has one for
 * each upstream. Everybody can make folders in the temporary folder, so there are further names for a user
 * whose first one was taken by somebody else; all clients of the user then take the same.
 */
export function shareDirectories({ dataUrl, wwwUrl }: Pick<EdgarSettings, 'dataUrl' | 'wwwUrl'>): string[] {
  const upstream = createHash('sha256').update(`${dataUrl} ${wwwUrl}`).digest('hex').slice(0, 16);
  const own = `filing-event-intelligence-${userInfo().uid}`;
  return Array.from({ length: namesMaximum }, (_, at) =>
    join(tmpdir(), at === 0 ? own : `${own}-${at + 1}`, `edgar-${upstream}`),
  );
}

/**
 * Makes a folder, or checks the one that is there: nobody but its owner, who has to be this user, may list,
 * make or remove files in it, and it is no link to a folder of somebody else. Throws an `Error` that says what
 * is wrong.
 */
function requireOwnFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const { uid } = userInfo();
  const found = lstatSync(path);
  // On Windows the temporary folder belongs to the user, and files have no such owners and modes.
  if (!found.isDirectory()) throw new Error(`${path} is no folder`);
  if (uid !== -1 && found.uid !== uid) throw new Error(`${path} belongs to another user`);
  if (uid !== -1 && (found.mode & 0o077) !== 0) throw new Error(`${path} is open to other users`);
}

/**
 * Registers a client in the first of the folders that belongs to this user alone (see `shareDirectories`), and
 * logs why it passed over those before. Each client has a locked file there. To count, a client counts the
 * locked files and removes the others, whose processes have ended. If no folder can be used, it assumes that
 * it is alone and logs the reason. `now` is in milliseconds.
 */
export function openShare(
  directories: readonly string[],
  now: () => number,
  log: (line: string) => void,
): Share {
  let own: { readonly path: string; readonly lock: Lock } | null = null;
  let highest = { clients: 1, atMs: -Infinity };
  /** What was logged, so that it is logged once. */
  const told = new Set<string>();

  function tell(line: string): void {
    if (!told.has(line)) log(line);
    told.add(line);
  }

  /** The folder to use. It is looked at each time: whoever owns the folder above may exchange it. */
  function directoryOf(): string {
    for (const [at, directory] of directories.entries()) {
      try {
        requireOwnFolder(dirname(directory));
        requireOwnFolder(directory);
        return directory;
      } catch (error) {
        if (at === directories.length - 1) throw error;
        tell(
          `a folder to share the request limit with other programs is passed over: ${(error as Error).message}`,
        );
      }
    }
    throw new Error('there is no folder for it');
  }

  /** Another client may have removed our file between its creation and its lock. Then there is a new one. */
  function register(directory: string): string {
    while (own === null || dirname(own.path) !== directory || !existsSync(own.path)) {
      const path = join(directory, randomBytes(9).toString('hex'));
      own?.lock.release();
      const lock = tryLockFile(path);
      own = lock && { path, lock };
    }
    return basename(own.path);
  }

  function count(): number {
    try {
      const directory = directoryOf();
      const name = register(directory);
      return (
        1 +
        readdirSync(directory).filter(
          (other) => fileName.test(other) && other !== name && isTaken(join(directory, other)),
        ).length
      );
    } catch (error) {
      tell(`the request limit is not shared with other programs: ${(error as Error).message}`);
      return 1;
    }
  }

  count();
  return {
    clients() {
      const clients = count();
      if (clients >= highest.clients || now() - highest.atMs >= handOverMs)
        highest = { clients, atMs: now() };
      return highest.clients;
    },
    directory: () => (own === null ? null : dirname(own.path)),
    leave() {
      if (own === null) return;
      rmSync(own.path, { force: true });
      own.lock.release();
      own = null;
    },
  };
}

/** Whether the process of a client runs, which has its file locked. Removes the file if not. */
function isTaken(path: string): boolean {
  const lock = tryLockFile(path);
  if (lock === null) return true;
  rmSync(path, { force: true });
  lock.release();
  return false;
}
