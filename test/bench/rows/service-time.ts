import { here, run } from '../child.ts';
import { decimal, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';

/** What was measured; times in milliseconds. */
export interface ServiceTimes {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** The same by processor time, which other programs of the machine do not prolong. */
  readonly cpuP99: number;
  readonly cpuWorst: number;
  /** The longest of all passes, with what the machine did meanwhile. */
  readonly worstOfAnyPass: number;
  readonly slowest: { readonly id: string; readonly path: string };
  /** The p99 of each operation, slowest first. */
  readonly operations: readonly { readonly id: string; readonly p99: number }[];
}

/** How long any valid request takes inside the service, one after the other. */
export async function serviceTimeRows(scratch: Scratch): Promise<Row[]> {
  const { directory, snapshots } = await scratch.snapshot(scratch.filings.large);
  const { result } = await run<ServiceTimes>({ script: here('processes/service-times.ts'), arguments: [snapshots, directory] });
  if (!result) throw new Error('no service times were measured');
  const { p50, p99, worst, cpuP99, cpuWorst, worstOfAnyPass, slowest, operations } = result;
  scratch.say(`slowest request: ${slowest.id}, ${slowest.path}`);
  scratch.say(`p99 by operation: ${operations.map((each) => `${each.id} ${each.p99.toFixed(2)} ms`).join(', ')}`);
  const what = `${decimal(result.requests)} requests of every kind, ${decimal(scratch.filings.large)} filings`;
  return [
    { what, measured: `p99 ${p99.toFixed(2)} ms (${cpuP99.toFixed(2)} ms of CPU; p50 ${p50.toFixed(2)} ms)`, bound: 'p99 < 10 ms', holds: p99 < 10 },
    { what: 'the slowest of them', measured: `${worst.toFixed(2)} ms (${cpuWorst.toFixed(2)} ms of CPU), ${slowest.id} (longest of any pass ${worstOfAnyPass.toFixed(2)} ms)`, bound: '< 50 ms', holds: worst < 50 },
  ];
}
