import type { Heartbeat } from '../../src/format/heartbeat-file.ts';
import type { Follower } from './follower.ts';

/**
 * Returns the heartbeat of a follower; null as long as it has not read the feed. `readAt` is when the feed was
 * last read without error or, if a filing that it listed is not published yet, when that was listed: so a disk
 * that is full makes the data late, too. The backlog of the time before the program began is left out, as in
 * `behindMs`.
 */
export function heartbeatOf(follower: Follower): Omit<Heartbeat, 'signature'> | null {
  const { clock, reader, publisher } = follower;
  const { state, feedReadMs } = reader;
  if (feedReadMs === null) return null;
  const { nowMs } = clock.now();
  const waiting = [...state.pending.values()]
    .filter(({ isPublished, isBacklog }) => !isPublished && !isBacklog)
    .map(({ listedAtMs }) => listedAtMs);
  const readMs = waiting.reduce(
    (first, each) => Math.min(first, each),
    Math.min(feedReadMs, publisher.unpublishedSinceMs ?? Infinity),
  );
  const through = state.feed.readThroughMs;
  return {
    format: 1,
    writtenAt: instant(nowMs),
    readAt: instant(nowMs - Math.max(0, clock.elapsed() - readMs)),
    acceptedThrough: through === null ? null : instant(through),
  };
}

const instant = (atMs: number) => new Date(Math.floor(atMs)).toISOString();

/**
 * Leaves a heartbeat every `everyMs` milliseconds, until the function that is returned is called. A failure is
 * logged once in a row: nothing else depends on it.
 */
export function startHeartbeat(follower: Follower, everyMs: number): () => void {
  const { beat, log } = follower.options;
  if (!beat) return () => {};
  let lastReason = '';
  let isUnderway = false;
  const timer = setInterval(() => {
    const heartbeat = heartbeatOf(follower);
    // A disk that hangs must not gather writes.
    if (heartbeat === null || isUnderway) return;
    isUnderway = true;
    beat(heartbeat)
      .then(
        () => (lastReason = ''),
        (error: Error) => {
          if (error.message !== lastReason) log(`no heartbeat: ${error.message}`, 'warn');
          lastReason = error.message;
        },
      )
      .finally(() => (isUnderway = false));
  }, everyMs);
  return () => clearInterval(timer);
}
