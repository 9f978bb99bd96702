import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { hourMs } from '../../src/contract/time.ts';
import { isRunning } from '../disk/files.ts';
import type { EdgarSettings } from './settings.ts';

/**
 * A client's part in the request limit, which the clients of one user share: the SEC counts them together.
 */
export interface Share {
  /** The number of clients on this machine that use the same upstream now, this one included. */
  clients(): number;
  /** Gives the share back to the other clients. */
  leave(): void;
}

/**
 * The others ignore a client that has not counted for this long, in milliseconds: its process may have ended,
 * and another process may have got its number.
 */
const forgottenMs = hourMs;
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
 * Registers a client in a folder of `shareDirectory`. Each client has a file there, whose name begins with
 * the number of its process. To count, a client writes its own file, then counts the files of running
 * processes and removes the others. If it cannot write, it assumes that it is alone and logs the reason.
 * `now` is in milliseconds.
 */
export function openShare(directory: string, now: () => number, log: (line: string) => void): Share {
  const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
  let highest = { clients: 1, atMs: -Infinity };
  let hasFailed = false;

  function others(): number {
    writeFileSync(join(directory, name), '');
    const ownMs = statSync(join(directory, name)).mtimeMs;
    return readdirSync(directory).filter(
      (other) => other !== name && isActive(join(directory, other), other, ownMs),
    ).length;
  }

  function count(): number {
    try {
      return 1 + others();
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
    leave: () => remove(join(directory, name)),
  };
}

/**
 * Whether the client with a file still runs. Removes the file if not. `ownMs` is when we wrote our own file.
 */
function isActive(path: string, name: string, ownMs: number): boolean {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) return false;
  if (ownMs - file.mtimeMs < forgottenMs && isRunning(Number.parseInt(name, 10))) return true;
  remove(path);
  return false;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another client has removed it, or the folder is gone.
  }
}
