import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import worker from '../../../src/edge.ts';
import { paths } from '../../../src/format/snapshot.ts';
import type { Bucket } from '../../../src/remote/bucket.ts';
import { folderBucket } from '../../support/folder-bucket.ts';
import { appendFilings, createRandom, generateLedger } from '../../support/generate.ts';
import { has } from '../../support/needs.ts';
import { startNginx } from '../../support/proxy.ts';
import { buildQuietly } from '../../support/snapshots.ts';
import { withCurrent } from '../current.ts';
import type { Published } from '../publications.ts';
import { mixedRequests } from '../requests.ts';
import { decimal, megabytes, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { apiKey, startService } from '../service.ts';
import { shapeOf } from '../shape.ts';
import { startTimer } from '../timed.ts';
import { readVocabulary } from '../vocabulary.ts';
import { usualRequests } from './remote.ts';
import { setPointer } from './switching.ts';

/** An hour passes in a minute: all times for which answers may be cached are divided by this. */
const faster = 60;
const [publications, publishEveryMs] = [60, 1000];
const [filings, filingsPublished] = [2000, 5];
/** Requests in a second of the run, which is a minute of the hour: polls with a key, and, in two runs, visits of public paths. */
const pollsPerSecond = 100;
const visitsPerSecond = [50, 500];
/** Share of visits by those who have the answer, and ask whether it has changed. */
const heldShare = 0.5;
/** What browsers and programs accept. A cache keeps one copy for each. */
const accepted = ['gzip, deflate, br, zstd', 'gzip, deflate, br', 'gzip, deflate', 'identity'];
/** How the public paths of a snapshot are grouped, and which kind is drawn how often. */
const publicKinds: readonly (readonly [kind: string, pattern: RegExp, weight: number])[] = [
  ['demo', /^\/(demo|filings\/newest\.json)$/, 3],
  ['pages', /^\/(filings|explore(\/[^/]+)?)$/, 2],
  ['catalog', /^\/markets(\.json|$|\/)/, 1],
  ['docs and /openapi.json', /^\/(docs(\/\w+)?|openapi\.json)$/, 2],
  ['assets', /^\/assets\//, 4],
];
const polls = 'polls of latest with a key and an ETag';
/** What nginx says of an answer that it had without asking the service first. */
const fromCache = ['HIT', 'STALE', 'UPDATING'];

const row = (what: string, measured: string): Row => ({ what, measured, bound: '', holds: true });

/** Answers of a kind, as clients of nginx see them. */
interface Seen {
  requests: number;
  fromCache: number;
  notModified: number;
  bodyBytes: number;
  headBytes: number;
}

/**
 * What nginx, as `deploy/nginx` has it, answers from its cache in an hour of sixty publications, and what reaches the
 * service: an hour in a minute.
 */
export async function proxyRows(scratch: Scratch): Promise<Row[]> {
  if (!has('nginx')) {
    scratch.say('proxy: left out, there is no nginx');
    return [];
  }
  const [ledger, snapshots] = ['ledger-of-proxy', 'snapshots-of-proxy'].map((name) =>
    join(scratch.directory, name),
  ) as [string, string];
  for (const each of [ledger, snapshots]) rmSync(each, { recursive: true, force: true });
  const shape = shapeOf(filings);
  await generateLedger(ledger, shape);
  scratch.say(`proxy: publishing ${publications} times`);
  const pointers: Buffer[] = [];
  for (let number = 0; number <= publications; number++) {
    if (number > 0) await appendFilings(ledger, shape, filingsPublished, number - 1);
    await buildQuietly(ledger, snapshots);
    pointers.push(readFileSync(join(snapshots, paths.pointer)));
  }
  const rows: Row[] = [];
  for (const perSecond of visitsPerSecond) {
    scratch.say(`proxy: ${perSecond} visits of public paths a second`);
    rows.push(...(await rowsOfVisits(scratch, { snapshots, pointers }, perSecond)));
  }
  return rows;
}

async function rowsOfVisits(
  scratch: Scratch,
  published: Pick<Published, 'snapshots' | 'pointers'>,
  perSecond: number,
): Promise<Row[]> {
  const folder = join(scratch.directory, 'nginx-of-proxy');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  setPointer(published, 0);
  const known = await withCurrent(published.snapshots, ({ routes }) => Object.keys(routes));
  const kinds = publicKinds.flatMap(([kind, pattern, weight]) =>
    Array.from({ length: weight }, () => ({ kind, known: known.filter((path) => pattern.test(path)) })),
  );
  const random = createRandom(5);
  const service = await startService(published.snapshots);
  const before = await startFaster(service.port);
  const proxy = await startNginx(folder, [before.port]);
  const client = createClient(proxy.port, random);
  try {
    before.forget();
    const usedBefore = await service.usage();
    const answers: Promise<void>[] = [];
    const startedAtMs = performance.now();
    const due = (each: number) => ((performance.now() - startedAtMs) / 1000) * each;
    let [polled, visited, switched] = [0, 0, 0];
    while (switched < publications) {
      for (; polled < due(pollsPerSecond); polled++) answers.push(client.poll(polled % pollsPerSecond));
      for (; visited < due(perSecond); visited++) {
        const { kind, known: some } = kinds[Math.floor(random() * kinds.length)] as (typeof kinds)[number];
        // The second path is asked for half as often as the first one, the third a third as often.
        const rank = Math.floor((some.length + 1) ** random());
        answers.push(client.visit(kind, some[rank - 1] as string));
      }
      if (switched < due(1000 / publishEveryMs) - 1) setPointer(published, ++switched);
      await delay(5);
    }
    await Promise.all(answers);
    const cpuSeconds = (await service.usage()).cpuSeconds - usedBefore.cpuSeconds;
    return rowsOfProxy(`${decimal(visited)} visits an hour`, client.seen, before.counted(), cpuSeconds);
  } finally {
    await proxy.stop();
    await before.close();
    client.close();
    await service.stop();
  }
}

function rowsOfProxy(
  what: string,
  seen: ReadonlyMap<string, Seen>,
  reached: { readonly requests: number; readonly notModified: number; readonly bodyBytes: number },
  cpuSeconds: number,
): Row[] {
  const percent = (part: number, whole: number) => `${decimal((part / whole) * 100, 1)} %`;
  const visits = [...seen].filter(([kind]) => kind !== polls).map(([, each]) => each);
  const sum = (of: (each: Seen) => number) => visits.reduce((total, each) => total + of(each), 0);
  const requests = sum((each) => each.requests);
  return [
    ...[...seen].map(([kind, each]) =>
      row(
        `proxy, ${what}: ${kind}`,
        `${percent(each.fromCache, each.requests)} of ${decimal(each.requests)} from the cache; ${percent(each.notModified, each.requests)} were 304, the others ${decimal(each.bodyBytes / (each.requests - each.notModified))} bytes, and ${decimal(each.headBytes / each.requests)} of headers`,
      ),
    ),
    row(
      `proxy, ${what}: CPU of the service for all of it`,
      `${decimal(cpuSeconds, 1)} s, with ${publications} publications that it switches to`,
    ),
    row(
      `proxy, ${what}: what reaches the service of them`,
      `${decimal(reached.requests)} requests (${percent(reached.requests, requests)}), ${decimal(reached.notModified)} of them 304; ${megabytes(reached.bodyBytes, 2)} of bodies where visitors got ${megabytes(
        sum(({ bodyBytes }) => bodyBytes),
        1,
      )}`,
    ),
  ];
}

/** Clients of a proxy: they remember the ETag of each answer. */
function createClient(port: number, random: () => number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const etags = new Map<string, string>();
  const seen = new Map<string, Seen>();

  /** Asks for a path. `remembered` names the ETag of the answer, which is sent if the client holds that answer. */
  async function ask(
    kind: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    remembered: string,
    isHeld: boolean,
  ): Promise<void> {
    const etag = isHeld ? etags.get(remembered) : undefined;
    const sent = send({
      port,
      host: '127.0.0.1',
      path,
      agent,
      headers: { ...headers, ...(etag === undefined ? {} : { 'if-none-match': etag }) },
    });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    let bodyBytes = 0;
    for await (const piece of answer) bodyBytes += (piece as Buffer).length;
    const status = answer.statusCode ?? 0;
    if (status !== 200 && status !== 304) throw new Error(`${path}: status ${status}`);
    if (status === 200) etags.set(remembered, String(answer.headers.etag));
    const known = seen.get(kind) ?? { requests: 0, fromCache: 0, notModified: 0, bodyBytes: 0, headBytes: 0 };
    seen.set(kind, known);
    known.requests++;
    known.bodyBytes += bodyBytes;
    known.headBytes += 'HTTP/1.1 200 OK\r\n\r\n'.length + answer.rawHeaders.join('  ').length + 2;
    if (status === 304) known.notModified++;
    if (fromCache.includes(String(answer.headers['x-cache-status']))) known.fromCache++;
  }

  return {
    seen,
    poll(poller: number): Promise<void> {
      const headers = { 'x-api-key': apiKey, 'accept-encoding': 'gzip' };
      return ask(polls, '/v1/sec/latest?limit=50', headers, `poller ${poller}`, true);
    },
    visit(kind: string, path: string): Promise<void> {
      const encoding = accepted[Math.floor(random() * accepted.length)] as string;
      return ask(kind, path, { 'accept-encoding': encoding }, `${path} ${encoding}`, random() < heldShare);
    },
    close: () => agent.destroy(),
  };
}

/** Stands before a service, divides the times for which its answers may be cached, and counts public requests. */
async function startFaster(port: number) {
  const agent = new Agent({ keepAlive: true });
  let counted = { requests: 0, notModified: 0, bodyBytes: 0 };

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { url = '', method, headers } = incoming;
    const asked = send({ port, host: '127.0.0.1', path: url, method, headers, agent });
    incoming.pipe(asked);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const isPublic = !url.startsWith('/v1/') && url !== '/livez';
    if (isPublic) counted.requests++;
    if (isPublic && answer.statusCode === 304) counted.notModified++;
    const caching = answer.headers['cache-control']?.replaceAll(/=(\d+)/g, (_, seconds: string) => {
      return `=${Math.ceil(Number(seconds) / faster)}`;
    });
    outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'cache-control': caching });
    for await (const piece of answer) {
      if (isPublic) counted.bodyBytes += (piece as Buffer).length;
      outgoing.write(piece);
    }
    outgoing.end();
  }

  const server = createServer(
    (incoming, outgoing) => void pass(incoming, outgoing).catch(() => outgoing.destroy()),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    counted: () => counted,
    forget: () => void (counted = { requests: 0, notModified: 0, bodyBytes: 0 }),
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const requestsMeasured = 1500;
/** What no client asks for often takes megabytes of answer. */
const largestShare = 0.02;
const pollsMeasured = 1000;
/** How often what clients ask most is asked again. */
const again = 40;
const origin = 'https://filings.example.com';

/** What an isolate has taken so far. */
interface Taken {
  readonly cpuMs: number;
  readonly reads: number;
  readonly bytes: number;
}

/**
 * What the worker over a bucket takes in one isolate: reads of the bucket (operations of class B), bytes of them, and CPU, for
 * its first answer, for requests of every kind, for the same again, and for polls.
 */
export async function bucketRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const random = createRandom(11);
  const vocabulary = await readVocabulary(snapshots, random);
  const targets = mixedRequests(vocabulary, requestsMeasured, random, largestShare).map(
    ({ target }) => target,
  );
  const { bucket, taken: read } = countingBucket(folderBucket(snapshots));
  let sentBytes = 0;
  async function ask(target: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const request = new Request(`${origin}${target}`, {
      headers: { 'x-api-key': apiKey, 'accept-encoding': 'gzip', ...more },
    });
    const response = await worker.fetch(
      request,
      { SNAPSHOTS: bucket, API_KEYS: apiKey, BASE_URL: origin },
      { waitUntil: (work) => void work.catch((error: Error) => scratch.say(error.message)) },
    );
    if (response.status !== 200 && response.status !== 304)
      throw new Error(`${target}: status ${response.status}`);
    sentBytes += (await response.arrayBuffer()).byteLength;
    return response.headers.get('etag') ?? '';
  }
  const taken = (): Taken => {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1000, ...read() };
  };
  async function measured(what: string, count: number, work: () => Promise<void>): Promise<Row> {
    const [before, sentBefore] = [taken(), sentBytes];
    await work();
    const after = taken();
    const each = (of: (taken: Taken) => number) => (of(after) - of(before)) / count;
    return row(
      `bucket: ${what}, ${decimal(scratch.filings.large)} filings`,
      `${decimal(
        each(({ reads }) => reads),
        2,
      )} reads of ${decimal(each(({ bytes }) => bytes) / 1000, 1)} KB in all, ${decimal(
        each(({ cpuMs }) => cpuMs),
        2,
      )} ms of CPU, ${decimal((sentBytes - sentBefore) / count / 1000, 1)} KB sent`,
    );
  }
  const askAll = async (some: readonly string[]) => {
    for (const target of some) await ask(target);
  };
  const [latest, usual] = ['/v1/sec/latest?limit=50', usualRequests(vocabulary).flat()];
  const usualAgain = Array.from({ length: again }, () => usual).flat();
  return [
    await measured('the first answer of an isolate', 1, () => askAll([latest])),
    await measured('what clients ask most, for the first time', usual.length, () => askAll(usual)),
    await measured('the same again', again * usual.length, () => askAll(usualAgain)),
    await measured('a request of any kind, never asked before', targets.length, () => askAll(targets)),
    await measured('the same again', targets.length, () => askAll(targets)),
    await measured('a poll of latest with an ETag, nothing new', pollsMeasured, async () => {
      const etag = await ask(latest);
      for (let number = 1; number < pollsMeasured; number++) await ask(latest, { 'if-none-match': etag });
    }),
    await rowOfService(snapshots, targets, usualAgain),
  ];
}

/** What the same takes of a service over the folder, which has more memory and reads no bucket. */
async function rowOfService(
  snapshots: string,
  targets: readonly string[],
  usual: readonly string[],
): Promise<Row> {
  const [service, timer] = [await startService(snapshots), await startTimer()];
  try {
    const cpuMs: number[] = [];
    for (const some of [targets, targets, usual]) {
      const before = await service.usage();
      await timer.ask(service, some, { connections: 1 });
      cpuMs.push((((await service.usage()).cpuSeconds - before.cpuSeconds) * 1000) / some.length);
    }
    const [first = NaN, second = NaN, most = NaN] = cpuMs;
    return row(
      'beside the bucket: a service over the folder',
      `${decimal(first, 2)} ms of CPU for a request of any kind, ${decimal(second, 2)} for the same again, ${decimal(most, 2)} for what clients ask most, again and again`,
    );
  } finally {
    timer.stop();
    await service.stop();
  }
}

/** A bucket that counts how often it is read, and the bytes that it gives. */
function countingBucket(bucket: Bucket): { bucket: Bucket; taken: () => { reads: number; bytes: number } } {
  let [reads, bytes] = [0, 0];
  return {
    bucket: {
      ...bucket,
      async get(key, options) {
        reads++;
        const object = await bucket.get(key, options);
        const { range } = options ?? {};
        if (object?.arrayBuffer && range) bytes += Math.min(range.length, object.size - range.offset);
        else if (object?.text) bytes += object.size;
        return object;
      },
    },
    taken: () => ({ reads, bytes }),
  };
}
