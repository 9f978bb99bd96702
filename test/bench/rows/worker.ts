import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEdge } from '../../support/edge.ts';
import { has } from '../../support/needs.ts';
import { serviceOverBucket } from '../bucket-service.ts';
import { here, run, withStarted } from '../child.ts';
import { startTimer } from '../load.ts';
import { drawRequests, largestShareOfClients, usualRequests } from '../requests.ts';
import { below, decimal, median, megabytes, quantile, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { apiKey } from '../service.ts';
import { describeReads, readRows, type Reads } from './remote.ts';

const requestsMeasured = 1500;
const requestsCounted = 200;
const one = { connections: 1 };
const memoryMaximum = 128e6;

/**
 * The worker in its engine, over a bucket with the large snapshot: its first answer, new and repeated
 * requests, its memory, and how often it reads the bucket.
 */
export async function workerRows(scratch: Scratch): Promise<Row[]> {
  if (!has('engine')) {
    scratch.say('worker: left out, the engine is not installed (npm ci in test/edge)');
    return [];
  }
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const { vocabulary, targets } = await drawRequests(
    snapshots,
    requestsMeasured + requestsCounted,
    11,
    largestShareOfClients,
  );
  const [measured, counted] = [targets.slice(0, requestsMeasured), targets.slice(requestsMeasured)];
  return withStarted(async (keep) => {
    const [edge, timer] = [await keep(startEdge({ API_KEYS: apiKey })), await keep(startTimer())];
    scratch.say('worker: filling the bucket');
    await edge.upload(snapshots);
    const server = { port: Number(new URL(edge.address).port) };
    const startedAtMs = performance.now();
    await (await fetch(`${edge.address}/v1/sec/latest`, { headers: { 'x-api-key': apiKey } })).arrayBuffer();
    const firstMs = performance.now() - startedAtMs;
    scratch.say('worker: asking');
    const cold = (await timer.ask(server, measured, one)).ms;
    const warm = (await timer.ask(server, measured, one)).ms;
    scratch.say('worker: counting reads');
    const usual = await readsOf(snapshots, usualRequests(vocabulary));
    const every = (
      await readsOf(
        snapshots,
        counted.map((target) => [target, target]),
      )
    ).cold;
    // The engine holds the bucket in its process, too: what the program itself takes is measured in Node.
    const targetsFile = join(scratch.directory, 'worker-targets.json');
    writeFileSync(targetsFile, JSON.stringify(measured));
    const { result: memory } = await run<{ first: number; greatest: number }>({
      script: here('processes/worker-memory.ts'),
      flags: ['--expose-gc'],
      arguments: [snapshots, targetsFile],
    });
    const times = (ms: readonly number[]) =>
      `p99 ${quantile(ms, 0.99).toFixed(1)} ms, p50 ${median(ms).toFixed(1)} ms`;
    return [
      row(`worker: first answer over ${decimal(scratch.filings.large)} filings`, `${firstMs.toFixed(0)} ms`),
      row(`worker: ${decimal(measured.length)} requests of every kind, never asked before`, times(cold)),
      row('worker: the same again', times(warm)),
      row(
        `worker: heap and buffers through ${decimal(requestsMeasured)} requests`,
        `${megabytes(memory.greatest)} at most, ${megabytes(memory.first)} when it is open, beside the program`,
        below(memory.greatest, memoryMaximum, megabytes),
      ),
      ...readRows('the bucket', usual),
      row(
        `worker: reads for ${every.length} requests of every kind, nothing in memory`,
        `${describeReads(every)}, p99 ${quantile(every, 0.99)}`,
      ),
    ];
  });
}

/**
 * How often a bucket is read for an answer by a service that has nothing in memory but the heads of its
 * segments, and for another one of the kind behind that.
 */
async function readsOf(snapshots: string, pairs: readonly (readonly [string, string])[]): Promise<Reads> {
  const reads: Reads = { cold: [], warm: [] };
  for (const [first, second] of pairs) {
    const { ask, count } = await serviceOverBucket(snapshots);
    const before = count();
    await ask(first);
    const between = count();
    await ask(second);
    reads.cold.push(between - before);
    reads.warm.push(count() - between);
  }
  return reads;
}
