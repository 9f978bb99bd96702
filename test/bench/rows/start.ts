import { decimal, megabytes, median, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { ask, startService } from '../service.ts';

const starts = 7;
const [secondsMaximum, bytesMaximum] = [0.3, 120e6];

/** How long the service takes from its start to its first answer, on the large snapshot. */
export async function startRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const [seconds, cpuSeconds, bytes]: [number[], number[], number[]] = [[], [], []];
  for (let at = 0; at < starts; at++) {
    const server = await startService(snapshots);
    try {
      await ask(server, '/v1/sec/latest');
      seconds.push((performance.now() - server.startedAtMs) / 1000);
      const usage = await server.usage();
      cpuSeconds.push(usage.cpuSeconds);
      bytes.push(usage.rssBytes);
    } finally {
      await server.stop();
    }
  }
  const middle = median(seconds);
  return [
    {
      what: `start to first answer, ${decimal(scratch.filings.large)} filings`,
      measured: `${middle.toFixed(2)} s (${Math.min(...seconds).toFixed(2)}-${Math.max(...seconds).toFixed(2)}, ${starts} starts; ${median(cpuSeconds).toFixed(2)} s of CPU)`,
      bound: `< ${secondsMaximum} s`,
      holds: middle < secondsMaximum,
    },
    {
      what: 'its memory then',
      measured: megabytes(median(bytes)),
      bound: `< ${megabytes(bytesMaximum)}`,
      holds: median(bytes) < bytesMaximum,
    },
  ];
}
