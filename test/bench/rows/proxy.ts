import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { paths } from '../../../src/format/snapshot.ts';
import { createRandom } from '../../support/generate.ts';
import { has } from '../../support/needs.ts';
import { startNginx } from '../../support/proxy.ts';
import { closeAll, listen, portOf } from '../../support/servers.ts';
import { latest } from '../addresses.ts';
import { withStarted } from '../child.ts';
import { withCurrent } from '../current.ts';
import type { Published } from '../publications.ts';
import { decimal, megabytes, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { apiKey, startService } from '../service.ts';
import { setPointer } from './switching.ts';

/** An hour passes in a minute: all times for which answers may be cached are divided by this. */
const faster = 60;
const [publications, publishEveryMs] = [60, 1000];
const filingsPublished = 5;
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
  scratch.say(`proxy: publishing ${publications} times`);
  const { snapshots, publish } = await scratch.own('proxy');
  const pointers = [readFileSync(join(snapshots, paths.pointer))];
  while (pointers.length <= publications) {
    await publish(filingsPublished);
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
  return withStarted(async (keep) => {
    const service = await keep(startService(published.snapshots));
    const before = await keep(startFaster(service.port));
    const proxy = await keep(startNginx(folder, [before.port]));
    const client = createClient(proxy.port, random);
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
    client.close();
    return rowsOfProxy(`${decimal(visited)} visits an hour`, client.seen, before.counted(), cpuSeconds);
  });
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
  const [requests, bodyBytes] = [sum((each) => each.requests), sum((each) => each.bodyBytes)];
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
      `${decimal(reached.requests)} requests (${percent(reached.requests, requests)}), ${decimal(reached.notModified)} of them 304; ${megabytes(reached.bodyBytes, 2)} of bodies where visitors got ${megabytes(bodyBytes, 1)}`,
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
      return ask(polls, latest, headers, `poller ${poller}`, true);
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
  await listen([server]);
  return {
    port: portOf(server),
    counted: () => counted,
    forget: () => void (counted = { requests: 0, notModified: 0, bodyBytes: 0 }),
    async stop() {
      agent.destroy();
      await closeAll([server]);
    },
  };
}
