import { below, decimal, greatest, median, megabytes, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { ask, startService } from '../service.ts';

const starts = 7;
const [secondsMaximum, bytesMaximum] = [0.3, 120e6];

/** Seconds from the start of a service to its first answer, and what it has used then: of several starts. */
export async function measureStarts(
  snapshots: string,
  times: number,
): Promise<{ readonly seconds: number[]; readonly cpuSeconds: number[]; readonly bytes: number[] }> {
  const measured = { seconds: [] as number[], cpuSeconds: [] as number[], bytes: [] as number[] };
  for (let at = 0; at < times; at++) {
    const server = await startService(snapshots);
    try {
      await ask(server, '/v1/sec/latest');
      measured.seconds.push((performance.now() - server.startedAtMs) / 1000);
      const usage = await server.usage();
      measured.cpuSeconds.push(usage.cpuSeconds);
      measured.bytes.push(usage.rssBytes);
    } finally {
      await server.stop();
    }
  }
  return measured;
}

/** How long the service takes from its start to its first answer, on the large snapshot. */
export async function startRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const { seconds, cpuSeconds, bytes } = await measureStarts(snapshots, starts);
  const middle = median(seconds);
  return [
    row(
      `start to first answer, ${decimal(scratch.filings.large)} filings`,
      `${middle.toFixed(2)} s (${Math.min(...seconds).toFixed(2)}-${greatest(seconds).toFixed(2)}, ${starts} starts; ${median(cpuSeconds).toFixed(2)} s of CPU)`,
      below(middle, secondsMaximum, ' s'),
    ),
    row('its memory then', megabytes(median(bytes)), below(median(bytes), bytesMaximum, megabytes)),
  ];
}
