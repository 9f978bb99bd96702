import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { paths } from '../../../src/format/snapshot.ts';
import { readPointer } from '../../../build/snapshot/pointer.ts';
import { filesBelow } from '../../support/files-below.ts';
import { here, run } from '../child.ts';
import { currentManifest } from '../current.ts';
import { atMost, below, decimal, median, megabytes, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { shapeOf } from '../shape.ts';
import { measureStarts } from './start.ts';

/** What follows EDGAR publishes so often in a week. */
const publications = 5000;
const starts = 5;
const [segmentsMaximum, manifestBytesMaximum, startSecondsMaximum, growthMaximum] = [14, 64 * 1024, 0.5, 1.5];

/**
 * A week of publications by one process, as `follow` makes them, onto the small snapshot: what they leave.
 * Takes half an hour.
 */
export async function weekRows(scratch: Scratch): Promise<Row[]> {
  const { small } = scratch.filings;
  const [ledger, { snapshots }] = [await scratch.ledger(small), await scratch.snapshot(small)];
  scratch.say(`publishing ${publications} times onto ${decimal(small)} filings`);
  const { result, usage } = await run<{ seconds: number[]; filings: number }>({
    script: here('processes/publish-many.ts'),
    arguments: [ledger, snapshots, JSON.stringify(shapeOf(small)), String(publications)],
  });
  const { segments } = await currentManifest(snapshots);
  const pointer = await readPointer(snapshots);
  const { size } = await stat(join(snapshots, paths.manifest(pointer?.snapshotId ?? '')));
  const [first, last] = [median(result.seconds.slice(0, 200)), median(result.seconds.slice(-200))];
  const start = median((await measureStarts(snapshots, starts)).seconds);
  return [
    row(
      `segments after ${decimal(publications)} publications of ${decimal(result.filings)} filings`,
      `${segments.length}, in ${decimal(filesBelow(snapshots).length)} files after pruning`,
      atMost(segments.length, segmentsMaximum, ''),
    ),
    row('the manifest then', `${decimal(size)} bytes`, below(size, manifestBytesMaximum, ' bytes')),
    row(
      'a publication then',
      `${last.toFixed(2)} s (${first.toFixed(2)} s at first; ${megabytes(usage.peakRssBytes)} at most in all)`,
      atMost(last / first, growthMaximum, ' times'),
    ),
    row('start to first answer then', `${start.toFixed(2)} s`, below(start, startSecondsMaximum, ' s')),
  ];
}
