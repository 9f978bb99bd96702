// @module-tag slow
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tickersUrl } from '../../build/edgar/client.ts';
import { openLedgerWork, type LedgerWork } from '../../build/follow/common/ledger-work.ts';
import type { FollowOptions } from '../../build/follow/follower.ts';
import type { Reader } from '../../build/follow/reading/reader.ts';
import { currentFeedFile } from '../../build/sources/current-feed.ts';
import { tickerFiles } from '../../build/sources/tickers.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { ok, status } from '../edgar/edgar-double.ts';
import { useDirectories } from '../support/directories.ts';
import { entryOf, routeFeed, routeFile, startFollowedEdgar } from '../support/followed-edgar.ts';
import { followHere, settingsFor } from '../support/following.ts';
import { feedPage } from '../support/feed.ts';
import { headsOf } from '../support/heads.ts';
import { readRows } from '../support/ledger-rows.ts';
import { cikOf } from '../support/made-up.ts';
import { until } from '../support/wait.ts';

const fresh = useDirectories('follow-faults');
const running: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(running.map((end) => end())));

const [one, two] = [cikOf(1), cikOf(2)];
const feedPath = `/www.sec.gov/cgi-bin/${currentFeedFile(0)}`;

/** Follows company 1 a hundred times as fast as clocks go, with a ledger that does not answer while it is broken. */
async function followBroken(broken: Set<keyof LedgerWork>, options: Partial<FollowOptions> = {}) {
  const edgar = await startFollowedEdgar(running, two, one);
  routeFeed(edgar, [3, one, '2026-03-20T16:00:00-04:00']);
  routeFile(edgar, one, [3]);
  const ledger = fresh();
  const work = openLedgerWork({
    folders: { ledgerDirectory: ledger, snapshotsDirectory: ledger },
    settings: settingsFor(edgar),
    now: Date.now,
    log: () => {},
    progress: quietProgress,
    signal: new AbortController().signal,
  });
  const failing = new Proxy(work, {
    get: (target, name: keyof LedgerWork) =>
      broken.has(name) ? () => Promise.reject(new Error(`no ${name} now`)) : target[name],
  });
  let reader: Reader | null = null;
  const following = followHere(running, edgar, one, ledger, {
    ledger: failing,
    tickerRowsMinimum: 1,
    elapsed: () => performance.now() * 100,
    watch: async (follower) => void (reader = follower.reader),
    ...options,
  });
  await until(() => reader !== null);
  const numbers = async () =>
    (await readRows(ledger)).filings.map(({ accessionNo }) => Number(accessionNo.slice(-6)));
  return { ...following, edgar, numbers, reader: reader as unknown as Reader };
}

it('ticker files whose copies on the disk cannot be read are told, and asked for again after a pause', async () => {
  const edgar = await startFollowedEdgar(running, two, one);
  const ledger = fresh();
  for (const file of tickerFiles) {
    const digest = sha256Of(tickersUrl(settingsFor(edgar), file));
    // Reading a folder fails, as reading a file of another user does.
    mkdirSync(join(ledger, '.cache', digest.slice(0, 2), `${digest}.entry`), { recursive: true });
  }
  let looks = 0;
  const { lines, end } = followHere(running, edgar, one, ledger, {
    tickerRowsMinimum: 1,
    elapsed: () => (looks++, performance.now()),
  });
  await until(() => lines.some((line) => line.includes('no ticker file could be fetched')), 5000);
  const before = looks;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(looks - before).toBeLessThan(200);
  await end();
});

it('a page of the feed that was made by a wrong clock changes no time, and the next pages are read', async () => {
  const { edgar, ledger, lines, reader, numbers, end } = await followBroken(new Set());
  await until(() => reader.state.complete.has(one) && reader.state.pending.size === 0);
  const page = edgar.requests.length;
  edgar.route(
    feedPath,
    ok(feedPage([entryOf(3, one, '2026-03-20T16:00:00-04:00')], '2027-03-20T16:05:00-04:00'), {
      etag: false,
    }),
  );
  await until(() => edgar.requests.length > page + 1);
  routeFeed(edgar, [51, one, '2026-03-20T16:04:00-04:00'], [3, one, '2026-03-20T16:00:00-04:00']);
  routeFile(edgar, one, [51, 3]);
  await until(async () => (await numbers()).includes(51), 20_000);
  await end();
  expect(lines.join('\n')).toContain('2027-03-20T20:05:00Z: that is not believed');
  expect((await headsOf(ledger)).map(({ head }) => head.run.createdAt.slice(0, 4))).not.toContain('2027');
});

describe.concurrent('a ledger that cannot be read for a while', { timeout: 60_000 }, () => {
  it('the follower knows whom to follow within minutes, not after six hours', async () => {
    const broken = new Set<keyof LedgerWork>(['symbols']);
    const { lines, reader, end } = await followBroken(broken);
    await until(() => lines.some((line) => line.includes('no symbols now')));
    broken.clear();
    await until(() => reader.feedReadMs !== null, 20_000);
    await end();
  });
  it('the feed does not count as read before the ledger was asked about it', async () => {
    const broken = new Set<keyof LedgerWork>(['filings']);
    const { lines, reader, numbers, end } = await followBroken(broken);
    await until(() => lines.some((line) => line.includes('no filings now')));
    expect(reader.feedReadMs).toBeNull();
    broken.clear();
    await until(async () => (await numbers()).includes(3));
    expect(reader.feedReadMs).not.toBeNull();
    await end();
  });
  it('a file that lists a new filing is searched again while the feed is away', async () => {
    const broken = new Set<keyof LedgerWork>();
    const { edgar, lines, reader, numbers, end } = await followBroken(broken, { pollAfterMs: 1000 });
    await until(() => reader.state.complete.has(one) && reader.state.pending.size === 0);
    edgar.route(feedPath, status(500));
    broken.add('filings');
    routeFile(edgar, one, [50, 3]);
    await until(() => lines.some((line) => line.includes('no filings now')));
    broken.clear();
    await until(async () => (await numbers()).includes(50), 20_000);
    await end();
  });
});
