import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { here, root, run } from '../child.ts';
import { atLeast, decimal, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { archiveRows } from './archive.ts';

/** What was measured of a set of submissions files. */
export interface IngestRate {
  readonly files: number;
  readonly filings: number;
  readonly refusals: number;
  /** Filings for each second that passed, and for each second of processor time. */
  readonly perSecond: number;
  readonly perCpuSecond: number;
  /** Share of the time that `JSON.parse` alone takes on the same bodies. */
  readonly parseShare: number;
}

const bound = 300_000;

/**
 * Parse and normalise submissions files: of a made-up bulk archive and, where they are at hand, recorded ones. The bound
 * is on processor time: how long it takes on a machine that others use, too, says how busy they are.
 */
export async function ingestRows(scratch: Scratch): Promise<Row[]> {
  const rows = await archiveRows(scratch);
  const recordings = join(root, '../shared/edgar');
  if (!existsSync(recordings)) {
    scratch.say('skipped: recorded submissions files, there are none in ../shared/edgar');
    return rows;
  }
  const { result } = await run<IngestRate>({
    script: here('processes/ingest-rate.ts'),
    arguments: [recordings],
  });
  const { files, filings, refusals, perSecond, perCpuSecond, parseShare } = result;
  return [
    ...rows,
    row(
      `ingest of ${files} recorded submissions files`,
      `${decimal(perCpuSecond)} for a second of CPU, ${decimal(perSecond)} for one that passed (${decimal(filings)} filings, ${refusals} refused; JSON.parse is ${Math.round(parseShare * 100)} % of it)`,
      atLeast(perCpuSecond, bound, ' filings/s on one core'),
    ),
  ];
}
