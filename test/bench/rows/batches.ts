import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeManyBatches } from '../../support/many-batches.ts';
import { command, here, run } from '../child.ts';
import { atMost, decimal, median, megabytes, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';

const [few, many] = [10, 1_000_000];
/** How often each step is measured. */
const times = 15;
/** How many times as long a step may take with many batches as with few. */
const mostTimes = 1.5;
const buildBytesMaximum = 800e6;

/**
 * What one more batch costs in a ledger of a million batches, beside a ledger of ten; and verify for each
 * batch. Making and building that ledger takes half an hour and 10 GB of disk.
 */
export async function batchesRows(scratch: Scratch): Promise<Row[]> {
  const small = await measure(scratch, few);
  const { steps, build, verify } = await measure(scratch, many);
  return [
    ...Object.entries(steps).map(([step, seconds]) => {
      const [base, now] = [median(small.steps[step] ?? []), median(seconds)];
      return row(
        `${step} of a batch after ${decimal(many)} batches`,
        `${decimal(now * 1000, 1)} ms (${decimal(base * 1000, 1)} ms after ${few})`,
        atMost(now / base, mostTimes, ` times as with ${few}`),
      );
    }),
    row(
      `building ${decimal(many)} batches at once`,
      `${decimal(build.seconds)} s, ${megabytes(build.usage.peakRssBytes)} at most`,
      atMost(build.usage.peakRssBytes, buildBytesMaximum, megabytes),
    ),
    row(
      'verify of them',
      `${decimal((verify.seconds / many) * 1e6, 1)} µs for each batch, ${decimal(verify.seconds)} s`,
      atMost(verify.seconds / build.seconds, 0.5, ' of the time of the build'),
    ),
  ];
}

/** Builds a ledger of so many batches, appends some more, and verifies it. */
async function measure(scratch: Scratch, batches: number) {
  const ledger = join(scratch.directory, `ledger-of-${batches}-batches`);
  const snapshots = `${ledger}-snapshots`;
  mkdirSync(snapshots);
  try {
    scratch.say(`making a ledger of ${decimal(batches)} batches`);
    writeManyBatches(ledger, batches);
    scratch.say('building it');
    const build = await run(command(['build', '--ledger', ledger, '--snapshots', snapshots]));
    scratch.say('appending to it');
    const { result: steps } = await run<Readonly<Record<string, readonly number[]>>>({
      script: here('processes/one-more-batch.ts'),
      arguments: [ledger, snapshots, String(times)],
    });
    const verify = await run(command(['verify'], { SNAPSHOTS_DIR: snapshots }));
    return { steps, build, verify };
  } finally {
    for (const path of [ledger, snapshots]) rmSync(path, { recursive: true, force: true });
  }
}
