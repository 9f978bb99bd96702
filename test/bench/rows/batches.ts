import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeManyBatches } from '../../support/many-batches.ts';
import { here, root, run } from '../child.ts';
import { decimal, median, megabytes, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';

const [few, many] = [10, 1_000_000];
/** How often each step is measured. */
const times = 15;
/** How many times as long a step may take with many batches as with few. */
const mostTimes = 1.5;
const buildBytesMaximum = 800e6;

type Seconds = Readonly<Record<string, readonly number[]>>;

/**
 * What one more batch costs in a ledger of a million batches, beside a ledger of ten; and verify for each
 * batch. Making and building that ledger takes half an hour and 10 GB of disk.
 */
export async function batchesRows(scratch: Scratch): Promise<Row[]> {
  const small = await measure(scratch, few);
  const large = await measure(scratch, many);
  const steps = Object.keys(large.seconds).map((step): Row => {
    const [base, now] = [small, large].map(({ seconds }) => median(seconds[step] ?? [])) as [number, number];
    return {
      what: `${step} of a batch after ${decimal(many)} batches`,
      measured: `${decimal(now * 1000, 1)} ms (${decimal(base * 1000, 1)} ms after ${few})`,
      bound: `<= ${mostTimes} times as with ${few}`,
      holds: now <= mostTimes * base,
    };
  });
  return [
    ...steps,
    {
      what: `building ${decimal(many)} batches at once`,
      measured: `${decimal(large.buildSeconds)} s, ${megabytes(large.buildPeakBytes)} at most`,
      bound: `<= ${megabytes(buildBytesMaximum)} of memory`,
      holds: large.buildPeakBytes <= buildBytesMaximum,
    },
    {
      what: `verify of them`,
      measured: `${decimal((large.verifySeconds / many) * 1e6, 1)} µs for each batch, ${decimal(large.verifySeconds)} s`,
      bound: '<= half the time of the build',
      holds: large.verifySeconds <= large.buildSeconds / 2,
    },
  ];
}

interface Measured {
  readonly seconds: Seconds;
  readonly buildSeconds: number;
  readonly buildPeakBytes: number;
  readonly verifySeconds: number;
}

async function measure(scratch: Scratch, batches: number): Promise<Measured> {
  const ledger = join(scratch.directory, `ledger-of-${batches}-batches`);
  const snapshots = `${ledger}-snapshots`;
  mkdirSync(snapshots);
  try {
    scratch.say(`making a ledger of ${decimal(batches)} batches`);
    writeManyBatches(ledger, batches);
    scratch.say('building it');
    const build = await run({
      script: join(root, 'build/start.mjs'),
      arguments: ['build', '--ledger', ledger, '--snapshots', snapshots],
    });
    scratch.say('appending to it');
    const { result } = await run<Seconds>({
      script: here('processes/one-more-batch.ts'),
      arguments: [ledger, snapshots, String(times)],
    });
    if (!result) throw new Error('the process that appends told nothing');
    const verify = await run({
      script: join(root, 'build/start.mjs'),
      arguments: ['verify'],
      environment: { SNAPSHOTS_DIR: snapshots },
    });
    return {
      seconds: result,
      buildSeconds: build.seconds,
      buildPeakBytes: build.usage.peakRssBytes,
      verifySeconds: verify.seconds,
    };
  } finally {
    for (const path of [ledger, snapshots]) rmSync(path, { recursive: true, force: true });
  }
}
