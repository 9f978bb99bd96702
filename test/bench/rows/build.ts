import { command, run } from '../child.ts';
import { below, decimal, megabytes, row, type Row } from '../row.ts';
import type { Built, Scratch } from '../scratch.ts';

const [microsecondsMaximum, rssMaximum, bytesMaximum] = [50, 800e6, 450];
/** How long a verification takes, alone and with the ledger, in times of the build. */
const [verifyMaximum, verifyLedgerMaximum] = [0.5, 1.3];

/**
 * Building a snapshot from the ledger at once: processor time, which does not depend on what else the machine
 * did, memory, and disk. Then its verification, beside it.
 */
export async function buildRows(scratch: Scratch): Promise<Row[]> {
  const filings = scratch.filings.large;
  const built = await scratch.snapshot(filings);
  const {
    build: { seconds, usage },
    manifest,
  } = built;
  const microsecondsOf = (cpuSeconds: number) => (cpuSeconds / manifest.filingCount) * 1e6;
  const microseconds = microsecondsOf(usage.cpuSeconds);
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
      `build from the ledger at once, ${decimal(filings)} filings`,
      `${microseconds.toFixed(1)} us of CPU for a filing (${usage.cpuSeconds.toFixed(1)} s of CPU in ${seconds.toFixed(1)} s, ${decimal(manifest.companyCount)} companies)`,
      below(microseconds, microsecondsMaximum, ' us'),
    ),
    row(
      'its greatest memory',
      megabytes(usage.peakRssBytes),
      below(usage.peakRssBytes, rssMaximum, megabytes),
    ),
    diskRow('disk for a filing, all tables, the log and indexes', built),
    diskRow(
      'the same with reporting owners, and contents of 27 % of the filings',
      await scratch.snapshotWithContents(filings),
    ),
    await verifyRow(['verify'], verifyMaximum),
    await verifyRow(['verify', '--ledger', await scratch.ledger(filings)], verifyLedgerMaximum),
  ];
}

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
