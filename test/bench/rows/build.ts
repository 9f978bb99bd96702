import { join } from 'node:path';
import { here, run } from '../child.ts';
import { decimal, megabytes, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';

/**
 * The build against what no build can do without: to inflate, parse, stringify, compress, hash and write the bytes of its tables. One of them
 * runs after the other, so the bound is on processor time: it does not depend on what else the machine did meanwhile.
 */
export async function buildRows(scratch: Scratch): Promise<Row[]> {
  const { build, snapshots } = await scratch.snapshot(scratch.filings.large);
  scratch.say('rewriting the tables');
  const least = await run<number>({ script: here('processes/rewrite.ts'), arguments: [join(snapshots, 'segments'), join(scratch.directory, 'rewritten')] });
  const times = ({ seconds, usage }: typeof build) => `${usage.cpuSeconds.toFixed(1)} s of CPU in ${seconds.toFixed(1)} s`;
  const ratio = build.seconds / least.seconds;
  const cpuRatio = build.usage.cpuSeconds / least.usage.cpuSeconds;
  return [
    {
      what: `build from ledger, ${decimal(scratch.filings.large)} filings`,
      measured: `${cpuRatio.toFixed(2)} times by CPU time, ${ratio.toFixed(2)} by the clock (${times(build)}; ${times(least)} for ${megabytes(least.result ?? 0)})`,
      bound: '<= 3 times inflate + parse + stringify + compress + hash + write',
      holds: cpuRatio <= 3,
    },
    { what: 'its greatest memory', measured: megabytes(build.usage.peakRssBytes), bound: '< 1500 MB', holds: build.usage.peakRssBytes < 1.5e9 },
  ];
}
