// Preloaded into processes that are measured: tells the parent what they used, when it asks and before they end.
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.send) {
  const report = () => {
    const { user, system } = process.cpuUsage();
    process.send({ usage: { cpuSeconds: (user + system) / 1e6, rssBytes: process.memoryUsage.rss(), peakRssBytes: process.resourceUsage().maxRSS * 1024 } });
  };
  process.on('message', (message) => message === 'usage' && report());
  process.once('beforeExit', report);
  // A server does not outlive a run of the benchmarks that was stopped.
  process.on('disconnect', () => process.exit(1));
  process.channel.unref();
}
