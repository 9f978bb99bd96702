import { run } from '../child.ts';
import { decimal, megabytes, type Row } from '../row.ts';
import type { Built, Scratch } from '../scratch.ts';

const [microsecondsMaximum, rssMaximum, bytesMaximum] = [50, 800e6, 450];
/** How long a verification takes, alone and with the ledger, in times of the build. */
const [verifyMaximum, verifyLedgerMaximum] = [0.5, 1.3];

/**
 * Building a snapshot from the ledger at once: processor time, which does not depend on what else the machine
 * did, memory, and disk. Then its verification, beside it.
 */
export async function buildRows(scratch: Scratch): Promise<Row[]> {
  const built = await scratch.snapshot(scratch.filings.large);
  const { snapshots, build, manifest } = built;
  const filings = decimal(scratch.filings.large);
  const microseconds = (build.usage.cpuSeconds / manifest.filingCount) * 1e6;
  return [
    {
      what: `build from the ledger at once, ${filings} filings`,
      measured: `${microseconds.toFixed(1)} us of CPU for a filing (${build.usage.cpuSeconds.toFixed(1)} s of CPU in ${build.seconds.toFixed(1)} s, ${decimal(manifest.companyCount)} companies)`,
      bound: `< ${microsecondsMaximum} us`,
      holds: microseconds < microsecondsMaximum,
    },
    {
      what: 'its greatest memory',
      measured: megabytes(build.usage.peakRssBytes),
      bound: `< ${megabytes(rssMaximum)}`,
      holds: build.usage.peakRssBytes < rssMaximum,
    },
    diskRow('disk for a filing, all tables, the log and indexes', built),
    diskRow(
      'the same with reporting owners, and contents of 27 % of the filings',
      await scratch.snapshotWithContents(scratch.filings.large),
    ),
    await verifyRow('verify', [], verifyMaximum),
    await verifyRow(
      'verify --ledger',
      ['--ledger', await scratch.ledger(scratch.filings.large)],
      verifyLedgerMaximum,
    ),
  ];

  async function verifyRow(what: string, rest: readonly string[], bound: number): Promise<Row> {
    const verify = await run({
      script: 'build/start.mjs',
      arguments: ['verify', ...rest],
      environment: { SNAPSHOTS_DIR: snapshots },
    });
    const times = verify.seconds / build.seconds;
    const cpu = (verify.usage.cpuSeconds / manifest.filingCount) * 1e6;
    return {
      what: `${what}, beside the build`,
      measured: `${times.toFixed(2)} of its time (${verify.seconds.toFixed(1)} s, ${cpu.toFixed(1)} us of CPU for a filing, ${megabytes(verify.usage.peakRssBytes)})`,
      bound: `< ${bound}`,
      holds: times < bound,
    };
  }
}

/** Disk for a filing of a snapshot. */
function diskRow(what: string, { manifest, logBytes }: Built): Row {
  const segmentBytes = manifest.segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const bytes = (segmentBytes + logBytes) / manifest.filingCount;
  return {
    what,
    measured: `${Math.round(bytes)} bytes (${megabytes(segmentBytes)} in ${manifest.segments.length} segments, ${megabytes(logBytes)} of log)`,
    bound: `< ${bytesMaximum} bytes`,
    holds: bytes < bytesMaximum,
  };
}
