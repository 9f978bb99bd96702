import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ownershipFile } from '../../../build/contents/ownership-file.ts';
import type { Change } from '../../../src/contract/records.ts';
import { paths } from '../../../src/format/snapshot.ts';
import { startLiveWithDocuments } from '../../support/live-documents.ts';
import { recordedFilings, recordedListed, startLive, type Live } from '../../support/live.ts';
import { has } from '../../support/needs.ts';
import { command, start, type Server } from '../child.ts';
import { atMost, below, decimal, greatest, median, quantile, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { ask, startService } from '../service.ts';

/** A filing of the recorded day is listed so long after it was accepted. */
const visibleAfterMs = 2000;

/** How the day happens again: from when, how much faster than it did, for how long, and when the follower is killed. */
interface Rush {
  readonly from: string;
  readonly speed: number;
  readonly seconds: number;
  readonly killAfterSeconds: number;
  /** Whether filings have documents. Each takes two requests more. */
  readonly hasDocuments: boolean;
}
const rushes: readonly Rush[] = [
  // Two minutes before the rush that follows the close of the markets.
  { from: '2025-12-12T15:58', speed: 12, seconds: 100, killAfterSeconds: 45, hasDocuments: false },
  // Where the recorded feed begins, so that no documents of a whole day are asked for at first: at this speed as many
  // filings come in a minute as in that rush.
  { from: '2025-12-11T16:34', speed: 4, seconds: 150, killAfterSeconds: 60, hasDocuments: true },
];
/** The defaults of `follow`. */
const [requestsPerSecond, intervalSeconds] = [5, 5];
const boundSeconds = 10 + intervalSeconds;

/**
 * Follows the recorded rush faster than it was, through faults and a kill, and asks the service for changes with `wait`, as
 * a client does: the time from being listed upstream to being had by that client, with its contents where there are some.
 */
export async function liveRows(scratch: Scratch): Promise<Row[]> {
  if (!has('recordings')) {
    scratch.say('live: left out, there are no recordings');
    return [];
  }
  const rows: Row[] = [];
  for (const rush of rushes) rows.push(...(await rowsOfRush(scratch, rush)));
  return rows;
}

async function rowsOfRush(
  scratch: Scratch,
  { from, speed, seconds, killAfterSeconds, hasDocuments }: Rush,
): Promise<Row[]> {
  const snapshots = join(scratch.directory, hasDocuments ? 'live-with-contents' : 'live');
  const universe = join(scratch.directory, 'live.txt');
  const listed = recordedListed();
  await mkdir(snapshots, { recursive: true });
  await writeFile(universe, [...listed].join('\n'));
  const faults = ['browse-edgar=503@3', 'submissions=reset@5', 'submissions=503@5'];
  const live = await startLive(
    ...`--from ${from} --speed ${speed} --hide 0 --rps ${requestsPerSecond}`.split(' '),
    ...faults.flatMap((fault) => ['--fail', fault]),
  );
  const documents = hasDocuments ? await startLiveWithDocuments(live) : null;
  const { dataUrl, wwwUrl } = documents ?? live;
  const listedAtMs = await clockOf(live, speed);
  const follow = () =>
    start(
      command(['follow', '--universe', `@${universe}`], {
        EDGAR_USER_AGENT: 'Filing bench bench@example.com',
        EDGAR_DATA_URL: dataUrl,
        EDGAR_WWW_URL: wwwUrl,
        SNAPSHOTS_DIR: snapshots,
        // At twelve times the speed of the day the limit does not allow requests for documents, too.
        ...(hasDocuments ? {} : { CONTENTS: 'none' }),
      }),
      'ignore',
    );
  let follower = follow();
  const startedAtMs = performance.now();
  try {
    while (!existsSync(join(snapshots, paths.pointer))) await delay(20);
    // What was listed before the first snapshot is the backlog of a start.
    const servedAtMs = performance.now();
    const server = await startService(snapshots);
    const stop = new AbortController();
    const seen = followFeed(server, stop.signal);
    await delay(killAfterSeconds * 1000 - (performance.now() - startedAtMs));
    follower.kill('SIGKILL');
    follower = follow();
    await delay(seconds * 1000 - (performance.now() - startedAtMs));
    const endedAtMs = performance.now();
    stop.abort();
    const { seenAtMs, complete, withContentsAtMs } = await seen;
    await server.stop();
    // What was listed so late that the bound is not over says nothing.
    const wanted = recordedFilings().filter(({ accepted, parties }) => {
      const atMs = listedAtMs(accepted);
      return (
        atMs > servedAtMs &&
        atMs < endedAtMs - boundSeconds * 1000 &&
        [...parties.keys()].some((cik) => listed.has(cik))
      );
    });
    const hadAtMs = hasDocuments ? withContentsAtMs : seenAtMs;
    const latencies = wanted.map(
      ({ accessionNo, accepted }) => ((hadAtMs.get(accessionNo) ?? Infinity) - listedAtMs(accepted)) / 1000,
    );
    const missing = latencies.filter((latency) => latency === Infinity).length;
    const counted = await live.stop();
    const throttled = counted['throttled'] ?? 0;
    const highestPerSecond = documents?.counts().highestPerSecond ?? counted['highestPerSecond'];
    for (const [at, { accessionNo, accepted }] of wanted.entries())
      if ((latencies[at] ?? 0) > 10)
        scratch.detail(
          `  ${accessionNo} accepted ${accepted}, listed ${decimal((listedAtMs(accepted) - startedAtMs) / 1000, 1)} s after the start, had after ${decimal(latencies[at] ?? NaN, 1)} s`,
        );
    if (documents) scratch.detail(`live: ${JSON.stringify(documents.counts())}`);
    scratch.detail(
      `live: ${wanted.length} filings, ${wanted.filter(({ accessionNo }) => complete.has(accessionNo)).length} complete at first sight`,
    );
    return [
      row(
        `from being listed to being had with wait${hasDocuments ? ', contents included' : ''}, ${wanted.length} filings of a rush at ${speed} times its speed`,
        `p50 ${decimal(median(latencies), 1)} s, p99 ${decimal(quantile(latencies, 0.99), 1)} s, greatest ${decimal(greatest(latencies), 1)} s, ${missing} missing`,
        below(greatest(latencies), boundSeconds, ' s'),
      ),
      row(
        'requests to EDGAR in any second',
        `${highestPerSecond}, ${throttled} refused`,
        atMost(highestPerSecond ?? Infinity, requestsPerSecond, ''),
        atMost(throttled, 0, ' refused'),
      ),
    ];
  } finally {
    follower.kill('SIGKILL');
    await documents?.close();
    await live.stop().catch(() => {});
  }
}

/** When a filing accepted at a time of that day becomes visible, on the clock of `performance.now()`. */
async function clockOf(live: Live, speed: number): Promise<(accepted: string) => number> {
  const day = Date.parse(`${await live.now()}Z`);
  const atMs = performance.now();
  return (accepted) => atMs + (Date.parse(`${accepted}Z`) + visibleAfterMs - day) / speed;
}

/**
 * Follows the change feed by cursor. Gives when each filing was had first, which of them had their documents then, and
 * when each was had with its contents: the list of its documents, and what it says about ownership, if it can.
 */
async function followFeed(
  server: Server,
  signal: AbortSignal,
): Promise<{
  seenAtMs: Map<string, number>;
  complete: Set<string>;
  withContentsAtMs: Map<string, number>;
}> {
  const withContentsAtMs = new Map<string, number>();
  const seenAtMs = new Map<string, number>();
  const complete = new Set<string>();
  for (let query = 'since=2000-01-01'; !signal.aborted; ) {
    const { data, meta } = (await (
      await ask(server, `/v1/sec/changes?${query}&limit=200&wait=5`)
    ).json()) as { data: Change[]; meta: { nextCursor: string } };
    for (const { filing } of data) {
      const hasContents =
        filing.exhibits !== null &&
        (filing.ownership !== null ||
          ownershipFile({ ...filing, subjectCik: null, filerCiks: [filing.cik] }) === null);
      if (hasContents && !withContentsAtMs.has(filing.accessionNo))
        withContentsAtMs.set(filing.accessionNo, performance.now());
      if (seenAtMs.has(filing.accessionNo)) continue;
      seenAtMs.set(filing.accessionNo, performance.now());
      if (filing.primaryDocument !== null) complete.add(filing.accessionNo);
    }
    query = `cursor=${meta.nextCursor}`;
  }
  return { seenAtMs, complete, withContentsAtMs };
}
