import { expect, it } from 'vitest';
import { createClock } from '../../build/time/told-clock.ts';
import { createFollowed } from '../../build/follow/common/followed.ts';
import { createErrors } from '../../build/follow/common/follower-errors.ts';
import { createSchedule } from '../../build/follow/common/schedule.ts';
import type { Shared } from '../../build/follow/common/shared.ts';
import { createWork } from '../../build/follow/common/work.ts';
import { createPublisher } from '../../build/follow/publisher.ts';
import type { Gathered, Reader } from '../../build/follow/reading/reader.ts';

const minuteMs = 60_000;
const full = () => Promise.reject(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }));

/** A follower with a batch to publish, on a full disk: each publication fails, and each batch that is appended. */
function onFullDisk() {
  const done = { publications: 0, prunes: 0, atMs: 0 };
  const elapsed = () => done.atMs;
  const errors = createErrors(() => {}, elapsed);
  const shared = {
    options: {
      folders: { ledgerDirectory: '/', snapshotsDirectory: '/' },
      publish: () => (done.publications++, full()),
      prune: async () => void done.prunes++,
    },
    clock: createClock(elapsed, () => 0),
    schedule: createSchedule(0, { prune: minuteMs }),
    errors,
    ledger: { append: full },
    followed: createFollowed({ kind: 'all' }, null, () => {}),
  } as unknown as Shared;
  const found = [{ accessionNo: '0000000001-26-000001', sightings: [] }];
  const gathered = { whole: [], overdue: [], found } as unknown as Gathered;
  const reader = { gather: () => gathered } as unknown as Reader;
  const work = createWork(
    () => false,
    () => {},
  );
  return { done, errors, work, publisher: createPublisher(shared, work, reader, true) };
}

it('a follower removes old snapshots although its publications fail', async () => {
  const { done, errors, work, publisher } = onFullDisk();
  for (const minute of [0, 1, 2, 3, 11]) {
    done.atMs = minute * minuteMs;
    publisher.startPublish();
    await work.settle();
    for (const handle of work.take()) await handle();
    expect(errors.last()?.text).toBe('not published: ENOSPC: no space left');
  }
  expect([done.publications, done.prunes]).toEqual([5, 2]);
});

it('a follower that cannot append removes old snapshots at once, and says that the disk is full', async () => {
  const { done, errors, work, publisher } = onFullDisk();
  await publisher.appendIfDue();
  expect(errors.last()?.text).toMatch(
    /^the disk of \/ is full: [\d.]+ MB( and \d+ files)? are free, more is needed/,
  );
  publisher.startPublish();
  await work.settle();
  expect(done.prunes).toBe(1);
});
