import { join } from 'node:path';
import { withLock, type Waiting } from '../disk/lock.ts';

/**
 * Runs a build or a prune of a snapshots directory, which must exist. They take turns: a build relies on the
 * parts of the snapshot that it began from, and a prune on all parts that are needed having a name.
 */
export function withBuildLock<Result>(
  snapshotsDirectory: string,
  work: () => Promise<Result>,
  waiting: Waiting = {},
): Promise<Result> {
  return withLock(join(snapshotsDirectory, '.build.lock'), work, waiting);
}

/**
 * Runs something that reads the pointer and decides by it, or replaces it. It takes milliseconds, so nobody
 * waits long for it: a rollback does not wait for a build. Whoever needs both locks takes that of builds
 * first.
 */
export function withPointerLock<Result>(
  snapshotsDirectory: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return withLock(join(snapshotsDirectory, '.lock'), work);
}
