import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClock } from '../../build/time/told-clock.ts';
import { countAnswer, followFigures } from '../../build/follow/follow-figures.ts';
import { createSchedule } from '../../build/follow/common/schedule.ts';
import type { Follower } from '../../build/follow/follower.ts';
import { newPending } from '../../build/follow/reading/pending.ts';
import { startEdgarDouble, type EdgarDouble } from '../edgar/edgar-double.ts';
import { start } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { metricsOf } from '../support/metrics.ts';

const directory = useDirectories('follow-figures');

/** A follower that has listed some filings, of which the oldest waits for a while. */
function followerAt(atMs: number, answers = new Map<string, number>()): Follower {
  const pending = (number: number, listedAtMs: number, isBacklog: boolean, isPublished = false) => ({
    ...newPending(`0000000001-26-00000${number}`, {}, ['0000000001'], listedAtMs, isBacklog),
    isPublished,
  });
  const all = [
    pending(1, 1000, false),
    pending(2, 4000, false),
    pending(3, 500, true),
    pending(4, 100, false, true),
  ];
  const day = (name: string, missing: number) => ({
    day: name,
    indexed: 9,
    listed: 5,
    held: 5 - missing,
    fetched: 0,
    missing,
    open: name === '2026-03-03' ? null : 5,
    reasons: [],
    note: null,
    checkedAt: '2026-03-05T00:00:00.000Z',
  });
  return {
    options: {
      intervalMs: 5000,
      stoodStillMs: () => 12,
      folders: { ledgerDirectory: '/', snapshotsDirectory: '/' },
    },
    clock: createClock(
      () => atMs,
      () => atMs,
    ),
    errors: { last: () => null },
    schedule: createSchedule(0, { fill: Infinity }),
    reader: {
      state: { pending: new Map(all.map((each) => [each.accessionNo, each])) },
      feed: { failures: 2, failedSinceMs: null },
      feedReadMs: atMs,
      listed: 12,
      refused: 3,
      unreadHistories: () => 0,
      polled: () => null,
    },
    publisher: {
      appended: { batches: 3, filings: 8 },
      published: { batches: 2, filings: 8 },
      unpublishedSinceMs: null,
      publishFailures: 1,
      refused: 1,
    },
    reconciler: { days: [day('2026-03-03', 2), day('2026-03-04', 1)] },
    answers,
  } as unknown as Follower;
}

describe('metrics of a follower', () => {
  it('metrics of a follower tell its lag, its work, the answers of EDGAR and reconciliation', async () => {
    const answers = new Map<string, number>();
    const follower = followerAt(61_000, answers);
    const urls = [
      'cgi-bin/browse-edgar?action=getcurrent',
      'submissions/CIK0000000001.json',
      'Archives/edgar/data/1/x.hdr.sgml',
      'Archives/edgar/daily-index/2026/QTR1/master.20260304.idx',
      'files/company_tickers.json',
      'Archives/edgar/data/1/000000000126000001/0000000001-26-000001-index.htm',
      'Archives/other',
    ];
    for (const [at, path] of urls.entries())
      for (let time = 0; time <= at; time++) countAnswer(answers, new URL(path, 'https://www.sec.gov'), 200);
    for (const status of [503, 304, null])
      countAnswer(answers, new URL('https://www.sec.gov/cgi-bin/browse-edgar'), status);
    const metrics = await metricsOf(followFigures(follower));
    const own = Object.fromEntries([...(await metrics.read())].filter(([name]) => name.startsWith('fei_')));
    metrics.close();
    expect(own).toEqual({
      fei_follow_lag_seconds: 60,
      fei_follow_listed_total: 12,
      fei_follow_published_total: 8,
      fei_follow_batches_total: 3,
      fei_follow_publish_failures: 1,
      fei_follow_feed_failures: 2,
      fei_follow_disk_free_bytes: expect.any(Number) as number,
      fei_follow_disk_free_files: expect.any(Number) as number,
      fei_follow_unfilled: 0,
      fei_follow_stood_still_seconds: 0.012,
      fei_follow_refusals_total: 4,
      'fei_follow_pending{state="new"}': 2,
      'fei_follow_pending{state="backlog"}': 1,
      'fei_follow_pending{state="incomplete"}': 1,
      'fei_edgar_requests_total{source="feed",status="200"}': 1,
      'fei_edgar_requests_total{source="submissions",status="200"}': 2,
      'fei_edgar_requests_total{source="header",status="200"}': 3,
      'fei_edgar_requests_total{source="index",status="200"}': 4,
      'fei_edgar_requests_total{source="tickers",status="200"}': 5,
      'fei_edgar_requests_total{source="documents",status="200"}': 6,
      'fei_edgar_requests_total{source="other",status="200"}': 7,
      'fei_edgar_requests_total{source="feed",status="503"}': 1,
      'fei_edgar_requests_total{source="feed",status="304"}': 1,
      'fei_edgar_requests_total{source="feed",status="none"}': 1,
      fei_reconciled_days: 2,
      fei_reconciled_missing: 3,
      fei_reconciled_open: 5,
      fei_reconciled_through_timestamp_seconds: Date.parse('2026-03-04') / 1000,
    });
  });

  it('a ledger that was never filled is one until it is', async () => {
    const follower = followerAt(61_000);
    const unfilled = async () => {
      const metrics = await metricsOf(followFigures(follower));
      const read = (await metrics.read()).get('fei_follow_unfilled');
      metrics.close();
      return read;
    };
    follower.schedule.set('fill', 3_661_000);
    expect(await unfilled()).toBe(1);
    follower.schedule.set('fill', Infinity);
    expect(await unfilled()).toBe(0);
  });

  it('metrics of a follower leave out the newest day while there is none', async () => {
    const metrics = await metricsOf(
      followFigures({ ...followerAt(61_000), reconciler: { days: [] } } as unknown as Follower),
    );
    const read = await metrics.read();
    metrics.close();
    expect([read.get('fei_reconciled_days'), read.has('fei_reconciled_through_timestamp_seconds')]).toEqual([
      0,
      false,
    ]);
  });
});

describe('the command', () => {
  let edgar: EdgarDouble;
  beforeAll(async () => void (edgar = await startEdgarDouble()));
  afterAll(() => edgar.close());
  const following = (environment: Record<string, string>) =>
    start(['follow', '--universe', '1', '--interval', '1'], {
      EDGAR_USER_AGENT: 'Figures Test test@example.com',
      EDGAR_DATA_URL: edgar.dataUrl,
      EDGAR_WWW_URL: edgar.wwwUrl,
      EDGAR_RPS: '10',
      SNAPSHOTS_DIR: join(directory(), 'snapshots'),
      ...environment,
    });

  it('follow says in one line that the metrics port is taken, and exits with 2', {
    tags: ['slow'],
  }, async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, stdout, stderr } = await following({ METRICS_PORT: String(port) }).ended;
    taken.close();
    expect([code, stdout, stderr]).toEqual([2, '', `METRICS_PORT: ${port} is in use on 127.0.0.1\n`]);
  });
});
