import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../../support/generate.ts';
import { startEdge } from '../../support/edge.ts';
import { has } from '../../support/needs.ts';
import { mixedRequests } from '../requests.ts';
import { decimal, median, megabytes, quantile, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { here, run } from '../child.ts';
import { serviceOverBucket } from '../bucket-service.ts';
import { apiKey } from '../service.ts';
import { usualRequests } from './remote.ts';
import { startTimer } from '../timed.ts';
import { readVocabulary } from '../vocabulary.ts';

const requestsMeasured = 1500;
const requestsCounted = 200;
const one = { connections: 1 };
const [coldReadsMaximum, warmReadsMaximum, memoryMaximum] = [20, 3, 128e6];

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
  const random = createRandom(11);
  // What no client asks for often: megabytes of answer.
  const vocabulary = await readVocabulary(snapshots, random);
  const requests = mixedRequests(vocabulary, requestsMeasured + requestsCounted, random, 0.02).map(
    ({ target }) => target,
  );
  const [measured, counted] = [requests.slice(0, requestsMeasured), requests.slice(requestsMeasured)];
  const edge = await startEdge({ API_KEYS: apiKey });
  const timer = await startTimer();
  try {
    scratch.say('worker: filling the bucket');
    await edge.upload(snapshots);
    const server = { port: Number(new URL(edge.address).port) } as Parameters<typeof timer.ask>[0];
    const startedAtMs = performance.now();
    await (await fetch(`${edge.address}/v1/sec/latest`, { headers: { 'x-api-key': apiKey } })).arrayBuffer();
    const firstMs = performance.now() - startedAtMs;
    scratch.say('worker: asking');
    const cold = (await timer.ask(server, measured, one)).ms;
    const warm = (await timer.ask(server, measured, one)).ms;
    scratch.say('worker: counting reads');
    const usual = await readsOf(snapshots, usualRequests(vocabulary));
    const every = await readsOf(
      snapshots,
      counted.map((target) => [
        target,
        target.includes('limit=') ? target.replace(/limit=\d+/, 'limit=3') : target,
      ]),
    );
    // The engine holds the bucket in its process, too: what the program itself takes is measured in Node.
    const targetsFile = join(scratch.directory, 'worker-targets.json');
    writeFileSync(targetsFile, JSON.stringify(measured));
    const { result } = await run<{ first: number; greatest: number }>({
      script: here('processes/worker-memory.ts'),
      flags: ['--expose-gc'],
      arguments: [snapshots, targetsFile],
    });
    const times = (ms: readonly number[]) =>
      `p99 ${quantile(ms, 0.99).toFixed(1)} ms, p50 ${median(ms).toFixed(1)} ms`;
    return [
      {
        what: `worker: first answer over ${decimal(scratch.filings.large)} filings`,
        measured: `${firstMs.toFixed(0)} ms`,
        bound: '',
        holds: true,
      },
      {
        what: `worker: ${decimal(measured.length)} requests of every kind, never asked before`,
        measured: times(cold),
        bound: '',
        holds: true,
      },
      { what: 'worker: the same again', measured: times(warm), bound: '', holds: true },
      {
        what: `worker: heap and buffers through ${decimal(requestsMeasured)} requests`,
        measured: `${megabytes(result?.greatest ?? Infinity)} at most, ${megabytes(result?.first ?? Infinity)} when it is open, beside the program`,
        bound: `< ${megabytes(memoryMaximum)}`,
        holds: (result?.greatest ?? Infinity) < memoryMaximum,
      },
      {
        what: `worker: reads of the bucket, ${usual.cold.length} usual requests, nothing in memory`,
        measured: described(usual.cold),
        bound: `<= ${coldReadsMaximum}`,
        holds: Math.max(...usual.cold) <= coldReadsMaximum,
      },
      {
        what: 'worker: for another one of the kind then',
        measured: described(usual.warm),
        bound: `<= ${warmReadsMaximum}`,
        holds: Math.max(...usual.warm) <= warmReadsMaximum,
      },
      {
        what: `worker: reads for ${every.cold.length} requests of every kind, nothing in memory`,
        measured: `${described(every.cold)}, p99 ${quantile(every.cold, 0.99)}`,
        bound: '',
        holds: true,
      },
    ];
  } finally {
    timer.stop();
    await edge.stop();
  }
}

const described = (reads: readonly number[]) =>
  `at most ${Math.max(...reads)}, ${median(reads)} at the median`;

/**
 * How often a bucket is read for an answer by a service that has nothing in memory but the heads of its
 * segments, and for another one of the kind behind that.
 */
async function readsOf(
  snapshots: string,
  pairs: readonly (readonly [string, string])[],
): Promise<{ cold: number[]; warm: number[] }> {
  const reads = { cold: [] as number[], warm: [] as number[] };
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
