import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { paths } from '../../../src/format/snapshot.ts';
import { readPointer } from '../../../build/snapshot/pointer.ts';
import { filesBelow } from '../../support/files-below.ts';
import { here, run } from '../child.ts';
import { currentManifest } from '../current.ts';
import { decimal, median, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { ask, startService } from '../service.ts';
import { shapeOf } from '../shape.ts';

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
  if (!result) throw new Error('the process that publishes told nothing');
  const manifest = await currentManifest(snapshots);
  const pointer = await readPointer(snapshots);
  const { size } = await stat(join(snapshots, paths.manifest(pointer?.snapshotId ?? '')));
  const [first, last] = [result.seconds.slice(0, 200), result.seconds.slice(-200)].map((seconds) =>
    median(seconds),
  ) as [number, number];
  const startSeconds: number[] = [];
  for (let at = 0; at < starts; at++) {
    const server = await startService(snapshots);
    await ask(server, '/v1/sec/latest');
    startSeconds.push((performance.now() - server.startedAtMs) / 1000);
    await server.stop();
  }
  const start = median(startSeconds);
  return [
    {
      what: `segments after ${decimal(publications)} publications of ${decimal(result.filings)} filings`,
      measured: `${manifest.segments.length}, in ${decimal(filesBelow(snapshots).length)} files after pruning`,
      bound: `<= ${segmentsMaximum}`,
      holds: manifest.segments.length <= segmentsMaximum,
    },
    {
      what: 'the manifest then',
      measured: `${decimal(size)} bytes`,
      bound: `< ${decimal(manifestBytesMaximum)}`,
      holds: size < manifestBytesMaximum,
    },
    {
      what: 'a publication then',
      measured: `${last.toFixed(2)} s (${first.toFixed(2)} s at first; ${(usage.peakRssBytes / 1e6).toFixed(0)} MB at most in all)`,
      bound: `<= ${growthMaximum} times`,
      holds: last / first <= growthMaximum,
    },
    {
      what: 'start to first answer then',
      measured: `${start.toFixed(2)} s`,
      bound: `< ${startSecondsMaximum} s`,
      holds: start < startSecondsMaximum,
    },
  ];
}
