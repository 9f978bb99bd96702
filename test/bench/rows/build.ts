import { command, run } from '../child.ts';
import { below, decimal, megabytes, row, type Row } from '../row.ts';
import type { Built, Scratch } from '../scratch.ts';

/** Of processor time without contents, and of time with them: 25 minutes for 20 million filings. */
const [cpuMaximum, timeMaximum] = [50, 75];
const [rssMaximum, bytesMaximum] = [800e6, 450];
/** How long a verification takes, alone and with the ledger, in times of the build. */
const [verifyMaximum, verifyLedgerMaximum] = [0.5, 1.3];

/**
 * Building a snapshot from the ledger at once: processor time, which does not depend on what else the machine
 * did, memory, and disk. Then its verification, beside it.
 */
export async function buildRows(scratch: Scratch): Promise<Row[]> {
  const filings = scratch.filings.large;
  const [built, without] = [await scratch.snapshot(filings), await scratch.snapshotWithoutContents(filings)];
  const { seconds, usage } = built.build;
  const microsecondsOf = (ofAll: number) => (ofAll / filings) * 1e6;
  const [cpu, time] = [microsecondsOf(without.build.usage.cpuSeconds), microsecondsOf(seconds)];
  const verifyRow = async (words: readonly string[], bound: number): Promise<Row> => {
    const verify = await run(command(words, { SNAPSHOTS_DIR: built.snapshots }));
    const times = verify.seconds / seconds;
    return row(
      `${words.slice(0, 2).join(' ')}, beside the build`,
      `${times.toFixed(2)} of its time (${verify.seconds.toFixed(1)} s, ${microsecondsOf(verify.usage.cpuSeconds).toFixed(1)} us of CPU for a filing, ${megabytes(verify.usage.peakRssBytes)})`,
      below(times, bound, ''),
    );
  };
  return [
    row(
      `build from the ledger at once, ${decimal(filings)} filings without contents`,
      `${cpu.toFixed(1)} us of CPU for a filing (${described(without)})`,
      below(cpu, cpuMaximum, ' us'),
    ),
    row(
      'the same with contents of 27 %, and the people whom they name',
      `${time.toFixed(1)} us for a filing (${described(built)})`,
      below(time, timeMaximum, ' us'),
    ),
    row(
      'its greatest memory',
      megabytes(usage.peakRssBytes),
      below(usage.peakRssBytes, rssMaximum, megabytes),
    ),
    diskRow('disk for a filing, all tables, the log and indexes', built),
    diskRow('the same without contents', without),
    await verifyRow(['verify'], verifyMaximum),
    await verifyRow(['verify', '--ledger', await scratch.ledger(filings)], verifyLedgerMaximum),
  ];
}

const described = ({ build, manifest }: Built) =>
  `${build.usage.cpuSeconds.toFixed(1)} s of CPU in ${build.seconds.toFixed(1)} s, ${decimal(manifest.companyCount)} companies`;

/** Disk for a filing of a snapshot. */
function diskRow(what: string, { manifest, logBytes }: Built): Row {
  const segmentBytes = manifest.segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const bytes = (segmentBytes + logBytes) / manifest.filingCount;
  return row(
    what,
    `${Math.round(bytes)} bytes (${megabytes(segmentBytes)} in ${manifest.segments.length} segments, ${megabytes(logBytes)} of log)`,
    below(bytes, bytesMaximum, ' bytes'),
  );
}
