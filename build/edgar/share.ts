import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { hourMs } from '../../src/contract/time.ts';
import { isRunning } from '../disk/files.ts';
import type { EdgarSettings } from './settings.ts';

/**
 * The part of the limit of requests that one client has: the limit is that of all programs that one user
 * runs.
 */
export interface Share {
  /** How many clients ask the same upstream from this machine now, this one included. */
  clients(): number;
  leave(): void;
}

/**
 * A client that has asked nothing for so long, in milliseconds, has no part: its process may be gone, and its
 * number be another's.
 */
const forgottenMs = hourMs;
/**
 * The part of a client that left is given to others when upstream has forgotten its last requests, in
 * milliseconds.
 */
const handOverMs = 1010;

/** Where the clients of an upstream sign in: one folder for each user of the machine and each upstream. */
export function shareDirectory({ dataUrl, wwwUrl }: Pick<EdgarSettings, 'dataUrl' | 'wwwUrl'>): string {
  const upstream = createHash('sha256').update(`${dataUrl} ${wwwUrl}`).digest('hex').slice(0, 16);
  return join(tmpdir(), `filing-event-intelligence-${userInfo().uid}`, `edgar-${upstream}`);
}

/**
 * Signs a client in among those that share a limit. Each of them has a file, named by its process, that it
 * writes whenever it counts the others: files of processes that have ended do not count. Where files cannot
 * be written, the client counts itself alone, and `log` is told why. `now` is in milliseconds.
 */
export function openShare(directory: string, now: () => number, log: (line: string) => void): Share {
  const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
  let higher = { clients: 1, atMs: -Infinity };
  let hasFailed = false;

  function others(): number {
    writeFileSync(join(directory, name), '');
    const ownMs = statSync(join(directory, name)).mtimeMs;
    return readdirSync(directory).filter(
      (other) => other !== name && isAsking(join(directory, other), other, ownMs),
    ).length;
  }

  function count(): number {
    try {
      return 1 + others();
    } catch (error) {
      if (!hasFailed)
        log(`the limit of requests is not shared with other programs: ${(error as Error).message}`);
      hasFailed = true;
      return 1;
    }
  }

  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch {
    // Counting will tell.
  }
  count();
  return {
    clients() {
      const clients = count();
      if (clients >= higher.clients || now() - higher.atMs >= handOverMs) higher = { clients, atMs: now() };
      return higher.clients;
    },
    leave: () => remove(join(directory, name)),
  };
}

function isAsking(path: string, name: string, ownMs: number): boolean {
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
    // Another client was first, or the folder is gone: nothing is counted that is not there.
  }
}
