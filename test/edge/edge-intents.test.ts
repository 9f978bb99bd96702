import { describe, expect, it, vi } from 'vitest';
import worker from '../../src/edge.ts';
import { journalBoundsDefault } from '../../src/intents/journal-room.ts';
import { folderBucket } from '../support/folder-bucket.ts';
import { sampleService } from '../support/sample.ts';

describe('the intents of a worker', () => {
  it('an isolate sends no more intents to its queue than a process writes, and refuses the others', {
    tags: ['slow'],
  }, async () => {
    const { snapshots, close } = await sampleService();
    await close();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-08-18T12:00:30Z') });
    let sent = 0;
    const environment = {
      SNAPSHOTS: folderBucket(snapshots),
      INTENTS: { send: async () => void sent++ },
    };
    const ask = async () =>
      (
        await worker.fetch(
          new Request('https://filings.example.com/validate/vehicle-recalls/view', { method: 'POST' }),
          environment,
          { waitUntil: () => {} },
        )
      ).status;
    const { intentsPerMinute } = journalBoundsDefault;
    const statuses = new Map<number, number>();
    for (let asked = 0; asked < intentsPerMinute + 20; asked++) {
      const status = await ask();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([Object.fromEntries(statuses), sent]).toEqual([
      { 202: intentsPerMinute, 503: 20 },
      intentsPerMinute,
    ]);
    vi.setSystemTime(Date.parse('2026-08-18T12:01:00Z'));
    expect(await ask()).toBe(202);
  });
});
