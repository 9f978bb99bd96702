import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { paths } from '../../../src/format/snapshot.ts';
import { filesBelow } from '../../support/files-below.ts';
import { startLiveWithDocuments } from '../../support/live-documents.ts';
import { startLive } from '../../support/live.ts';
import { has, recordings } from '../../support/needs.ts';
import { closeAll, listen, portOf } from '../../support/servers.ts';
import { command, start, type Usage } from '../child.ts';
import { currentManifest } from '../current.ts';
import { decimal, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';

/** Where the recorded feed begins: so no filing waits when the follower starts. Hours of rush follow. */
const rushFrom = '2025-12-11T16:34';
/** Twice as fast as it was, so that a publication has about as few filings as it has live: the interval is the usual one. */
const [speed, requestsPerSecond] = [2, 10];
const [warmUpSeconds, rushSeconds, restSeconds, idleSeconds] = [60, 300, 30, 60];

/** Kinds of requests to EDGAR, by path. The first pattern that matches decides. */
const kinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['feed', /\/cgi-bin\//],
  ['header', /\.hdr\.sgml$/],
  ['list of documents', /-index\.html?$/],
  ['ownership document', /\.xml$/],
  ['whole submission', /\d\.txt$/],
  ['submissions file', /\/submissions\/CIK/],
  ['ticker file', /\/files\//],
  ['index', /\/(daily|full)-index\/\d/],
  ['other', /./],
];
/** Where recorded answers of a kind are, whose mean length counts in place of that of made-up ones. */
const recorded: Readonly<Record<string, readonly [folder: string, pattern: RegExp]>> = {
  header: ['headers', /\.txt$/],
  'list of documents': ['ownership/lists', /-index\.html?$/],
  'ownership document': ['ownership/filings', /\.xml$/],
  'whole submission': ['ownership/submissions', /\.txt$/],
};

/** Requests of a kind, and bytes of them and of the bodies of their answers. */
interface Counted {
  readonly requests: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}
const none: Counted = { requests: 0, sentBytes: 0, receivedBytes: 0 };

/**
 * What a follower of everyone costs: requests and bytes by kind, CPU, and disk for a filing, and CPU where nothing is
 * listed. It follows six minutes of an evening's rush at twice their speed, of which the last five count. Then the feed
 * stands still.
 */
export async function followingRows(scratch: Scratch): Promise<Row[]> {
  if (!has('recordings')) {
    scratch.say('following: left out, there are no recordings');
    return [];
  }
  const live = await startLive(...`--from ${rushFrom} --speed ${speed} --hide 0`.split(' '));
  const documents = await startLiveWithDocuments(live);
  const upstream = await startCounting(new URL(documents.wwwUrl).origin);
  const snapshots = join(scratch.directory, 'following');
  rmSync(snapshots, { recursive: true, force: true });
  const folders = { snapshots, ledger: join(snapshots, 'ledger') };
  const follower = startFollower(folders, upstream.origin);
  const look = () => seenOf(follower, folders, upstream);
  try {
    while (!existsSync(join(snapshots, paths.pointer))) await delay(20);
    scratch.say(`following: ${warmUpSeconds + rushSeconds} s of the rush`);
    await delay(warmUpSeconds * 1000);
    const first = await look();
    await delay(rushSeconds * 1000);
    upstream.stopFeed();
    await delay(restSeconds * 1000);
    const last = await look();
    scratch.say(`following: ${idleSeconds} s in which nothing is listed`);
    await delay(idleSeconds * 1000);
    const idle = await look();
    return rowsOf(first, last, (idle.cpuSeconds - last.cpuSeconds) / ((idle.atMs - last.atMs) / 1000));
  } finally {
    follower.kill('SIGKILL');
    await upstream.close();
    await documents.close();
    await live.stop();
  }
}

interface Folders {
  readonly snapshots: string;
  readonly ledger: string;
}

function startFollower({ snapshots, ledger }: Folders, origin: string): ChildProcess {
  return start(
    command(['follow', '--universe', 'all', '--ledger', ledger], {
      EDGAR_USER_AGENT: 'Filing bench bench@example.com',
      EDGAR_DATA_URL: `${origin}/data.sec.gov`,
      EDGAR_WWW_URL: `${origin}/www.sec.gov`,
      EDGAR_RPS: String(requestsPerSecond),
      SNAPSHOTS_DIR: snapshots,
    }),
    'ignore',
  );
}

/** What a follower has used and done so far. */
interface Seen {
  readonly atMs: number;
  readonly cpuSeconds: number;
  readonly batches: number;
  readonly filings: number;
  /** Bytes of the files of its batches, and what they take of the disk. */
  readonly ledgerBytes: number;
  readonly ledgerDiskBytes: number;
  readonly counts: ReadonlyMap<string, Counted>;
}

async function seenOf(follower: ChildProcess, folders: Folders, upstream: Counting): Promise<Seen> {
  follower.send('usage');
  const [{ usage }] = (await once(follower, 'message')) as [{ usage: Usage }];
  const folder = join(folders.ledger, 'batches');
  const files = filesBelow(folder).map((name) => statSync(join(folder, name)));
  const { filingCount, ledger } = await currentManifest(folders.snapshots);
  return {
    atMs: performance.now(),
    cpuSeconds: usage.cpuSeconds,
    batches: ledger.batches,
    filings: filingCount,
    ledgerBytes: files.reduce((sum, { size }) => sum + size, 0),
    ledgerDiskBytes: files.reduce((sum, { blocks }) => sum + blocks * 512, 0),
    counts: upstream.counts(),
  };
}

/** `idleShare` is the share of a core that it takes where nothing is listed. */
function rowsOf(first: Seen, last: Seen, idleShare: number): Row[] {
  const grown = (of: (seen: Seen) => number) => of(last) - of(first);
  const filings = grown((seen) => seen.filings);
  const batches = grown((seen) => seen.batches);
  const cpuMs = grown(({ cpuSeconds }) => cpuSeconds) * 1000 - idleShare * grown(({ atMs }) => atMs);
  const followed = (what: string, measured: string) => row(`following: ${what}`, measured);
  return [
    followed(
      'CPU for a batch and its publication, beside what is used where nothing is listed',
      `${decimal(cpuMs / batches)} ms (${decimal(batches)} batches, ${decimal(filings)} filings with their contents)`,
    ),
    followed('CPU where nothing is listed', `${decimal(idleShare * 100, 2)} % of a core`),
    followed(
      'ledger for a filing',
      `${decimal(grown(({ ledgerBytes }) => ledgerBytes) / filings)} bytes; such small batches take ${decimal(grown(({ ledgerDiskBytes }) => ledgerDiskBytes) / filings)} of the disk`,
    ),
    ...kinds.flatMap(([kind]) => {
      const [before, after] = [first.counts.get(kind) ?? none, last.counts.get(kind) ?? none];
      const requests = after.requests - before.requests;
      if (requests === 0) return [];
      const bytes = meanRecordedBytes(kind);
      const each = (of: (counted: Counted) => number) => decimal((of(after) - of(before)) / requests);
      return followed(
        `requests for a filing, ${kind}`,
        `${decimal(requests / filings, 2)} (${each(({ sentBytes }) => sentBytes)} bytes sent, ${each(({ receivedBytes }) => receivedBytes)} received each${bytes === null ? '' : `; recorded ones have ${decimal(bytes)}`})`,
      );
    }),
  ];
}

/** The mean length of recorded answers of a kind as they are sent, compressed; null if none are recorded. */
function meanRecordedBytes(kind: string): number | null {
  const [folder, pattern] = recorded[kind] ?? [];
  if (folder === undefined || pattern === undefined) return null;
  const names = readdirSync(join(recordings, folder)).filter((name) => pattern.test(name));
  const lengths = names.map((name) => gzipSync(readFileSync(join(recordings, folder, name))).length);
  return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
}

/** Stands before EDGAR, compresses as EDGAR does, and counts. */
interface Counting {
  readonly origin: string;
  counts(): ReadonlyMap<string, Counted>;
  /** From now on, the feed answers with the page that it gave last. */
  stopFeed(): void;
  close(): Promise<void>;
}

async function startCounting(target: string): Promise<Counting> {
  const counts = new Map<string, Counted>();
  let lastPage: Buffer | null = null;
  let isStopped = false;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', rawHeaders } = request;
    const kind = kinds.find(([, pattern]) => pattern.test(url))?.[0] ?? '';
    const isFirstPage = kind === 'feed' && url.includes('start=0');
    const replied =
      isStopped && isFirstPage ? null : await fetch(target + url, { headers: headersOf(request) });
    const body = replied === null ? lastPage : Buffer.from(await replied.arrayBuffer());
    if (isFirstPage && replied?.status === 200) lastPage = body;
    const sent = gzipSync(body ?? '');
    const known = counts.get(kind) ?? none;
    counts.set(kind, {
      requests: known.requests + 1,
      sentBytes: known.sentBytes + rawHeaders.join(': ').length + url.length + 'GET  HTTP/1.1\r\n\r\n'.length,
      receivedBytes: known.receivedBytes + (replied?.status === 304 ? 0 : sent.length),
    });
    const etag = replied?.headers.get('etag');
    response.writeHead(replied?.status ?? 200, {
      'content-encoding': 'gzip',
      'content-length': sent.length,
      ...(etag ? { etag } : {}),
    });
    response.end(sent);
  }

  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  await listen([server]);
  return {
    origin: `http://127.0.0.1:${portOf(server)}`,
    counts: () => new Map(counts),
    stopFeed: () => void (isStopped = true),
    close: () => closeAll([server]),
  };
}

/** The headers that decide what EDGAR answers. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    ['user-agent', 'if-none-match', 'if-modified-since'].flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}
