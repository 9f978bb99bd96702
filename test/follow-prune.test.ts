import { expect, it } from 'vitest';
import type { Event, Follower } from '../build/follow/follower.ts';
import { createWork } from '../build/follow/work.ts';
import { startPublish, write } from '../build/follow/write.ts';
import { emptyState } from '../build/follow/state.ts';

const minuteMs = 60_000;
const full = () => Promise.reject(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }));

/** A follower with a batch to publish, on a full disk: each publication fails, and each batch that is appended. */
function onFullDisk() {
  const done = { publications: 0, prunes: 0, atMs: 0 };
  const parts = {
    options: {
      elapsed: () => done.atMs,
      now: () => 0,
      log: () => {},
      folders: { ledgerDirectory: '/', snapshotsDirectory: '/' },
      publish: () => (done.publications++, full()),
      prune: async () => void done.prunes++,
    },
    work: createWork<Event>(() => false),
    writer: { append: full },
    state: emptyState,
    corrections: [{ accessionNo: '0000000001-26-000001', told: {} }],
    entities: new Map(),
    told: null,
    readySinceMs: null,
    appended: { batches: 1, filings: 1 },
    publishedBatches: 0,
    publishedMs: null,
    nextPublishMs: 0,
    nextPruneMs: minuteMs,
    nextWriteMs: 0,
    writeFailures: 0,
    lastError: null,
  };
  return { done, follower: parts as unknown as Follower };
}

it('a follower removes old snapshots although its publications fail', async () => {
  const { done, follower } = onFullDisk();
  for (const minute of [0, 1, 2, 3, 11]) {
    done.atMs = minute * minuteMs;
    startPublish(follower);
    await follower.work.settle();
    expect(follower.work.take()).toMatchObject([{ kind: 'unpublished' }]);
  }
  expect([done.publications, done.prunes]).toEqual([5, 2]);
});

it('a follower that cannot append removes old snapshots at once, and says that the disk is full', async () => {
  const { done, follower } = onFullDisk();
  await write(follower);
  expect(follower.lastError?.text).toMatch(/^the disk of \/ is full: [\d.]+ MB are free, more is needed/);
  startPublish(follower);
  await follower.work.settle();
  expect(done.prunes).toBe(1);
});
