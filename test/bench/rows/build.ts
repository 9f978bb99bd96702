import { decimal, megabytes, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';

const [microsecondsMaximum, rssMaximum, bytesMaximum] = [60, 800e6, 450];

/**
 * Building a snapshot from the ledger at once: processor time, which does not depend on what else the machine
 * did, memory, and disk.
 */
export async function buildRows(scratch: Scratch): Promise<Row[]> {
  const { build, manifest, logBytes } = await scratch.snapshot(scratch.filings.large);
  const filings = decimal(scratch.filings.large);
  const microseconds = (build.usage.cpuSeconds / manifest.filingCount) * 1e6;
  const segmentBytes = manifest.segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const bytes = segmentBytes + logBytes;
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
    {
      what: 'disk for a filing, all tables, the log and indexes',
      measured: `${Math.round(bytes / manifest.filingCount)} bytes (${megabytes(segmentBytes)} in ${manifest.segments.length} segments, ${megabytes(logBytes)} of log)`,
      bound: `< ${bytesMaximum} bytes`,
      holds: bytes / manifest.filingCount < bytesMaximum,
    },
  ];
}
