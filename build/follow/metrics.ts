import type { LineLog } from '../../src/log/levels.ts';
import { followFigures } from './figures.ts';
import type { Follower } from './follower.ts';

/**
 * Serves the metrics of a follower for Prometheus. The packages for this are imported only here, because other
 * commands do not need them.
 */
export async function serveMetrics(
  follower: Follower,
  host: string,
  port: number,
  say: LineLog,
): Promise<void> {
  const { listenForMetrics } = await import('../../src/metrics/listener.ts');
  const listening = await listenForMetrics(host, port, followFigures(follower));
  say(`metrics at http://${host.includes(':') ? `[${host}]` : host}:${listening.port}/metrics`);
}
