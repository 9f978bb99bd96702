import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { here, root, run } from '../child.ts';
import { decimal, type Row } from '../row.ts';
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
const madeUpFilings = 60_000;

/**
 * Parse and normalise submissions files, made up and, where they are at hand, recorded ones, and a bulk
 * archive of them.
 */
export async function ingestRows(scratch: Scratch): Promise<Row[]> {
  const rows = [
    await ingestRow('made-up submissions files', ['ledger', await scratch.ledger(madeUpFilings)]),
  ];
  const recordings = join(root, '../shared/edgar');
  if (existsSync(recordings))
    rows.push(await ingestRow('recorded submissions files', ['recordings', recordings]));
  else scratch.say('skipped: recorded submissions files, there are none in ../shared/edgar');
  rows.push(...(await archiveRows(scratch)));
  return rows;
}

/**
 * The bound is on processor time: how long it takes on a machine that others use, too, says how busy they
 * are.
 */
async function ingestRow(what: string, source: string[]): Promise<Row> {
  const { result } = await run<IngestRate>({ script: here('processes/ingest-rate.ts'), arguments: source });
  if (!result) throw new Error(`${what}: nothing was measured`);
  const { files, filings, refusals, perSecond, perCpuSecond, parseShare } = result;
  return {
    what: `ingest of ${files} ${what}`,
    measured: `${decimal(perCpuSecond)} for a second of CPU, ${decimal(perSecond)} for one that passed (${decimal(filings)} filings, ${refusals} refused; JSON.parse is ${Math.round(parseShare * 100)} % of it)`,
    bound: `>= ${decimal(bound)} filings/s on one core`,
    holds: perCpuSecond >= bound,
  };
}
