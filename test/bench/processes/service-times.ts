import { createApp } from '../../../src/http/app.ts';
import { createResponseCache } from '../../../src/http/cache.ts';
import { watched, type Fetch } from '../../../src/http/watch.ts';
import { createAuthenticator } from '../../../src/auth.ts';
import { createKeyRing } from '../../../src/keys.ts';
import { createLog } from '../../../src/log.ts';
import { createFollower } from '../../../src/snapshot/follow.ts';
import { readManifest } from '../../../src/snapshot/open.ts';
import { createChunkCache } from '../../../src/table/cache.ts';
import { createRandom } from '../../support/generate.ts';
import { createMix, type MixedRequest } from '../requests.ts';
import { median, quantile } from '../row.ts';
import type { ServiceTimes } from '../rows/service-time.ts';
import { apiKey } from '../service.ts';
import { readVocabulary } from '../vocabulary.ts';
import { noJournal } from '../../support/journal.ts';

const requestsWanted = 4000;
const passes = 3;

/** The service as its entry puts it together, with empty caches. */
async function openService(snapshots: string): Promise<{ fetch: Fetch; close(): Promise<void> }> {
  const log = createLog(() => {}, Date.now);
  const follower = createFollower(snapshots, createChunkCache(32 * 1024 * 1024), log.event);
  await follower.check();
  const authenticator = createAuthenticator(createKeyRing([apiKey], null, log.event), { host: null, secrets: [] });
  const app = createApp({ follower, responses: createResponseCache(8 * 1024 * 1024), authenticator, log, now: Date.now, own: { baseUrl: null, isLocal: true }, journal: noJournal });
  return { fetch: watched(app.fetch as Fetch, log), close: () => follower.close() };
}

/** Asks one request and waits for its last byte. */
async function ask(fetch: Fetch, { path }: MixedRequest): Promise<{ ms: number; cpuMs: number; body: ArrayBuffer }> {
  const request = new Request(`http://127.0.0.1:8787${path}`, { headers: { 'x-api-key': apiKey } });
  const cpu = process.cpuUsage();
  const startedAtMs = performance.now();
  const response = await fetch(request, {});
  const body = await response.arrayBuffer();
  const ms = performance.now() - startedAtMs;
  const { user, system } = process.cpuUsage(cpu);
  if (response.status !== 200) throw new Error(`${path}: status ${response.status}, ${Buffer.from(body).toString()}`);
  return { ms, cpuMs: (user + system) / 1000, body };
}

/** The requests: each follows from the answer before, so they are collected once, which also warms the code up. */
async function collectRequests(snapshots: string, directory: string): Promise<MixedRequest[]> {
  const random = createRandom(7);
  const { manifest } = await readManifest(directory, directory.slice(directory.lastIndexOf('/') + 1));
  const mix = createMix(readVocabulary(directory, manifest, random), random);
  const service = await openService(snapshots);
  const requests = [mix.next()];
  for (let last = requests[0] as MixedRequest; requests.length < requestsWanted; requests.push(last)) {
    last = mix.next(last, Buffer.from((await ask(service.fetch, last)).body).toString());
  }
  await service.close();
  return requests;
}

/** Each request counts with the median of all passes, so that a moment in which the machine did something else does not. */
async function measure(snapshots: string, directory: string): Promise<ServiceTimes> {
  const requests = await collectRequests(snapshots, directory);
  const times = requests.map(() => [] as number[]);
  const cpuTimes = requests.map(() => [] as number[]);
  for (let pass = 0; pass < passes; pass++) {
    const service = await openService(snapshots);
    for (const [at, request] of requests.entries()) {
      const { ms, cpuMs } = await ask(service.fetch, request);
      times[at]?.push(ms);
      cpuTimes[at]?.push(cpuMs);
    }
    await service.close();
  }
  const typical = times.map(median);
  const typicalCpu = cpuTimes.map(median);
  const worst = Math.max(...typical);
  const ids = [...new Set(requests.map(({ id }) => id))];
  return {
    requests: requests.length,
    p50: quantile(typical, 0.5),
    p99: quantile(typical, 0.99),
    worst,
    cpuP99: quantile(typicalCpu, 0.99),
    cpuWorst: Math.max(...typicalCpu),
    worstOfAnyPass: Math.max(...times.flat()),
    slowest: requests[typical.indexOf(worst)] as MixedRequest,
    operations: ids.map((id) => ({ id, p99: quantile(typical.filter((_, at) => requests[at]?.id === id), 0.99) })).sort((a, b) => b.p99 - a.p99),
  };
}

const [snapshots = '', directory = ''] = process.argv.slice(2);
process.send?.({ result: await measure(snapshots, directory) });
