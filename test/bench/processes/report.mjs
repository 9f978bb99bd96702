// Preloaded into processes that are measured: tells the parent what they used, when it asks and before they
// end.
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Bytes that were given to calls that write, to files above all; 0 where the system does not tell. */
function writtenBytes() {
  try {
    return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/**
 * The most memory that the process held. `resourceUsage` also counts what its parent held when it started this one, where
 * the system tells no better.
 */
function peakRssBytes() {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}

if (isMainThread && process.send) {
  const report = () => {
    const { user, system } = process.cpuUsage();
    process.send({
      usage: {
        cpuSeconds: (user + system) / 1e6,
        rssBytes: process.memoryUsage.rss(),
        peakRssBytes: peakRssBytes(),
        writtenBytes: writtenBytes(),
      },
    });
  };
  process.on('message', (message) => message === 'usage' && report());
  process.once('beforeExit', report);
  // A server does not outlive a run of the benchmarks that was stopped.
  process.on('disconnect', () => process.exit(1));
  process.channel.unref();
}
