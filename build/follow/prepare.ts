import type { Follower } from './follower.ts';

/** How the names of this work begin. */
export const preparing = 'prepare';

/**
 * Starts to prepare joins of segments after each publication, beside the loop and beside the next
 * publication. A failure harms nothing: a publication makes each join that it wants and does not find.
 */
export function startPrepare(follower: Follower): void {
  const { options, work, publishedMs, preparedMs } = follower;
  if (options.prepare === undefined || publishedMs === preparedMs) return;
  follower.preparedMs = publishedMs;
  const { prepare, log } = options;
  // A short join does not wait for a long one, so this may begin while the one before is running.
  work.start(`${preparing} ${publishedMs}`, async () => {
    await prepare().catch((error: Error) => log(`joins were not prepared: ${error.message}`, 'debug'));
    return null;
  });
}
