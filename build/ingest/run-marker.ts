import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hourMs } from '../../src/time/units.ts';
import { replaceFile } from '../disk/directories.ts';

/** A run that was started longer ago than this, in hours, is not resumed. */
const resumeHours = 24;

/**
 * Records in the folder of the cache that a run has begun. A recent interrupted run for the same target is resumed:
 * files that it fetched are not requested again. `resumedFrom` is when that run began, in UTC.
 */
export async function markRun(
  cacheDirectory: string,
  target: string,
  nowMs: number,
): Promise<{ resumedFrom: string | null; remove(): Promise<void> }> {
  const path = join(cacheDirectory, 'run.json');
  const before = await readFile(path, 'utf8')
    .then((text) => JSON.parse(text) as { target?: string; startedAt?: string } | null)
    .catch(() => null);
  const passedMs = nowMs - Date.parse(before?.startedAt ?? '');
  // A run of the future began under a clock that was wrong.
  const resumes = before?.target === target && passedMs >= 0 && passedMs < resumeHours * hourMs;
  if (!resumes) await replaceFile(path, JSON.stringify({ target, startedAt: new Date(nowMs).toISOString() }));
  return {
    resumedFrom: resumes ? (before?.startedAt ?? null) : null,
    remove: () => rm(path, { force: true }),
  };
}
