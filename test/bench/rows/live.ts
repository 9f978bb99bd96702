import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Change } from '../../../src/contract/records.ts';
import { paths } from '../../../src/format/snapshot.ts';
import { recordedFilings, recordedListed, startLive, type Live } from '../../support/live.ts';
import { has } from '../../support/needs.ts';
import { start, type Server } from '../child.ts';
import { decimal, median, quantile, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { ask, startService } from '../service.ts';

/** The recorded day happens again from two minutes before the rush that follows the close of the markets. */
const [from, speed, visibleAfterMs] = ['2025-12-12T15:58', 12, 2000];
const [seconds, killAfterSeconds] = [100, 45];
/** The defaults of `follow`. */
const [requestsPerSecond, intervalSeconds] = [5, 5];
const boundSeconds = 10 + intervalSeconds;

/**
 * Follows the recorded rush at twelve times its speed, through faults and a kill, and asks the service for
 * changes with `wait`, as a client does: the time from being listed upstream to being had by that client.
 */
export async function liveRows(scratch: Scratch): Promise<Row[]> {
  if (!has('recordings')) {
    scratch.say('live: left out, there are no recordings');
    return [];
  }
  const snapshots = join(scratch.directory, 'live');
  const universe = join(scratch.directory, 'live.txt');
  const listed = recordedListed();
  await mkdir(snapshots, { recursive: true });
  await writeFile(universe, [...listed].join('\n'));
  const live = await startLive(
    '--from',
    from,
    '--speed',
    String(speed),
    '--hide',
    '0',
    '--rps',
    String(requestsPerSecond),
    '--fail',
    'browse-edgar=503@3',
    '--fail',
    'submissions=reset@5',
    '--fail',
    'submissions=503@5',
  );
  const listedAtMs = await clockOf(live);
  const follow = () =>
    start(
      {
        script: 'build/start.mjs',
        arguments: ['follow', '--universe', `@${universe}`],
        environment: {
          EDGAR_USER_AGENT: 'Filing bench bench@example.com',
          EDGAR_DATA_URL: live.dataUrl,
          EDGAR_WWW_URL: live.wwwUrl,
          SNAPSHOTS_DIR: snapshots,
        },
      },
      'ignore',
    );
  let follower = follow();
  const startedAtMs = performance.now();
  try {
    while (!existsSync(join(snapshots, paths.pointer))) await delay(20);
    const server = await startService(snapshots);
    const stop = new AbortController();
    const seen = followFeed(server, stop.signal);
    await delay(killAfterSeconds * 1000 - (performance.now() - startedAtMs));
    follower.kill('SIGKILL');
    follower = follow();
    await delay(seconds * 1000 - (performance.now() - startedAtMs));
    const endedAtMs = performance.now();
    stop.abort();
    const { seenAtMs, complete } = await seen;
    await server.stop();
    // What was listed so late that the bound is not over says nothing.
    const wanted = recordedFilings().filter(({ accepted, parties }) => {
      const atMs = listedAtMs(accepted);
      return (
        atMs > startedAtMs &&
        atMs < endedAtMs - boundSeconds * 1000 &&
        [...parties.keys()].some((cik) => listed.has(cik))
      );
    });
    const latencies = wanted.map(
      ({ accessionNo, accepted }) => ((seenAtMs.get(accessionNo) ?? Infinity) - listedAtMs(accepted)) / 1000,
    );
    const missing = latencies.filter((latency) => latency === Infinity).length;
    const { highestPerSecond, throttled } = await live.stop();
    const greatest = Math.max(...latencies);
    for (const [at, { accessionNo, accepted }] of wanted.entries())
      if ((latencies[at] ?? 0) > 10)
        scratch.detail(
          `  ${accessionNo} accepted ${accepted}, listed ${decimal((listedAtMs(accepted) - startedAtMs) / 1000, 1)} s after the start, had after ${decimal(latencies[at] ?? NaN, 1)} s`,
        );
    scratch.detail(
      `live: ${wanted.length} filings, ${wanted.filter(({ accessionNo }) => complete.has(accessionNo)).length} complete at first sight`,
    );
    return [
      {
        what: `from being listed to being had with wait, ${wanted.length} filings of a rush at ${speed} times its speed`,
        measured: `p50 ${decimal(median(latencies), 1)} s, p99 ${decimal(quantile(latencies, 0.99), 1)} s, greatest ${decimal(greatest, 1)} s, ${missing} missing`,
        bound: `< ${boundSeconds} s`,
        holds: greatest < boundSeconds,
      },
      {
        what: 'requests to EDGAR in any second',
        measured: `${highestPerSecond}, ${throttled} refused`,
        bound: `<= ${requestsPerSecond}`,
        holds: (highestPerSecond ?? Infinity) <= requestsPerSecond && throttled === 0,
      },
    ];
  } finally {
    follower.kill('SIGKILL');
    await live.stop().catch(() => {});
  }
}

/** When a filing accepted at a time of that day becomes visible, on the clock of `performance.now()`. */
async function clockOf(live: Live): Promise<(accepted: string) => number> {
  const day = Date.parse(`${await live.now()}Z`);
  const atMs = performance.now();
  return (accepted) => atMs + (Date.parse(`${accepted}Z`) + visibleAfterMs - day) / speed;
}

/**
 * Follows the change feed by cursor. Gives when each filing was had first, and which of them had their
 * documents then.
 */
async function followFeed(
  server: Server,
  signal: AbortSignal,
): Promise<{ seenAtMs: Map<string, number>; complete: Set<string> }> {
  const seenAtMs = new Map<string, number>();
  const complete = new Set<string>();
  for (let query = 'since=2000-01-01'; !signal.aborted; ) {
    const { data, meta } = (await (
      await ask(server, `/v1/sec/changes?${query}&limit=200&wait=5`)
    ).json()) as { data: Change[]; meta: { nextCursor: string } };
    for (const { filing } of data) {
      if (seenAtMs.has(filing.accessionNo)) continue;
      seenAtMs.set(filing.accessionNo, performance.now());
      if (filing.primaryDocument !== null) complete.add(filing.accessionNo);
    }
    query = `cursor=${meta.nextCursor}`;
  }
  return { seenAtMs, complete };
}
