import { withStarted } from '../child.ts';
import { liveBeside, startTimer } from '../load.ts';
import { drawRequests, isLargest } from '../requests.ts';
import { below, decimal, greatest, quantile, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { startService } from '../service.ts';

const requestsMeasured = 4000;
const [worstMaximum, connections] = [50, 8];

/**
 * How long `/livez` takes while others ask on eight connections, as fast as they are answered: for watchlists of
 * 25 companies with 200 rows each, and for requests of every kind.
 */
export async function probeRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const { requests } = await drawRequests(snapshots, requestsMeasured, 11);
  const rows: Row[] = [];
  for (const [what, asked] of [
    ['watchlists of 25 x 200', requests.filter(({ kind }) => isLargest(kind))],
    ['requests of every kind', requests],
  ] as const) {
    const targets = asked.map(({ target }) => target);
    const measured = withStarted(async (keep) => {
      const [server, others] = [await keep(startService(snapshots)), await keep(startTimer())];
      await others.ask(server, targets.slice(0, 200), { connections: 1 });
      let perSecond = 0;
      const ms = await liveBeside(server, async () => {
        perSecond = targets.length / (await others.ask(server, targets, { connections })).seconds;
      });
      return row(
        `/livez beside ${decimal(targets.length)} ${what} on ${connections} connections`,
        `worst ${greatest(ms).toFixed(1)} ms of ${decimal(ms.length)}, p99 ${quantile(ms, 0.99).toFixed(1)} ms (${decimal(perSecond)} of the others a second)`,
        below(greatest(ms), worstMaximum, ' ms'),
      );
    });
    rows.push(await measured);
  }
  return rows;
}
