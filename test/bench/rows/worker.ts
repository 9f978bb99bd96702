import { readdirSync, readFileSync } from 'node:fs';
import { openBucket } from '../../../src/edge/bucket.ts';
import { createCaches, createServices } from '../../../src/service.ts';
import { createApp } from '../../../src/http/app.ts';
import { createKeyRing } from '../../../src/keys.ts';
import { createLog } from '../../../src/log.ts';
import { createRandom } from '../../support/generate.ts';
import { hasEngine, startEdge } from '../../support/edge.ts';
import { folderBucket, ownReads } from '../../support/folder-bucket.ts';
import { noJournal } from '../../support/journal.ts';
import { mixedRequests } from '../requests.ts';
import { decimal, median, megabytes, quantile, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { apiKey } from '../service.ts';
import { startTimer } from '../timed.ts';
import { readVocabulary } from '../vocabulary.ts';

const requestsMeasured = 1500;
const requestsCounted = 200;
const one = { connections: 1 };
/** What is left of the platform's 128 MB for JavaScript, beside blocks, answers and files. */
const heapMaximum = 64 * 1024 * 1024;
const [coldReadsMaximum, warmReadsMaximum, memoryMaximum] = [20, 3, 128e6];
/** The memory of the worker as it is deployed. */
const [blockBytes, responseBytes] = [24 * 1024 * 1024, 6 * 1024 * 1024];

/** The worker in its engine, over a bucket with the large snapshot: its first answer, new and repeated requests, its memory, and how often it reads the bucket. */
export async function workerRows(scratch: Scratch): Promise<Row[]> {
  if (!hasEngine) {
    scratch.say('worker: left out, the engine is not installed (npm ci in test/edge)');
    return [];
  }
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const random = createRandom(11);
  // What no client asks for often: megabytes of answer.
  const requests = mixedRequests(await readVocabulary(snapshots, random), requestsMeasured + requestsCounted, random, 0.02);
  const measured = requests.slice(0, requestsMeasured).map(({ target }) => target);
  // A watchlist is up to 25 lists in one answer.
  const counted = requests.slice(requestsMeasured).filter(({ kind }) => !kind.startsWith('watchlist')).map(({ target }) => target);
  process.env['MINIFLARE_WORKERD_V8_FLAGS'] = `--max-old-space-size=${heapMaximum / 1024 / 1024}`;
  const edge = await startEdge({ API_KEYS: apiKey });
  const timer = await startTimer();
  try {
    scratch.say('worker: filling the bucket');
    await edge.upload(snapshots);
    const server = { port: Number(new URL(edge.address).port) } as Parameters<typeof timer.ask>[0];
    const [atRest] = [memoryOfEngine()];
    const startedAtMs = performance.now();
    await (await fetch(`${edge.address}/v1/sec/latest`, { headers: { 'x-api-key': apiKey } })).arrayBuffer();
    const firstMs = performance.now() - startedAtMs;
    scratch.say('worker: asking');
    const cold = (await timer.ask(server, measured, one)).ms;
    const warm = (await timer.ask(server, measured, one)).ms;
    const grown = memoryOfEngine() - atRest;
    scratch.say('worker: counting reads');
    const reads = await readsOf(snapshots, counted);
    const times = (ms: readonly number[]) => `p99 ${quantile(ms, 0.99).toFixed(1)} ms, p50 ${median(ms).toFixed(1)} ms`;
    return [
      { what: `worker: first answer over ${decimal(scratch.filings.large)} filings`, measured: `${firstMs.toFixed(0)} ms`, bound: '', holds: true },
      { what: `worker: ${decimal(measured.length)} requests of every kind, never asked before`, measured: times(cold), bound: '', holds: true },
      { what: 'worker: the same again', measured: times(warm), bound: '', holds: true },
      { what: 'worker: memory that its engine has taken since', measured: megabytes(grown), bound: `< ${megabytes(memoryMaximum)}`, holds: grown < memoryMaximum },
      { what: 'worker: reads of the bucket for one list, nothing in memory', measured: `at most ${Math.max(...reads.cold)}, p99 ${quantile(reads.cold, 0.99)}, p50 ${median(reads.cold)}`, bound: `<= ${coldReadsMaximum}`, holds: quantile(reads.cold, 0.99) <= coldReadsMaximum },
      { what: 'worker: the same once others have asked', measured: `at most ${Math.max(...reads.warm)}, p99 ${quantile(reads.warm, 0.99)}, p50 ${median(reads.warm)}`, bound: `<= ${warmReadsMaximum}`, holds: quantile(reads.warm, 0.99) <= warmReadsMaximum },
    ];
  } finally {
    timer.stop();
    await edge.stop();
  }
}

/** Bytes of the processes of the engine, which are children of this one. */
function memoryOfEngine(): number {
  let bytes = 0;
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${id}/status`, 'utf8');
      if (/^Name:\s+workerd/m.test(status) && new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status)) bytes += Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
    } catch {
      // A process may end while the others are looked at.
    }
  }
  return bytes;
}

/** How often a bucket is read for each answer: by a service that has nothing in memory but the heads of its segments, and by one that has answered all others before. */
async function readsOf(snapshots: string, targets: readonly string[]): Promise<{ cold: number[]; warm: number[] }> {
  const reads = { cold: [] as number[], warm: [] as number[] };
  for (const target of targets) {
    const { ask, count } = await serviceOverBucket(snapshots);
    const before = count();
    await ask(target);
    reads.cold.push(count() - before);
  }
  const { ask, count } = await serviceOverBucket(snapshots);
  for (const target of targets) await ask(target);
  // The same lists with another limit are not in the response cache.
  for (const target of targets) {
    const before = count();
    await ask(target.includes('limit=') ? target.replace(/limit=\d+/, 'limit=3') : target);
    reads.warm.push(count() - before);
  }
  return reads;
}

async function serviceOverBucket(snapshots: string) {
  const store = openBucket(folderBucket(snapshots), ownReads());
  const log = createLog(() => {}, Date.now);
  const services = createServices({ BASE_URL: null, TRUSTED_KEY: null, MARKETPLACE_HOST: null, MARKETPLACE_PROXY_SECRETS: [] }, { store, keys: createKeyRing([apiKey], null, log.event), journal: noJournal, log, now: Date.now, isLocal: true }, createCaches(blockBytes, responseBytes));
  await services.follower.check();
  const app = createApp(services);
  return {
    count: store.reads,
    async ask(target: string) {
      const response = await app.request(target, { headers: { 'x-api-key': apiKey } }, {});
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${target}: status ${response.status}`);
    },
  };
}
