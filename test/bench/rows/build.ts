import { run } from '../child.ts';
import { decimal, megabytes, type Row } from '../row.ts';
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
  const built = await scratch.snapshot(scratch.filings.large);
  const without = await scratch.snapshotWithoutContents(scratch.filings.large);
  const { snapshots, build } = built;
  const filings = decimal(scratch.filings.large);
  const [cpu, time] = [
    microseconds(without, without.build.usage.cpuSeconds),
    microseconds(built, build.seconds),
  ];
  return [
    {
      what: `build from the ledger at once, ${filings} filings without contents`,
      measured: `${cpu.toFixed(1)} us of CPU for a filing (${describe(without)})`,
      bound: `< ${cpuMaximum} us`,
      holds: cpu < cpuMaximum,
    },
    {
      what: `the same with contents of 27 %, and the people whom they name`,
      measured: `${time.toFixed(1)} us for a filing (${describe(built)})`,
      bound: `< ${timeMaximum} us`,
      holds: time < timeMaximum,
    },
    {
      what: 'its greatest memory',
      measured: megabytes(build.usage.peakRssBytes),
      bound: `< ${megabytes(rssMaximum)}`,
      holds: build.usage.peakRssBytes < rssMaximum,
    },
    diskRow('disk for a filing, all tables, the log and indexes', built),
    diskRow('the same without contents', without),
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
    return {
      what: `${what}, beside the build`,
      measured: `${times.toFixed(2)} of its time (${verify.seconds.toFixed(1)} s, ${microseconds(built, verify.usage.cpuSeconds).toFixed(1)} us of CPU for a filing, ${megabytes(verify.usage.peakRssBytes)})`,
      bound: `< ${bound}`,
      holds: times < bound,
    };
  }
}

const microseconds = ({ manifest }: Built, seconds: number) => (seconds / manifest.filingCount) * 1e6;

const describe = ({ build, manifest }: Built) =>
  `${build.usage.cpuSeconds.toFixed(1)} s of CPU in ${build.seconds.toFixed(1)} s, ${decimal(manifest.companyCount)} companies`;

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
